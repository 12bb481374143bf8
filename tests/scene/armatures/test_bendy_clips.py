"""Bendy bones in poses from a clip: bent by their handles, as in Blender."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import bake_clips
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import play_clip, set_frame
from tests.scene.comparison import relative_distance
from tests.scene.posed_arm import keyed_arm


def _bendy_arm() -> bpy.types.Object:
    """The keyed arm, its bones in four segments and joined, the middle one's settings as an artist might have
    them.
    """
    armature = keyed_arm()
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.bbone_segments = 4
        bone.use_connect = bone.parent is not None
    bpy.ops.object.mode_set(mode="OBJECT")
    middle = armature.data.bones["b1"]
    middle.bbone_curveinx, middle.bbone_rollout, middle.bbone_easeout = 0.2, 0.5, 0.7
    tip = armature.pose.bones["b2"]
    for frame, scale in ((1, 1.0), (12, 1.6)):
        tip.scale = (scale, scale, scale)
        tip.keyframe_insert("scale", frame=frame)
    middle.bbone_handle_type_end = "ABSOLUTE"
    middle.bbone_custom_handle_end = armature.data.bones["b2"]
    middle.bbone_handle_use_scale_end = (True, True, True)
    return armature


def _off(armature: bpy.types.Object, frame: float) -> float:
    """How far, relative to its size, the skin is from Blender's when its bones are posed from the baked
    clip.
    """
    scene, skin = bpy.context.scene, bpy.data.objects["Skin"]
    (clip,) = list_clips(scene)
    (baked,) = bake_clips(scene, armature, [clip])
    skeleton = read_armature(armature).skeleton
    to_root = skeleton.to_root(compose(ClipSampler(baked.clip, skeleton).sample([frame])))[0]
    # Bound and posed while Blender's own pose is another one, as in a preview.
    play_clip(scene, clip)
    set_frame(scene, clip.frame_start)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(skin, depsgraph)
    read = FrameReader(binding).read(skin, depsgraph, poses={armature.name: to_root})
    skinned = SoftwareSkinner(read.chain, binding.mesh).skin(read.palettes).positions
    set_frame(scene, frame)
    return relative_distance(skin, np.asarray(skinned, dtype=np.float64))


@pytest.mark.parametrize("frame", [1.0, 6.0, 8.6, 12.0])
def test_segments_follow_the_clip(frame: float):
    assert _off(_bendy_arm(), frame) <= 1e-5


def test_bends_that_are_animated_are_named_since_no_clip_holds_them():
    armature = _bendy_arm()
    bone = armature.pose.bones["b1"]
    for frame, bend in ((1, 0.0), (12, 0.8)):
        bone.bbone_curveoutz = bend
        bone.keyframe_insert("bbone_curveoutz", frame=frame)
    (clip,) = list_clips(bpy.context.scene)
    (baked,) = bake_clips(bpy.context.scene, armature, [clip])
    assert baked.unheld_bends == ("b1",)
    assert _off(armature, 12.0) > 1e-3
