"""The stock Rigify human, with its 52 bendy bones and preserve volume on: exact on both devices."""

from __future__ import annotations

from pathlib import Path

import bpy

from skinning_addon.measurement.check.scan import SceneScan
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.files import open_file
from tests.scene.comparison import relative_distance

from .accuracy_log import log_accuracy

EXACT = 1e-5
FRAMES = (1, 8, 15, 22, 31, 40)


def test_rigifys_human_is_exact(device: str, demo_file: Path) -> None:
    open_file(demo_file)
    armature, body = bpy.data.objects["Rig"], bpy.data.objects["Body"]
    assert sum(bone.bbone_segments > 1 for bone in armature.data.bones) == 52
    assert body.modifiers[0].use_deform_preserve_volume
    worst = 0.0
    with SceneScan(bpy.context.scene, [body], device) as scan:
        for sample in scan.samples([ScenePlayback(1, 40)], lambda _: FRAMES):
            worst = max(worst, relative_distance(body, sample.measurement.skinned.positions))
        assert scan.measured[body.name].binding.exact
    log_accuracy("Rigify's human, bendy bones and preserve volume", f"{len(FRAMES)} frames", device, worst)
    assert worst <= EXACT
