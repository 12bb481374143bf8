"""What engines play whose importers sample animation at a rate that misses keys, and how far off that alone is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import SCENE, export_animated, from_y_up, number_vertices, predict, seconds
from tests.engines.godot_engine import GodotEngine
from tests.engines.python_engine import PythonEngine
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines

LIMIT = {"godot4": 2e-5, "raylib": 1e-5, "panda3d": 1e-5, "playcanvas": 1e-5}
"""Shares of the diagonal."""

FRAMES = tuple(range(1, 10))


@pytest.fixture(params=[(name, fps) for name in LIMIT for fps in (24, 25, 30)], ids=str)
def engine_and_rate(request: pytest.FixtureRequest) -> tuple[str, Engine, int]:
    name, fps = request.param
    engine = ENGINES[name]
    if isinstance(engine, GodotEngine):
        engine = GodotEngine(rate=30.0)
    if isinstance(engine, PythonEngine) and engine.arguments:
        engine = replace(engine, arguments=("30",))
    engine.install()
    return name, engine, fps


def swaying(fps: int) -> None:
    """Build a rig without flaws, of which an animation of eight frames has a key at each."""
    rig = animated_rig(RigOptions(seed=1, influences=4))
    without_flaws(rig)
    # Panda3D places only such meshes right.
    rig.mesh.parent = rig.armature
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, 1.0


@pytest.mark.parametrize("step", [1, 3])
def test_what_lies_between_the_samples_is_predicted(
    tmp_path: Path, engine_and_rate: tuple[str, Engine, int], step: int
):
    name, engine, fps = engine_and_rate
    swaying(fps)
    meshes = deformed_meshes(bpy.context.scene)
    clip, options = ScenePlayback(FRAMES[0], FRAMES[-1]), replace(SCENE, frame_step=step)
    expected = predict(meshes, clip, FRAMES, load_profile(name), "cpu", exported_with=options)
    number_vertices(meshes)
    export_animated(tmp_path / "rig.glb", meshes, FRAMES, export_frame_step=step)
    positions, sources = engine.capture(tmp_path / "rig.glb", [seconds(one) for one in FRAMES], tmp_path)
    off = expected.deviations(from_y_up(positions), sources)
    assert off.max() <= LIMIT[name]
    file = load_profile(name).importer
    is_otherwise = step > 1 or (file.samples_per_second and file.samples_per_second % fps)
    assert not is_otherwise or expected.deviations_from_blender.max() > 1e-2


@pytest.mark.parametrize("fps", [24, 25])
def test_the_finding_says_how_far_off_godot_is(tmp_path: Path, fps: int):
    """Of this rig, resampling is all that it does otherwise than Blender."""
    godot = GodotEngine(rate=30.0)
    godot.install()
    swaying(fps)
    meshes = deformed_meshes(bpy.context.scene)
    scene = ScenePlayback(FRAMES[0], FRAMES[-1])
    blender = predict(meshes, scene, FRAMES, load_profile("godot4"), "cpu").blender
    profile = exported_so(load_profile("godot4"), {"export_animation_mode": "SCENE"})
    report = check_scene(bpy.context.scene, "rig", CheckSettings("cpu", profiles=(profile,)))
    (found,) = [one for one in report.findings if one.rule == "animation-resampled"]
    swaying(fps)
    meshes = deformed_meshes(bpy.context.scene)
    number_vertices(meshes)
    export_animated(tmp_path / "rig.glb", meshes, FRAMES)
    positions, sources = godot.capture(tmp_path / "rig.glb", [seconds(one) for one in FRAMES], tmp_path)
    off = np.linalg.norm(from_y_up(positions) - blender[:, sources], axis=2).max()
    assert found.deviation == pytest.approx(off, rel=1e-3)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(("fps", "is_missed"), [(24, True), (15, False), (30, False), (60, True)])
def test_keys_that_fall_on_samples_are_not_missed(fps: int, is_missed: bool):
    swaying(fps)
    profile = exported_so(load_profile("godot4"), {"export_animation_mode": "SCENE"})
    report = check_scene(bpy.context.scene, "rig", CheckSettings("cpu", profiles=(profile,)))
    assert any(one.rule == "animation-resampled" for one in report.findings) == is_missed
