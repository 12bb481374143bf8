"""What a .glb has that is exported without *Always Sample Animations*: read from the file, and by three.js."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import from_y_up, number_vertices, predict
from tests.engines.partly_keyed import beside
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.posed_arm import keyed_arm

SHARE_OF_DIAGONAL = 1e-5

FRAMES = tuple(range(13))

KEYED = (1, 5, 7.5, 11)

Values = tuple[float, ...]

Settings = Mapping[str, object]


def bent_arm() -> bpy.types.Object:
    """Build an arm whose bones point and roll every way, with an action that keys nothing yet."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    armature = keyed_arm(frames=(1, 12))
    bpy.data.actions.remove(armature.animation_data.action)
    for bone in armature.pose.bones:
        bone.rotation_quaternion = (1, 0, 0, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(armature.data.edit_bones):
        bone.tail.x += 0.2 * (number + 1)
        bone.tail.y -= 0.3 * number
        bone.roll = 0.6 + number
    bpy.ops.object.mode_set(mode="OBJECT")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 12
    armature.animation_data.action = bpy.data.actions.new("Wave")
    return armature


def key(bone: str, path: str, values: Iterable[Values], *, way: str = "BEZIER", only: int = -1) -> None:
    """Key a property of a bone at KEYED. only: this component alone; all by default."""
    armature = bpy.data.objects["Arm"]
    own = armature.pose.bones[bone]
    before = tuple(getattr(own, path))
    for frame, value in zip(KEYED, values, strict=True):
        setattr(own, path, value)
        own.keyframe_insert(path, frame=frame, index=only)
    setattr(own, path, before)
    for curve in fcurves(bpy.data.actions["Wave"]):
        if curve.data_path == own.path_from_id(path):
            for point in curve.keyframe_points:
                point.interpolation = way
            curve.update()


TURNS = ((1, 0, 0, 0), (0.8, 0.5, -0.2, 0.1), (-0.3, 0.6, 0.6, -0.4), (0.9, -0.3, 0.3, 0.1))
ANGLES = ((0, 0, 0), (0.7, 0.4, -1), (1.5, -0.4, 0.3), (-0.3, 0.2, 0.9))
PLACES = ((0, 0, 0), (0.2, 0.1, -0.1), (0.5, -0.3, 0.2), (0, 0.4, 0))
SIZES = ((1, 1, 1), (1.4, 0.8, 1), (0.6, 1.2, 1.5), (1, 1, 0.7))


def all_channels(way: str) -> None:
    bent_arm()
    key("b0", "rotation_quaternion", TURNS, way=way)
    key("b1", "rotation_quaternion", TURNS[::-1], way=way)
    key("b1", "location", PLACES, way=way)
    key("b2", "scale", SIZES, way=way)


def splines() -> None:
    all_channels("BEZIER")


def lines() -> None:
    all_channels("LINEAR")


def steps() -> None:
    all_channels("CONSTANT")


def mixed() -> None:
    """Channels that the exporter samples after all, beside those that it writes as they are."""
    splines()
    for curve in fcurves(bpy.data.actions["Wave"]):
        if "b1" in curve.data_path and "rotation" in curve.data_path:
            curve.keyframe_points[1].interpolation = "LINEAR"
        if "b2" in curve.data_path and curve.array_index == 1:
            curve.keyframe_points.remove(curve.keyframe_points[1])


def bouncing() -> None:
    splines()
    for curve in fcurves(bpy.data.actions["Wave"]):
        if "b1" in curve.data_path:
            for point in curve.keyframe_points:
                point.interpolation = "BOUNCE"


def angles(mode: str) -> None:
    armature = bent_arm()
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    key("b0", "rotation_euler", ANGLES)
    key("b1", "rotation_euler", ANGLES[::-1], way="LINEAR")
    # The exporter takes the angles that are not keyed for components of a quaternion.
    key("b2", "rotation_euler", ANGLES, only=2)


def in_order() -> None:
    angles("XYZ")


def in_another_order() -> None:
    angles("ZYX")


def about_an_axis() -> None:
    armature = bent_arm()
    armature.pose.bones["b1"].rotation_mode = "AXIS_ANGLE"
    # The exporter takes radians for degrees, so such a bone hardly turns.
    turned = [(angle, 0.6, 0.8, 0) for angle in (0, 3, 6, 2)]
    key("b1", "rotation_axis_angle", turned)


def constrained() -> None:
    """b1 follows b0, with keys of its own for its place alone; b2, without keys, turns in Blender alone."""
    armature = bent_arm()
    key("b0", "rotation_quaternion", TURNS)
    key("b1", "location", PLACES)
    follow = armature.pose.bones["b1"].constraints.new("COPY_ROTATION")
    follow.target, follow.subtarget = armature, "b0"
    armature.pose.bones["b2"].driver_add("location", 1).driver.expression = "frame / 20"


def posed_by_hand() -> None:
    """Bones and components without keys, which the scene has elsewhere than at rest."""
    armature = bent_arm()
    for bone in armature.pose.bones:
        bone.location, bone.scale = (0.1, 0.3, -0.2), (1.2, 0.8, 1.1)
        bone.rotation_quaternion = (0.8, 0.4, 0.2, -0.4)
    key("b0", "location", PLACES, only=1)
    key("b0", "scale", SIZES, only=0)
    key("b1", "rotation_quaternion", TURNS, only=1)


def after_another_action() -> None:
    """The same in an action that the exporter switches to, with bones at rest."""
    posed_by_hand()
    armature = bpy.data.objects["Arm"]
    first = bpy.data.actions.new("Another")
    armature.animation_data.action = first
    armature.pose.bones["b0"].keyframe_insert("location", frame=1)
    armature.pose.bones["b0"].keyframe_insert("location", frame=9)


def cut() -> None:
    splines()
    action = bpy.data.actions["Wave"]
    action.use_frame_range, action.frame_start, action.frame_end = True, 4, 8


def muted() -> None:
    splines()
    for curve in fcurves(bpy.data.actions["Wave"]):
        curve.mute = "b1" in curve.data_path


def repeated() -> None:
    """Curves with modifiers, whose values the exporter takes at keys alone."""
    splines()
    for curve in fcurves(bpy.data.actions["Wave"]):
        modifier = curve.modifiers.new("GENERATOR")
        modifier.coefficients = (0.1, 1.0)
        modifier.use_additive = True


IN_RANGE: Settings = {"export_frame_range": True}

CASES: dict[str, tuple[Callable[[], None], Settings]] = {
    "splines": (splines, {}),
    "lines": (lines, {}),
    "steps": (steps, {}),
    "some curves sampled": (mixed, {}),
    "some curves sampled, every third": (mixed, {"export_frame_step": 3}),
    "eased": (bouncing, {}),
    "angles": (in_order, {}),
    "angles in another order": (in_another_order, {}),
    "an angle about an axis": (about_an_axis, {}),
    "constraints and drivers": (constrained, {}),
    "posed by hand": (posed_by_hand, {}),
    "after another action": (after_another_action, {}),
    "part of the action": (cut, {}),
    "part of the scene": (splines, IN_RANGE),
    "muted": (muted, {}),
    "with modifiers": (repeated, {}),
    "deforming bones": (splines, {"export_def_bones": True}),
    "flattened": (mixed, {"export_hierarchy_flatten_bones": True}),
}
"""Each with the exporter's settings beside Always Sample Animations."""


@dataclass(frozen=True, eq=False)
class Exported:
    """A file, and what we predict of it and what Blender shows, (F, V, 3) over FRAMES."""

    file: Path
    predicted: np.ndarray
    blender: np.ndarray

    def off(self, positions: np.ndarray, sources: np.ndarray) -> np.ndarray:
        """Return how far positions are from the prediction, (F,), as shares of the diagonal."""
        distance = np.linalg.norm(from_y_up(positions) - self.predicted[:, sources], axis=2).max(axis=1)
        return distance / np.linalg.norm(np.ptp(self.predicted[0], axis=0))


in_a_scene = pytest.mark.skipif(
    bpy.app.version < (5, 0, 0), reason="4.2 writes the joints of a flattened armature outside of the scene"
)

RUN = [pytest.param(one, marks=in_a_scene if one == "flattened" else ()) for one in CASES]

ONE_CLIP = [one for one in RUN if one.values != ("after another action",)]


@pytest.fixture(params=RUN)
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> Exported:
    build, others = CASES[request.param]
    build()
    if request.param == "part of the scene":
        bpy.context.scene.frame_start = 4
    return export(tmp_path / "arm.glb", "threejs", others)


def export(path: Path, engine: str, others: Settings) -> Exported:
    settings = {"export_force_sampling": False, **others}
    meshes = deformed_meshes(bpy.context.scene)
    profile = exported_so(load_profile(engine), settings)
    (clip,) = find_clips(bpy.context.scene, ["Wave"])
    options = profile.export_options
    assert options is not None
    expected = predict(meshes, clip, FRAMES, profile, "cpu", exported_with=options)
    number_vertices(meshes)
    bpy.ops.export_scene.gltf(filepath=str(path), export_attributes=True, export_materials="NONE", **settings)
    return Exported(path, expected.predicted, expected.blender)


def seconds(frame: float) -> float:
    """Return a frame's time as the file stores it, so that steps are taken where the file has them."""
    return float(np.float32(frame / 24))


def test_the_file_plays_what_is_predicted(exported: Exported):
    file = SkinnedGltf.read(exported.file)
    captured = [file.positions("Wave", seconds(frame)) for frame in FRAMES]
    off = exported.off(np.array([one for one, _ in captured]), captured[0][1])
    assert off.max() <= SHARE_OF_DIAGONAL
    assert np.linalg.norm(np.ptp(exported.predicted, axis=0), axis=1).max() > 0.1


@pytest.mark.engines
@pytest.mark.usefixtures("threejs")
# It plays all clips of a file at once.
@pytest.mark.parametrize("exported", ONE_CLIP, indirect=True)
def test_threejs_plays_what_is_predicted(exported: Exported, tmp_path: Path):
    times = [seconds(frame) for frame in FRAMES]
    assert (
        exported.off(*ENGINES["threejs"].capture(exported.file, times, tmp_path)).max() <= SHARE_OF_DIAGONAL
    )


@pytest.mark.parametrize("build", [lines, in_another_order, constrained])
def test_the_finding_and_the_file_agree_on_the_distance(build: Callable[[], None], tmp_path: Path):
    build()
    profile = exported_so(load_profile("threejs"), {"export_force_sampling": False})
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", clips=("Wave",), profiles=(profile,)))
    (found,) = [one for one in report.findings if one.rule == "curves-not-sampled"]
    assert found.severity is Severity.ERROR
    assert not any(one.rule == "curves-not-predicted" for one in report.findings)
    build()
    exported = export(tmp_path / "arm.glb", "threejs", {})
    file = SkinnedGltf.read(exported.file)
    distances = []
    for frame, blender in zip(FRAMES, exported.blender, strict=True):
        positions, sources = file.positions("Wave", seconds(frame))
        distances.append(np.linalg.norm(from_y_up(positions) - blender[sources], axis=1).max())
    # The clip begins with its first key.
    assert found.deviation == pytest.approx(max(distances[KEYED[0] : KEYED[-1] + 1]), rel=1e-5)


def moved_as_a_whole() -> None:
    lines()
    armature = bpy.data.objects["Arm"]
    armature.keyframe_insert("location", frame=1)


def before_zero() -> None:
    lines()
    for curve in fcurves(bpy.data.actions["Wave"]):
        for point in curve.keyframe_points:
            point.co.x -= 6
        curve.update()


def beside_another_armature() -> None:
    """The exporter plays other armatures before, so where b1 is turned by then is not known."""
    posed_by_hand()
    beside(bpy.data.objects["Arm"])


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (moved_as_a_whole, "'Arm' moves as a whole"),
        (before_zero, "'Wave' has keys before frame 0"),
        (beside_another_armature, "'Wave' keys only a part of the rotation of 'b1'"),
    ],
)
def test_what_is_not_predicted_is_named(build: Callable[[], None], part: str):
    build()
    profile = exported_so(load_profile("threejs"), {"export_force_sampling": False})
    for told in (profile, load_profile("threejs")):
        checked = CheckSettings("cpu", clips=("Wave",), profiles=(told,))
        report = check_scene(bpy.context.scene, "arm", checked)
        named = [one.message for one in report.findings if one.rule == "curves-not-predicted"]
        assert len(named) == (told is profile)
        assert all(part in str(one) for one in named)
