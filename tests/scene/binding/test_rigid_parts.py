"""Parts carried along by a bone go where Blender puts them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.text.errors import BindingError
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.binding.rigid_parts import rigid_parts
from tests.scene.comparison import relative_deviation
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


def _part(rig: RandomRig, *, relative: bool) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=0.3)
    part = bpy.context.active_object
    rig.armature.data.bones["bone 4"].use_relative_parent = relative
    part.parent, part.parent_type, part.parent_bone = rig.armature, "BONE", "bone 4"
    part.matrix_parent_inverse = Matrix.LocRotScale((0.1, -0.2, 0.3), Euler((0.3, 1, 2)), (1, 1.2, 0.8))
    part.location, part.rotation_euler = (0.4, 0.1, -0.2), (1, 0.2, 0.5)
    bpy.context.view_layer.update()
    return part


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("transformed", [False, True])
def test_a_part_on_a_bone_moves_with_it(relative: bool, transformed: bool) -> None:
    rig = random_rig(RigOptions(transformed=transformed))
    part = _part(rig, relative=relative)
    assert rigid_parts(bpy.context.scene, rig.armature) == [part]
    binding = read_binding(part, bpy.context.evaluated_depsgraph_get())
    assert binding.joint_count == 1
    reader, skinner = FrameReader(binding), SoftwareSkinner(binding.passes, binding.mesh)
    for _ in range(3):
        rig.pose()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        frame = reader.read(part, depsgraph)
        to_world = frame.mesh_to_world
        skinned = skinner.skin(frame.palettes).positions @ to_world[:3, :3] + to_world[3, :3]
        world = np.array(part.evaluated_get(depsgraph).matrix_world)
        blender = [world[:3, :3] @ vertex.co + world[:3, 3] for vertex in part.data.vertices]
        assert skinned == pytest.approx(np.array(blender), abs=1e-5)


def test_a_mesh_under_the_armature_itself_is_left_as_it_is() -> None:
    rig = random_rig(RigOptions())
    bpy.ops.mesh.primitive_cube_add()
    part = bpy.context.active_object
    part.parent = rig.armature
    binding = read_binding(part, bpy.context.evaluated_depsgraph_get())
    assert binding.passes == ()
    assert SoftwareSkinner(binding.passes, binding.mesh).skin(()).positions == pytest.approx(
        binding.mesh.positions
    )


@pytest.mark.parametrize("mute", [False, True])
def test_a_part_with_constraints_of_its_own_is_where_blender_has_it(mute: bool) -> None:
    """In that case the bone alone doesn't determine its location, at rest or posed."""
    rig = random_rig(RigOptions())
    part = _part(rig, relative=False)
    constraint = part.constraints.new("COPY_LOCATION")
    constraint.target, constraint.mute = rig.armature, mute
    for _ in range(2):
        rig.pose()
        assert relative_deviation(part) < 1e-6


def test_a_part_on_a_bone_that_is_gone_is_refused() -> None:
    rig = random_rig(RigOptions())
    part = _part(rig, relative=False)
    part.parent_bone = "gone"
    with pytest.raises(BindingError, match="'gone'"):
        read_binding(part, bpy.context.evaluated_depsgraph_get())
