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

    kept: sentences, why others stay Blender's. is_stale: whether characters have to be found or bound again,
    which makes data-blocks: `refresh` does it. most_bytes: memory that frames may take. is_full: whether frames
    were left out for that. layer: whose characters these are.
    """

    def __init__(self, objects: ObjectLookup, most_bytes: Callable[[], int]) -> None:
        self.kept: tuple[str, ...] = ()
        self.is_stale = True
        self.is_full = False
        self.layer: LayerKey | None = None
        self._objects = objects
        self._most_bytes = most_bytes
        self._bound: dict[Group, tuple[CachedMesh, ...]] = {}
        self._refused: dict[Group, str] = {}
        self._failed: set[Group] = set()
        self._clock: tuple[float, ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The characters whose frames can be kept."""
        return tuple(self._bound)

    def meshes_of(self, group: Group) -> tuple[CachedMesh, ...]:
        """Return a character's meshes; none if it has to be bound again."""
        return self._bound.get(group, ())

    @property
    def byte_count(self) -> int:
        """Memory that all frames take."""
        return sum(mesh.byte_count for meshes in self._bound.values() for mesh in meshes)

    def refresh(self, view_layer: bpy.types.ViewLayer, layer: LayerKey) -> None:
        """Find the characters, and bind those that are new or were forgotten. May make data-blocks: not while
        drawing, and not in a handler of Blender's.
        """
        if layer != self.layer:
            self.clear()
        elif not self.is_stale:
            return
        found = find_groups(view_layer)
        for group in self.groups:
            if group not in found.groups:
                self._forget(group)
        self.is_stale, self.layer = False, layer
        self._refused.clear()
        for group in found.groups:
            if group not in self._bound:
                self._bind(group, view_layer.depsgraph)
        self.kept = (*found.kept, *self._refused.values())

    def _bind(self, group: Group, depsgraph: bpy.types.Depsgraph | None) -> None:
        meshes: list[CachedMesh] = []
        reason = ""
        for mesh_object in map(self._objects.find, group.meshes):
            if mesh_object is None or depsgraph is None:
                reason = Message("'{name}' is gone", name=group.name)
                break
            try:
                meshes.append(CachedMesh(mesh_object, depsgraph))
            except SkinscopeError as error:
                reason = str(error)
                break
            reason = reason or meshes[-1].refused
        if reason:
            self._refused[group] = reason
        else:
            self._bound[group] = tuple(meshes)

    def still_stands(self, view_layer: bpy.types.ViewLayer, layer: LayerKey) -> bool:
        """Whether the characters, and what they rely on, are still those that were found: new relations are not
        always reported. Those that changed are forgotten. Costs a few milliseconds.
        """
        if self.is_stale or layer != self.layer:
            return False
        found = find_groups(view_layer).groups
        for group in self.groups:
            if group not in found:
                self._forget(group)
        if any(group not in self._bound and group not in self._refused for group in found):
            self.is_stale = True
        return not self.is_stale

    def record(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, groups: Iterable[Group]) -> None:
        """Keep what Blender shows now of these characters, unless that is known. The evaluated state must be
        that of the frame itself, as after a change of frame: not that of an edit.
        """
        if self.is_stale:
            return
        self._follow_clock(scene)
        frame, instant = scene.frame_current_final, Instant(depsgraph)
        unknown = [one for one in groups if one in self._bound and not self.has(one, frame)]
        if unknown and self.byte_count > self._most_bytes():
            self.is_full = True
            return
        for group in unknown:
            reason = self._record(group, frame, depsgraph, instant)
            if not reason:
                self._failed.discard(group)
                continue
            was_stale = self.is_stale
            self._forget(group)
            if group in self._failed:
                # Bound again, it failed again.
                self.is_stale = was_stale
                self._refused[group] = reason
                self.kept = (*self.kept, reason)
            self._failed.add(group)

    def _record(self, group: Group, frame: float, depsgraph: bpy.types.Depsgraph, instant: Instant) -> str:
        for mesh in self.meshes_of(group):
            mesh_object = self._objects.find(mesh.uid)
            if mesh_object is None:
                return Message("'{name}' is gone", name=group.name)
            try:
                mesh.frames[frame] = mesh.read(mesh_object, depsgraph, instant)
            except SkinscopeError as error:
                return str(error)
            except Exception:  # noqa: BLE001 - in a handler it would be printed at each frame
                return told_once()
        return ""

    def has(self, group: Group, frame: float) -> bool:
        """Whether all meshes of a character are known at a frame."""
        return self.has_all(group, (frame,))

    def has_all(self, group: Group, frames: Iterable[float]) -> bool:
        """Whether a character is known at all these frames."""
        meshes = self.meshes_of(group)
        return bool(meshes) and all(frame in mesh.frames for frame in frames for mesh in meshes)

    def known_frames(self, groups: Iterable[Group] | None = None) -> set[int]:
        """Return the whole frames at which all these characters are known, or all characters."""
        chosen = self.groups if groups is None else groups
        meshes = [mesh for group in chosen for mesh in self.meshes_of(group)]
        if not meshes:
            return set()
        return set.intersection(*({int(one) for one in mesh.frames if one == int(one)} for mesh in meshes))

    def _follow_clock(self, scene: bpy.types.Scene) -> None:
        """Forget all frames if they stand for other times than when they were recorded."""
        render = scene.render
        clock = (render.fps, render.fps_base, render.frame_map_old, render.frame_map_new)
        if clock != self._clock:
            for meshes in self._bound.values():
                for mesh in meshes:
                    mesh.drop()
            self._clock = clock

    def shows_as_known(self, group: Group, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether Blender shows a character now, bit for bit, as it is known at the current frame."""
        instant, frame = Instant(depsgraph), depsgraph.scene.frame_current_final
        for mesh in self.meshes_of(group):
            known = mesh.frames.get(frame)
            mesh_object = self._objects.find(mesh.uid)
            if known is None or mesh_object is None:
                return False
            try:
                if not mesh.read(mesh_object, depsgraph, instant).same_as(known):
                    return False
            except SkinscopeError:
                return False
        return True

    def forget_relying_on(self, uids: Iterable[int], unless: Callable[[Group], bool] | None = None) -> bool:
        """Forget the characters that rely on any of these data-blocks, by session_uid; return whether there
        were any. Their bindings may be others, too.

        unless: tells of which they are known to be the same.
        """
        changed = set(uids)
        found = [one for one in self.groups if one.relied_on & changed and not (unless and unless(one))]
        for group in found:
            self._forget(group)
        return bool(found)

    def forget_all(self) -> None:
        """Forget all characters' frames: who has changed is unknown."""
        for group in self.groups:
            self._forget(group)
        self.is_stale = True

    def _forget(self, group: Group) -> None:
        for mesh in self._bound.pop(group, ()):
            mesh.free()
        self.is_stale, self.is_full = True, False

    def clear(self) -> None:
        """Forget everything, as when another file is loaded."""
        self.forget_all()
        self._refused.clear()
        self._failed.clear()
        self.kept, self.layer, self._clock = (), None, ()
