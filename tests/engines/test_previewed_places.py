"""What previews show and what fixes print of meshes that move relative to their armatures, judged by the .glb
file that the profile's exporter writes.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.measurement.profiles.fix_measurement import FixMeasurement
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.exported_rig import from_y_up, number_vertices, seconds
from tests.engines.moving_meshes import FRAMES, MOVES, SHOWN, arm
from tests.engines.partly_keyed import world_positions
from tests.engines.skinned_gltf import SkinnedGltf

METRES = 3e-6
"""The arm is 3 m long."""

AS_A_SCENE = {"export_animation_mode": "SCENE"}


MOVES_OR_NOT = {**MOVES, "still": lambda *_: None}

SPARSE = {**AS_A_SCENE, "export_frame_step": 5}
"""A key at every fifth frame."""


@pytest.mark.parametrize(("name", "chosen"), [*((one, AS_A_SCENE) for one in MOVES), ("still", SPARSE)])
def test_a_fix_counts_from_what_the_file_plays(tmp_path: Path, name: str, chosen: dict[str, object]):
    arm(MOVES_OR_NOT[name])
    blender, file = positions_of_all_frames(tmp_path, **chosen)
    arm(MOVES_OR_NOT[name])
    (mesh,) = deformed_meshes(bpy.context.scene)
    profile = exported_so(load_profile("threejs"), chosen)
    playback = ScenePlayback(FRAMES[0], FRAMES[-1])
    measured = FixMeasurement(bpy.context.scene, mesh, profile, [playback])
    assert measured.before == pytest.approx(np.linalg.norm(file - blender, axis=2).max(), abs=METRES)
    assert bpy.context.scene.frame_current == SHOWN


def positions_of_all_frames(folder: Path, **chosen: object) -> tuple[np.ndarray, np.ndarray]:
    """Export the scene, and return what Blender shows and what the file plays, each (F, V, 3) in world space."""
    scene = bpy.context.scene
    (mesh,) = deformed_meshes(scene)
    number_vertices([mesh])
    bpy.ops.export_scene.gltf(
        filepath=str(folder / "arm.glb"),
        export_attributes=True,
        export_materials="NONE",
        export_optimize_animation_size=False,
        **chosen,
    )
    file = SkinnedGltf.read(folder / "arm.glb")
    blender, played = [], []
    for frame in FRAMES:
        scene.frame_set(frame)
        positions, sources = file.positions(file.clips[0], seconds(frame))
        blender.append(world_positions(mesh)[sources])
        played.append(from_y_up(positions))
    return np.array(blender), np.array(played)
