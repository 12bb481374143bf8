"""Reasons caused only by a pose are named at the frame that shows them, and stay named."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.skinning.deviation import EXACT_RELATIVE
from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.scene.armatures.driver_cycles import reasons_of_cycles
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.instant import Instant
from skinning_addon.scene.binding.pose_reasons import reasons_of_precision
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


def now() -> Instant:
    bpy.context.view_layer.update()
    return Instant(bpy.context.evaluated_depsgraph_get())


def collapse(rig: RandomRig, thin: float = 1e-7) -> None:
    """Have the bones below the first inherit a scale that leaves them one direction."""
    rig.armature.pose.bones[0].scale = (thin, 1, thin)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_bone_on_a_line_is_named_where_preserve_volume_needs_its_rotation(seed: int):
    rig = random_rig(RigOptions(seed=seed, preserve_volume=True, inherit_scale="FULL"))
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    assert measurement.measure(rig.mesh, now()).deviation.relative <= EXACT_RELATIVE
    assert measurement.binding.exact
    collapse(rig)
    off = measurement.measure(rig.mesh, now()).deviation.relative
    assert off > 100 * EXACT_RELATIVE, "there is nothing to be named"
    assert {reason.rule for reason in measurement.binding.reasons} == {"collapsed-bone"}
    # That Preserve Volume is a cause is true: without it the same pose is exact.
    rig.mesh.modifiers[0].use_deform_preserve_volume = False
    linear = MeshMeasurement(rig.mesh, now(), "cpu")
    assert linear.measure(rig.mesh, now()).deviation.relative <= EXACT_RELATIVE
    assert linear.binding.exact


def test_a_mesh_that_is_much_thinner_than_long_is_named_as_far_as_rounding_goes():
    rig = random_rig(RigOptions(seed=2))
    for one in (rig.mesh, rig.armature):
        one.rotation_euler, one.scale = (0.7, 0.2, 0.4), (1e-4, 1, 1)
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    off = measurement.measure(rig.mesh, now()).deviation.relative
    assert EXACT_RELATIVE < off < 1e-2, "it is no matter of rounding"
    assert {reason.rule for reason in measurement.binding.reasons} == {"uneven-precision"}
    # That the scale is the cause is true: without it the same rig is exact.
    rig.mesh.scale = rig.armature.scale = (1, 1, 1)
    even = MeshMeasurement(rig.mesh, now(), "cpu")
    assert even.measure(rig.mesh, now()).deviation.relative <= EXACT_RELATIVE
    assert even.binding.exact


def test_a_mesh_far_away_for_its_size_is_named_as_far_as_rounding_goes():
    rig = random_rig(RigOptions(seed=2))
    for one in (rig.mesh, rig.armature):
        one.rotation_euler, one.scale, one.location = (0.7, 0.2, 0.4), (1e-3, 1e-3, 1e-3), (5, 3, 1)
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    off = measurement.measure(rig.mesh, now()).deviation.relative
    assert EXACT_RELATIVE < off < 1e-2, "it is no matter of rounding"
    assert {reason.rule for reason in measurement.binding.reasons} == {"distant-precision"}
    # That the place is the cause is true: at the origin the same rig is exact.
    rig.mesh.location = rig.armature.location = (0, 0, 0)
    near = MeshMeasurement(rig.mesh, now(), "cpu")
    assert near.measure(rig.mesh, now()).deviation.relative <= EXACT_RELATIVE
    assert near.binding.exact


def test_rounding_is_no_excuse_for_more_than_it_comes_to():
    rig = random_rig(RigOptions(seed=2))
    rig.mesh.scale = (1e-3, 1, 1)
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    frame = measurement.measure(rig.mesh, now()).frame
    assert not list(reasons_of_precision(measurement.binding, frame, 0.01, 0.03))
    assert list(reasons_of_precision(measurement.binding, frame, 1e-4, 3e-4))


def test_a_bone_that_is_only_thin_is_exact():
    rig = random_rig(RigOptions(seed=1, preserve_volume=True, inherit_scale="FULL"))
    collapse(rig, thin=0.01)
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    assert measurement.measure(rig.mesh, now()).deviation.relative <= EXACT_RELATIVE
    assert measurement.binding.exact


def test_a_preview_names_it_as_long_as_the_pose_lasts():
    rig = random_rig(RigOptions(seed=1, preserve_volume=True, inherit_scale="FULL"))
    depsgraph = now().depsgraph
    contents = read_mesh_contents(rig.mesh, for_drawing=True)
    assert contents.drawn is not None
    live = MeshInLayer(read_binding(rig.mesh, depsgraph, contents), contents.drawn)
    live.follow(1, rig.mesh, depsgraph)
    assert live.pose_reasons == ()
    collapse(rig)
    live.follow(2, rig.mesh, now().depsgraph)
    assert {reason.rule for reason in live.pose_reasons} == {"collapsed-bone"}
    collapse(rig, thin=1.0)
    live.follow(3, rig.mesh, now().depsgraph)
    assert live.pose_reasons == ()


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_device")
def test_a_preview_names_a_thin_mesh_as_soon_as_it_is_measured():
    rig = random_rig(RigOptions(seed=2))
    for one in (rig.mesh, rig.armature):
        one.rotation_euler, one.scale = (0.7, 0.2, 0.4), (1e-4, 1, 1)
    depsgraph = now().depsgraph
    contents = read_mesh_contents(rig.mesh, for_drawing=True)
    assert contents.drawn is not None
    live = MeshInLayer(read_binding(rig.mesh, depsgraph, contents), contents.drawn)
    live.follow(1, rig.mesh, depsgraph)
    assert live.measure(rig.mesh, depsgraph)
    assert live.figures is not None
    assert live.figures.deviation is not None
    assert EXACT_RELATIVE < live.figures.deviation.relative < 1e-2, "it is no matter of rounding"
    assert {reason.rule for reason in live.reasons} == {"uneven-precision"}
    live.free()


def test_a_setting_driven_by_its_own_bone_is_named_where_it_shows():
    rig = random_rig(RigOptions(seed=3))
    modifier = rig.mesh.modifiers[0]
    modifier.use_bone_envelopes, modifier.use_vertex_groups = True, False
    bone = next(one for one in rig.armature.data.bones if one.children and one.parent)
    driver = bone.driver_add("tail_radius").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    target = variable.targets[0]
    target.id, target.bone_target = rig.armature, bone.name
    target.transform_type, target.transform_space = "ROT_X", "LOCAL_SPACE"
    # Where Blender breaks the cycle, and so whether the mesh is off, changes from run to run.
    shows, told = _turned(rig, bone.name)
    assert {"driver-cycle"} == told if shows else not told
    (reason,) = reasons_of_cycles("Random mesh", rig.armature)
    assert (reason.rule, bone.name in reason.message) == ("driver-cycle", True)
    # That the cycle is the cause is true: driven by what does not follow from it, the same rig is exact.
    target.bone_target = bone.parent.name
    assert not list(reasons_of_cycles("Random mesh", rig.armature))
    assert _turned(rig, bone.name) == (False, set())


def _turned(rig: RandomRig, bone: str) -> tuple[bool, set[str]]:
    """Turn a bone and its parent a few times; tell whether the mesh was ever off, and the reasons given."""
    shows, told = False, set()
    for angle in (0.3, 0.9, 1.4):
        posed = rig.armature.pose.bones[bone]
        for one in (posed, posed.parent):
            one.rotation_mode, one.rotation_euler = "XYZ", (angle, 0, 0)
        measurement = MeshMeasurement(rig.mesh, now(), "cpu")
        shows |= measurement.measure(rig.mesh, now()).deviation.relative > EXACT_RELATIVE
        told |= {reason.rule for reason in measurement.binding.reasons}
    return shows, told
