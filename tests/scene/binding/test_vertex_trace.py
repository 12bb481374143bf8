"""A vertex's trace ends where Blender's own mesh has it, whatever deforms it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.inspection.vertex_trace import trace_vertex
from skinning_addon.core.skinning.passes import Blend
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from tests.scene.comparison import size_of_motion
from tests.scene.random_rig import RigOptions, random_rig


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"transformed": True},
        {"preserve_volume": True},
        {"bendy": 4, "handles": "MIXED"},
        {"envelopes": True, "groups": False},
        {"mask": True, "modifiers": 2},
        {"modifiers": 3, "multi_modifier": True, "mask": True},
        {"modifiers": 2, "bendy": 3, "preserve_volume": True, "mask": True, "transformed": True},
    ],
    ids=str,
)
def test_it_ends_where_blender_has_the_vertex_and_linear_shares_add_up(options):
    rig = random_rig(RigOptions(seed=11, **options))
    rig.pose()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(rig.mesh, depsgraph)
    frame = FrameReader(binding).read(rig.mesh, depsgraph)
    blender = rig.mesh.evaluated_get(depsgraph).data.vertices
    allowed = 1e-5 * size_of_motion(rig.mesh)
    for vertex in range(0, len(blender), 7):
        trace = trace_vertex(binding, frame.chain, frame.passes, frame.palettes, vertex)
        assert trace.result == pytest.approx(np.array(blender[vertex].co), abs=allowed)
        assert len(trace.passes) == len(binding.passes)
        for one in trace.passes:
            assert sum(each.weight for each in one.contributions) == pytest.approx(1, abs=1e-6)
            if one.blend is Blend.LINEAR:
                total = np.sum([each.share for each in one.contributions], axis=0)  # pyright: ignore[reportCallIssue]
                assert total == pytest.approx(one.skinned, abs=allowed)


def test_bone_space_is_blenders():
    """Where a vertex lies as a bone sees it, with Blender's own matrices of that bone."""
    rig = random_rig(RigOptions(seed=3, transformed=True))
    rig.pose()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(rig.mesh, depsgraph)
    frame = FrameReader(binding).read(rig.mesh, depsgraph)
    mesh_to_root = rig.armature.matrix_world.inverted() @ rig.mesh.matrix_world
    seen = 0
    for vertex in range(20, 120):
        rest = rig.mesh.data.vertices[vertex].co
        for each in (
            trace_vertex(binding, frame.chain, frame.passes, frame.palettes, vertex).passes[0].contributions
        ):
            if not each.bone:
                continue
            pose_bone = rig.armature.pose.bones[each.bone]
            in_bone = pose_bone.bone.matrix_local.inverted() @ mesh_to_root @ rest
            assert each.in_bone == pytest.approx(np.array(in_bone), abs=1e-4)
            assert each.in_root == pytest.approx(np.array(pose_bone.matrix @ in_bone), abs=1e-4)
            seen += 1
    assert seen > 100
