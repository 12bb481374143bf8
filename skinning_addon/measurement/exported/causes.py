"""Why an exported file deviates: what is known to get lost with the exporter's settings, at the frame where the
file is furthest off.

The file is measured; its causes are estimated. A finding says how much they explain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.catalogue import load_profile
from ...core.profiles.exporter_settings import SETTINGS, exported_so
from ...core.profiles.profile import Importer, PaletteLimits, Profile, Shader, StoredWeights
from ...core.text.errors import UsageError
from ...core.text.length import format_length
from ...core.text.message import Message, Sentence
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...scene.clips.clip_player import ClipPlayer
from ...scene.clips.clips import list_clips
from ...scene.clips.playback import Playback, ScenePlayback, set_frame
from ...scene.identification import object_of
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.objects.deformed_meshes import make_evaluable
from ..check.check import check_scene
from ..check.check_settings import CheckSettings
from ..check.report import FILE_PROFILE, FileReport, MeshReport
from ..findings.playback_losses import LOST_MOTION
from ..frame.deciding_mesh import deciding_mesh

WRITTEN_BY = {"gltf": "threejs", "fbx": "unity-unlimited", "usd": "usd"}
"""By exporter, a profile for its files, of which only the settings about the file are used."""

LABEL = Message("the file")

UNEXPLAINED = 0.1
"""Share of the measured deviation that may stay unexplained without a mention."""


def profile_of_file(exporter: str, options: Mapping[str, object]) -> Profile | None:
    """Return the profile of a file's content, as exported with these options; None if that is not known."""
    if exporter not in WRITTEN_BY:
        return None
    whole = replace(
        load_profile(WRITTEN_BY[exporter]),
        id=FILE_PROFILE,
        label=LABEL,
        importer=Importer(),
        weights=StoredWeights(),
        palette=PaletteLimits(),
        shader=Shader(),
    )
    return exported_so(whole, {name: value for name, value in options.items() if name in SETTINGS})


def findings_of_causes(scene: bpy.types.Scene, report: FileReport, profile: Profile) -> tuple[Finding, ...]:
    """Return the causes of a file's deviation, where the mesh that decides its verdict is furthest off.

    Changes the scene, as `check_scene` does.
    """
    measured = deciding_mesh([one for one in report.meshes if not one.passed])
    if measured is None:
        return ()
    worst = measured.worst
    clips = None if worst.clip == ScenePlayback.name else (worst.clip,)
    settings = CheckSettings("cpu", clips=clips, frames_of=lambda _: (worst.frame,), profiles=(profile,))
    lost = _lost_motion(scene, measured, profile)
    try:
        predicted = check_scene(scene, report.file, settings)
    except UsageError:
        # The file has the animation under another name than the scene.
        return ()
    causes = [
        replace(one, message=_begun(one.message))
        for one in predicted.findings
        if one.profile == FILE_PROFILE and one.deviation
    ]
    is_lost = [one.rule in LOST_MOTION and one.object == measured.object for one in causes]
    causes = [replace(one, at_worst=lost) if of else one for one, of in zip(causes, is_lost, strict=True)]
    same = next((one for one in predicted.meshes if one.object == measured.object), None)
    explained = (same.worst.max if same is not None else 0.0) + (lost if any(is_lost) else 0.0)
    if not worst.max - explained <= UNEXPLAINED * worst.max:
        # They do not explain the worst vertex.
        causes = [replace(one, at_worst=0.0) for one in causes]
        rule = RULES["cause-unknown"]
        words = {"measured": format_length(worst.max), "explained": format_length(explained)}
        unknown = rule.finding(measured.object, rule.told(mesh=measured.object, **words))
        causes.append(replace(unknown, clip=worst.clip, frame=worst.frame))
    return tuple(causes)


def _begun(message: str) -> str:
    """Capitalize a message, which may begin with the profile's label; here that is not a name."""
    return Sentence(message.template, **message.arguments) if isinstance(message, Message) else message


def _lost_motion(scene: bpy.types.Scene, measured: MeshReport, profile: Profile) -> float:
    """Return how far, in metres, the file's animation takes the vertex that is furthest off from where Blender
    shows it.
    """
    worst = measured.worst
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    playback: Playback = ScenePlayback(worst.frame, worst.frame)
    if worst.clip != playback.name:
        playback = next((one for one in list_clips(scene, armatures) if one.name == worst.clip), playback)
    mesh_object = object_of(measured.object)
    make_evaluable(mesh_object, scene, bpy.context.view_layer)
    player, frame = ClipPlayer(scene), scene.frame_current_final
    shown: list[NDArray[np.float64]] = []
    for options in (None, profile.export_options):
        player.play(playback, options, rest_unwritten=True)
        set_frame(scene, worst.frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        matrix = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
        positions = read_positions(evaluated_mesh(mesh_object, depsgraph)).astype(np.float64)
        shown.append(positions @ matrix[:3, :3] + matrix[3, :3])
    # The scene's own pose has to be back for what follows: bones without keys keep it.
    player.restore()
    set_frame(scene, frame)
    if len(shown[0]) != len(shown[1]) or not 0 <= worst.worst_vertex < len(shown[0]):
        return 0.0
    moved = (shown[1] - shown[0])[worst.worst_vertex]
    return float(np.linalg.norm(moved)) * scene.unit_settings.scale_length
