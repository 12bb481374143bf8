"""Baking: the user's scene is left unchanged, markers are included, and missing data is named."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.text.errors import ClipError
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.scene.baking.clip_baking import BakeSettings, ClipBaking, bake_clips
from skinning_addon.scene.clips.clips import find_clips, list_clips
from skinning_addon.scene.clips.playback import play_clip, set_frame
from tests.scene.posed_arm import keyed_arm


def test_the_users_scene_is_not_touched():
    armature = keyed_arm()
    scene = bpy.context.scene
    scene.frame_set(5)
    armature.pose.bones[1].rotation_quaternion = (0.8, 0.6, 0, 0)
    bpy.context.view_layer.update()
    before = _snapshot(armature)
    (clip,) = list_clips(scene)
    bake_clips(scene, armature, [clip], BakeSettings(reduction=Tolerance(0.01, relative=False)))
    assert _snapshot(armature) == before
    # Also once Blender evaluates it again.
    bpy.context.view_layer.update()
    assert _snapshot(armature) == before


def _snapshot(armature: bpy.types.Object) -> object:
    pose = np.empty(16 * len(armature.pose.bones), dtype=np.float32)
    armature.pose.bones.foreach_get("matrix", pose)
    return (
        pose.tobytes(),
        [tuple(bone.rotation_quaternion) for bone in armature.pose.bones],
        armature.animation_data.action.name,
        bpy.context.scene.frame_current_final,
        sorted(one.name for one in bpy.data.objects),
        sorted(one.name for one in bpy.data.actions),
        sorted(one.name for one in bpy.data.scenes),
        sorted(one.name for one in bpy.data.armatures),
    )


def test_pose_markers_become_markers():
    armature = keyed_arm()
    marker = armature.animation_data.action.pose_markers.new("step")
    marker.frame = 4
    outside = armature.animation_data.action.pose_markers.new("late")
    outside.frame = 400
    (clip,) = list_clips(bpy.context.scene)
    (baked,) = bake_clips(bpy.context.scene, armature, [clip])
    assert [(one.name, one.time) for one in baked.clip.markers] == [("step", 4.0)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("scale", "repeat"), [(1.0, 1.0), (2.0, 1.0), (0.5, 2.5)])
def test_markers_follow_their_actions_through_the_strips_of_a_track(
    scale: float, repeat: float, reverse: bool
):
    """At each marker Blender plays the very frame of the action on which it stands: the bone has that height
    then.
    """
    armature = keyed_arm()
    scene, bone = bpy.context.scene, armature.pose.bones["b0"]
    for frame in range(1, 13):
        bone.location = (frame, 0, 0)
        bone.keyframe_insert("location", frame=frame)
    action = armature.animation_data.action
    for frame in (3, 7):
        action.pose_markers.new(f"at {frame}").frame = frame
    armature.animation_data.action = None
    track = armature.animation_data.nla_tracks.new()
    track.name = "Show"
    track.strips.new("plain", 1, action)
    other = track.strips.new("other", 40, action)
    other.scale, other.repeat, other.use_reverse = scale, repeat, reverse
    (clip,) = find_clips(scene, ["Show"])
    (baked,) = bake_clips(scene, armature, [clip], BakeSettings(between=None))
    # Of half a round one of the two.
    assert len(baked.clip.markers) == 2 + 2 * repeat
    play_clip(scene, clip)
    for marker in baked.clip.markers:
        set_frame(scene, marker.time)
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        height = evaluated.pose.bones["b0"].location.x
        assert marker.name == f"at {height:.4g}"


def test_bones_that_the_armature_lacks_are_named_in_strips_too():
    armature = keyed_arm()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["b2"])
    bpy.ops.object.mode_set(mode="OBJECT")
    action, armature.animation_data.action = armature.animation_data.action, None
    track = armature.animation_data.nla_tracks.new()
    track.name = "Show"
    for number in range(2):
        track.strips.new("part", 1 + 20 * number, action)
    (clip,) = find_clips(bpy.context.scene, ["Show"])
    (baked,) = bake_clips(bpy.context.scene, armature, [clip], BakeSettings(between=None))
    assert baked.missing == ("b2",)


def test_bones_that_the_armature_lacks_are_named():
    armature = keyed_arm()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    last = armature.data.edit_bones[-1]
    name = last.name
    armature.data.edit_bones.remove(last)
    bpy.ops.object.mode_set(mode="OBJECT")
    (clip,) = list_clips(bpy.context.scene)
    (baked,) = bake_clips(bpy.context.scene, armature, [clip])
    assert baked.missing == (name,)
    assert name not in baked.clip.bones


def test_a_baking_that_is_closed_leaves_nothing_behind():
    armature = keyed_arm()
    before = _snapshot(armature)
    baking = ClipBaking(bpy.context.scene, armature, list_clips(bpy.context.scene))
    steps = baking.steps()
    told = [next(steps) for _ in range(5)]
    assert [one.frames for one in told] == [1, 2, 3, 4, 5]
    assert _snapshot(armature) != before
    steps.close()
    assert _snapshot(armature) == before
    assert baking.baked == []


def test_a_clip_of_one_pose_is_baked_as_one():
    armature = keyed_arm(frames=(3,))
    (clip,) = list_clips(bpy.context.scene)
    (baked,) = bake_clips(bpy.context.scene, armature, [clip])
    assert baked.clip.duration == 0
    assert len(baked.clip.times) == 1


def test_a_clip_of_another_armature_is_refused():
    keyed_arm()
    (clip,) = list_clips(bpy.context.scene)
    other = bpy.data.objects.new("Other", bpy.data.armatures.new("Other"))
    bpy.context.collection.objects.link(other)
    with pytest.raises(ClipError, match="does not move 'Other'"):
        bake_clips(bpy.context.scene, other, [clip])
