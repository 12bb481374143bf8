"""The sidebar's scan against the check, which measures Blender's own evaluated mesh at every frame."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.profiles.cures import with_cures
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.clips.range_of_motion import RangeOfMotion, range_of_motion
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions, random_rig

FIRST, LAST = 1, 12


def scanned(rig, profile, playback):
    return with_cures(bpy.context.scene, report_of(rig, profile, playback), [playback])


def report_of(rig, profile, playback, **options):
    scan = ProfileScan(
        bpy.context.scene, bpy.context.evaluated_depsgraph_get(), [rig.mesh], [profile], [playback], **options
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
    assert mesh.worst.max == pytest.approx(other.worst.max, abs=1e-5 * size)
    assert mesh.worst.rms == pytest.approx(other.worst.rms, abs=1e-5 * size)
    assert mesh.worst.pop == pytest.approx(other.worst.pop, abs=2e-5 * size)
    assert np.hypot(mesh.worst.along_normal, mesh.worst.tangential) == pytest.approx(mesh.worst.max, rel=1e-5)
    ours = {one.rule: one.deviation for one in report.findings if one.deviation is not None}
    theirs = {one.rule: one.deviation for one in checked.findings if one.deviation is not None}
    for rule in ours.keys() | theirs.keys():
        assert ours.get(rule, 0.0) == pytest.approx(theirs.get(rule, 0.0), abs=2e-4 * size), rule


def bulge(rig, value: float = 0.0):
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Bulge")
    for point in key.data:
        point.co *= 1.5
    key.value = value
    return key


def keyed_bulge(rig):
    key = bulge(rig)
    for frame, value in ((1, 0.0), (7, 1.0), (12, 0.3)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def driven_bulge(rig):
    driver = bulge(rig).driver_add("value").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    target = variable.targets[0]
    target.id, target.bone_target = rig.armature, rig.armature.pose.bones[0].name
    target.transform_type, target.transform_space = "LOC_X", "LOCAL_SPACE"


def bulge_driven_by_a_key(rig):
    """The driver looks at another key of its own block, which is keyed."""
    keyed_bulge(rig)
    other = rig.mesh.shape_key_add(name="Other")
    for point in other.data:
        point.co *= 0.7
    driver = other.driver_add("value").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    target = variable.targets[0]
    target.id_type, target.id = "KEY", rig.mesh.data.shape_keys
    target.data_path = 'key_blocks["Bulge"].value'


def keyed_twist(rig):
    modifier = rig.mesh.modifiers.new("Twist", "SIMPLE_DEFORM")
    modifier.deform_method = "TWIST"
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)
    for frame, angle in ((1, 0.0), (12, 1.5)):
        modifier.angle = angle
        modifier.keyframe_insert("angle", frame=frame)


def keyed_bulge_and_twist(rig):
    keyed_bulge(rig)
    keyed_twist(rig)


def hidden_by_keys(rig):
    keyed_bulge_and_twist(rig)
    for frame, hidden in ((1, False), (4, True), (11, False)):
        rig.mesh.hide_viewport = hidden
        rig.mesh.keyframe_insert("hide_viewport", frame=frame)


def hooked_to_a_bone(rig):
    hook = rig.mesh.modifiers.new("Hook", "HOOK")
    hook.object, hook.subtarget = rig.armature, rig.armature.data.bones[0].name
    hook.vertex_indices_set(range(40))
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)


def keyed_settings(rig):
    for frame, on in ((1, False), (6, True), (9, False)):
        for owner, name in (
            (rig.mesh.modifiers[0], "use_deform_preserve_volume"),
            (rig.armature.data.bones[0], "use_deform"),
        ):
            setattr(owner, name, on)
            owner.keyframe_insert(name, frame=frame)


def keyed_segments(rig):
    bone = rig.armature.data.bones[0]
    for frame, segments in ((1, 1), (6, 4), (9, 2)):
        bone.bbone_segments = segments
        bone.keyframe_insert("bbone_segments", frame=frame)


PLAYING = {
    "keyed shape keys": (keyed_bulge, RigOptions(influences=9, scale="none")),
    "driven shape keys": (driven_bulge, RigOptions(influences=9, scale="none")),
    "a key that a key drives": (bulge_driven_by_a_key, RigOptions(influences=9, scale="none")),
    "a keyed modifier": (keyed_twist, RigOptions(influences=9, scale="none", transformed=True)),
    "shape keys and a modifier": (keyed_bulge_and_twist, RigOptions(influences=9, preserve_volume=True)),
    "hidden by keys": (hidden_by_keys, RigOptions(influences=9, scale="none")),
    "a hook": (hooked_to_a_bone, RigOptions(influences=9, scale="none")),
    "shape keys and envelopes": (keyed_bulge, RigOptions(influences=9, scale="none", envelopes=True)),
    "shape keys and bendy bones": (keyed_bulge, RigOptions(bendy=4, scale="none")),
    "settings": (keyed_settings, RigOptions(influences=9, scale="none")),
    "segments": (keyed_segments, RigOptions(influences=9, scale="none")),
}


@pytest.mark.parametrize("case", PLAYING)
@pytest.mark.parametrize("profile_id", ["threejs", "unreal"])
def test_what_goes_into_an_armature_plays_as_it_does_in_the_check(case, profile_id):
    prepare, options = PLAYING[case]
    rig = animated_rig(options)
    prepare(rig)
    profile = load_profile(profile_id)
    scene = bpy.context.scene
    scene.frame_set(5)
    report = scanned(rig, profile, ScenePlayback(FIRST, LAST))
    (mesh,) = report.meshes
    distances = report_of(rig, profile, ScenePlayback(FIRST, LAST), only_distances=True)
    (alone,) = distances.meshes
    scene.frame_start, scene.frame_end = FIRST, LAST
    frames = [float(one) for one in range(FIRST, LAST + 1)]
    settings = CheckSettings("cpu", profiles=(profile,), frames_of=lambda _: frames)
    checked = check_scene(scene, "rig", settings)
    (other,) = checked.meshes
    size = float(np.linalg.norm(rig.mesh.dimensions))
    assert other.worst.max > 1e-3 * size, "nothing is off"
    assert mesh.worst.max == pytest.approx(other.worst.max, abs=1e-5 * size)
    assert mesh.worst.rms == pytest.approx(other.worst.rms, abs=1e-5 * size)
    assert mesh.worst.pop == pytest.approx(other.worst.pop, abs=2e-5 * size)
    assert alone.worst.max == pytest.approx(other.worst.max, abs=1e-5 * size)
    assert not distances.findings
    ours = {one.rule: one.deviation for one in report.findings if one.deviation is not None}
    # What only Blender itself can tell of is not in the sidebar.
    theirs = {
        one.rule: one.deviation
        for one in checked.findings
        if one.deviation is not None and one.rule != "shape-key-order"
    }
    for rule in ours.keys() | theirs.keys():
        assert ours.get(rule, 0.0) == pytest.approx(theirs.get(rule, 0.0), abs=2e-4 * size), rule


def test_playing_what_goes_into_an_armature_leaves_the_users_keys_and_modifiers_alone():
    rig = animated_rig(RigOptions(scale="none"))
    keyed_bulge_and_twist(rig)
    scene = bpy.context.scene
    scene.frame_set(5)
    key = rig.mesh.data.shape_keys.key_blocks["Bulge"]
    key.value, rig.mesh.modifiers[0].angle = 0.9, 0.1
    names = sorted(
        one.name for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.shape_keys) for one in kind
    )
    scanned(rig, load_profile("threejs"), ScenePlayback(FIRST, LAST))
    assert key.value == pytest.approx(0.9)
    assert rig.mesh.modifiers[0].angle == pytest.approx(0.1)
    assert names == sorted(
        one.name for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.shape_keys) for one in kind
    )


def test_keys_that_hide_a_mesh_stay():
    rig = animated_rig(RigOptions(scale="none"))
    hidden_by_keys(rig)
    actions = [one.name for one in bpy.data.actions]
    scanned(rig, load_profile("threejs"), ScenePlayback(FIRST, LAST))
    assert [one.name for one in bpy.data.actions] == actions
    for frame, hidden in ((3, False), (7, True), (12, False)):
        bpy.context.scene.frame_set(frame)
        assert rig.mesh.hide_viewport is hidden


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
    assert report.meshes[0].worst.frames == len(turns)
    assert report.meshes[0].worst.clip == RangeOfMotion.name or report.meshes[0].worst.max < 1e-4
