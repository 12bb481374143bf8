"""A different blend from the scene's, required by an engine's profile."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.profiles.binding import with_blend
from skinning_addon.core.skinning.passes import Blend
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from tests.scene.comparison import relative_distance
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


def deviation_with(rig: RandomRig, blend: Blend) -> float:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = with_blend(read_binding(rig.mesh, depsgraph), blend)
    frame = FrameReader(binding).read(rig.mesh, depsgraph)
    skinned = SoftwareSkinner(frame.chain, binding.mesh).skin(frame.palettes)
    return relative_distance(rig.mesh, skinned.positions.astype(np.float64))


@pytest.mark.parametrize("transformed", [False, True])
def test_dual_quaternions_are_preserve_volume_where_bones_only_turn_a_little(transformed: bool) -> None:
    """No scale that the two treat differently, and turns small enough that every rule of signs chooses
    alike.
    """
    rig = random_rig(RigOptions(preserve_volume=True, scale="none", transformed=transformed, vertices=500))
    for bone in rig.armature.pose.bones:
        bone.rotation_quaternion = bone.rotation_quaternion.slerp((1, 0, 0, 0), 0.8)
    bpy.context.view_layer.update()
    assert deviation_with(rig, Blend.DUAL_QUATERNION) <= 1e-5
    assert deviation_with(rig, Blend.LINEAR) > 1e-3


def test_scale_is_what_dual_quaternions_lose() -> None:
    rig = random_rig(RigOptions(preserve_volume=True, scale="uniform"))
    assert deviation_with(rig, Blend.VOLUME) <= 1e-5
    assert deviation_with(rig, Blend.DUAL_QUATERNION) > 1e-2
