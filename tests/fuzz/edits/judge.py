"""Judges previews: each must equal Blender's evaluated mesh or give a true sentence. Computes nothing with
Skinscope.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from tests.fuzz.edits.sentences import REASONS, SENTENCES

EXACT = 1e-5
"""Tolerance relative to (diagonal + displacement), see tests/scene/comparison.py."""

KEEPS_POSITIONS = frozenset(
    {
        "WEIGHTED_NORMAL",
        "NORMAL_EDIT",
        "TRIANGULATE",
        "EDGE_SPLIT",
        "UV_PROJECT",
        "UV_WARP",
        "VERTEX_WEIGHT_EDIT",
        "VERTEX_WEIGHT_MIX",
        "VERTEX_WEIGHT_PROXIMITY",
        "DATA_TRANSFER",
    }
)
"""Modifiers after which the armature's result can still be seen."""

KEEPING_GROUPS = frozenset({"Smooth by Angle", "Fit"})
"""Node groups from `modifier_edits` that keep the vertices."""


@dataclass(frozen=True)
class Verdict:
    """What one preview is after one step.

    label: 'exact', 'named', 'refused', 'behind', 'hidden' or 'lost'. 'behind' is of modifiers behind the
        armature that move vertices: what the preview has is compared once they are gone. cause: the sentence's
        class.
    wrong: empty if it is right.
    """

    label: str
    cause: str = ""
    wrong: str = ""


def verdict(session: Any, preview: Any, layer: tuple[int, str]) -> Verdict:
    """Judge a preview that has come to rest."""
    name = preview.name
    if preview.error or session.error:
        return Verdict(
            "off", wrong=f"the preview of '{name}' is off for good: {preview.error or session.error}"
        )
    found = [one for one in bpy.data.objects if one.session_uid == preview.uid]
    if not found:
        is_said = "no longer in the file" in preview.paused
        return Verdict(
            "lost", wrong="" if is_said else f"'{name}' is gone and the preview says: '{preview.paused}'"
        )
    mesh_object = found[0]
    if not _is_drawn(mesh_object):
        return Verdict("hidden")
    if preview.paused:
        return judge_sentence(preview.paused, mesh_object)
    live = preview.mesh_in_layer(layer)
    if live is None or live._frame is None:
        wrong = f"nothing is drawn for '{name}', and nothing says why ({_state(session, preview, layer)})"
        return Verdict("nothing", wrong=wrong)
    judged = _judge_drawing(live, mesh_object)
    if "no figures" in judged.wrong:
        return replace(judged, wrong=f"{judged.wrong} ({_state(session, preview, layer)})")
    return judged


def _state(session: Any, preview: Any, layer: tuple[int, str]) -> str:
    """Describe the state of a preview that should have a result: for faults that occur once in thousands of
    sequences.
    """
    window = bpy.context.window_manager.windows[0]
    own = (window.scene.session_uid, window.view_layer.name)
    space = next(one for one in window.screen.areas if one.type == "VIEW_3D").spaces.active
    mesh_object = session.objects.find(preview.uid)
    shown = mesh_object is not None and mesh_object.visible_get(view_layer=window.view_layer, viewport=space)
    live = [
        (key, one._frame_revision, one._measured.revision, one._reference.revision, one._reference.wanted)
        for key, one in preview._meshes_in_layers.items()
    ]
    return (
        f"drawn in {layer}, the window shows {own}; shown there: {shown}; bound: "
        f"{preview.binding is not None}; marks: "
        f"{preview._stale!r}, revision {preview._revision}; wanted in {preview.wanted_in}; live: {live}"
    )


def _is_drawn(mesh_object: bpy.types.Object) -> bool:
    return bool(mesh_object.visible_get(view_layer=bpy.context.view_layer))


def judge_sentence(sentence: str, mesh_object: bpy.types.Object) -> Verdict:
    """Judge a sentence given in place of a shape, by a preview or when one was requested."""
    for cause, pattern, holds in SENTENCES:
        # Names may contain line breaks.
        if re.search(pattern, sentence, re.DOTALL):
            if holds(mesh_object):
                return Verdict("refused", cause)
            return Verdict("refused", cause, wrong=f"not true of '{mesh_object.name}': {sentence}")
    return Verdict("refused", wrong=f"a sentence that is in no table: {sentence}")


def _judge_drawing(live: Any, mesh_object: bpy.types.Object) -> Verdict:
    for reason in live.binding.reasons:
        holds = REASONS.get(reason.rule)
        if holds is None:
            return Verdict("named", reason.rule, wrong=f"a reason that is in no table: {reason}")
        if not holds(mesh_object):
            return Verdict("named", reason.rule, wrong=f"not true of '{mesh_object.name}': {reason}")
    if live.drawing.frame is not None and live.drawing.frame is not live._frame:
        return Verdict("stale", wrong=f"'{mesh_object.name}' is drawn as of an earlier frame")
    skinned = drawn_positions(live)
    is_cut = live.figures is None or live.figures.before or live.figures.deviation is None
    if modifiers_behind(mesh_object) and is_cut:
        return Verdict("behind", wrong=_wrong_figures(live, mesh_object, None))
    blender = blender_positions(mesh_object)
    if not np.isfinite(blender).all():
        return Verdict("refused", "not finite")
    named = live.binding.reasons[0].rule if live.binding.reasons else ""
    if len(blender) < len(skinned):
        if named:
            return Verdict("named", named, wrong=_wrong_figures(live, mesh_object, None))
        wrong = f"'{mesh_object.name}' is drawn with {len(skinned)} vertices, Blender has {len(blender)}"
        return Verdict("count", wrong=wrong)
    distance = np.linalg.norm(skinned - blender[: len(skinned)], axis=1)
    relative = float(distance.max()) / size_of_motion(mesh_object, blender)
    wrong = _wrong_figures(live, mesh_object, float(distance.max()))
    if relative <= EXACT:
        return Verdict("exact", wrong=wrong)
    if named:
        return Verdict("named", named, wrong=wrong)
    off = f"'{mesh_object.name}' is off by {relative:.2g} of its size"
    return Verdict("off by", wrong=f"{off}, and nothing says so" if not wrong else f"{off}; {wrong}")


def _wrong_figures(live: Any, mesh_object: bpy.types.Object, distance: float | None) -> str:
    """Say what is wrong with the figures; distance: what they should say, None if unknown."""
    figures = live.figures
    if figures is None:
        # There are none without a GPU.
        return "" if live.drawing.frame is None else f"'{mesh_object.name}' has no figures"
    if figures.deviation is None:
        said = judge_sentence(figures.problem, mesh_object)
        return said.wrong
    if figures.frame != bpy.context.scene.frame_current_final:
        return f"the figures of '{mesh_object.name}' are of frame {figures.frame:g}"
    if distance is None:
        return ""
    if abs(figures.deviation.max - distance) > EXACT * size_of_motion(
        mesh_object, blender_positions(mesh_object)
    ):
        return f"the figures of '{mesh_object.name}' say {figures.deviation.max:.3g}, it is {distance:.3g}"
    return ""


def drawn_positions(live: Any) -> np.ndarray:
    """Return what is drawn, (V, 3) float64: read back from the GPU if there is one, else computed from the
    frame that would be drawn.
    """
    frame = live._frame
    if live.drawing.frame is not None:
        prober = live.drawing.prober(frame.chain, live.binding.mesh)
        try:
            return prober.skin(frame.palettes).positions.astype(np.float64)
        finally:
            prober.free()
    return live.surface.positions(frame).astype(np.float64)


def blender_positions(mesh_object: bpy.types.Object) -> np.ndarray:
    evaluated: Any = mesh_object.evaluated_get(bpy.context.view_layer.depsgraph).data
    return _positions(evaluated)


def _positions(mesh: Any) -> np.ndarray:
    positions = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3).astype(np.float64)


def size_of_motion(mesh_object: bpy.types.Object, blender: np.ndarray) -> float:
    """Return the rest diagonal + largest displacement; of Blender's mesh if it includes other meshes, such as
    an array's caps.
    """
    rest = _positions(mesh_object.data)
    if len(blender) == len(rest) > 0:
        moved = np.linalg.norm(blender - rest, axis=1).max()
        return max(float(np.linalg.norm(np.ptp(rest, axis=0)) + moved), 1e-3)
    return max(
        *(float(np.linalg.norm(np.ptp(one, axis=0))) for one in (rest, blender) if len(one)), 1e-3, 0.0
    )


def modifiers_behind(mesh_object: bpy.types.Object) -> list[str]:
    """Name the enabled modifiers after the armature that may move, add or remove vertices."""
    on = [one for one in mesh_object.modifiers if one.show_viewport]
    armatures = [index for index, one in enumerate(on) if one.type == "ARMATURE" and one.object is not None]
    by_parent = mesh_object.parent is not None and mesh_object.parent_type == "ARMATURE"
    if not armatures and not by_parent:
        # If no armature deforms it, the entire stack comes before.
        return []
    first = armatures[-1] + 1 if armatures else 0
    return [one.name for one in on[first:] if not _keeps_positions(one)]


def _keeps_positions(modifier: Any) -> bool:
    if modifier.type == "NODES":
        return modifier.node_group is None or modifier.node_group.name in KEEPING_GROUPS
    return modifier.type in KEEPS_POSITIONS or modifier.type == "ARMATURE"
