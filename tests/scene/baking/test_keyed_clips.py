"""Clips of an artist's own keys against Blender's result at those frames."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.text.errors import ClipError
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.keyed_clips import KeyedClip, read_keyed_clip
from skinning_addon.scene.clips.action_keys import curves_of
from skinning_addon.scene.clips.clips import SceneClip, list_clips
from skinning_addon.scene.clips.playback import play_clip, set_frame
from skinning_addon.scene.files import open_file
from tests.scene.posed_arm import keyed_arm

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")
FRAMES = (1.0, 4.25, 9.0, 12.5)


def _leaning_arm(mode: str, interpolation: str = "BEZIER") -> bpy.types.Object:
    """Three bones that lean and roll at rest, turned as `mode` says; every bone keyed at other frames."""
    armature = keyed_arm(frames=(1,))
    bpy.data.actions.remove(armature.animation_data.action)
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(armature.data.edit_bones):
        bone.tail = bone.head + bone.vector + type(bone.head)((0.3, 0.2 * number, 0))
        bone.roll = 0.4 + number
    bpy.ops.object.mode_set(mode="OBJECT")
    random = np.random.default_rng(11)
    for number, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = mode
        for frame in FRAMES:
            at = frame + number
            bone.location = random.normal(size=3)
            bone.scale = random.uniform(0.6, 1.5, 3) if number == 2 else (1.0, 1.0, 1.0)
            match mode:
                case "QUATERNION":
                    bone.rotation_quaternion = random.normal(size=4)
                case "AXIS_ANGLE":
                    bone.rotation_axis_angle = (random.uniform(-3, 3), *random.normal(size=3))
                case _:
                    bone.rotation_euler = random.uniform(-2, 2, 3)
            for name in ("location", "scale", _rotation_of(mode)):
                bone.keyframe_insert(name, frame=at)
    (clip,) = list_clips(bpy.context.scene)
    for curve in curves_of(clip.parts[0]):
        for point in curve.keyframe_points:
            point.interpolation = interpolation
    return armature


def _rotation_of(mode: str) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        mode, "rotation_euler"
    )


def _to_parents(
    armature: bpy.types.Object, clip: SceneClip, keyed: KeyedClip, frame: float
) -> list[NDArray[np.float64]]:
    """to_parent of all bones at a frame: as the clip has it, and as Blender has it."""
    reader = read_armature(armature)
    play_clip(bpy.context.scene, clip)
    set_frame(bpy.context.scene, frame)
    blender = reader.read_to_root(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    ours = compose(ClipSampler(keyed.clip, reader.skeleton).sample([frame]))[0]
    return [ours, reader.skeleton.to_parent(blender)[0]]


@pytest.mark.parametrize("mode", MODES)
def test_every_bone_is_at_its_own_keys_where_blender_puts_it(mode: str):
    armature = _leaning_arm(mode)
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    keyed = read_keyed_clip(scene, armature, clip)
    assert keyed.clip.times.tolist() == sorted({frame + bone for frame in FRAMES for bone in range(3)})
    for number in range(3):
        for frame in FRAMES:
            ours, blender = _to_parents(armature, clip, keyed, frame + number)
            assert ours[number] == pytest.approx(blender[number], abs=1e-5)
    said = {(one.bone, one.kind): one.interpolations for one in keyed.unheld}
    angles = {"QUATERNION": (), "AXIS_ANGLE": ("AXIS_ANGLE",)}.get(mode, ("EULER",))
    assert said["b0", "rotation"] == tuple(sorted(("BEZIER", *angles)))
    assert said["b1", "translation"] == ("BEZIER",)
    assert ("b1", "scale") not in said
    assert said["b2", "scale"] == ("BEZIER",)


def test_straight_curves_are_held_between_keys_too():
    armature = _leaning_arm("QUATERNION", "LINEAR")
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    keyed = read_keyed_clip(scene, armature, clip)
    assert keyed.unheld == ()
    for frame in (2.5, 5.0, 8.75):
        ours, blender = _to_parents(armature, clip, keyed, frame)
        # Blender mixes quaternions by component as well, but for the side that they lie on.
        assert ours[:, 3] == pytest.approx(blender[:, 3], abs=1e-5)


@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY"])
def test_sampled_curves_come_nearer_the_finer_they_are_sampled(mode: str):
    armature = _leaning_arm(mode)
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    off = []
    for sampled in (1.0, 0.25):
        keyed = read_keyed_clip(scene, armature, clip, sampled=sampled)
        found = [_to_parents(armature, clip, keyed, frame) for frame in np.arange(2.1, 11, 0.43)]
        off.append(max(float(np.abs(ours - blender).max()) for ours, blender in found))
    assert off[1] < off[0] / 4


def test_what_has_no_effect_is_left_out_and_named():
    armature = _leaning_arm("XYZ")
    bone = armature.pose.bones["b0"]
    bone.keyframe_insert("rotation_quaternion", frame=3)
    limit = armature.pose.bones["b2"].constraints.new("LIMIT_ROTATION")
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["b1"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    keyed = read_keyed_clip(scene, armature, clip)
    assert set(keyed.unused) == {'pose.bones["b0"].rotation_quaternion', 'pose.bones["b1"].location'}
    assert keyed.otherwise == ("b2",)
    limit.mute = True
    assert read_keyed_clip(scene, armature, clip).otherwise == ()
    for frame in FRAMES:
        ours, blender = _to_parents(armature, clip, keyed, frame + 1)
        assert ours[1] == pytest.approx(blender[1], abs=1e-5)


def test_a_modifier_on_a_curve_is_reported():
    armature = _leaning_arm("QUATERNION", "LINEAR")
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    curve = next(one for one in curves_of(clip.parts[0]) if one.data_path.endswith('["b1"].location'))
    curve.modifiers.new("NOISE")
    (said,) = read_keyed_clip(scene, armature, clip).unheld
    assert (said.bone, said.kind, said.interpolations) == ("b1", "translation", ("MODIFIERS",))


def test_an_axis_of_no_length_turns_nothing():
    armature = keyed_arm(frames=(1,))
    bone = armature.pose.bones["b0"]
    bone.rotation_mode = "AXIS_ANGLE"
    bone.rotation_axis_angle = (1.0, 0, 0, 0)
    bone.keyframe_insert("rotation_axis_angle", frame=1)
    (clip,) = list_clips(bpy.context.scene)
    keyed = read_keyed_clip(bpy.context.scene, armature, clip)
    ours, blender = _to_parents(armature, clip, keyed, 1.0)
    assert ours[0] == pytest.approx(blender[0], abs=1e-6)


def test_a_range_of_the_artists_own_cuts_the_keys():
    armature = _leaning_arm("QUATERNION")
    action = armature.animation_data.action
    action.use_frame_range = True
    action.frame_start, action.frame_end = 3, 10
    (clip,) = list_clips(bpy.context.scene)
    assert (clip.frame_start, clip.frame_end) == (3, 10)
    keyed = read_keyed_clip(bpy.context.scene, armature, clip)
    assert keyed.clip.times[[0, -1]].tolist() == [3, 10]
    for frame in (3.0, 10.0):
        ours, blender = _to_parents(armature, clip, keyed, frame)
        assert ours == pytest.approx(blender, abs=1e-5)


def test_clips_that_have_no_keys_are_refused():
    armature = keyed_arm()
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    other = bpy.data.objects.new("Other", bpy.data.armatures.new("Other"))
    scene.collection.objects.link(other)
    with pytest.raises(ClipError, match="does not move 'Other'"):
        read_keyed_clip(scene, other, clip)
    track = armature.animation_data.nla_tracks.new()
    track.name = "Both"
    action = armature.animation_data.action
    for start in (1, 30):
        track.strips.new("Bend", start, action)
    armature.animation_data.action = None
    both = next(one for one in list_clips(scene) if one.name == "Both")
    with pytest.raises(ClipError, match="'Both' is an NLA track with several strips"):
        read_keyed_clip(scene, armature, both)


@pytest.mark.rigs
def test_an_imported_clip_is_its_own_keys(rigs_folder: Path):
    open_file(rigs_folder / "Fox.glb")
    scene = bpy.context.scene
    armature = next(one for one in scene.objects if one.type == "ARMATURE")
    clip = next(one for one in list_clips(scene) if one.name.startswith("Walk"))
    keyed = read_keyed_clip(scene, armature, clip)
    for frame in keyed.clip.times[[0, 5, -1]].tolist():
        ours, blender = _to_parents(armature, clip, keyed, frame)
        size = np.abs(blender).max()
        assert np.abs(ours - blender).max() <= 1e-5 * size
