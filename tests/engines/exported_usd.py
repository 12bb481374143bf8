"""A character exported by Blender's own USD exporter, for comparison with our prediction."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from skinning_addon.core.profiles.export_options import UsdOptions
from skinning_addon.core.profiles.profile import Profile
from tests.engines.capture import Engine
from tests.engines.exported_rig import Expected, number_vertices, predict, seconds, start_clip


def export_usd(path: Path, first: int, last: int, **options: object) -> None:
    """Export the scene as it plays from one frame to another."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = first, last
    scene.frame_set(first)
    bpy.ops.wm.usd_export(filepath=str(path), export_animation=True, export_materials=False, **options)


def capture_of_scene(
    usd: Engine, folder: Path, profile: Profile, **options: object
) -> tuple[Expected, np.ndarray]:
    """Capture the open scene's first clip; return the expected result, and (F,) how far OpenUSD's is from it, as
    shares of the diagonal. options: of the export.
    """
    expected, positions, sources = captured_scene(usd, folder, profile, **options)
    deviations = expected.deviations(positions, sources)
    print(f"{profile.id}: {deviations.max():.2g} of the diagonal")
    return expected, deviations


def captured_scene(
    usd: Engine, folder: Path, profile: Profile, **options: object
) -> tuple[Expected, np.ndarray, np.ndarray]:
    """Return the expected result, OpenUSD's positions (F, N, 3), and (N,) which vertices they are."""
    meshes, playback, frames = start_clip()
    expected = predict(meshes, playback, frames, profile, "cpu", exported_with=UsdOptions())
    number_vertices(meshes)
    # Which scales are in the file depends on the whole clip.
    export_usd(folder / "rig.usdc", frames[0], int(playback.frame_end), **options)
    positions, sources = usd.capture(folder / "rig.usdc", [seconds(frame) for frame in frames], folder)
    # Unlike glTF, USD also has vertices that are in no face.
    assert np.array_equal(np.sort(sources), np.arange(expected.blender.shape[1]))
    return expected, positions, sources
