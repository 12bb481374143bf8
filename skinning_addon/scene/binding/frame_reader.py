"""A bound mesh's per-frame data: poses, and the objects' transforms."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.binding import Binding
from ...core.skinning.joints import NO_BONE, Joints
from ...core.skinning.passes import Pass, PassInput
from ...core.skinning.skeleton import invert_affine
from ...core.text.errors import StaleBindingError
from ..armatures.armature_reader import ArmatureReader, ArmatureReaders
from ..armatures.profiled_reading import armatures_under, origin_under, pose_under, reader_under
from ..identification import identity
from ..matrices import relation
from .armature_poses import PoseUnder
from .binding_signature import BindingSignature, WatchedBones, is_still_bound
from .frame import Frame, Placement, PosedPass
from .instant import Instant, PlacedMesh
from .skin_reader import skin_at
from .steady_reader import SteadyReader

SAME_PLACE = 1e-5

_Matrices = tuple[NDArray[np.floating], NDArray[np.float64] | None]
"""to_root (B, 4, 4) of an armature's bones, and segment_to_bone of bendy joints: see `Joints.posed`."""


class FrameReader:
    """Reads frames of one binding; keeps the offsets while the objects do not move relative to each other."""

    def __init__(
        self, binding: Binding, *, armatures: ArmatureReaders | None = None, is_live: bool = False
    ) -> None:
        """armatures: those already read for the binding, if available. is_live: for previews, which are bound
        again whenever Blender reports a change: only what it doesn't report is compared.
        """
        self._binding = binding
        self._is_live = is_live
        self._watched = WatchedBones() if is_live else None
        self._profile = binding.profile
        self._placements: list[Placement | None] = [None] * len(binding.passes)
        self._armatures = armatures
        self._known_readers: dict[str, ArmatureReader] | None = None
        self._without_effect: dict[int, Pass] = {}
        self._chain = binding.passes
        # What was last found to be the binding's own.
        self._names: tuple[str, ...] | None = None
        self._poses: list[PoseUnder | None] = [None] * len(binding.passes)
        self._signature: BindingSignature | None = None

    def move(self, binding: Binding) -> None:
        """Go on with a binding that differs in the positions of its mesh alone."""
        self._binding = binding

    def read(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        *,
        by_hierarchy: bool = False,
        poses: Mapping[str, NDArray[np.float64]] | None = None,
        instant: Instant | None = None,
        is_bound: bool = False,
    ) -> Frame:
        """Read the current frame. Costs about 0.06 ms, plus 1 microsecond per bone.

        by_hierarchy: decompose the bones into local matrices as stored by the binding's profile, and recombine
            them in our own top-down pass, instead of using Blender's to_root directly. For Blender's own
            profile the two agree to float64 rounding. Engines do this pass, so checks and exports do too; the
            viewport saves the time for Blender's own profile.
        poses: by name of the armature object, to_root (B, 4, 4) of its bones, used instead of its current pose,
            for example from an animation controller. Bendy bones are then bent by their own settings and
            handles.
        instant: of this depsgraph, for reading several meshes or profiles: poses are read and sent through a
            hierarchy once for all of them.
        is_bound: the caller knows that the binding still is what it was read from, except for its armatures.

        Raises:
            StaleBindingError: the binding's sources have changed: modifiers' or bones' settings, armatures or
                bones; or the weights depend on the mesh's position relative to the bones, and it has moved.
            BindingError: an object is scaled to zero.
        """
        instant = instant or Instant(depsgraph)
        placed = instant.placed(mesh_object)
        thorough = by_hierarchy and not self._is_live
        kept = self._bound_armatures(placed)
        armatures = placed.armatures[kept]
        if not is_bound and not self._is_still_bound(mesh_object, instant, thorough=thorough):
            raise self._stale(mesh_object)
        mesh_to_world = placed.mesh_to_world
        readers = self._readers(armatures, instant)
        posed: list[PosedPass] = []
        chain: list[Pass] = []
        shown: list[PoseUnder] = []
        for index, (evaluated, root_to_world) in enumerate(
            zip(armatures, placed.roots_to_world[kept], strict=True)
        ):
            one = self._binding.passes[index]
            reader = readers[one.armature]
            held = instant.held_place(self._profile, self._binding.mesh_object, one.armature)
            moved = instant.poses.moved_root(self._profile, one.armature, root_to_world)
            in_world = mesh_to_world, root_to_world
            placement = self._placement(index, placed.keys[kept][index], in_world, held, moved)
            if one.following is not None:
                start = self._positions_before(index, chain, posed)
                skin = skin_at(one.following, start, placement.mesh_to_root, evaluated, reader)
                one = replace(
                    one,
                    skin=skin.skin,
                    joints=skin.joints,
                    dropped=skin.dropped,
                    authored_counts=skin.authored_counts,
                )
            given = poses.get(one.armature) if poses else None
            # In Edit Mode, Blender keeps the pose for objects parented to bones, but deforms nothing.
            edited = given is None and one.rest_mesh_to_root is None and placed.edited[kept][index]
            if edited and one.input is PassInput.RUN_START:
                one = self._left_out(index, one)
            joints = placement.joints if one.following is None else one.joints
            if edited:
                to_root, bent = self._at_rest(joints, reader, by_hierarchy=by_hierarchy)
            elif given is not None:
                # The caller may write to its poses later, but the joints' are computed on demand.
                given = given.copy()
                to_root, bent = self._as_given(joints, reader, given, by_hierarchy=by_hierarchy)
            else:
                pose = self._pose(index, evaluated, reader)
                bent = self._bent_as_shown(joints, reader, evaluated, instant)
                if by_hierarchy:
                    to_root = instant.to_root_under(pose, evaluated)
                    if bent is None and moved is None and one is self._binding.passes[index]:
                        shown.append(pose)
                else:
                    # Of the bones, only those that deform are converted to float64, once they are needed.
                    to_root = instant.matrices(evaluated, reader)
            origin = origin_under(self._profile, placement.world_to_root)
            posed.append(PosedPass(joints, one.blend, placement, to_root, bent, origin))
            chain.append(one)
        only_poses = tuple(shown) if shown and len(shown) == len(posed) else None
        return Frame(tuple(posed), mesh_to_world, self._as_known(chain), only_poses)

    def steady(self, frame: Frame, mesh_object: bpy.types.Object, instant: Instant) -> SteadyReader | None:
        """Return a faster reader, for frames in which nothing but bones moves; None if there is more to poses.
        frame: as just read of the mesh, at the instant.
        """
        known = self._known_readers
        if known is None or frame.chain is not self._binding.passes or not SteadyReader.can_follow(frame):
            return None
        return SteadyReader(frame, mesh_object, [known[one.armature] for one in frame.chain], instant)

    def _bound_armatures(self, placed: PlacedMesh) -> slice:
        """Return which of the mesh's armatures are those of the passes.

        Raises:
            StaleBindingError: they are not those of the binding.
        """
        kept = armatures_under(self._profile, placed.evaluated, placed.armatures)
        if placed.names is not self._names:
            if placed.names[kept] != tuple(one.armature for one in self._binding.passes):
                raise self._stale(placed.evaluated)
            self._names = placed.names
        return kept

    def _stale(self, mesh_object: bpy.types.Object) -> StaleBindingError:
        return StaleBindingError(
            "The armatures of '{mesh}' have changed; bind it again.", mesh=identity(mesh_object)
        )

    def _is_still_bound(self, mesh_object: bpy.types.Object, instant: Instant, *, thorough: bool) -> bool:
        read_from = self._binding.read_from
        if thorough and read_from is not None:
            now = instant.signature(mesh_object)
            if now is self._signature:
                return True
            is_same = read_from == now
            self._signature = now if is_same else None
            return is_same
        return is_still_bound(read_from, mesh_object, instant.depsgraph, self._watched)

    def _readers(self, armatures: Sequence[bpy.types.Object], instant: Instant) -> dict[str, ArmatureReader]:
        """Return readers of the evaluated armatures, whose settings are still the same as when bound."""
        if self._known_readers is None:
            known = self._armatures or instant.armatures
            self._known_readers = {
                identity(armature): reader_under(self._profile, known.of(armature)) for armature in armatures
            }
        return self._known_readers

    def _pose(self, index: int, evaluated: bpy.types.Object, reader: ArmatureReader) -> PoseUnder:
        """Return what poses a pass."""
        known = self._poses[index]
        if known is None or known.reader is not reader:
            known = PoseUnder.of(self._profile, evaluated, reader, deforming=True, is_live=self._is_live)
            self._poses[index] = known
        return known

    def _bent_as_shown(
        self, joints: Joints, reader: ArmatureReader, evaluated: bpy.types.Object, instant: Instant
    ) -> NDArray[np.float64] | None:
        """Read how the armature's current pose bends bendy bones; None if the joints have none."""
        if not len(joints.bendy):
            return None
        bones, segments = joints.bone[joints.bendy], joints.segment[joints.bendy]
        return reader.read_segments(evaluated, bones, segments, instant.to_root(evaluated, reader))

    def _as_given(
        self, joints: Joints, reader: ArmatureReader, given: NDArray[np.float64], *, by_hierarchy: bool
    ) -> _Matrices:
        """Take another pose, (B, 4, 4); bendy bones are bent by their own settings."""
        bones, segments = joints.bone[joints.bendy], joints.segment[joints.bendy]
        bent = reader.posed_segments(bones, segments, given) if len(bones) else None
        return pose_under(self._profile, reader, given) if by_hierarchy else given, bent

    def _at_rest(self, joints: Joints, reader: ArmatureReader, *, by_hierarchy: bool) -> _Matrices:
        """Take the rest pose, in which bendy bones have their rest shape."""
        rest = reader.skeleton.rest_to_root
        bent = joints.rest_to_root[joints.bendy] @ invert_affine(rest[joints.bone[joints.bendy]])[0]
        return pose_under(self._profile, reader, rest) if by_hierarchy else rest, bent

    def _positions_before(self, index: int, chain: list[Pass], posed: list[PosedPass]) -> NDArray[np.float32]:
        """Compute the input of the pass at `index`: its predecessor's result, or the start of its run."""
        first = index
        if self._binding.passes[index].input is PassInput.RUN_START:
            first = max(i for i in range(index) if chain[i].input is PassInput.PREVIOUS)
        palettes = tuple(one.palette for one in posed[:first])
        return SoftwareSkinner(tuple(chain[:first]), self._binding.mesh).skin(palettes).positions

    def _left_out(self, index: int, one: Pass) -> Pass:
        """Return a pass that keeps its run's result; in its rest pose, the pass would undo that result."""
        if index not in self._without_effect or one.following is not None:
            nothing = np.zeros(self._binding.mesh.vertex_count, dtype=np.float32)
            self._without_effect[index] = replace(one, amount=nothing)
        return self._without_effect[index]

    def _as_known(self, chain: list[Pass]) -> tuple[Pass, ...]:
        """Return the binding's passes or the last frame's chain if `chain` is the same, so that anything built
        for them stays valid.
        """
        for known in (self._binding.passes, self._chain):
            if len(known) == len(chain) and all(map(operator.is_, known, chain)):
                return known
        self._chain = tuple(chain)
        return self._chain

    def _placement(
        self,
        index: int,
        key: bytes,
        in_world: tuple[NDArray[np.float64], NDArray[np.float64]],
        held: NDArray[np.float64] | None,
        moved: NDArray[np.float64] | None,
    ) -> Placement:
        """in_world: matrices to the world of mesh and armature. key: of both."""
        known = self._placements[index]
        if held is not None or moved is not None:
            key += b"/".join(b"" if one is None else one.tobytes() for one in (held, moved))
        if known is not None and known.key == key:
            return known
        one = self._binding.passes[index]
        mesh_to_root, root_to_mesh, world_to_root = relation(
            *in_world, self._binding.mesh_object, one.armature
        )
        if (
            one.positional
            and one.following is None
            and not _is_same_transform(one.joints.offset[NO_BONE], mesh_to_root)
        ):
            raise StaleBindingError(
                "'{mesh}' has moved relative to '{armature}', whose envelopes or bendy bones weight it by "
                "position; bind it again.",
                mesh=self._binding.mesh_object,
                armature=one.armature,
            )
        if one.rest_mesh_to_root is not None:
            # A part on a bone moves with that bone's node.
            held = None
        if held is not None:
            mesh_to_root = held
        if moved is not None:
            root_to_mesh = moved @ root_to_mesh
            world_to_root = world_to_root @ invert_affine(moved[None])[0][0]
        is_elsewhere = held is not None or moved is not None
        at_rest = mesh_to_root if one.rest_mesh_to_root is None else one.rest_mesh_to_root
        joints = (known.joints if known else one.joints).seen_from(at_rest)
        placement = Placement(key, mesh_to_root, root_to_mesh, world_to_root, joints, is_elsewhere)
        self._placements[index] = placement
        return placement


def _is_same_transform(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Tell whether two relations are equal, up to the rounding of objects that move together."""
    return bool(np.abs(one - other).max() <= SAME_PLACE * max(1.0, float(np.abs(one).max())))
