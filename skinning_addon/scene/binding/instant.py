"""One instant of a scene, read once for all meshes, profiles and causes measured there.

A character may be one mesh or a hundred that follow one armature. The armature's data, above all its pose and
that pose in an engine's hierarchy, is read and computed once for all meshes; a mesh's data is read once for all
profiles that it is skinned under.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.maths.once import Known
from ...core.profiles.profile import Profile
from ..armatures.armature_reader import ArmatureReader, ArmatureReaders
from ..armatures.clip_in_file import ClipInFile, ClipsInFiles
from ..armatures.profiled_reading import pose_under
from ..identification import identity
from ..matrices import row_vectors
from ..meshes.input_twins import InputTwins
from ..meshes.mesh_contents import MeshContents, moved_contents, read_mesh_contents
from ..object_data import armature_of
from ..objects.modifier_stack import armature_objects
from .binding_signature import BindingSignature, binding_signature, signature_of_armature
from .held_places import HeldPlaces, Holding

Read = TypeVar("Read")


@dataclass(frozen=True, eq=False)
class PlacedMesh:
    """Where a mesh and its armatures are at an instant. Valid as long as the depsgraph is.

    evaluated: the mesh object. mesh_to_world: (4, 4). armatures: evaluated, of all passes. names: their
    identities. roots_to_world: (4, 4) each.
    """

    evaluated: bpy.types.Object
    mesh_to_world: NDArray[np.float64]
    armatures: tuple[bpy.types.Object, ...]
    names: tuple[str, ...]
    roots_to_world: tuple[NDArray[np.float64], ...]

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """Both matrices to the world, by armature, as bytes, which compare faster than arrays."""
        mesh = self.mesh_to_world.tobytes()
        return tuple(mesh + root.tobytes() for root in self.roots_to_world)

    @cached_property
    def edited(self) -> tuple[bool, ...]:
        """Which armatures are in Edit Mode."""
        return tuple(armature_of(one).is_editmode for one in self.armatures)


class Instant:
    """Data read from a depsgraph at its current frame. Make a new one for the next frame or after any change.

    depsgraph: evaluated at the instant. armatures: read at most once each. once: returns the value that was
    read under a key at this instant, or reads it. last: what was read last of the scene's meshes, at this
    instant or before.
    """

    def __init__(
        self,
        depsgraph: bpy.types.Depsgraph,
        twins: InputTwins | None = None,
        clips: ClipsInFiles | None = None,
        frame: float = 0.0,
        held: HeldPlaces | None = None,
        *,
        before: Instant | None = None,
    ) -> None:
        """twins: of meshes with simulated input, in a scene that we own. clips, frame: what plays in files with
        fewer keys, and when; files that are not among them are taken to have every frame's key. held: where
        files hold meshes that move; those that are not among them are taken to stay in place. before: another
        instant of the scene; whatever is equal to what was read there is returned as the same object, so that
        callers compare with `is`.
        """
        self.last: dict[Hashable, object] = {} if before is None else before.last
        self.depsgraph = depsgraph
        self._clips: ClipsInFiles = clips or {}
        self._clip_by_profile: dict[int, tuple[Profile, ClipInFile | None]] = {}
        self._frame = frame
        self._held: HeldPlaces = held or {}
        self._twins = twins
        self.armatures = ArmatureReaders()
        self.once = Known()

    def contents(self, mesh_object: bpy.types.Object) -> MeshContents:
        """Read a mesh object; see `read_mesh_contents`.

        May make and remove data-blocks: never call it while drawing.

        Raises:
            BindingError: the mesh is being edited, or has no vertices.
        """
        return self.once(
            ("contents", mesh_object.session_uid),
            lambda: read_mesh_contents(mesh_object, self.depsgraph, twins=self._twins),
        )

    def moved_contents(self, mesh_object: bpy.types.Object, contents: MeshContents) -> MeshContents:
        """Bring a mesh's contents from another instant to this one; returns `contents` itself if nothing has
        changed.

        May make and remove data-blocks, like the method `contents`.
        """
        key = ("moved", mesh_object.session_uid, contents)
        return self.once(
            key,
            lambda: (
                moved_contents(mesh_object, contents, self.depsgraph, self._twins)
                or self.contents(mesh_object)
            ),
        )

    def signature(self, mesh_object: bpy.types.Object) -> BindingSignature:
        """Summarize the sources of the mesh's binding; see `binding_signature`."""
        key = ("signature", mesh_object.session_uid)

        def read() -> BindingSignature:
            return self._as_last(
                key, binding_signature(mesh_object, self.depsgraph, self._signature_of_armature)
            )

        return self.once(key, read)

    def _signature_of_armature(self, armature: bpy.types.Object) -> Hashable:
        """Summarize an evaluated armature's bones, once for all of its meshes."""
        key = ("bones", armature.original.session_uid)
        return self.once(key, lambda: self._as_last(key, signature_of_armature(armature)))

    def placed(self, mesh_object: bpy.types.Object) -> PlacedMesh:
        """Read where a mesh and its armatures are, once for all profiles."""
        key = ("placed", mesh_object.session_uid)
        return self.once(key, lambda: self._placed(mesh_object, key))

    def _placed(self, mesh_object: bpy.types.Object, key: Hashable) -> PlacedMesh:
        evaluated = mesh_object.evaluated_get(self.depsgraph)
        armatures = armature_objects(evaluated)
        return PlacedMesh(
            evaluated,
            row_vectors(evaluated.matrix_world),
            armatures,
            self._as_last(key, tuple(map(identity, armatures))),
            tuple(self._root_to_world(one) for one in armatures),
        )

    def _root_to_world(self, armature: bpy.types.Object) -> NDArray[np.float64]:
        key = ("root", armature.original.session_uid)
        return self.once(key, lambda: row_vectors(armature.matrix_world))

    def _as_last(self, key: Hashable, value: Read) -> Read:
        """Return the last instant's value if this one is equal."""
        last = self.last.get(key)
        if last == value:
            return cast("Read", last)
        self.last[key] = value
        return value

    def held_place(self, profile: Profile, mesh: str, armature: str) -> NDArray[np.float64] | None:
        """Return the mesh_to_root (4, 4) that the profile's file has at all frames; None if it is the current
        one. mesh, armature: identities.
        """
        return self._held.get((Holding.of(profile), mesh, armature)) if self._held else None

    def moved_root(
        self, profile: Profile, armature: str, root_to_world: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return where the profile's file has the armature object, (4, 4), as seen from where it is in Blender;
        None if that is the same place. root_to_world: (4, 4) in Blender.
        """
        clip = self._clip_of(profile)
        if clip is None:
            return None
        return self.once(
            ("moved root", armature, id(clip)),
            lambda: clip.moved_root(armature, self._frame, root_to_world),
        )

    def to_root(self, armature: bpy.types.Object, reader: ArmatureReader) -> NDArray[np.float64]:
        """Read to_root (B, 4, 4) of an armature's bones; see `ArmatureReader.read_to_root`. Don't modify it.

        armature: the object, evaluated or not.

        Raises:
            StaleBindingError: the armature has other bones than when it was bound.
        """
        evaluated = armature.evaluated_get(self.depsgraph)
        # Readers that share a skeleton have its bones in the same order.
        return self.once(
            ("to_root", armature.original.session_uid, reader.skeleton),
            lambda: reader.read_to_root(evaluated),
        )

    def to_root_under(
        self,
        profile: Profile,
        armature: bpy.types.Object,
        reader: ArmatureReader,
        *,
        deforming: bool = False,
    ) -> NDArray[np.float64]:
        """Return `to_root` in the profile's hierarchy, (B, 4, 4). Don't modify it.

        deforming: only that of bones that deform matters: a control rig has five times as many.
        """
        kept = reader.deforms_key if profile.exporter.deform_bones_only else None
        needs = reader.deforms_key if deforming else None
        clip = self._clip_of(profile)
        hierarchy = profile.hierarchy.value
        key = ("held", armature.original.session_uid, reader.skeleton, hierarchy, id(clip), kept, needs)

        def posed() -> NDArray[np.float64]:
            needed = reader.deforms if deforming else None
            name = identity(cast("bpy.types.Object", armature.original))
            played = None if clip is None else clip.local(name, reader.skeleton, self._frame)
            return pose_under(profile, reader, self.to_root(armature, reader), needed, played)

        return self.once(key, posed)

    def _clip_of(self, profile: Profile) -> ClipInFile | None:
        """Return what plays in the profile's file."""
        if not self._clips:
            return None
        # Hashing a profile's options takes longer than what they are for.
        known = self._clip_by_profile.get(id(profile))
        if known is None:
            # Kept with the profile, so that no other one gets its number.
            known = self._clip_by_profile[id(profile)] = profile, self._clips.get(profile.thinned_by)
        return known[1]
