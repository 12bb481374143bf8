"""OpenUSD skins what Blender exports as Blender does, unless bones are scaled: a file holds scales in 16 bits."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.profile import BLENDER
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_check import SHARE_OF_DIAGONAL
from tests.engines.exported_rig import number_vertices, predict, start_clip
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines


def deviation_from_blender(usd: Engine, folder: Path) -> float:
    """Return the largest distance of OpenUSD's vertices from Blender's, as a share of the diagonal."""
    scene = bpy.context.scene
    meshes, playback, frames = start_clip()
    expected = predict(meshes, playback, frames, BLENDER, "cpu")
    number_vertices(meshes)
    scene.frame_start, scene.frame_end = frames[0], frames[-1]
    scene.frame_set(frames[0])
    file = folder / "rig.usdc"
    bpy.ops.wm.usd_export(
        filepath=str(file), export_animation=True, export_armatures=True, export_materials=False
    )
    # A file's time codes are frames, and the stage has as many a second as the scene.
    rate = scene.render.fps / scene.render.fps_base
    positions, sources = usd.capture(file, [frame / rate for frame in frames], folder)
    # Unlike glTF, also vertices that are in no face.
    assert np.array_equal(np.sort(sources), np.arange(expected.blender.shape[1]))
    offsets = np.linalg.norm(positions - expected.blender[:, sources], axis=2)
    return float(offsets.max() / expected.diagonal)


def test_unscaled_bones_are_as_in_blender(tmp_path: Path, usd: Engine):
    rig = animated_rig(RigOptions(seed=12, influences=6, scale="none"))
    without_flaws(rig)
    bpy.context.view_layer.update()
    deviation = deviation_from_blender(usd, tmp_path)
    print(f"usd: {deviation:.2g} of the diagonal")
    assert deviation <= SHARE_OF_DIAGONAL


def test_scales_are_rounded_to_16_bits(tmp_path: Path, usd: Engine):
    rig = animated_rig(RigOptions(seed=12, influences=6, scale="uniform"))
    without_flaws(rig)
    bpy.context.view_layer.update()
    deviation = deviation_from_blender(usd, tmp_path)
    print(f"usd: {deviation:.2g} of the diagonal")
    assert SHARE_OF_DIAGONAL < deviation < 1e-2
