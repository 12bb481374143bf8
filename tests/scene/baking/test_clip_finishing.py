"""Clips with fewer keys and without root motion, on a scaled and rotated armature."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.root_motion import RootMotionSettings
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.text.errors import ClipError
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import BakeSettings, bake_clips, bone_boxes
from skinning_addon.scene.clips.clips import list_clips
from tests.scene.posed_arm import keyed_arm


@pytest.mark.parametrize(("scale", "unit"), [(1.0, 1.0), (0.01, 1.0), (1.0, 0.01), (5.0, 0.1)])
def test_a_length_allows_as_much_in_the_world_however_the_armature_is_scaled(scale: float, unit: float):
    armature = keyed_arm()
    scene = bpy.context.scene
    armature.scale = (scale, scale, scale)
    scene.unit_settings.scale_length = unit
    bpy.context.view_layer.update()
    (clip,) = list_clips(scene)
    metres = 0.003 * scale * unit
    (baked,) = bake_clips(scene, armature, [clip], BakeSettings(reduction=Tolerance(metres, relative=False)))
    assert baked.reduction is not None
    assert 0.001 < baked.reduction.distance <= 0.003 * (1 + 1e-6)


def test_the_way_is_taken_out_before_keys_are_left_out():
    armature = keyed_arm()
    scene = bpy.context.scene
    bone = armature.pose.bones["b0"]
    for frame, place in ((1, (0, 0, 0)), (12, (3, 0, 0))):
        bone.location = place
        bone.keyframe_insert("location", frame=frame)
    (clip,) = list_clips(scene)
    settings = BakeSettings(reduction=Tolerance(0.01, relative=False), root_motion=RootMotionSettings())
    (whole,), (baked,) = (bake_clips(scene, armature, [clip], one) for one in (BakeSettings(), settings))
    assert baked.root_motion is not None
    assert baked.reduction is not None
    # The arm's first bone carries all of it.
    assert baked.root_motion.bone == "b0"
    skeleton, boxes = read_armature(armature).skeleton, bone_boxes(scene, armature)
    times = np.linspace(clip.frame_start, clip.frame_end, 40)
    expected, in_place = (
        skeleton.to_root(compose(ClipSampler(one.clip, skeleton).sample(times))) for one in (whole, baked)
    )
    seconds = np.minimum((times - times[0]) / 24, baked.clip.duration - 1e-9)
    assert boxes.distances(in_place @ baked.root_motion.way(seconds)[:, None], expected).max() <= 0.011
    assert np.abs(in_place[:, 0, 3, :2] - in_place[0, 0, 3, :2]).max() < 0.01
    assert baked.reduction.keys_after < baked.reduction.keys_before / 2


def test_an_armature_scaled_to_nothing_has_no_lengths():
    armature = keyed_arm()
    armature.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    scene = bpy.context.scene
    settings = BakeSettings(reduction=Tolerance(0.01, relative=False))
    with pytest.raises(ClipError, match="scaled to zero"):
        bake_clips(scene, armature, list_clips(scene), settings)
