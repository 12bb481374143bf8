"""The known frames of all characters: recorded as Blender shows them, and forgotten once they may differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import bpy

from ...core.text.errors import BindingError, SkinscopeError
from ...core.text.message import Message
from ...scene.binding.instant import Instant
from ..failure import told_once
from ..objects.object_lookup import ObjectLookup
from .edited_characters import AnyCachedMesh, EditedCharacters
from .groups import Group, find_groups
from .moving_mesh import MovingMesh
from .posed_mesh import PosedMesh

LayerKey = tuple[int, str]
"""As `preview.LayerKey`."""


@dataclass(frozen=True)
class _Failure:
    """Why a character could not be recorded, and the mesh that is to blame."""

    reason: str
    mesh: AnyCachedMesh | None = None


def clock_of(scene: bpy.types.Scene) -> tuple[float, ...]:
    """Return what decides which times a scene's frames stand for."""
    render = scene.render
    return render.fps, render.fps_base, render.frame_map_old, render.frame_map_new


class FrameCache:
    """Frames of the characters of one view layer. Keeps no Blender object.

    kept: sentences, why others stay Blender's. distrusted: characters whose frames from another Blender were
    not what this one shows. is_stale: whether characters have to be found or bound again, which makes
    data-blocks: `refresh` does it. most_bytes: memory that frames may take. is_full: whether frames were left
    out for that. layer: whose characters these are.
    """

    def __init__(self, objects: ObjectLookup, most_bytes: Callable[[], int]) -> None:
        self.kept: tuple[str, ...] = ()
        self.distrusted: tuple[str, ...] = ()
        self.is_stale = True
        self.is_full = False
        self.layer: LayerKey | None = None
        self._objects = objects
        self._most_bytes = most_bytes
        self._edited = EditedCharacters()
        self._bound: dict[Group, tuple[AnyCachedMesh, ...]] = {}
        self._refused: dict[Group, str] = {}
        self._failed: set[Group] = set()
        self._not_by_pose: dict[int, str] = {}
        self._clock: tuple[float, ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The characters whose frames can be kept."""
        return tuple(self._bound)

    def meshes_of(self, group: Group) -> tuple[AnyCachedMesh, ...]:
        """Return a character's meshes; none if it has to be bound again."""
        return self._bound.get(group, ())

    @property
    def byte_count(self) -> int:
        """Memory that all frames take."""
        bound = sum(mesh.byte_count for meshes in self._bound.values() for mesh in meshes)
        return bound + self._edited.byte_count

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
        self._bound.update(self._edited.judged(found.groups, view_layer))
        new = [group for group in found.groups if group not in self._bound]
        for group in new:
            self._bind(group, view_layer.depsgraph)
        self._edited.learn((group for group in new if group in self._bound), view_layer)
        self.kept = (*found.kept, *self._refused.values())

    def _bind(self, group: Group, depsgraph: bpy.types.Depsgraph | None) -> None:
        meshes: list[AnyCachedMesh] = []
        for mesh_object in map(self._objects.find, group.meshes):
            if mesh_object is None or depsgraph is None:
                self._refused[group] = Message("'{name}' is gone", name=group.name)
                return
            try:
                meshes.append(self._bound_mesh(mesh_object, depsgraph))
            except SkinscopeError as error:
                self._refused[group] = str(error)
                return
        self._bound[group] = tuple(meshes)

    def _bound_mesh(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> AnyCachedMesh:
        """Bind a mesh so that its poses are kept, or else its vertices.

        Raises:
            BindingError: neither can be kept.
        """
        reason = self._not_by_pose.get(mesh_object.session_uid, "")
        if not reason:
            try:
                return PosedMesh(mesh_object, depsgraph)
            except BindingError as error:
                reason = str(error)
        return MovingMesh(mesh_object, depsgraph, reason)

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

    def record(
        self,
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
        groups: Iterable[Group],
        has_time: Callable[[], bool] = lambda: True,
    ) -> None:
        """Keep what Blender shows now of these characters, unless that is known. The evaluated state must be
        that of the frame itself, as after a change of frame: not that of an edit.

        has_time: whether there is time for another one than the first that isn't known.
        """
        if self.is_stale:
            return
        self.follow_clock(scene)
        frame, instant = scene.frame_current_final, Instant(depsgraph)
        unknown: list[tuple[Group, tuple[AnyCachedMesh, ...]]] = []
        for group in groups:
            meshes = self.meshes_of(group)
            if meshes and not _are_known(meshes, frame):
                unknown.append((group, meshes))
            elif not self._is_as_recorded(group, frame, depsgraph, instant):
                self.distrust(group)
        if not unknown or not self.has_room():
            return
        for number, (group, meshes) in enumerate(unknown):
            if number and not has_time():
                # The first ones are known the sooner, and step aside.
                break
            failure = self._record(meshes, frame, depsgraph, instant)
            if failure is not None:
                self._note_failure(group, failure)
            elif self._failed:
                self._failed.discard(group)

    def _note_failure(self, group: Group, failure: _Failure) -> None:
        was_stale = self.is_stale
        self._forget(group)
        if group not in self._failed:
            # Bound again, it may do.
            self._failed.add(group)
        elif isinstance(failure.mesh, PosedMesh):
            self._not_by_pose[failure.mesh.uid] = failure.reason
            self._failed.discard(group)
        else:
            self.is_stale = was_stale
            self._refused[group] = failure.reason
            self.kept = (*self.kept, failure.reason)

    def is_proven(self, group: Group) -> bool:
        """Whether a character's frames are Blender's, as far as is compared. If not, they are forgotten.
        Compares what was left for later, some milliseconds for each fifty frames.
        """
        for mesh in self.meshes_of(group):
            try:
                mesh.prove()
            except SkinscopeError as error:
                self._note_failure(group, _Failure(str(error), mesh))
                return False
        return True

    def has_room(self) -> bool:
        """Whether there is memory for more frames; notes that it is full if not."""
        self.is_full = self.byte_count > self._most_bytes()
        return not self.is_full

    def _is_as_recorded(
        self, group: Group, frame: float, depsgraph: bpy.types.Depsgraph, instant: Instant
    ) -> bool:
        """Whether what another Blender recorded at a frame is what this one shows; asked once a frame."""
        unseen = [mesh for mesh in self.meshes_of(group) if frame in mesh.unseen]
        if not unseen:
            return True
        for mesh in unseen:
            mesh.unseen.discard(frame)
        return self._shows(group, frame, depsgraph, instant)

    def distrust(self, group: Group) -> None:
        """Forget a character's frames: those from another Blender are not what this one shows."""
        self._forget(group)
        self.distrusted = tuple(dict.fromkeys((*self.distrusted, group.name)))

    def keep_vertices_of(self, group: Group, reasons: Mapping[str, str]) -> None:
        """Forget a character's frames; from now on keep the vertices of some of its meshes. reasons: by the
        mesh's identity, why its poses can't be kept; '' to try them again.
        """
        for mesh in self.meshes_of(group):
            if reasons.get(mesh.name):
                self._not_by_pose[mesh.uid] = reasons[mesh.name]
        self._forget(group)

    def _record(
        self,
        meshes: Iterable[AnyCachedMesh],
        frame: float,
        depsgraph: bpy.types.Depsgraph,
        instant: Instant,
    ) -> _Failure | None:
        for mesh in meshes:
            mesh_object = self._objects.find(mesh.uid)
            if mesh_object is None:
                return _Failure(Message("'{name}' is gone", name=mesh.name))
            try:
                mesh.keep(frame, mesh_object, depsgraph, instant)
            except SkinscopeError as error:
                return _Failure(str(error), mesh)
            except Exception:  # noqa: BLE001 - in a handler it would be printed at each frame
                return _Failure(told_once())
        return None

    @property
    def by_vertices(self) -> tuple[MovingMesh, ...]:
        """The meshes of which vertices are kept."""
        meshes = (mesh for meshes in self._bound.values() for mesh in meshes)
        return tuple(one for one in meshes if isinstance(one, MovingMesh))

    def has(self, group: Group, frame: float) -> bool:
        """Whether all meshes of a character are known at a frame."""
        meshes = self.meshes_of(group)
        return bool(meshes) and _are_known(meshes, frame)

    def has_at_least(self, group: Group, count: int) -> bool:
        """Whether so many frames of a character are known, whichever they are."""
        meshes = self.meshes_of(group)
        return bool(meshes) and all(len(mesh.frames) >= count for mesh in meshes)

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

    def follow_clock(self, scene: bpy.types.Scene) -> None:
        """Forget all frames if they stand for other times than when they were recorded."""
        clock = clock_of(scene)
        if clock != self._clock:
            for meshes in self._bound.values():
                for mesh in meshes:
                    mesh.drop()
            self._clock = clock

    def shows_as_known(self, group: Group, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether Blender shows a character now, bit for bit, as it is known at the current frame."""
        return self._shows(group, depsgraph.scene.frame_current_final, depsgraph, Instant(depsgraph))

    def _shows(self, group: Group, frame: float, depsgraph: bpy.types.Depsgraph, instant: Instant) -> bool:
        """Whether Blender shows a character, bit for bit, as it is known at a frame."""
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
        were any. Their bindings may be others, too. Of some, `refresh` finds out which frames are still right.

        unless: tells of which they are known to be the same.
        """
        changed = set(uids)
        found = [one for one in self.groups if one.relied_on & changed and not (unless and unless(one))]
        self._edited.note_changes(changed)
        for group in found:
            if self._edited.can_be_judged(group, group.relied_on & changed):
                self._edited.put(group, self._bound.pop(group))
                self.is_stale, self.is_full = True, False
            else:
                self._forget(group)
                self._give_poses_a_try(group)
        return bool(found)

    def forget_all(self) -> None:
        """Forget all characters' frames: who has changed is unknown."""
        for group in self.groups:
            self._forget(group)
        self._edited.clear()
        self._not_by_pose.clear()
        self.is_stale = True

    def _give_poses_a_try(self, group: Group) -> None:
        """After an edit, bones alone may give Blender's mesh."""
        for uid in group.meshes:
            self._not_by_pose.pop(uid, None)

    def _forget(self, group: Group) -> None:
        self._edited.forget(group)
        for mesh in self._bound.pop(group, ()):
            mesh.free()
        self.is_stale, self.is_full = True, False

    def clear(self) -> None:
        """Forget everything, as when another file is loaded."""
        self.forget_all()
        self._refused.clear()
        self._failed.clear()
        self.kept, self.distrusted, self.layer, self._clock = (), (), None, ()


def _are_known(meshes: Iterable[AnyCachedMesh], frame: float) -> bool:
    # No generator: it is asked of every character at every frame.
    for mesh in meshes:  # noqa: SIM110
        if frame not in mesh.frames:
            return False
    return True
