"""Sequences of edits: drawn from a seed, played with or without previews, and minimized."""

from __future__ import annotations

import contextlib
import io
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.viewport.layers import layer_key
from tests.fuzz.edits.file_edits import FILE_EDITS, redo, undo
from tests.fuzz.edits.judge import (
    Verdict,
    blender_positions,
    drawn_positions,
    judge_sentence,
    modifiers_behind,
    size_of_motion,
    verdict,
)
from tests.fuzz.edits.mesh_edits import MESH_EDITS
from tests.fuzz.edits.modifier_edits import MODIFIER_EDITS
from tests.fuzz.edits.object_edits import OBJECT_EDITS
from tests.fuzz.edits.picking import leave_mode
from tests.fuzz.edits.pose_edits import POSE_EDITS, scrub
from tests.fuzz.edits.previews import Window
from tests.fuzz.edits.rig_edits import RIG_EDITS
from tests.fuzz.edits.start_scene import build_start

EDITS = {
    edit.__name__: (edit, often)
    for edit, often in (*POSE_EDITS, *MESH_EDITS, *MODIFIER_EDITS, *OBJECT_EDITS, *RIG_EDITS, *FILE_EDITS)
}
CHANCE_TO_PLAY = 0.2
CHANCE_TO_UNDO = 0.12
CHANCE_TO_REDO = 0.5
MOST_LINES = 6
"""Maximum lines of a traceback."""
MOST_SECONDS = 60.0
"""Time limit for minimizing a sequence."""
NOT_REMEMBERED = frozenset({undo.__name__, redo.__name__})
REFUSALS = (LookupError, RuntimeError, AttributeError, ReferenceError, TypeError, ValueError)
"""What Blender or an edit raises if there is nothing to do just then."""


@dataclass(frozen=True)
class Step:
    """edit: its name in EDITS. seed: for all of its random choices."""

    edit: str
    seed: int

    def play(self) -> str:
        """Perform the edit and push an undo step; return Blender's objection, if any."""
        said = ""
        edit, _ = EDITS[self.edit]
        try:
            # Errors that Blender's operators report.
            with contextlib.redirect_stdout(io.StringIO()):
                edit(random.Random(self.seed))  # noqa: S311 - no secrets
        except REFUSALS as refusal:
            said = str(refusal).strip() or type(refusal).__name__
        if self.edit not in NOT_REMEMBERED:
            bpy.ops.ed.undo_push(message=self.edit)
        return said


@dataclass
class Played:
    """The outcome of playing a sequence. wrong: what was wrong after the first step that failed; at: that
    step's index.
    """

    labels: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    done: int = 0
    wrong: str = ""
    at: int = -1


def sequence(seed: int) -> tuple[Step, ...]:
    """Draw 10 to 30 steps."""
    chance = random.Random(f"edits {seed}")  # noqa: S311 - no secrets
    names = list(EDITS)
    often = [EDITS[name][1] for name in names]
    chosen: list[str] = []
    length = chance.randint(10, 30)
    while len(chosen) < length:
        (name,) = chance.choices(names, often)
        chosen.append(name)
        # The result is viewed in motion, or undone; after an undo, anything but a redo leaves nothing to redo.
        if chance.random() < CHANCE_TO_PLAY:
            chosen.append(scrub.__name__)
        elif chance.random() < CHANCE_TO_UNDO:
            chosen.append(undo.__name__)
        if chosen[-1] == undo.__name__ and chance.random() < CHANCE_TO_REDO:
            chosen.append(redo.__name__)
    return tuple(Step(name, chance.randrange(10**6)) for name in chosen)


def play_alone(steps: Sequence[Step], folder: Path) -> None:
    """Play without Skinscope, to see whether Blender survives."""
    _begin(folder)
    for step in steps:
        step.play()
        bpy.context.view_layer.update()
    leave_mode()


def play(steps: Sequence[Step], folder: Path, *, hidden: bool = False) -> Played:
    """Play with previews on, and judge them after each step. hidden: whether Blender's own mesh is hidden
    meanwhile.
    """
    played = Played()
    window = Window()
    try:
        window.hide_blenders_mesh(hidden=hidden)
        _begin(folder)
        for index, wrong in enumerate(_steps(window, steps, played)):
            if wrong:
                played.wrong, played.at = wrong, index - 1
                break
    finally:
        window.close()
    return played


def _begin(folder: Path) -> None:
    bpy.app.driver_namespace["edits_library"] = build_start(folder)
    # Loading a file empties it; see `file_edits`.
    bpy.ops.ed.undo_push(message="Start")


def _steps(window: Window, steps: Sequence[Step], played: Played) -> Iterator[str]:
    """Yield what is wrong before the first step, after each step, and at the end once nothing follows the
    armatures.
    """
    yield _judged(window, played)
    for step in steps:
        said = step.play()
        played.done += not said
        yield _judged(window, played)
    yield _behind(window)


def _judged(window: Window, played: Played) -> str:
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        told = window.start_previews()
        waiting = window.come_to_rest()
    refusals = (judge_sentence(sentence, mesh_object) for mesh_object, sentence in told)
    for one in (*refusals, *_verdicts(window)):
        played.labels[one.label] += 1
        if one.cause:
            played.causes[one.cause] += 1
        if one.wrong:
            return " ".join((one.wrong, *errors.getvalue().splitlines()[-MOST_LINES:]))
    if "Traceback" in errors.getvalue():
        return " ".join(("a traceback:", *errors.getvalue().splitlines()[-MOST_LINES:]))
    return f"the previews do not come to rest: {waiting}" if waiting else ""


def _verdicts(window: Window) -> Iterator[Verdict]:
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    for preview in window.session.previews:
        yield verdict(window.session, preview, layer)


def _behind(window: Window) -> str:
    """Remove the modifiers after the armatures, and compare what was drawn before with Blender's result without
    them.
    """
    leave_mode()
    if waiting := window.come_to_rest():
        return f"the previews do not come to rest after the last step: {waiting}"
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    drawn = {}
    for preview in window.session.previews:
        found = next((one for one in bpy.data.objects if one.session_uid == preview.uid), None)
        live = preview.mesh_in_layer(layer)
        if found is None or live is None or preview.paused or not modifiers_behind(found):
            continue
        if found.library is None and found.visible_get() and not live.binding.reasons:
            drawn[found] = drawn_positions(live)
    for mesh_object in drawn:
        for name in modifiers_behind(mesh_object):
            mesh_object.modifiers.remove(mesh_object.modifiers[name])
    bpy.context.view_layer.update()
    for mesh_object, skinned in drawn.items():
        blender = blender_positions(mesh_object)
        if not np.isfinite(blender).all():
            # As during playback; see `judge.verdict`.
            continue
        if len(blender) < len(skinned):
            return (
                f"'{mesh_object.name}' was drawn with {len(skinned)} vertices, Blender has "
                f"{len(blender)} before what is behind"
            )
        distance = float(abs(skinned - blender[: len(skinned)]).max()) / size_of_motion(mesh_object, blender)
        if not distance <= 1e-5:
            return (
                f"'{mesh_object.name}', with modifiers behind the armature, was off by {distance:.2g} "
                f"of its size"
            )
    return ""


def minimised(steps: Sequence[Step], folder: Path, *, hidden: bool) -> tuple[Step, ...]:
    """Drop steps as long as a fault of the same kind remains, and for no longer than MOST_SECONDS."""
    end = time.monotonic() + MOST_SECONDS
    left = list(steps)
    kind = _kind(play(left, folder, hidden=hidden).wrong)
    dropped = True
    # Repeat as long as any step was dropped: what a step needed may have gone.
    while dropped:
        dropped = False
        for index in range(len(left) - 1, -1, -1):
            fewer = left[:index] + left[index + 1 :]
            if time.monotonic() < end and _kind(play(fewer, folder, hidden=hidden).wrong) == kind:
                left, dropped = fewer, True
    return tuple(left)


def _kind(wrong: str) -> str:
    """Return a sentence without its names and numbers."""
    return "".join(part for index, part in enumerate(wrong.split("'")) if index % 2 == 0).rstrip(
        "0123456789.e-"
    )[:25]
