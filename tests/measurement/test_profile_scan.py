"""The sidebar's scan against the check, which measures Blender's own evaluated mesh at every frame."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check import CheckSettings, check_scene
from skinning_addon.measurement.profile_scan import ProfileScan
from skinning_addon.scene.playback import ScenePlayback
from skinning_addon.scene.range_of_motion import RangeOfMotion, range_of_motion
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions, random_rig

FIRST, LAST = 1, 12


def scanned(rig, profile, playback):
    scan = ProfileScan(
        bpy.context.scene, bpy.context.evaluated_depsgraph_get(), [rig.mesh], [profile], [playback]
    )
    steps = [(one.done, one.total) for one in scan.steps()]
    assert steps == [(number, len(steps)) for number in range(1, len(steps) + 1)]
    (report,) = scan.reports
    return report


RIGS = {
    "sheared": RigOptions(transformed=True),
    "many influences": RigOptions(influences=9, scale="none"),
    "bendy bones": RigOptions(bendy=4, scale="none"),
    "volume": RigOptions(preserve_volume=True, scale="none"),
    "mask": RigOptions(mask=True, scale="uniform"),
    "two modifiers": RigOptions(modifiers=2, scale="none"),
    "envelopes": RigOptions(envelopes=True, scale="none"),
}


@pytest.mark.parametrize("options", RIGS.values(), ids=RIGS)
@pytest.mark.parametrize("profile_id", ["threejs", "unreal", "godot4"])
def test_it_finds_what_the_check_finds(options, profile_id):
    rig = animated_rig(options)
    profile = load_profile(profile_id)
    report = scanned(rig, profile, ScenePlayback(FIRST, LAST))
    (mesh,) = report.meshes
    # The check changes the scene, so it comes second.
    settings = CheckSettings(
        "cpu", profiles=(profile,), frames_of=lambda _: [float(one) for one in range(FIRST, LAST + 1)]
    )
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FIRST, LAST
    checked = check_scene(bpy.context.scene, "rig", settings)
    (other,) = checked.meshes
    size = float(np.linalg.norm(rig.mesh.dimensions))
    assert mesh.max == pytest.approx(other.worst.max, abs=1e-5 * size)
    assert mesh.rms == pytest.approx(other.worst.rms, abs=1e-5 * size)
    assert mesh.pop == pytest.approx(other.worst.pop, abs=2e-5 * size)
    assert np.hypot(mesh.along_normal, mesh.tangential) == pytest.approx(mesh.max, rel=1e-5)
    ours = {one.rule: one.deviation for one in report.findings if one.deviation is not None}
    theirs = {one.rule: one.deviation for one in checked.findings if one.deviation is not None}
    for rule in ours.keys() | theirs.keys():
        assert ours.get(rule, 0.0) == pytest.approx(theirs.get(rule, 0.0), abs=2e-4 * size), rule


def test_the_users_pose_action_and_frame_stay():
    rig = animated_rig(RigOptions(transformed=True))
    scene = bpy.context.scene
    scene.frame_set(3)
    rig.armature.pose.bones[0].location = (0.5, 0.25, 0.125)
    bpy.context.view_layer.update()

    def state():
        return (
            [[list(row) for row in one.matrix] for one in rig.armature.pose.bones],
            list(rig.armature.pose.bones[0].location),
            scene.frame_current,
            rig.armature.animation_data.action,
            sorted(
                one.name for one in (*bpy.data.scenes, *bpy.data.objects, *bpy.data.meshes, *bpy.data.actions)
            ),
        )

    before = state()
    scanned(rig, load_profile("threejs"), ScenePlayback(FIRST, LAST))
    assert state() == before


def test_a_scan_that_is_closed_half_way_leaves_nothing():
    rig = animated_rig(RigOptions())
    names = sorted(one.name for one in (*bpy.data.scenes, *bpy.data.objects))
    scan = ProfileScan(
        bpy.context.scene,
        bpy.context.evaluated_depsgraph_get(),
        [rig.mesh],
        [load_profile("threejs")],
        [ScenePlayback(FIRST, LAST)],
    )
    steps = scan.steps()
    next(steps)
    assert sorted(one.name for one in (*bpy.data.scenes, *bpy.data.objects)) != names
    steps.close()
    assert sorted(one.name for one in (*bpy.data.scenes, *bpy.data.objects)) == names


def test_a_range_of_motion_keeps_to_limits_and_poses_one_bone_at_a_time():
    rig = random_rig(RigOptions(bones=3, scale="none"))
    first, second, third = rig.armature.pose.bones
    limit = first.constraints.new("LIMIT_ROTATION")
    limit.owner_space = "LOCAL"
    limit.use_limit_x, limit.min_x, limit.max_x = True, -0.25, 1.5
    first.lock_rotation = (False, True, True)
    second.use_ik_limit_z, second.ik_min_z, second.ik_max_z = True, 0.0, 0.75
    second.lock_rotation = (True, True, False)
    third.lock_rotation = (True, False, True)
    motion = range_of_motion(rig.armature)
    turns = [(one.bone, one.axis, round(one.angle, 4)) for one in motion.turns]
    assert turns == [
        (first.name, 0, -0.25),
        (first.name, 0, 1.5),
        (second.name, 2, 0.75),
        (third.name, 1, -0.5236),
        (third.name, 1, 0.5236),
    ]
    report = scanned(rig, load_profile("threejs"), motion)
    assert report.meshes[0].frames == len(turns)
    assert report.meshes[0].clip == RangeOfMotion.name or report.meshes[0].max < 1e-4
