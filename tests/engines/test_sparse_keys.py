"""Where a .glb with fewer keys than frames has them, and what plays between: read from the file, and by three.js."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import from_y_up, number_vertices, predict
from tests.engines.partly_keyed import posed_arm, turn, turning_object
from tests.engines.skinned_gltf import SkinnedGltf

SHARE_OF_DIAGONAL = 1e-6

FRAMES = tuple(range(1, 13))

START = 3
"""Where the arm's action begins."""


def later_arm() -> bpy.types.Object:
    """Build the arm with an action that turns b1 faster and faster, and a driver that lifts b2."""
    armature = posed_arm("Wave", active="Wave")
    action = bpy.data.actions["Wave"]
    bone = armature.pose.bones["b1"]
    for curve in fcurves(action):
        curve.keyframe_points.clear()
    for frame, degrees in ((START, 0), (9, 10), (12, 90)):
        turn(armature, "b1", degrees)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    armature.pose.bones["b2"].driver_add("location", 1).driver.expression = "(frame - 4) ** 2 / 200"
    return armature


def after_another() -> None:
    """Have an object come first whose action begins before the arm's, so keys are counted from there."""
    armature = later_arm()
    turning_object().name = "Aim"
    # By name, and before Blender 5 by the order in which objects were linked.
    objects = bpy.context.scene.collection.objects
    objects.unlink(armature)
    objects.link(armature)


def beside_another() -> None:
    """The same, but the object comes after the arm."""
    later_arm()
    turning_object().name = "Wheel"


def blocked() -> None:
    later_arm()
    for curve in fcurves(bpy.data.actions["Wave"]):
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"


def cut_to(first: int, last: int) -> None:
    """Give the arm's action a frame range by hand."""
    action = bpy.data.actions["Wave"]
    action.use_frame_range, action.frame_start, action.frame_end = True, first, last


def shown_in_part() -> None:
    """Have the scene play frames 5 to 9 alone."""
    later_arm()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 9


def on_a_track() -> None:
    """The same, with the action on an NLA track."""
    shown_in_part()
    data = bpy.data.objects["Arm"].animation_data
    data.action = None
    track = data.nla_tracks.new()
    track.name = "Wave"
    track.strips.new("Wave", START, bpy.data.actions["Wave"])


def moved_as_a_whole() -> None:
    """Have the action move the armature object too, on a parent that is turned and scaled evenly."""
    shown_in_part()
    armature = bpy.data.objects["Arm"]
    stand = bpy.data.objects.new("Stand", None)
    bpy.context.scene.collection.objects.link(stand)
    stand.rotation_euler, stand.scale = (0.3, 0.2, 0.5), (1.5, 1.5, 1.5)
    armature.parent = stand
    for frame, far, degrees in ((START, 0.0, 0), (8, 0.5, 40), (12, 2.0, 170)):
        armature.location.x, armature.rotation_euler.z = far, math.radians(degrees)
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert("rotation_euler", index=2, frame=frame)


def moved_in_steps() -> None:
    """The same, with places that are kept from one key to the next."""
    moved_as_a_whole()
    for curve in fcurves(bpy.data.actions["Wave"]):
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT" if curve.data_path == "location" else "LINEAR"


Settings = dict[str, object]

EVERY_FOURTH: Settings = {"export_frame_step": 4}
EVERY_FIFTH: Settings = {"export_frame_step": 5}
IN_RANGE: Settings = {"export_frame_range": True}

CASES: dict[str, tuple[Callable[[], object], Settings, list[int]]] = {
    "the action's own start": (later_arm, EVERY_FOURTH, [3, 7, 11]),
    "another object's start": (after_another, EVERY_FOURTH, [5, 9]),
    "two keys, counted from frame 1": (after_another, EVERY_FIFTH, [6, 11]),
    "an object that comes after": (beside_another, EVERY_FOURTH, [3, 7, 11]),
    "curves that keep their keys": (blocked, EVERY_FOURTH, [3, 7, 11]),
    "the scene's range": (shown_in_part, IN_RANGE, [5, 6, 7, 8, 9]),
    "the scene's range, every fourth": (shown_in_part, IN_RANGE | EVERY_FOURTH, [5, 9]),
    "the scene's range, of a track": (
        on_a_track,
        IN_RANGE | {"export_animation_mode": "NLA_TRACKS"},
        [5, 6, 7, 8, 9],
    ),
    "the scene's range, of an armature that moves": (moved_as_a_whole, IN_RANGE, [5, 6, 7, 8, 9]),
    "every fourth, of an armature that moves": (moved_as_a_whole, EVERY_FOURTH, [3, 7, 11]),
    "every fourth, of an armature that moves in steps": (moved_in_steps, EVERY_FOURTH, [3, 7, 11]),
    "two keys, of an armature that moves": (moved_as_a_whole, IN_RANGE | EVERY_FOURTH, [5, 9]),
}
"""Each with the exporter's settings, and the keys of the arm."""


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[np.ndarray, Path, list[int]]:
    """Return what we predict, (F, V, 3) over FRAMES, the file, and the keys."""
    build, settings, keys = CASES[request.param]
    build()
    meshes = deformed_meshes(bpy.context.scene)
    profile = exported_so(load_profile("threejs"), settings)
    (clip,) = find_clips(bpy.context.scene, ["Wave"])
    options = profile.export_options
    assert options is not None
    predicted = predict(meshes, clip, FRAMES, profile, "cpu", exported_with=options).predicted
    build()
    number_vertices(deformed_meshes(bpy.context.scene))
    path = tmp_path / "arm.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_attributes=True, export_materials="NONE", **settings)
    return predicted, path, keys


def test_the_file_has_the_keys_that_are_predicted(case: tuple[np.ndarray, Path, list[int]]):
    predicted, path, keys = case
    file = SkinnedGltf.read(path)
    captured = [file.positions("Wave", float(np.float32(frame / 24))) for frame in FRAMES]
    check(predicted, np.array([one for one, _ in captured]), captured[0][1])
    # What stands still before the first key and after the last.
    moves = np.linalg.norm(np.diff(predicted, axis=0), axis=2).max(axis=1) > 1e-4
    assert not moves[: keys[0] - 1].any()
    assert not moves[keys[-1] - 1 :].any()


@pytest.mark.engines
@pytest.mark.usefixtures("threejs")
def test_threejs_plays_what_is_predicted(case: tuple[np.ndarray, Path, list[int]], tmp_path: Path):
    predicted, path, _ = case
    times = [float(np.float32(frame / 24)) for frame in FRAMES]
    check(predicted, *ENGINES["threejs"].capture(path, times, tmp_path))


def test_an_action_that_ends_before_the_first_frame_counted_is_not_in_the_file(tmp_path: Path):
    after_another()
    cut_to(2, 4)
    settings = EVERY_FIFTH
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "arm.glb"), export_materials="NONE", **settings)
    profile = exported_so(load_profile("threejs"), settings)
    after_another()
    cut_to(2, 4)
    checked = CheckSettings("cpu", clips=("Wave",), profiles=(profile,))
    report = check_scene(bpy.context.scene, "arm", checked)
    assert SkinnedGltf.read(tmp_path / "arm.glb").clips == ["WheelAction"]
    assert [one.clip for one in report.findings if one.rule == "clip-not-exported"] == ["Wave"]


def test_frames_before_zero_are_left_out(tmp_path: Path):
    later_arm()
    for curve in fcurves(bpy.data.actions["Wave"]):
        for key in curve.keyframe_points:
            key.co.x -= 6
        curve.update()
    settings = {"export_negative_frame": "CROP"}
    profile = exported_so(load_profile("threejs"), settings)
    frames = tuple(range(START - 6, 7))
    meshes = deformed_meshes(bpy.context.scene)
    (clip,) = find_clips(bpy.context.scene, ["Wave"])
    predicted = predict(meshes, clip, frames, profile, "cpu", exported_with=profile.export_options).predicted
    number_vertices(meshes)
    path = tmp_path / "arm.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_attributes=True, export_materials="NONE", **settings)
    file = SkinnedGltf.read(path)
    captured = [file.positions("Wave", float(np.float32(max(frame, 0) / 24))) for frame in frames]
    check(predicted, np.array([one for one, _ in captured]), captured[0][1])


@pytest.mark.parametrize(
    ("build", "settings", "rule"),
    [
        (shown_in_part, IN_RANGE, "frames-cut-in-file"),
        (later_arm, {"export_force_sampling": False}, "curves-not-sampled"),
    ],
)
def test_what_a_setting_leaves_out_is_named(build: Callable[[], object], settings: Settings, rule: str):
    build()
    profile = exported_so(load_profile("threejs"), settings)
    for told in (profile, load_profile("threejs")):
        checked = CheckSettings("cpu", clips=("Wave",), profiles=(told,))
        report = check_scene(bpy.context.scene, "arm", checked)
        assert (rule in {one.rule for one in report.findings}) == (told is profile)


def check(predicted: np.ndarray, positions: np.ndarray, sources: np.ndarray) -> None:
    diagonal = np.linalg.norm(np.ptp(predicted[0], axis=0))
    off = np.linalg.norm(from_y_up(positions) - predicted[:, sources], axis=2).max(axis=1)
    assert off.max() <= SHARE_OF_DIAGONAL * diagonal, dict(zip(FRAMES, off.round(6).tolist(), strict=True))
