"""Skinscope's statements about a rig: `check`'s report, a preview's figures, and the positions that both
skinned.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.command_line.reports.report_json import write_json
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.text.errors import BindingError
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.frame.frame_measurement import FrameMeasurement
from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.scene.binding.pose_reasons import reasons_of_deviation
from skinning_addon.viewport import session as session_module
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.event_handlers import add_event_handlers, remove_event_handlers
from skinning_addon.viewport.session import (
    ViewportSession,
    close_session,
    current_session,
    layer_key,
    open_session,
)
from tests.fuzz.rigs.plain_rig import Rig
from tests.fuzz.rigs.truth import positions_of

COMPARISON = "no comparison"
"""Stands for the rule if a preview has nothing to compare with, and says so in a sentence."""

ROUNDS = 4
"""How often a preview may rebind within a frame before it must show the mesh as it is."""


@dataclass
class Told:
    """Skinscope's statements about one mesh.

    skinned: by frame, positions (V, 3) in mesh space. reference: those taken to be Blender's. shown: Blender's
    mesh when `check` looked at it, read here by code that shares nothing with that behind `reference`. exact:
    whether it claims to equal Blender. reasons: by rule, the sentences that say why it doesn't. refused: rule
    and sentence if it isn't skinned at some frame. uncompared: why there is nothing to compare with. failed: a
    traceback or an internal error.
    """

    skinned: dict[float, np.ndarray] = field(default_factory=dict)
    reference: dict[float, np.ndarray] = field(default_factory=dict)
    shown: dict[float, np.ndarray] = field(default_factory=dict)
    exact: bool = False
    relative: float = 0.0
    reasons: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    uncompared: dict[str, str] = field(default_factory=dict)
    failed: str = ""
    missing: bool = False


def told_by_check(rig: Rig) -> Told:
    """Check the open scene, and return the report's statements about the rig's mesh. Changes the scene."""
    told = Told()
    frames = rig.frames
    mesh = rig.mesh
    with _recorded(mesh, told):
        try:
            report = check_scene(
                bpy.context.scene,
                "rig.blend",
                CheckSettings(device="cpu", frames_of=lambda _playback: frames),
            )
            json.loads(write_json([report], "0", "0"), parse_constant=_no_number)
        except Exception:  # noqa: BLE001 - whatever it is, it is what this looks for
            told.failed = traceback.format_exc()
            return told
    named = [one for one in report.meshes if _is_of(one.object, mesh)]
    # A finding about the file as a whole names no object.
    found = [one for one in report.findings if not one.object or _is_of(one.object, mesh)]
    for mesh_report in named[:1]:
        told.exact = mesh_report.exact and mesh_report.worst.exact
        told.relative = mesh_report.worst.relative
        messages = {str(one.message): one.rule for one in found}
        told.reasons = {messages.get(str(reason), "unknown"): str(reason) for reason in mesh_report.reasons}
    told.refused = {one.rule: str(one.message) for one in found if one.severity is Severity.ERROR}
    told.missing = not named and not told.refused
    return told


def told_by_preview(rig: Rig) -> Told:
    """Preview the rig over its frames, as the draw handler and the timers do, and return what it would show."""
    told = Told()
    with _session() as session:
        _preview(session, rig, told)
    told.exact = not told.reasons and not told.refused and not told.failed
    return told


def _preview(session: ViewportSession, rig: Rig, told: Told) -> None:
    mesh = rig.mesh
    try:
        _follow_frames(session, rig, told)
    except BindingError as error:
        told.refused[error.rule] = str(error)
    except Exception:  # noqa: BLE001 - whatever it is, it is what this looks for
        told.failed = traceback.format_exc()
    finally:
        preview = session.preview_of(mesh)
        if preview is not None and preview.error:
            told.failed = preview.error
        session.stop_all()


def _follow_frames(session: ViewportSession, rig: Rig, told: Told) -> None:
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    for frame in rig.frames:
        whole = int(np.floor(frame))
        bpy.context.scene.frame_set(whole, subframe=frame - whole)
        live = _caught_up(session, preview, rig.mesh)
        if preview.error:
            return
        if live is None:
            told.refused["paused"] = preview.paused
            continue
        told.reasons |= {
            reason.rule: str(reason.message) for reason in (*live.binding.reasons, *live.pose_reasons)
        }
        skinner = SoftwareSkinner(live._frame.chain, live.binding.mesh)
        told.skinned[frame] = skinner.skin(live._frame.palettes).positions.astype(np.float64)
        _read_reference(session, live, rig.mesh)
        if preview.error:
            return
        reference = live._reference
        if reference.positions is not None:
            told.reference[frame] = reference.positions.astype(np.float64)
            told.reasons |= _told_by_figures(live, rig.mesh)
        else:
            told.uncompared[COMPARISON] = reference.problem


def _told_by_figures(live, mesh: bpy.types.Object) -> dict[str, str]:
    """Return the reasons that a preview gives once it has measured what it shows, like `MeshInLayer.measure`
    with a GPU.
    """
    reference = live._reference
    measurement = FrameMeasurement(live.binding, SoftwareSkinner)
    deviation = measurement.measure(reference.frame, reference.positions, 1.0)
    found = reasons_of_deviation(live.binding, reference.frame, mesh, deviation)
    return {reason.rule: str(reason.message) for reason in found}


def _caught_up(session: ViewportSession, preview: Preview, mesh: bpy.types.Object):
    """Alternate the draw handler's work and the timer's until nothing is pending."""
    view_layer = bpy.context.view_layer
    layer = layer_key(bpy.context.scene, view_layer)
    live = None
    for _ in range(ROUNDS):
        view_layer.update()
        live = preview.follow(mesh, view_layer.depsgraph, layer)
        if preview.wanted_in is None:
            break
        preview._binding_pace.due = 0.0
        session.postponed.bind_previews()
        if preview.error:
            break
    return live


def _read_reference(session: ViewportSession, live, mesh: bpy.types.Object) -> None:
    view_layer = bpy.context.view_layer
    live._reference.follow(live._frame_revision, live._frame, mesh, view_layer.depsgraph)
    if live._reference.wanted:
        live._reading_shadows.due = 0.0
        session.postponed.read_shadows()


@contextmanager
def _session() -> Iterator[ViewportSession]:
    """Yield the enabled extension's session, or one that ends with the preview: tests of the extension bring
    their own.
    """
    if session_module._session is not None:
        yield current_session()
        return
    open_session(lambda _scene: PreviewSettings())
    add_event_handlers()
    try:
        yield current_session()
    finally:
        remove_event_handlers()
        close_session()


@contextmanager
def _recorded(mesh: bpy.types.Object, told: Told) -> Iterator[None]:
    """Record the positions that `check` skins for one mesh, and those that it compares with."""
    read, measured = MeshMeasurement.result, MeshMeasurement.measured
    frames: dict[int, float] = {}

    def reading(self: MeshMeasurement, mesh_object: bpy.types.Object, *others, **options):
        taken = read(self, mesh_object, *others, **options)
        if mesh_object == mesh:
            scene = bpy.context.scene
            # Not frame_current_final, which is stretched if the scene's time is.
            frame = scene.frame_current + scene.frame_subframe
            # If nothing moves, a range of motion is played after the current pose: unrelated, but at the same
            # frames.
            if frame not in told.shown:
                frames[id(taken)] = frame
                evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
                told.shown[frame] = positions_of(evaluated.data)
        return taken

    def measuring(self: MeshMeasurement, posed, blender, *others, **options):
        taken = measured(self, posed, blender, *others, **options)
        for index, one in enumerate(blender):
            frame = frames.get(id(one))
            if frame is not None and frame not in told.skinned:
                told.skinned[frame] = taken.skinned.positions[index].astype(np.float64)
                told.reference[frame] = one.positions.astype(np.float64)
                results.append(one)
        return taken

    # Kept, so that no other result gets the number of one of these.
    results: list[object] = []
    MeshMeasurement.result, MeshMeasurement.measured = reading, measuring
    try:
        yield
    finally:
        MeshMeasurement.result, MeshMeasurement.measured = read, measured


def _is_of(text: str, one: bpy.types.Object) -> bool:
    """Tell whether a report's object name refers to `one`: linked objects also show their file."""
    if one.library is None:
        return text == one.name
    return text.startswith(f"{one.name} (") and text.endswith(f"{Path(one.library.filepath).name})")


def _no_number(text: str) -> float:
    raise ValueError(f"The JSON report holds {text}.")
