"""Runs inside Blender, alongside soak_previews.py: reads back what is drawn of previews and compares it with
Blender's own meshes.

It is read back where it is drawn, in a 3D view's draw callback, right after the previews' own.
"""

from __future__ import annotations

import contextlib
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

if TYPE_CHECKING:
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.
    from tests.windowed.soak_previews import is_enabled, session

EXACT = 1e-5
"""Tolerance, relative to the rest diagonal plus the largest displacement."""

PAGE_BYTES = 4096
KEEP_POSITIONS = {"ARMATURE", "TRIANGULATE", "WEIGHTED_NORMAL"}
"""Modifiers from soak_edits.py that leave vertices where they are."""

_handle: Any = None
_seen: Counter[str] = Counter()
_wrong: list[str] = []


def is_at_rest() -> bool:
    """Tell whether no preview is waiting to be rebound or reread."""
    if not is_enabled():
        return True
    now = session()
    timers = (now.postponed.bind, now.postponed.shadows, now.postponed.settle)
    waits = any(bpy.app.timers.is_registered(one._timer) for one in timers)
    return not waits and not any(preview.wanted_in for preview in now.previews)


def pause_players() -> None:
    """Pause the mixers: a character that they play never comes to rest."""
    if is_enabled():
        for player in session().players:
            player.playing = False


def show_what_is_compared() -> None:
    """Show previews of all meshes, skinned as in Blender; the settings are randomized again afterwards."""
    if not is_enabled():
        return
    start_missing()
    session().players.stop_all()
    bpy.context.scene.skinscope.show_previews = True
    bpy.context.scene.skinscope.profiles.profile = "blender"
    with view3d() as area:
        area.tag_redraw()


def start_missing() -> None:
    from skinning_addon.core.text.errors import SkinscopeError

    for one in bpy.context.view_layer.objects:
        if one.type == "MESH" and one.visible_get() and session().preview_of(one) is None:
            with contextlib.suppress(SkinscopeError):
                session().start(one, bpy.context.evaluated_depsgraph_get())


def begin_comparing() -> None:
    """Compare what is drawn, starting with the next redraw."""
    global _handle  # noqa: PLW0603 - lives as long as Blender does
    if is_enabled():
        _handle = bpy.types.SpaceView3D.draw_handler_add(_compare, (), "WINDOW", "POST_VIEW")
        with view3d() as area:
            area.tag_redraw()


def end_comparing() -> list[str]:
    """List the deviations found since `begin_comparing`."""
    global _handle  # noqa: PLW0603
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    found = list(_wrong)
    _wrong.clear()
    return found


def compared() -> dict[str, int]:
    """Count the comparisons so far and, by reason, what wasn't compared."""
    return dict(_seen)


def resident_megabytes() -> float:
    """Return this process's resident memory, including that of the software GPU driver."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * PAGE_BYTES / 1e6


def _compare() -> None:
    try:
        _compare_view(bpy.context)
    except Exception:  # noqa: BLE001 - Blender would print it with every redraw; the test is told once
        _wrong.append(traceback.format_exc())


def _compare_view(context: Any) -> None:
    settings = session().settings_of(context.scene)
    if not settings.shown or not (context.space_data.overlay.show_overlays or settings.hides_blenders_mesh):
        _seen["no overlays"] += 1
        return
    layer = context.scene.session_uid, context.view_layer.name
    for preview in session().previews:
        mesh_object = next((one for one in bpy.data.objects if one.session_uid == preview.uid), None)
        if mesh_object is None:
            _seen["gone"] += 1
            continue
        if not (mesh_object.visible_get() and mesh_object.visible_in_viewport_get(context.space_data)):
            _seen["hidden"] += 1
            continue
        live = preview.mesh_in_layer(layer)
        why_not = _why_not(preview, live, mesh_object)
        _seen[why_not or "compared"] += 1
        if not why_not:
            _compare_mesh(live, mesh_object, context.view_layer.depsgraph)


def _why_not(preview: Any, live: Any, mesh_object: bpy.types.Object) -> str:
    """Say why what is drawn of a mesh may differ from Blender's."""
    if preview.error or preview.paused or live is None or live._frame is None:
        return "paused"
    if preview.wanted_in or not preview.profile.is_blender:
        return "an engine's" if not preview.wanted_in else "in motion"
    if live._is_played:
        return "played by a mixer"
    if live.binding.reasons:
        return "inexact, and named"
    on = [one for one in mesh_object.modifiers if one.show_viewport]
    armatures = [index for index, one in enumerate(on) if one.type == "ARMATURE" and one.object]
    behind = on[armatures[-1] :] if armatures else ()
    return "" if all(one.type in KEEP_POSITIONS for one in behind) else "modifiers behind"


def _compare_mesh(live: Any, mesh_object: Any, depsgraph: bpy.types.Depsgraph) -> None:
    frame = live._frame
    prober = live.drawing.prober(frame.chain, live.binding.mesh)
    try:
        skinned = prober.skin(frame.palettes).positions
    finally:
        prober.free()
    blender = _positions(mesh_object.evaluated_get(depsgraph).data)
    rest = _positions(mesh_object.data)
    if len(blender) != len(skinned):
        # A mirror, mask or subdivision before the armature changes the vertices, but identically for both.
        _wrong.append(f"{mesh_object.name} is drawn with {len(skinned)} vertices; Blender has {len(blender)}")
        return
    moved = np.linalg.norm(blender - rest, axis=1).max() if len(rest) == len(blender) else 0.0
    size = np.linalg.norm(np.ptp(rest, axis=0)) + moved
    off = np.linalg.norm(skinned - blender, axis=1).max() / size
    if not off <= EXACT:
        _wrong.append(
            f"{mesh_object.name} is drawn {off:.2g} of its size off Blender's, in mode {mesh_object.mode}"
        )


def _positions(mesh: Any) -> Any:
    positions = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3).astype(np.float64)
