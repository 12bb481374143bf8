"""The Curved vertex mapping of bendy bones, against Blender's result for each point."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from skinning_addon.core.bendy.curved_mapping import RestCurves, curved_locations
from skinning_addon.scene.armatures.armature_reader import read_armature

POINTS = 400
BLENDERS_FLOAT32 = 2e-5


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("segments", range(2, 33))
def test_locations_are_blenders_own(segments: int, seed: int) -> None:
    """Points lie all around the curve, also far towards its inside, where the planes of its joints cross."""
    random = np.random.default_rng((segments, seed))
    length = float(random.uniform(0.2, 3))
    armature = _curved_bone(segments, length, random)
    reader = read_armature(armature)
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    joints = np.arange(segments + 1)
    rest = reader.read_rest_segments(evaluated, np.zeros(segments + 1, dtype=int), joints)
    bone_to_root = reader.skeleton.rest_to_root[0]
    curves = RestCurves.of_joints(rest @ bone_to_root, reader.segments)
    points = length * random.uniform(-1, 1.5, (POINTS, 3))
    points = (points @ bone_to_root[:3, :3] + bone_to_root[3, :3]).astype(np.float32)
    locations = curved_locations(points.astype(np.float64), np.zeros(POINTS, dtype=int), curves)
    blenders = [evaluated.pose.bones[0].bbone_segment_index(point) for point in points]
    expected = np.array([segment + blend for segment, blend in blenders])
    assert locations.segment + locations.blend == pytest.approx(expected, abs=BLENDERS_FLOAT32)


def _curved_bone(segments: int, length: float, random: np.random.Generator) -> bpy.types.Object:
    """Make one bone from the origin, forwards or leaning back, where Blender's rest matrix is least exact."""
    data = bpy.data.armatures.new("Curved")
    armature = bpy.data.objects.new("Curved", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    direction = Vector((*random.normal(size=3),)) + Vector((0, -2 * random.integers(2), 0))
    edit_bone = data.edit_bones.new("bone")
    edit_bone.tail = direction.normalized() * length
    edit_bone.roll = random.uniform(-3, 3)
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = data.bones["bone"]
    bone.bbone_segments = segments
    bone.bbone_mapping_mode = "CURVED"
    strength = random.uniform(0.1, 0.7) * length
    for name in ("bbone_curveinx", "bbone_curveinz", "bbone_curveoutx", "bbone_curveoutz"):
        setattr(bone, name, random.normal() * strength)
    if random.random() < 0.6:
        bone.bbone_rollin, bone.bbone_rollout = random.normal(size=2)
        bone.bbone_easein, bone.bbone_easeout = random.uniform(-0.5, 1.5, 2)
        bone.bbone_scalein = random.uniform(0.5, 1.5, 3)
        bone.bbone_scaleout = random.uniform(0.5, 1.5, 3)
    bpy.context.view_layer.update()
    return armature
