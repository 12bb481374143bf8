"""A mesh bound under one profile, and its palettes through recorded frames of a clip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.blend_palette import AnyPalette, palette_of
from ...core.blending.clip_skinning import PointsOfSkin, WeightDifference
from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.binding import Binding
from ...core.profiles.profile import MeshMotion, Profile
from ...core.skinning.joints import NO_BONE, Joints
from ...core.skinning.mesh import SourceMesh
from ...core.skinning.passes import Blend, Pass
from ...core.skinning.pose import Pose
from ...core.skinning.skeleton import invert_affine
from ...scene.armatures.armature_reader import ArmatureReader, ArmatureReaders
from ...scene.armatures.profiled_reading import armatures_under, origin_under, reader_under
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.held_places import may_move
from ...scene.identification import identity
from ...scene.meshes.mesh_contents import MeshContents
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_recording import RecordedFrames, Segments
from ..frame.attribution import same_passes
from .recorded_poses import PosesUnderProfiles, placed_key

Finals = NDArray[np.float64]


class ProfileVariant:
    """A mesh as one profile skins it. Keeps no Blender object."""

    def __init__(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        contents: MeshContents,
        profile: Profile,
        armatures: ArmatureReaders | None = None,
        *,
        originals: Mapping[str, str] | None = None,
    ) -> None:
        """Bind the mesh as it is at the depsgraph's frame.

        armatures: those read already; others are added. originals: original objects' identities by their
        copies', if the mesh object is a copy.

        Raises:
            BindingError: see `read_binding`.
        """
        originals = originals or {}
        self.mesh_object = originals.get(identity(mesh_object), identity(mesh_object))
        armatures = armatures or ArmatureReaders()
        self.binding = _renamed(read_binding(mesh_object, depsgraph, contents, profile, armatures), originals)
        evaluated = mesh_object.evaluated_get(depsgraph)
        placed = armature_objects(evaluated)
        placed = placed[armatures_under(profile, evaluated, placed)]
        self._readers: dict[str, ArmatureReader] = {
            originals.get(identity(armature), identity(armature)): reader_under(
                profile, armatures.of(armature)
            )
            for armature in placed
        }
        self._may_move = any(may_move(mesh_object, cast("bpy.types.Object", one.original)) for one in placed)

    def posed_under(self, profile: Profile) -> ProfileVariant:
        """Return the mesh with the same binding, posed as in another profile."""
        other = copy(self)
        other.binding = replace(self.binding, profile=profile)
        return other

    @property
    def may_be_held(self) -> bool:
        """Whether the profile's file may have the mesh in another place relative to its armature."""
        return self._may_move and self.profile.lost.mesh_motion is not MeshMotion.KEPT

    def moved_to(self, mesh: SourceMesh) -> ProfileVariant:
        """Return the mesh with the same binding and other rest positions."""
        other = copy(self)
        other.binding = replace(self.binding, mesh=mesh)
        other.__dict__.pop("points", None)
        return other

    @property
    def profile(self) -> Profile:
        """The profile that poses the mesh."""
        return self.binding.profile

    @property
    def plain(self) -> Pass | None:
        """The only pass of a mesh, if blended linearly without a mask: many frames can then be skinned at
        once.
        """
        passes = self.binding.passes
        one = passes[0] if len(passes) == 1 else None
        return one if one is not None and one.blend is Blend.LINEAR and one.amount is None else None

    @cached_property
    def points(self) -> PointsOfSkin:
        """The mesh's vertices and their influences; for a `plain` one."""
        one = self.binding.passes[0]
        return PointsOfSkin(one.skin.normalised(), self.binding.mesh.positions)

    def bendy_joints(self) -> list[tuple[str, tuple[NDArray[np.int32], NDArray[np.int32]]]]:
        """List what has to be recorded of bendy bones, by armature."""
        return [
            (one.armature, (one.joints.bone[one.joints.bendy], one.joints.segment[one.joints.bendy]))
            for one in self.binding.passes
            if len(one.joints.bendy)
        ]

    def used_bones(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Name the armature of each pass, and mark the bones (B,) of it that are joints there."""
        for one in self.binding.passes:
            used = np.zeros(len(self.binding.skeletons[one.armature].names), dtype=np.bool_)
            used[one.joints.bone[one.joints.bone >= 0]] = True
            yield one.armature, used

    def finals(
        self, poses: PosesUnderProfiles, wanted: Segments, one: Pass, profile: Profile | None = None
    ) -> Finals:
        """Return final = offset @ to_root @ root_to_mesh of a pass, (F, J, 4, 4); computed once for the same
        poses.

        profile: whose hierarchy the poses use, if not this variant's own.
        """

        def computed() -> Finals:
            offset, to_root, mesh_to_root, root_to_mesh = self._posed(poses, wanted, one, profile)
            finals = offset @ to_root @ root_to_mesh[:, None]
            is_held = self._is_held(poses, one, profile)
            finals[:, NO_BONE] = mesh_to_root @ root_to_mesh if is_held else np.eye(4)
            return finals

        return poses.shared(("finals", id(one), *placed_key(profile or self.profile)), computed)

    def _held_place(
        self, poses: PosesUnderProfiles, one: Pass, profile: Profile | None = None
    ) -> NDArray[np.float64] | None:
        if one.rest_mesh_to_root is not None:
            # A part on a bone moves with that bone's node.
            return None
        return poses.held_place(profile or self.profile, self.mesh_object, one.armature)

    def _is_held(self, poses: PosesUnderProfiles, one: Pass, profile: Profile | None = None) -> bool:
        """Whether the file has the mesh or the armature in another place than Blender."""
        if self._held_place(poses, one, profile) is not None:
            return True
        return poses.moved_root(profile or self.profile, one.armature) is not None

    def positions(self, poses: PosesUnderProfiles, wanted: Segments) -> NDArray[np.float32]:
        """Skin the mesh frame by frame, with any passes: (V, F, 3) float32, mesh space."""
        by_pass = [self._palettes(poses, wanted, one) for one in self.binding.passes]
        skinner = SoftwareSkinner(self.binding.passes, self.binding.mesh)
        frames = range(len(poses.recorded.frames))
        skinned = [skinner.skin_positions(tuple(each[frame] for each in by_pass)) for frame in frames]
        return np.stack(skinned, axis=1)

    def normals(self, poses: PosesUnderProfiles, wanted: Segments, frame: int) -> NDArray[np.float32]:
        """Skin the normals at one of the recorded frames, (V, 3) float32, mesh space."""
        palettes = tuple(self._palettes(poses, wanted, one)[frame] for one in self.binding.passes)
        return SoftwareSkinner(self.binding.passes, self.binding.mesh).skin(palettes).normals

    def _palettes(self, poses: PosesUnderProfiles, wanted: Segments, one: Pass) -> Sequence[AnyPalette]:
        _, to_root, mesh_to_root, root_to_mesh = self._posed(poses, wanted, one)
        is_held = self._is_held(poses, one)
        return [
            palette_of(
                one.blend,
                self._seen_from(one, relation),
                Pose(pose),
                relation,
                inverse,
                unmoved=relation @ inverse if is_held else None,
            )
            for pose, relation, inverse in zip(to_root, mesh_to_root, root_to_mesh, strict=True)
        ]

    @staticmethod
    def _seen_from(one: Pass, mesh_to_root: NDArray[np.float64]) -> Joints:
        return one.joints.seen_from(mesh_to_root if one.rest_mesh_to_root is None else one.rest_mesh_to_root)

    def _posed(
        self, poses: PosesUnderProfiles, wanted: Segments, one: Pass, profile: Profile | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the joints' offset and to_root, and the transforms between mesh and armature both ways, for
        all frames; the first of these is the file's if that holds the mesh.
        """
        recorded = poses.recorded
        mesh_to_world = recorded.to_world[self.mesh_object]
        world_to_root = invert_affine(recorded.to_world[one.armature])[0]
        held = self._held_place(poses, one, profile)
        mesh_to_root = mesh_to_world @ world_to_root
        if held is not None:
            mesh_to_root = np.broadcast_to(held, mesh_to_root.shape)
        root_to_mesh = recorded.to_world[one.armature] @ invert_affine(mesh_to_world)[0]
        moved = poses.moved_root(profile or self.profile, one.armature)
        if moved is not None:
            root_to_mesh = moved @ root_to_mesh
            world_to_root = world_to_root @ invert_affine(moved)[0]
        origin = None
        if origin_under(self.profile, world_to_root[0]) is not None:
            origin = world_to_root[:, 3, :3]
        posed = one.joints.posed_to_root(
            poses.of(profile or self.profile, one.armature, self._readers[one.armature]),
            _segments_of(one.joints, recorded, wanted, one.armature),
            origin,
        )
        at_rest = mesh_to_root if one.rest_mesh_to_root is None else one.rest_mesh_to_root[None]
        return at_rest[:, None] @ one.joints.root_to_rest, posed, mesh_to_root, root_to_mesh


def _renamed(binding: Binding, originals: Mapping[str, str]) -> Binding:
    """Return the binding of a copy, with the names of originals."""
    if not originals:
        return binding
    return replace(
        binding,
        mesh_object=originals.get(binding.mesh_object, binding.mesh_object),
        skeletons={originals.get(name, name): one for name, one in binding.skeletons.items()},
        passes=tuple(
            replace(one, armature=originals.get(one.armature, one.armature)) for one in binding.passes
        ),
    )


class VariantDifference:
    """The offsets of one variant's vertices from the exact one's."""

    def __init__(self, exact: ProfileVariant, other: ProfileVariant) -> None:
        self._exact, self._other = exact, other
        one, two = exact.plain, other.plain
        self._passes = None
        if (
            one is not None
            and two is not None
            and one.armature == two.armature
            # Bendy bones exported as stiff ones are different joints with the same names.
            and (not len(one.joints.bendy) or len(two.joints.bendy))
            # A part carried by a bone has other offsets.
            and one.rest_mesh_to_root is None
            and two.rest_mesh_to_root is None
        ):
            self._passes = one, two
            self._weights = WeightDifference(one, two, exact.binding.mesh.positions)

    def bendy_joints(self) -> list[tuple[str, tuple[NDArray[np.int32], NDArray[np.int32]]]]:
        """List the joints of bendy bones to record for the other variant, by armature."""
        return self._other.bendy_joints()

    def used_bones(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Mark the bones that move the other variant, by armature."""
        return self._other.used_bones()

    @property
    def _same_poses(self) -> bool:
        return self._other.profile.poses_as_blender and not self._other.may_be_held

    @property
    def nothing(self) -> bool:
        """Whether the two are the same in every pose."""
        if self._passes is not None:
            return self._same_poses and self._weights.nothing
        return self._same_poses and same_passes(self._exact.binding, self._other.binding)

    @property
    def vertices(self) -> NDArray[np.intp] | slice:
        """Vertices that may differ in some pose: those in `offsets`."""
        if self._passes is not None and self._same_poses:
            return self._weights.vertices
        return slice(None)

    def offsets(self, poses: PosesUnderProfiles, wanted: Segments) -> NDArray[np.float32]:
        """Return (V, F, 3) float32 in mesh space, V being those `vertices`. Don't write to it."""
        if self._passes is None:
            return self._other.positions(poses, wanted) - self._exact.positions(poses, wanted)
        finals = self._exact.finals(poses, wanted, self._passes[0], self._other.profile)
        if self._same_poses:
            return self._by_weights(poses, wanted, finals)
        by_poses = self._by_poses(poses, wanted, self._passes[0], finals)
        if self._weights.nothing:
            return by_poses
        # Others share what the poses alone do.
        both = by_poses.copy()
        both[self._weights.vertices] += self._by_weights(poses, wanted, finals)
        return both

    def _by_poses(
        self, poses: PosesUnderProfiles, wanted: Segments, one: Pass, finals: Finals
    ) -> NDArray[np.float32]:
        """Return what the other poses do to all vertices with the exact weights; computed once for the same
        poses.
        """
        key = ("moved", id(self._exact), *placed_key(self._other.profile))
        return poses.shared(
            key, lambda: self._exact.points.moved(finals - self._exact.finals(poses, wanted, one))
        )

    def _by_weights(self, poses: PosesUnderProfiles, wanted: Segments, finals: Finals) -> NDArray[np.float32]:
        """Return what the other weights do to the vertices that have others, in the other's poses."""
        return self._weights.offsets(self._joint_matrices(poses, wanted, finals))

    def _joint_matrices(self, poses: PosesUnderProfiles, wanted: Segments, finals: Finals) -> Finals:
        """Return finals, followed by those of the joints that the exact variant lacks."""
        extra = self._weights.extra
        if self._passes is None or not len(extra):
            return finals
        _, two = self._passes
        return np.concatenate((finals, self._other.finals(poses, wanted, two)[:, extra]), axis=1)


def _segments_of(
    joints: Joints, recorded: RecordedFrames, wanted: Segments, armature: str
) -> NDArray[np.float64] | None:
    """Pick the recorded matrices of a palette's bendy joints, (F, S, 4, 4), in the order of
    `Joints.bendy`.
    """
    if not len(joints.bendy):
        return None
    bones, numbers = wanted[armature]
    keys = bones.astype(np.int64) * (1 + int(numbers.max())) + numbers
    own = joints.bone[joints.bendy].astype(np.int64) * (1 + int(numbers.max())) + joints.segment[joints.bendy]
    return recorded.segments[armature][:, np.searchsorted(keys, own)]
