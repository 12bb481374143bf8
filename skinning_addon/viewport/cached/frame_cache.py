"""The known frames of all characters: recorded as Blender shows them, and forgotten once they may differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy

from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...scene.binding.instant import Instant
from ..failure import told_once
from ..objects.object_lookup import ObjectLookup
from .cached_mesh import CachedMesh
from .groups import Group, find_groups

LayerKey = tuple[int, str]
"""As `preview.LayerKey`."""


class FrameCache:
    """Frames of the characters of one view layer. Keeps no Blender object.

    groups: whose frames can be kept. kept: sentences, why others stay Blender's. is_stale: whether groups have
    to be found again, which makes data-blocks: `refresh` does it. most_bytes: memory that frames may take.
    is_full: whether frames were left out for that. layer: whose characters these are.
    """

    def __init__(self, objects: ObjectLookup, most_bytes: Callable[[], int]) -> None:
        self.groups: tuple[Group, ...] = ()
        self.kept: tuple[str, ...] = ()
        self.is_stale = True
        self.is_full = False
        self.layer: LayerKey | None = None
        self._objects = objects
        self._most_bytes = most_bytes
        self._meshes: dict[int, CachedMesh] = {}
        self._clock: tuple[float, ...] = ()
        self._found: tuple[Group, ...] = ()

    def meshes_of(self, group: Group) -> list[CachedMesh]:
        """Return a group's meshes."""
        return [self._meshes[uid] for uid in group.meshes]

    @property
    def byte_count(self) -> int:
        """Memory that all frames take."""
        return sum(one.byte_count for one in self._meshes.values())

    def refresh(self, view_layer: bpy.types.ViewLayer, layer: LayerKey) -> None:
        """Find the characters and bind their meshes, unless that is up to date. May make data-blocks: not while
        drawing, and not in a handler of Blender's.
        """
        if not self.is_stale and layer == self.layer:
            return
        self.clear()
        found = find_groups(view_layer)
        self.is_stale, self.layer, self._found = False, layer, found.groups
        groups: list[Group] = []
        kept: list[str] = list(found.kept)
        depsgraph = view_layer.depsgraph
        for group in found.groups:
            reason = self._bind(group, depsgraph)
            if reason:
                kept.append(reason)
                self._leave(group)
            else:
                groups.append(group)
        self.groups, self.kept = tuple(groups), tuple(kept)

    def still_stands(self, view_layer: bpy.types.ViewLayer, layer: LayerKey) -> bool:
        """Whether the characters, and what they rely on, are still those that were found: a new relation is
        not always reported. If not, all frames are forgotten. Costs a few milliseconds.
        """
        if self.is_stale or layer != self.layer or find_groups(view_layer).groups != self._found:
            self.clear()
        return not self.is_stale

    def _bind(self, group: Group, depsgraph: bpy.types.Depsgraph | None) -> str:
        """Bind a group's meshes; return why that is not possible, empty if it is."""
        for uid in group.meshes:
            mesh_object = self._objects.find(uid)
            if mesh_object is None or depsgraph is None:
                return Message("'{name}' is gone", name=group.name)
            try:
                mesh = self._meshes[uid] = CachedMesh(mesh_object, depsgraph)
            except SkinscopeError as error:
                return str(error)
            if mesh.refused:
                return mesh.refused
        return ""

    def _leave(self, group: Group) -> None:
        for uid in group.meshes:
            mesh = self._meshes.pop(uid, None)
            if mesh is not None:
                mesh.free()

    def record(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, groups: Iterable[Group]) -> None:
        """Keep what Blender shows now of these groups, unless that is known. The evaluated state must be that
        of the frame itself, as after a change of frame: not that of an edit.
        """
        if self.is_stale:
            return
        self._follow_clock(scene)
        frame, instant = scene.frame_current_final, Instant(depsgraph)
        for group in tuple(groups):
            if self.has(group, frame):
                continue
            if self.byte_count > self._most_bytes():
                self.is_full = True
                return
            reason = self._record(group, frame, depsgraph, instant)
            if reason:
                self.kept = (*self.kept, reason)
                self.groups = tuple(one for one in self.groups if one is not group)
                self._leave(group)

    def _record(self, group: Group, frame: float, depsgraph: bpy.types.Depsgraph, instant: Instant) -> str:
        for mesh in self.meshes_of(group):
            mesh_object = self._objects.find(mesh.uid)
            if mesh_object is None:
                self.is_stale = True
                return ""
            try:
                mesh.frames[frame] = mesh.read(mesh_object, depsgraph, instant)
            except SkinscopeError as error:
                return str(error)
            except Exception:  # noqa: BLE001 - in a handler it would be printed at each frame
                return told_once()
        return ""

    def has(self, group: Group, frame: float) -> bool:
        """Whether all meshes of a group are known at a frame."""
        return all(frame in mesh.frames for mesh in self.meshes_of(group))

    def has_all(self, group: Group, frames: Iterable[int]) -> bool:
        """Whether a group is known at all these frames."""
        meshes = self.meshes_of(group)
        return bool(meshes) and all(frame in mesh.frames for frame in frames for mesh in meshes)

    def known_frames(self) -> set[int]:
        """Return the whole frames at which every group is known."""
        meshes = list(self._meshes.values())
        if not meshes:
            return set()
        return set.intersection(*({int(one) for one in mesh.frames if one == int(one)} for mesh in meshes))

    def _follow_clock(self, scene: bpy.types.Scene) -> None:
        """Forget everything if frames stand for other times than when they were recorded."""
        render = scene.render
        clock = (render.fps, render.fps_base, render.frame_map_old, render.frame_map_new)
        if clock != self._clock:
            if self._clock:
                self.drop_all()
            self._clock = clock

    def shows_as_known(self, group: Group, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether Blender shows a group now, bit for bit, as it is known at the current frame."""
        instant = Instant(depsgraph)
        for mesh in self.meshes_of(group):
            known = mesh.frames.get(depsgraph.scene.frame_current_final)
            mesh_object = self._objects.find(mesh.uid)
            if known is None or mesh_object is None:
                return False
            try:
                if not mesh.read(mesh_object, depsgraph, instant).same_as(known):
                    return False
            except SkinscopeError:
                return False
        return True

    def drop_relying_on(self, uids: Iterable[int], unless: Callable[[Group], bool] | None = None) -> None:
        """Forget the frames of all groups that rely on any of these data-blocks, by session_uid.

        unless: tells of which they are known to be the same.
        """
        changed = set(uids)
        for group in self.groups:
            if group.relied_on & changed and not (unless and unless(group)):
                for mesh in self.meshes_of(group):
                    mesh.drop()
        self.is_full = False

    def drop_all(self) -> None:
        """Forget all frames."""
        for mesh in self._meshes.values():
            mesh.drop()
        self.is_full = False

    def clear(self) -> None:
        """Forget everything, and give the GPU's memory back."""
        for mesh in self._meshes.values():
            mesh.free()
        self._meshes.clear()
        self.groups, self.kept = (), ()
        self.is_stale, self.is_full = True, False
        self._clock = ()
