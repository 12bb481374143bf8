"""Work that draw callbacks postpone: while Blender draws, nothing may be bound, evaluated or hidden."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ..core.text.errors import BindingError
from .character.preview import Preview
from .character.stale import Stale
from .failure import told_once
from .layers import depsgraph_of, scene_of
from .objects.object_lookup import ObjectLookup
from .own_updates import OwnUpdates
from .players import Players
from .redraw import Later, redraw_views

SECONDS_BETWEEN_LOOKS = 0.1
"""Seconds between checks whether another thread's work is ready."""


class Postponed:
    """What previews wait for, each done by a timer: draw callbacks say when it is due.

    bind: read bindings, and the places that unkeyed bones and meshes keep in files. shadows: read what
    figures are compared with. redraw: draw views again. settle: have Blender draw its own meshes, or not.
    prepared: look whether techniques that are compiled meanwhile are ready.

    previews: returns all of them. objects: finds their objects. settle_meshes: what `settle` does.
    """

    def __init__(
        self,
        previews: Callable[[], Sequence[Preview]],
        objects: ObjectLookup,
        players: Players,
        own_updates: OwnUpdates,
        settle_meshes: Callable[[], None],
    ) -> None:
        self._previews = previews
        self._objects = objects
        self._players = players
        self._own_updates = own_updates
        self._settle_meshes = settle_meshes
        self.bind = Later(self.bind_previews)
        self.shadows = Later(self.read_shadows)
        self.redraw = Later(redraw_views)
        self.settle = Later(settle_meshes)
        self.prepared = Later(self.show_prepared)

    def cancel(self) -> None:
        """Forget all that is due."""
        for one in (self.bind, self.shadows, self.redraw, self.settle, self.prepared):
            one.cancel()

    def bind_previews(self) -> None:
        """Bind again the previews that needed it while drawing, when binding isn't allowed. Called by a
        timer.
        """
        with self._own_updates.unheard():
            changed = self._bind_wanted()
        if any(one.held.due is not None for one in self._previews()):
            with self._own_updates.unheard(always=True):
                changed |= self._read_held()
        if changed:
            self._settle_meshes()
            redraw_views()

    def _bind_wanted(self) -> bool:
        changed = False
        for preview in self._previews():
            layer = preview.wanted_in
            mesh_object = self._objects.find(preview.uid) if layer else None
            depsgraph = depsgraph_of(layer) if layer else None
            if mesh_object is None or depsgraph is None:
                continue
            try:
                changed |= preview.bind_if_needed(mesh_object, depsgraph)
            except Exception:  # noqa: BLE001 - one preview's trouble must not end the others
                preview.switch_off(told_once())
                changed = True
            if preview.wanted_in:
                self.bind.at(preview.binding_due)
        return changed

    def _read_held(self) -> bool:
        changed = False
        for preview in self._previews():
            due, mesh_object = preview.held.due, self._objects.find(preview.uid)
            scenes = [scene for layer in preview.layers if (scene := scene_of(layer)) is not None]
            if due is None or mesh_object is None or not scenes or preview.binding is None:
                continue
            if due > time.perf_counter():
                self.bind.at(due)
                continue
            try:
                if preview.held.read(scenes[0], mesh_object, preview.binding):
                    preview.mark(Stale.POSE)
                    changed = True
            except BindingError as error:
                preview.paused, changed = str(error), True
            except Exception:  # noqa: BLE001 - one preview's trouble must not end the others
                preview.switch_off(told_once())
                changed = True
        return changed

    def read_shadows(self) -> None:
        """Read what comparisons wait for and what can't be read while drawing. Called by a timer."""
        # First make sure that the compared mesh is still the bound one.
        self.bind_previews()
        with self._own_updates.unheard():
            changed = self._read_due_shadows()
        if changed:
            redraw_views()

    def _read_due_shadows(self) -> bool:
        changed = False
        for preview in self._previews():
            mesh_object = self._objects.find(preview.uid) if preview.shadow_due is not None else None
            if mesh_object is None:
                continue
            try:
                changed |= preview.read_shadows(mesh_object, depsgraph_of, self._players.poses())
            except Exception:  # noqa: BLE001 - one preview's trouble must not end the others
                preview.switch_off(told_once())
                changed = True
            if (due := preview.shadow_due) is not None:
                self.shadows.at(due)
        return changed

    def show_prepared(self) -> None:
        """Draw again once a technique that draw callbacks wait for is ready. Called by a timer."""
        waiting = [
            one for preview in self._previews() for one in preview.meshes_in_layers if one.drawing.waiting
        ]
        if any(one.drawing.prepared_now for one in waiting):
            redraw_views()
        elif waiting:
            self.prepared.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)
