"""Which channels of a .glb keep each key up to the next, of an NLA track: as they are in the file."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.export_options import AnimationMode, GltfOptions
from skinning_addon.core.profiles.gltf_curves import CHANNELS
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.clips.exported_keys import keys_in_gltf
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.posed_arm import keyed_arm

PATHS = ("translation", "rotation", "scale")


def arm_on_a_track(name: str, interpolation: str) -> bpy.types.Object:
    """Build an arm whose action 'Bend' turns its bones, on a track; of b2, only constraints move it."""
    armature = keyed_arm(frames=(1, 6, 12))
    action, data = bpy.data.actions["Bend"], armature.animation_data
    for curve in list(fcurves(action)):
        for key in curve.keyframe_points:
            key.interpolation = interpolation
    armature.pose.bones["b2"].constraints.new("COPY_ROTATION").target = armature
    armature.pose.bones["b2"].constraints[0].subtarget = "b0"
    data.action = None
    track = data.nla_tracks.new()
    track.name = name
    track.strips.new("Bend", 1, action)
    return armature


@pytest.mark.parametrize("step", [4, 8])
@pytest.mark.parametrize("interpolation", ["CONSTANT", "BEZIER"])
@pytest.mark.parametrize("name", ["Bend", "Wave"])
def test_a_track_may_have_an_action_s_name(tmp_path: Path, name: str, interpolation: str, step: int):
    armature = arm_on_a_track(name, interpolation)
    settings = {"export_animation_mode": "NLA_TRACKS", "export_frame_step": step}
    path = tmp_path / "arm.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_optimize_animation_size=False, **settings)
    file = SkinnedGltf.read(path)
    names = [one.name for one in armature.pose.bones]
    (clip,) = find_clips(bpy.context.scene, [name])
    options = GltfOptions(mode=AnimationMode.NLA_TRACKS, frame_step=step)
    keys = keys_in_gltf(armature, clip.parts[0], options, bpy.context.scene)
    assert keys is not None
    stepped = keys.stepped(names, len(range(keys.first, keys.last + 1, step)))
    expected = {
        (bone, PATHS[each]): stepped[row, each] for row, bone in enumerate(names) for each in range(3)
    }
    assert len(CHANNELS) == len(PATHS)
    animation = next(one for one in file.document["animations"] if one["name"] == name)
    nodes = [one["name"] for one in file.document["nodes"]]
    written = {
        (nodes[one["target"]["node"]], one["target"]["path"]): animation["samplers"][one["sampler"]]
        for one in animation["channels"]
    }
    told = {one: sampler.get("interpolation", "LINEAR") == "STEP" for one, sampler in written.items()}
    assert ("b1", "rotation") in told
    assert told == {one: expected[one] for one in told}
