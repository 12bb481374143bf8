"""Cached Playback: records frames as Blender plays, and shows characters from memory once all are known; with
Fast Scrubbing, also while the user drags through frames that are known.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import bpy

from ...drawing.display_settings import DisplaySettings
from ...scene.objects.repeatability import foreign_handlers
from ..character.view import View
from ..failure import told_once
from ..layers import layer_key
from ..objects.object_lookup import ObjectLookup
from ..redraw import Later, is_playing_back, redraw_panels, redraw_timelines, redraw_views
from .aside import Aside, heal
from .choices import CachedChoices
from .frame_cache import AnyCachedMesh, FrameCache
from .frame_costs import FrameCosts
from .groups import OWN_PACKAGE, Group
from .recording_time import RecordingTime
from .reports import is_changed, only_selects_bones
from .scrub import Scrub

SECONDS_UNTIL_REFRESH = 0.5
"""After the last change: meanwhile the user may still be at it."""


class CachedPlayback:
    """The mode, for the scene that plays. Keeps no Blender object.

    choices: of a scene. previewed: the meshes, by session_uid, that previews show: those are
    left to them. on_aside: called when characters have stepped aside. cache: the frames. aside: the objects
    that Blender does not evaluate now. plays: whether Blender plays. stopped_at: when it stopped last, in
    `time.perf_counter` seconds.
    shown: the groups that are shown from memory. costs: of frames that were played.
    error: a sentence, if an error switched it off.
    """

    def __init__(
        self,
        objects: ObjectLookup,
        choices: Callable[[bpy.types.Scene], CachedChoices],
        most_bytes: Callable[[], int],
        previewed: Callable[[], Iterable[int]],
    ) -> None:
        self.cache = FrameCache(objects, most_bytes)
        self.aside = Aside(objects)
        self.shown: tuple[Group, ...] = ()
        self.costs = FrameCosts()
        self._time = RecordingTime()
        self.error = ""
        self.on_aside: Callable[[], None] = lambda: None
        self.choices = choices
        self._objects = objects
        self._previewed = previewed
        self._is_switching = False
        self.plays = False
        self.stopped_at = -math.inf
        self._was_pressed = False
        self._starts = False
        self._left_out: dict[int, set[int]] = {}
        self._refresh = Later(self.refresh)
        self._step_aside = Later(self.step_aside)
        self._scrub = Scrub(self._rest)

    def is_on(self, scene: bpy.types.Scene) -> bool:
        """Whether a scene asks for it."""
        return self.choices(scene).is_on

    # What Blender's handlers call.

    def note_playing(self, scene: bpy.types.Scene) -> None:
        """Blender is about to play: step aside if all frames are known."""
        self.plays, self._was_pressed = True, False
        self._time.start()
        # It evaluates the frame that it starts from once more, which it reports like edits of all that moves.
        # It has evaluated edits before; but what others do in this handler comes with the same report.
        self._starts = not foreign_handlers(OWN_PACKAGE, ("animation_playback_pre",))
        if self.is_on(scene) and not self.error:
            self.step_aside()

    def note_stopped(self) -> None:
        """Blender has stopped."""
        self.plays = self._starts = False
        self.stopped_at = time.perf_counter()
        self._step_aside.cancel()
        self.bring_back()

    def note_frame(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Blender has evaluated another frame: record what is not known yet."""
        self._starts = False
        if self.error or not self.is_on(scene) or depsgraph.mode != "VIEWPORT":
            return
        cache = self.cache
        view_layer = depsgraph.view_layer
        if view_layer is None:
            return
        if cache.is_stale or cache.layer != layer_key(scene, view_layer):
            self._refresh.at(0.0)
            return
        waiting = [one for one in self.chosen(scene, view_layer) if one not in self.shown]
        shown_are_known = all(cache.has(one, scene.frame_current_final) for one in self.shown)
        if self.choices(scene).scrubs:
            # Before they are recorded: another frame that is not known may be next.
            unknown = [one for one in waiting if not cache.has(one, scene.frame_current_final)]
            self._scrub.note_frame(unknown if shown_are_known else (*unknown, *self.shown))
        if waiting:
            self._record(scene, depsgraph, waiting)
        if not shown_are_known:
            # As with another range of frames, set while it plays. Nothing is drawn until they are back.
            self._step_aside.cancel()
            self._refresh.at(0.0)
        elif self._may_show(scene, waiting):
            self._step_aside.at(0.0)

    def _record(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, groups: Iterable[Group]
    ) -> None:
        """Record characters; while Blender plays, as many as there is time for."""
        costs = self.costs.remembered if self.shown else None
        frame_seconds = (costs or self.costs.blenders) if self.plays else None
        if frame_seconds is None:
            self.cache.record(scene, depsgraph, groups)
            return
        self._time.begin(frame_seconds)
        self.cache.record(scene, depsgraph, groups, lambda: self._time.is_left)
        self._time.end()

    def _may_show(self, scene: bpy.types.Scene, groups: Iterable[Group]) -> bool:
        """Whether any of these groups can be shown from memory by now."""
        if self.plays and not self._was_pressed:
            # Asked at every frame that is recorded: nearly always, the first look tells.
            count = len(played_frames(scene))
            groups = [one for one in groups if self.cache.has_at_least(one, count)]
        elif not self.is_scrubbed(scene):
            return False
        return any(self._is_known(one, scene) and not self.is_previewed(one) for one in groups)

    def is_scrubbed(self, scene: bpy.types.Scene) -> bool:
        """Whether the user drags through a scene's frames, and wants to see them from memory."""
        return not self.plays and self.choices(scene).scrubs and self._scrub.moves

    def note_pending_edits(self) -> None:
        """The frame is about to change, and Blender has not evaluated all edits yet: of what is unknown."""
        if not self._is_switching:
            self.cache.forget_all()

    def note_updates(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Something was edited: forget what relies on it."""
        cache = self.cache
        if self._is_switching or cache.layer is None:
            return
        changed = {
            block.session_uid
            for update in depsgraph.updates
            if is_changed(update)
            if (block := update.id.original) is not None
        }
        if not changed:
            return
        may_be_none = self._starts or only_selects_bones(depsgraph)
        self._starts = False
        unchanged = (lambda group: cache.shows_as_known(group, depsgraph)) if may_be_none else None
        if cache.forget_relying_on(changed, unchanged):
            redraw_timelines()
        if cache.kept and not may_be_none:
            # What kept them may be gone.
            cache.is_stale = True
        if cache.is_stale:
            self._refresh.only_at(time.perf_counter() + SECONDS_UNTIL_REFRESH)

    def note_undo(self) -> None:
        """Undo, redo or another file: nothing is known any more, and what comes back may be aside."""
        self.cache.clear()
        self.shown = ()
        with self.switching():
            heal()

    # What timers and operators call.

    def refresh_soon(self) -> None:
        """Find characters from Blender's event loop: the mode was switched on."""
        self.error = ""
        self._refresh.at(0.0)

    def refresh(self) -> None:
        """Find characters again, or bring back what can't be shown. Called by a timer."""
        scene, view_layer = bpy.context.scene, bpy.context.view_layer
        if self.error or not all(self.cache.has(one, scene.frame_current_final) for one in self.shown):
            self.bring_back()
        if self.error or not self.is_on(scene) or self.aside:
            return
        try:
            self.cache.refresh(view_layer, layer_key(scene, view_layer))
        except Exception:  # noqa: BLE001 - in a timer it would be printed, and the timer be gone
            self.error = told_once()
        redraw_panels()
        redraw_timelines()

    def step_aside(self) -> None:
        """Have the characters step aside that are known: at every frame of the range, or at the one that is
        scrubbed. Not while drawing.
        """
        scene, view_layer = bpy.context.scene, bpy.context.view_layer
        layer = layer_key(scene, view_layer)
        if not self.is_on(scene) or not (is_playing_back() or self.is_scrubbed(scene)):
            return
        if not self.aside and not self.cache.still_stands(view_layer, layer):
            self._refresh.at(0.0)
            return
        known = tuple(
            one
            for one in self.chosen(scene, view_layer)
            if self._is_known(one, scene) and not self.is_previewed(one)
        )
        if known != self.shown:
            known = tuple(one for one in known if self.cache.is_proven(one))
        if not known or known == self.shown:
            return
        with self.switching():
            self.aside.bring_back()
            self._left_out = self._left_out_of_views(known)
            self.aside.put((uid for group in known for uid in group.objects), scene, view_layer)
        self.shown = known
        self.on_aside()
        redraw_views()

    def note_press(self) -> None:
        """The user has pressed something, and may go on: have everything back until Blender plays anew."""
        self._was_pressed = self.plays
        self._step_aside.cancel()
        self.bring_back()

    def bring_back(self) -> None:
        """Have everything come back. Not while drawing."""
        self.shown = ()
        if self.aside:
            with self.switching():
                self.aside.bring_back()
            redraw_views()
            redraw_timelines()

    def _rest(self) -> None:
        """The user no longer drags."""
        if not self.plays:
            self.bring_back()

    def stop(self) -> None:
        """Bring everything back and forget all: the extension is disabled, or another file is loaded."""
        self._scrub.end()
        self._refresh.cancel()
        self._step_aside.cancel()
        self.bring_back()
        self.cache.clear()
        self.costs.clear()
        self.error = ""

    def fail(self, error: str) -> None:
        """Switch it off after an error while drawing, which can't bring anything back: a timer does."""
        self.error = error
        self.shown = ()
        self._refresh.at(0.0)

    def known_frames(self, context: bpy.types.Context) -> set[int]:
        """Return the whole frames at which all chosen characters of the context's view layer are known."""
        cache = self.cache
        if cache.layer != layer_key(context.scene, context.view_layer):
            return set()
        return cache.known_frames(self.chosen(context.scene, context.view_layer))

    def chosen(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> tuple[Group, ...]:
        """List the characters that the user wants to be played from memory."""
        groups = self.cache.groups
        if not self.choices(scene).selected_only:
            return groups
        return tuple(one for one in groups if any(self._is_selected(uid, view_layer) for uid in one.objects))

    def _is_selected(self, uid: int, view_layer: bpy.types.ViewLayer) -> bool:
        if self.aside.was_selected(uid):
            return True
        found = self._objects.find(uid)
        return found is not None and found.select_get(view_layer=view_layer)

    def is_previewed(self, group: Group) -> bool:
        """Whether a preview shows any of a group's meshes."""
        return not set(group.meshes).isdisjoint(self._previewed())

    def _is_known(self, group: Group, scene: bpy.types.Scene) -> bool:
        now = scene.frame_current_final
        if self.is_scrubbed(scene):
            return group not in self._scrub.unknown and self.cache.has(group, now)
        frames = played_frames(scene)
        return self.cache.has_all(group, frames) and (now in frames or self.cache.has(group, now))

    @contextmanager
    def switching(self) -> Iterator[None]:
        """For blocks that hide or show objects: what Blender then reports is no edit, so it is evaluated in the
        block.
        """
        self._is_switching = True
        try:
            yield
            for window in bpy.context.window_manager.windows:
                window.view_layer.update()
        finally:
            self._is_switching = False

    def _left_out_of_views(self, groups: Iterable[Group]) -> dict[int, set[int]]:
        """List which meshes each 3D view leaves out, by its pointer: by local view, or local collections.

        Of objects that are aside Blender says that no view shows them.
        """
        meshes = [one for group in groups for one in map(self._objects.find, group.meshes) if one is not None]
        spaces = (
            area.spaces.active
            for window in bpy.context.window_manager.windows
            for area in window.screen.areas
            if area.type == "VIEW_3D"
        )
        return {
            space.as_pointer(): {one.session_uid for one in meshes if not one.visible_in_viewport_get(space)}
            for space in spaces
            if isinstance(space, bpy.types.SpaceView3D)
        }

    # What draw handlers call.

    def to_draw(self, context: bpy.types.Context) -> list[tuple[AnyCachedMesh, bpy.types.Object]]:
        """List what the context's 3D view shows from memory."""
        space = context.space_data
        if not self.shown or not isinstance(space, bpy.types.SpaceView3D):
            return []
        if self.cache.layer != layer_key(context.scene, context.view_layer):
            return []
        pairs = (
            (mesh, self._objects.find(mesh.uid))
            for group in self.shown
            for mesh in self.cache.meshes_of(group)
        )
        left_out = self._left_out.get(space.as_pointer(), set())
        return [(mesh, one) for mesh, one in pairs if one is not None and mesh.uid not in left_out]

    def draw(self, context: bpy.types.Context, view: View, look: DisplaySettings) -> None:
        """Draw them, as they are at the current frame; at one that is not known, nothing."""
        display = self.choices(context.scene).display
        frame = context.scene.frame_current_final
        for mesh, mesh_object in self.to_draw(context):
            mesh.draw(frame, display, view, look, mesh_object)


def played_frames(scene: bpy.types.Scene) -> range:
    """Return the frames that Blender plays."""
    if scene.use_preview_range:
        return range(scene.frame_preview_start, scene.frame_preview_end + 1)
    return range(scene.frame_start, scene.frame_end + 1)
