"""The arrays `export` writes about the hierarchy: every bone of an armature, and the parts that bones carry,
at every frame.

docs/export-format.md describes the keys. Row vectors, as everywhere here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.skinning.mesh import DrawMesh, SourceMesh
from ...core.skinning.skeleton import invert_affine
from ...core.text.errors import BindingError
from ...core.text.identity import Identity
from ...core.text.message import Message
from ...scene.armatures.armature_reader import ArmatureReaders
from ...scene.armatures.profiled_reading import reader_under
from ...scene.binding.armature_poses import PoseUnder
from ...scene.binding.instant import Instant
from ...scene.identification import object_of
from ...scene.matrices import row_vectors
from ...scene.meshes.rigid_part_reader import read_rigid_part
from ...scene.object_data import armature_of
from ...scene.objects.carried_objects import Carried
from .engine_buffers import Arrays, drawn_arrays


class _Frames:
    """Columns of a frames.npz."""

    def __init__(self) -> None:
        self._clips: list[str] = []
        self._frames: list[float] = []
        self._columns: defaultdict[str, list[NDArray[np.generic]]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._frames)

    def add(self, clip: str, frame: float, **values: NDArray[np.generic]) -> None:
        self._clips.append(clip)
        self._frames.append(frame)
        for name, one in values.items():
            self._columns[name].append(one)

    def arrays(self) -> Arrays:
        arrays: Arrays = {"clip": np.array(self._clips, dtype=np.str_), "frames": np.array(self._frames)}
        return arrays | {name: np.stack(values) for name, values in self._columns.items()}


class SkeletonBundle:
    """Collects the frames of one armature: all of its bones, weighted or not.

    armature: its identity. to_root, blender_to_root: (B, 4, 4) of the last added frame, from the profile's
    hierarchy and from Blender; root_to_world: (4, 4).
    """

    def __init__(self, armature: Identity, readers: ArmatureReaders, profile: Profile) -> None:
        """readers: shared with the mesh readers, so that each pose is read only once."""
        self.armature = armature
        self._profile = profile
        self._reader = reader_under(profile, readers.of(object_of(armature)))
        self.skeleton = self._reader.skeleton
        self._frames = _Frames()

    def add(self, instant: Instant, clip: str, frame: float) -> None:
        """Add a frame: the present one."""
        placed = object_of(self.armature).evaluated_get(instant.depsgraph)
        self.root_to_world = row_vectors(placed.matrix_world)
        self.blender_to_root = instant.to_root(placed, self._reader)
        self.to_root = instant.to_root_under(PoseUnder.of(self._profile, placed, self._reader), placed)
        to_parent, attached = self.skeleton.to_parent(self.to_root)
        values = {
            "to_root": self.to_root,
            "to_parent": to_parent,
            "attached": attached,
            "root_to_world": self.root_to_world,
        }
        if not self._profile.poses_as_blender:
            values["blender_to_root"] = self.blender_to_root
        self._frames.add(clip, frame, **values)

    def skeleton_arrays(self) -> Arrays:
        """Return what does not change from frame to frame."""
        return {
            "bone_names": np.array(self.skeleton.names, dtype=np.str_),
            "parents": self.skeleton.parents,
            "rest_to_root": self.skeleton.rest_to_root,
            "rest_to_parent": self.skeleton.to_parent(self.skeleton.rest_to_root)[0],
            "lengths": self._reader.lengths,
            "deforms": _deforms(self.armature, self.skeleton.names),
        }

    def frame_arrays(self) -> Arrays:
        """Return what does, all frames along the first axis."""
        return self._frames.arrays()


def _deforms(armature: Identity, names: Iterable[str]) -> NDArray[np.bool_]:
    """Read (B,) Blender's Deform option, regardless of the profile."""
    bones = armature_of(object_of(armature)).bones
    return np.array([bones[name].use_deform for name in names], dtype=np.bool_)


class RigidPartBundle:
    """Collects the frames of one object that an armature carries along.

    carried: what it is attached to. problem: why it can't be exported, a sentence; empty if it can. to_root,
    to_world: (4, 4), of the last added frame.
    """

    def __init__(self, carried: Carried) -> None:
        self.carried = carried
        self.problem = ""
        self._first: tuple[SourceMesh, DrawMesh] | None = None
        self._frames = _Frames()

    def add(
        self,
        instant: Instant,
        clip: str,
        frame: float,
        above: tuple[NDArray[np.float64], NDArray[np.float64]],
        skeleton: SkeletonBundle,
    ) -> None:
        """Add a frame. above: parent -> world, Blender's, and parent -> root, the profile's; (4, 4) each."""
        if self.problem:
            return
        placed = object_of(self.carried.object).evaluated_get(instant.depsgraph)
        self.to_world = row_vectors(placed.matrix_world)
        world_to_root = invert_affine(skeleton.root_to_world[None])[0][0]
        parent_to_world, parent_to_root = above
        inverse, attached = invert_affine(parent_to_world[None])
        to_parent = self.to_world @ (inverse[0] if attached[0] else world_to_root)
        self.to_root = to_parent @ parent_to_root if attached[0] else to_parent
        values: dict[str, NDArray[np.generic]] = {
            "to_parent": to_parent,
            "attached": np.asarray(attached[0]),
            "to_root": self.to_root,
            "to_world": self.to_world,
        }
        try:
            shown = read_rigid_part(placed, self.carried.object)
        except BindingError as error:
            self.problem = str(error)
            return
        if not self._frames:
            self._first = shown
        if self._has_other_faces(shown):
            self.problem = Message(
                "'{object}' is left out: at frame {frame:g} its faces are no longer those of the first "
                "frame, and a part can only store one set; convert it to a mesh, or apply the modifier "
                "that changes them.",
                object=self.carried.object,
                frame=frame,
            )
            return
        if shown is not None:
            values |= {"input_positions": shown[0].positions, "input_normals": shown[0].normals}
        self._frames.add(clip, frame, **values)

    @property
    def vertex_count(self) -> int:
        """How many vertices it has; 0 if it shows nothing, like a socket."""
        return 0 if self._first is None else self._first[0].vertex_count

    def part_arrays(self) -> Arrays:
        """Return what does not change from frame to frame; empty for an object without vertices."""
        if self._first is None:
            return {}
        mesh, drawn = self._first
        arrays: Arrays = {
            "positions": mesh.positions,
            "normals": mesh.normals,
            "triangles": mesh.triangles,
        }
        return arrays | drawn_arrays(drawn)

    def frame_arrays(self) -> Arrays:
        """Return what does, all frames along the first axis."""
        arrays = self._frames.arrays()
        if self._first is not None and (arrays["input_positions"] == self._first[0].positions).all():
            del arrays["input_positions"], arrays["input_normals"]
        return arrays

    def _has_other_faces(self, shown: tuple[SourceMesh, DrawMesh] | None) -> bool:
        if shown is None or self._first is None:
            return shown is not self._first
        mesh, first = shown[0], self._first[0]
        return mesh.vertex_count != first.vertex_count or not np.array_equal(mesh.triangles, first.triangles)


class HierarchyBundle:
    """Collects the frames of all armatures that skin or carry something, and of the parts they carry.

    skeletons: by identity of the armature. parts: a part attached to another comes after it.
    """

    def __init__(
        self,
        armatures: Iterable[Identity],
        carried: Iterable[Carried],
        readers: ArmatureReaders,
        profile: Profile,
    ) -> None:
        self.skeletons: Mapping[Identity, SkeletonBundle] = {
            one: SkeletonBundle(one, readers, profile) for one in armatures
        }
        self.parts: Mapping[Identity, RigidPartBundle] = {
            one.object: RigidPartBundle(one) for one in carried if one.armature in self.skeletons
        }

    def add(self, instant: Instant, clip: str, frame: float) -> None:
        """Add a frame: the present one."""
        for skeleton in self.skeletons.values():
            skeleton.add(instant, clip, frame)
        for part in self.parts.values():
            skeleton = self.skeletons[part.carried.armature]
            part.add(instant, clip, frame, self._above(part.carried, skeleton, instant), skeleton)

    def _above(
        self, carried: Carried, skeleton: SkeletonBundle, instant: Instant
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the parent's matrix to the world, Blender's, and to root, the profile's."""
        if carried.bone:
            bone = skeleton.skeleton.index(carried.bone)
            return skeleton.blender_to_root[bone] @ skeleton.root_to_world, skeleton.to_root[bone]
        if carried.parent == carried.armature:
            return skeleton.root_to_world, np.eye(4)
        if (part := self.parts.get(carried.parent)) is not None and not part.problem:
            return part.to_world, part.to_root
        parent_to_world = row_vectors(object_of(carried.parent).evaluated_get(instant.depsgraph).matrix_world)
        return parent_to_world, parent_to_world @ invert_affine(skeleton.root_to_world[None])[0][0]
