"""A preview's binding ends when keys or drivers change what it was read from, and not when they change other
settings of bones.
"""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.text.errors import StaleBindingError
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.binding_signature import binding_signature, is_still_bound
from skinning_addon.scene.binding.frame_reader import FrameReader
from tests.scene.random_rig import RigOptions, random_rig


@pytest.mark.parametrize(
    ("setting", "index", "value", "segments", "ends"),
    [
        ("use_deform", -1, 0, 1, True),
        ("use_relative_parent", -1, 1, 1, True),
        ("bbone_easein", -1, 0.2, 1, False),
        ("bbone_easein", -1, 0.2, 8, True),
        ("bbone_scalein", 0, 1.5, 8, True),
        ("bbone_segments", -1, 4, 1, True),
    ],
)
def test_keyed_settings_of_bones(setting, index, value, segments, ends):
    rig = random_rig(RigOptions(seed=2))
    armature, mesh = rig.armature, rig.mesh
    bone = armature.data.bones[mesh.vertex_groups[0].name]
    bone.bbone_segments = segments
    scene = bpy.context.scene
    for frame in (1, 2):
        bone.keyframe_insert(setting, index=index, frame=frame)
    before = getattr(bone, setting)
    if index >= 0:
        before[index] = value
    else:
        setattr(bone, setting, type(before)(value))
    bone.keyframe_insert(setting, index=index, frame=3)
    scene.frame_set(1)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    read_from = binding_signature(mesh, depsgraph)
    reader = FrameReader(read_binding(mesh, depsgraph), is_live=True)
    for frame in (1, 2):
        scene.frame_set(frame)
        reader.read(mesh, depsgraph)
    scene.frame_set(3)
    assert (binding_signature(mesh, depsgraph) != read_from) == ends
    assert is_still_bound(read_from, mesh, depsgraph) != ends
    if ends:
        with pytest.raises(StaleBindingError):
            reader.read(mesh, depsgraph)
    else:
        reader.read(mesh, depsgraph)


def test_a_driver_that_is_added_later_is_watched_too():
    rig = random_rig(RigOptions(seed=2))
    armature, mesh = rig.armature, rig.mesh
    first, second = (armature.data.bones[one.name] for one in mesh.vertex_groups[:2])
    first.keyframe_insert("use_deform", frame=1)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    reader = FrameReader(read_binding(mesh, depsgraph), is_live=True)
    reader.read(mesh, depsgraph)
    second.driver_add("use_deform").driver.expression = "0"
    bpy.context.view_layer.update()
    with pytest.raises(StaleBindingError):
        reader.read(mesh, depsgraph)
