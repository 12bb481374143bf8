"""Objects that can't be bound are refused with a sentence that names the object and the remedy."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from mathutils import Matrix

from skinning_addon.core.text.errors import BindingError
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

from .comparison import relative_deviation
from .random_rig import RandomRig, RigOptions, random_rig


def _no_armature(rig: RandomRig) -> None:
    rig.mesh.modifiers[0].object = None


def _no_bones(rig: RandomRig) -> None:
    rig.armature.data = bpy.data.armatures.new("Empty")


def _no_vertices(rig: RandomRig) -> None:
    rig.mesh.data = bpy.data.meshes.new("Empty")


def _stray_corners(rig: RandomRig) -> None:
    """As the glTF importer of 5.2 makes them of a mesh without indices whose vertices are no multiple of
    three.
    """
    data = bpy.data.meshes.new("Stray")
    data.from_pydata([(0, 0, 0), (0.2, 0.1, 0.4)], [], [])
    data.loops.add(2)
    rig.mesh.data = data


def _edit_mode(rig: RandomRig) -> None:
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.ops.object.mode_set(mode="EDIT")


def _zero_scaled_mesh(rig: RandomRig) -> None:
    rig.mesh.scale = (0, 1, 1)


def _zero_scaled_armature(rig: RandomRig) -> None:
    rig.armature.scale = (1, 0, 1)


REFUSED: dict[str, tuple[Callable[[RandomRig], None], str]] = {
    "no-armature": (_no_armature, "'Random mesh' has no armature"),
    "no-bones": (_no_bones, "has no bones"),
    "no-vertices": (_no_vertices, "has no vertices"),
    "stray corners": (_stray_corners, "has face corners that don't belong to a face"),
    "edit-mode": (_edit_mode, "is in Edit Mode"),
    "zero-scaled mesh": (_zero_scaled_mesh, "'Random mesh' is scaled to zero"),
    "zero-scaled armature": (_zero_scaled_armature, "'Random' is scaled to zero"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case: str) -> None:
    rig = random_rig(RigOptions())
    damage, words = REFUSED[case]
    damage(rig)
    bpy.context.view_layer.update()
    with pytest.raises(BindingError, match=words) as caught:
        read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert str(caught.value).endswith(".")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_an_object_that_is_no_mesh_is_refused() -> None:
    light = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(light)
    with pytest.raises(BindingError, match="'Lamp' is not a mesh"):
        read_binding(light, bpy.context.evaluated_depsgraph_get())


def test_a_mesh_without_groups_stays_where_blender_leaves_it() -> None:
    rig = random_rig(RigOptions())
    rig.mesh.vertex_groups.clear()
    # 4.2 does not notice by itself.
    rig.mesh.update_tag()
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) == 0


def test_a_mesh_without_faces_is_skinned() -> None:
    rig = random_rig(RigOptions())
    data = bpy.data.meshes.new("Points")
    data.from_pydata([(0, 0, 0), (0.2, 0.1, 0.4)], [], [])
    rig.mesh.data = data
    rig.mesh.vertex_groups.new(name="bone 1").add([0], 1.0, "REPLACE")
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) <= 1e-5


def test_widgets_are_not_characters() -> None:
    rig = random_rig(RigOptions())
    widget = rig.mesh.copy()
    widget.name = "Handle"
    bpy.context.scene.collection.objects.link(widget)
    assert {one.name for one in deformed_meshes(bpy.context.scene)} == {"Random mesh", "Handle"}
    rig.armature.pose.bones[0].custom_shape = widget
    assert [one.name for one in deformed_meshes(bpy.context.scene)] == ["Random mesh"]


def _mask_without_group(rig: RandomRig) -> None:
    rig.mesh.modifiers[0].vertex_group = "mask"
    rig.mesh.vertex_groups.remove(rig.mesh.vertex_groups["mask"])


def _envelope_radius_zero(rig: RandomRig) -> None:
    rig.mesh.modifiers[0].use_bone_envelopes = True
    for bone in rig.armature.data.bones:
        bone.use_envelope_multiply = True
        bone.head_radius = bone.tail_radius = 0
        bone.envelope_distance = 0


def _two_modifiers_one_without_object(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Again", "ARMATURE").object = rig.armature
    rig.mesh.modifiers.new("Empty", "ARMATURE")


def _cyclic_constraints(rig: RandomRig) -> None:
    bones = rig.armature.pose.bones
    for one, other in ((bones[0], bones[1]), (bones[1], bones[0])):
        constraint = one.constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = rig.armature, other.name


def _modifier_switched_off(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Off", "ARMATURE").object = rig.armature
    rig.mesh.modifiers["Off"].show_viewport = False


def _modifier_without_groups_or_envelopes(rig: RandomRig) -> None:
    rig.mesh.modifiers[0].use_vertex_groups = False


ODD = {
    "a mask whose group is gone": _mask_without_group,
    "envelopes of radius 0": _envelope_radius_zero,
    "two modifiers on one armature, a third without": _two_modifiers_one_without_object,
    "cyclic constraints": _cyclic_constraints,
    "a modifier that is switched off": _modifier_switched_off,
    "neither groups nor envelopes": _modifier_without_groups_or_envelopes,
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_odd_is_handled_as_blender_handles_it(case: str) -> None:
    rig = random_rig(RigOptions())
    ODD[case](rig)
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) <= 1e-5


def test_a_result_of_blenders_that_is_no_number_is_refused() -> None:
    rig = random_rig(RigOptions())
    for bone in rig.armature.data.bones:
        bone.bbone_segments = 6
    rig.armature.pose.bones[1].scale = (1, 0, 1)
    bpy.context.view_layer.update()
    with pytest.raises(BindingError, match="contains invalid numbers"):
        read_blender_positions(rig.mesh, bpy.context.evaluated_depsgraph_get(), len(rig.mesh.data.vertices))


@pytest.mark.parametrize("mapping", ["STRAIGHT", "CURVED"])
def test_bones_without_length_are_named(mapping: str) -> None:
    """Edit Mode drops such bones; a script, or an importer, can make them anyway."""
    rig = random_rig(RigOptions(bendy=4, bendy_mapping=mapping))
    rig.armature.data.transform(Matrix.Scale(0, 4))
    rig.armature.data.update_tag()
    bpy.context.view_layer.update()
    binding = read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert {reason.rule for reason in binding.reasons} == {"bone-without-length"}
    assert str(binding.reasons[0].message).startswith("'bone 0' of 'Random' has zero length, so")


def test_a_bendy_bone_that_is_flat_at_rest_is_named() -> None:
    """If Blender can't invert such joints, it leaves them unchanged; the result isn't skinning."""
    rig = random_rig(RigOptions(bendy=4))
    bone = rig.armature.data.bones[1]
    bone.bbone_scalein[0] = 0
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) > 1e-3, "there is nothing to be named"
    reasons = read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get()).reasons
    assert [reason.rule for reason in reasons] == ["bone-without-length"]
    assert str(reasons[0].message).startswith("The bendy bone 'bone 1' of 'Random' is scaled to zero at rest")


def test_a_bendy_bone_that_is_as_good_as_without_length_is_posed_as_blender_poses_it() -> None:
    rig = random_rig(RigOptions(bendy=4, bendy_mapping="CURVED"))
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.armature.data.edit_bones["bone 4"]
    for child in bone.children:
        child.use_connect = False
    bone.length *= 1e-5
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    assert rig.armature.data.bones["bone 4"].bbone_segments == 4
    assert relative_deviation(rig.mesh) <= 1e-5
