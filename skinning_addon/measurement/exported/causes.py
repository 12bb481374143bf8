"""Why an exported file deviates: what the exporter's settings are known to lose, at the frame where the file is
furthest off.

The file is measured; its causes are estimated. A finding says how much they explain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import bpy

from ...core.profiles.catalogue import load_profile
from ...core.profiles.exporter_settings import SETTINGS, exported_so
from ...core.profiles.profile import Importer, PaletteLimits, Profile, Shader, StoredWeights
from ...core.text.errors import UsageError
from ...core.text.length import format_length
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...scene.clips.playback import ScenePlayback
from ..check.check import CheckSettings, check_scene
from ..check.report import FILE_PROFILE, FileReport
from ..frame.deciding_mesh import deciding_mesh

WRITTEN_BY = {"gltf": "threejs", "fbx": "unity-unlimited"}
"""By exporter, a profile whose file is written by it. Only what is about the file is taken from it."""

LABEL = "The file"

UNEXPLAINED = 0.1
"""Of the measured deviation: a smaller rest needs no mention."""


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
    try:
        predicted = check_scene(scene, report.file, settings)
    except UsageError:
        # The file has the animation under another name than the scene.
        return ()
    causes = [one for one in predicted.findings if one.profile == FILE_PROFILE and one.deviation]
    same = next((one for one in predicted.meshes if one.object == measured.object), None)
    explained = same.worst.max if same is not None else 0.0
    if not math.isfinite(explained) or abs(worst.max - explained) > UNEXPLAINED * worst.max:
        # They are not why the worst vertex is where it is.
        causes = [replace(one, at_worst=0.0) for one in causes]
        rule = RULES["cause-unknown"]
        words = {"measured": format_length(worst.max), "explained": format_length(explained)}
        unknown = rule.finding(measured.object, rule.told(mesh=measured.object, **words))
        causes.append(replace(unknown, clip=worst.clip, frame=worst.frame))
    return tuple(causes)
