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
from ...core.skinning.skeleton import Skeleton
from ..armatures.armature_reader import ArmatureReader, ArmatureReaders
from ..armatures.clip_in_file import ClipsInFiles
from ..identification import find_object, identity
from ..matrices import row_vectors
from ..meshes.input_twins import InputTwins
from ..meshes.mesh_contents import MeshContents, moved_together, read_mesh_contents
from ..object_data import armature_of
from ..objects.modifier_stack import armature_objects
from .armature_poses import ArmaturePoses, PoseUnder
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
    read under a key at this instant, or reads it. latest: of the mesh that was read last, what `matrices` would
    return, by armature. last: what was read last of the scene's meshes, at this instant or before. poses: of
    the armatures. moving: the contents of meshes whose vertices have moved since an earlier instant, by session
    uid, with the mesh's identity.
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
        self.moving: dict[int, tuple[str, MeshContents]] = {}
        self._to_move = {} if before is None else before.moving
        self.depsgraph = depsgraph
        self.poses = ArmaturePoses(clips, frame)
        self._held: HeldPlaces = held or {}
        self._twins = twins
        self.armatures = ArmatureReaders()
        self.latest: dict[tuple[int, Skeleton], NDArray[np.float32]] = {}
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
        uid = mesh_object.session_uid
        if self._to_move.get(uid, (None, None))[1] is contents:
            self._move_together()

        def moved() -> MeshContents:
            (found,) = moved_together([(mesh_object, contents)], self.depsgraph, self._twins)
            found = found or self.contents(mesh_object)
            if found is not contents:
                self.moving[uid] = identity(mesh_object), found
            return found

        return self.once(("moved", uid, contents), moved)

    def _move_together(self) -> None:
        """Bring the contents of all meshes that have moved before to this instant. Those that have to be read
        again are read once they are asked for.
        """
        to_move, self._to_move = self._to_move, {}
        found = [(find_object(name), contents) for name, contents in to_move.values()]
        asked = [(one, contents) for one, contents in found if one is not None]
        moved = moved_together(asked, self.depsgraph, self._twins)
        for (one, contents), now in zip(asked, moved, strict=True):
            if now is not None:
                self.moving[one.session_uid] = (
                    identity(one),
                    self.once(("moved", one.session_uid, contents), lambda now=now: now),
                )

    def signature(self, mesh_object: bpy.types.Object) -> BindingSignature:
        """Summarize the sources of the mesh's binding; see `binding_signature`."""
        key = ("signature", mesh_object.session_uid)

        def read() -> BindingSignature:
            return self._as_last(
                key, binding_signature(mesh_object, self.depsgraph, self._signature_of_armature)
            )

        return self.once(key, read)

    def _signature_of_armature(self, armature: bpy.types.Object) -> tuple[Hashable, ...]:
        """Summarize an evaluated armature's bones, once for all of its meshes."""
        key = ("bones", armature.original.session_uid)
        return self.once(key, lambda: self._as_last(key, signature_of_armature(armature)))

    def placed(self, mesh_object: bpy.types.Object) -> PlacedMesh:
        """Read where a mesh and its armatures are, once for all profiles."""
        key = ("placed", mesh_object.session_uid)
        return self.once(key, lambda: self._placed(mesh_object, key))

    def standing(self, mesh_object: bpy.types.Object) -> Hashable:
        """Return all that a frame of the mesh depends on, but for its contents and its armatures' poses; the
        very object of the last instant if it is the same.
        """
        key = ("standing", mesh_object.session_uid)

        def read() -> Hashable:
            placed, signature = self.placed(mesh_object), self.signature(mesh_object)
            place = placed.mesh_to_world.tobytes()
            return self._as_last(key, (signature, placed.names, placed.keys, placed.edited, place))

        return self.once(key, read)

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

    def to_root(self, armature: bpy.types.Object, reader: ArmatureReader) -> NDArray[np.float64]:
        """Read to_root (B, 4, 4) of an armature's bones; see `ArmatureReader.read_to_root`. Don't modify it.

        armature: the object, evaluated or not.

        Raises:
            StaleBindingError: the armature has other bones than when it was bound.
        """
        evaluated = armature.evaluated_get(self.depsgraph)
        return self.poses.read(
            (armature.original.session_uid, reader.skeleton), lambda: reader.read_to_root(evaluated)
        )

    def matrices(self, armature: bpy.types.Object, reader: ArmatureReader) -> NDArray[np.float32]:
        """Read the same as it is in Blender; see `ArmatureReader.read_matrices`. Don't modify it."""
        key = ("matrices", armature.original.session_uid, reader.skeleton)
        return self.once(key, lambda: reader.read_matrices(armature.evaluated_get(self.depsgraph)))

    def to_root_under(self, pose: PoseUnder, armature: bpy.types.Object) -> NDArray[np.float64]:
        """Return `to_root` in a profile's hierarchy, (B, 4, 4). Don't modify it. armature: that of the pose."""
        return self.poses.under(pose, lambda: self.to_root(armature, pose.reader))
