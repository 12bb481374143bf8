"""Copies match their originals: the armature's input and its result, against Blender's own mesh."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.scene.copies.isolated_scene import IsolatedScene
from skinning_addon.scene.editing.vertex_group_use import groups_without_bone
from skinning_addon.scene.meshes.armature_result import modifiers_after, read_armature_result
from skinning_addon.scene.objects import node_inputs
from skinning_addon.scene.objects.modifier_stack import keeps_positions
from tests.scene.comparison import relative_deviation
from tests.scene.modifier_settings import bent_curve, box, moving_nodes, stand
from tests.scene.stacked_character import add, character, modifier_types, play_to, positions_of

CONSTRAINTS = bpy.types.Constraint.bl_rna.properties["type"]


def geometry_nodes(**inputs: str) -> tuple[bpy.types.NodeTree, dict[str, str]]:
    """A group that hands its geometry on, with inputs of these socket types; and the identifier of each
    input.
    """
    group = bpy.data.node_groups.new("Group", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    identifiers = {
        name: group.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}").identifier
        for name, kind in inputs.items()
    }
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    into, out = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    group.links.new(into.outputs["Geometry"], out.inputs["Geometry"])
    return group, identifiers


def offset_by(group: bpy.types.NodeTree, vector: bpy.types.NodeSocket) -> None:
    """Move what a group hands on."""
    out = next(one for one in group.nodes if one.bl_idname == "NodeGroupOutput")
    before = out.inputs["Geometry"].links[0].from_socket
    move = group.nodes.new("GeometryNodeSetPosition")
    group.links.new(before, move.inputs["Geometry"])
    group.links.new(vector, move.inputs["Offset"])
    group.links.new(move.outputs["Geometry"], out.inputs["Geometry"])


def set_value(modifier: bpy.types.NodesModifier, identifier: str, value: object) -> None:
    """As a user does, not by the code under test."""
    bpy.context.view_layer.update()
    if bpy.app.version >= (5, 2):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value
    modifier.id_data.update_tag()
    bpy.context.view_layer.update()


def an_object(modifier: bpy.types.NodesModifier) -> None:
    group, inputs = geometry_nodes(Target="Object")
    info = group.nodes.new("GeometryNodeObjectInfo")
    info.transform_space = "RELATIVE"
    into = next(one for one in group.nodes if one.bl_idname == "NodeGroupInput")
    group.links.new(into.outputs["Target"], info.inputs["Object"])
    offset_by(group, info.outputs["Location"])
    modifier.node_group = group
    set_value(modifier, inputs["Target"], moving_object())


def moving_object() -> bpy.types.Object:
    target = stand("Target", None, (0.2, 0.1, 0.3))
    target.keyframe_insert("location", frame=1)
    target.location.x = 2.0
    target.keyframe_insert("location", frame=12)
    return target


def a_collection(modifier: bpy.types.NodesModifier) -> None:
    """Instances of its members, made real and joined to the mesh: sorted by name, and the hidden one left
    out.
    """
    group, inputs = geometry_nodes(Members="Collection")
    into = next(one for one in group.nodes if one.bl_idname == "NodeGroupInput")
    out = next(one for one in group.nodes if one.bl_idname == "NodeGroupOutput")
    info, real = (
        group.nodes.new("GeometryNodeCollectionInfo"),
        group.nodes.new("GeometryNodeRealizeInstances"),
    )
    join = group.nodes.new("GeometryNodeJoinGeometry")
    info.inputs["Separate Children"].default_value = True
    group.links.new(into.outputs["Members"], info.inputs["Collection"])
    group.links.new(info.outputs[0], real.inputs["Geometry"])
    group.links.new(real.outputs["Geometry"], join.inputs[0])
    group.links.new(into.outputs["Geometry"], join.inputs[0])
    group.links.new(join.outputs["Geometry"], out.inputs["Geometry"])
    modifier.node_group = group
    members = bpy.data.collections.new("Members")
    bpy.context.scene.collection.children.link(members)
    for name, size in (("part 10", 1.0), ("Part 9", 0.4), ("part 9.001", 0.7)):
        members.objects.link(box(name, size, (size, 2, 0)))
    set_value(modifier, inputs["Members"], members)


def named_inside(modifier: bpy.types.NodesModifier) -> None:
    modifier.node_group = moving_nodes(moving_object())


def named_in_a_group_within(modifier: bpy.types.NodesModifier) -> None:
    group, _ = geometry_nodes()
    inner = group.nodes.new("GeometryNodeGroup")
    inner.node_tree = moving_nodes(moving_object())
    into, out = (
        next(one for one in group.nodes if one.bl_idname == f"NodeGroup{way}") for way in ("Input", "Output")
    )
    group.links.new(into.outputs["Geometry"], inner.inputs[0])
    group.links.new(inner.outputs[0], out.inputs["Geometry"])
    modifier.node_group = group


def scene_time(modifier: bpy.types.NodesModifier) -> None:
    group, _ = geometry_nodes()
    offset_by(group, group.nodes.new("GeometryNodeInputSceneTime").outputs["Seconds"])
    modifier.node_group = group


def active_camera(modifier: bpy.types.NodesModifier) -> None:
    bpy.context.scene.camera = camera = stand("Camera", bpy.data.cameras.new("Camera"), (0.5, 0.2, 0.1))
    camera.keyframe_insert("location", frame=1)
    camera.location.y = 1.5
    camera.keyframe_insert("location", frame=12)
    group, _ = geometry_nodes()
    info = group.nodes.new("GeometryNodeObjectInfo")
    found = group.nodes.new("GeometryNodeInputActiveCamera")
    group.links.new(found.outputs[0], info.inputs["Object"])
    offset_by(group, info.outputs["Location"])
    modifier.node_group = group


NODES: dict[str, Callable[[bpy.types.NodesModifier], None]] = {
    "an object": an_object,
    "a collection": a_collection,
    "an object named inside": named_inside,
    "an object named in a group within": named_in_a_group_within,
    "the scene's time": scene_time,
    "the active camera": active_camera,
}


def with_nodes(case: str) -> bpy.types.Object:
    skin = character()
    modifier = skin.modifiers.new("Nodes", "NODES")
    NODES[case](modifier)
    skin.modifiers.move(len(skin.modifiers) - 1, 0)
    bpy.context.scene.render.fps = 7
    play_to(5)
    return skin


@pytest.mark.parametrize("case", NODES)
def test_nodes_before_the_armature(case: str) -> None:
    skin = with_nodes(case)
    assert relative_deviation(skin) < 1e-5
    expected = positions_of(skin).copy()
    add(skin, "CAST", "Behind")
    bpy.context.view_layer.update()
    found = read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), len(expected))
    np.testing.assert_array_equal(found.positions, expected)


def test_an_edit_without_a_key_survives_of_an_object_that_nodes_name() -> None:
    skin = with_nodes("an object named inside")
    add(skin, "CAST", "Behind")
    target = bpy.data.objects["Target"]
    target.location.z = 5.0
    bpy.context.view_layer.update()
    assert relative_deviation_of_input_is_read(skin)
    assert target.location.z == 5.0


def relative_deviation_of_input_is_read(skin: bpy.types.Object) -> bool:
    depsgraph = bpy.context.view_layer.depsgraph
    return len(read_armature_result(skin, depsgraph, 1).positions) == 1


def test_a_group_that_shades_moves_nothing_and_one_that_is_only_called_so_does() -> None:
    skin = character()
    modifier = skin.modifiers.new("Smooth by Angle", "NODES")
    group, _ = geometry_nodes()
    modifier.node_group = group
    out = next(one for one in group.nodes if one.bl_idname == "NodeGroupOutput")
    shade = group.nodes.new("GeometryNodeSetShadeSmooth")
    group.links.new(out.inputs["Geometry"].links[0].from_socket, shade.inputs[0])
    group.links.new(shade.outputs[0], out.inputs["Geometry"])
    assert keeps_positions(modifier)
    assert modifiers_after(skin) == ()
    modifier.node_group = moving_nodes(stand("Target", None, (1, 0, 0)))
    modifier.node_group.name = "Smooth by Angle"
    assert modifiers_after(skin) == ("Smooth by Angle",)


def test_blenders_own_smooth_by_angle_before_and_after_the_armature() -> None:
    skin = character()
    with bpy.context.temp_override(object=skin, active_object=skin, selected_editable_objects=[skin]):
        if bpy.ops.object.shade_auto_smooth() != {"FINISHED"}:
            pytest.skip("this Blender finds no assets of its own")
    assert modifiers_after(skin) == ()
    assert relative_deviation(skin) < 1e-5
    skin.modifiers.move(len(skin.modifiers) - 1, 0)
    assert relative_deviation(skin) < 1e-5


def test_groups_that_nodes_read_are_in_use() -> None:
    skin = character()
    for name in ("handed in", "attribute", "named inside", "unused"):
        skin.vertex_groups.new(name=name)
    group, inputs = geometry_nodes(Text="String", Number="Float")
    group.nodes.new("GeometryNodeInputNamedAttribute").inputs["Name"].default_value = "named inside"
    modifier = skin.modifiers.new("Nodes", "NODES")
    modifier.node_group = group
    set_value(modifier, inputs["Text"], "handed in")
    if bpy.app.version >= (5, 2):
        slot = getattr(modifier.properties.inputs, inputs["Number"])
        slot.type, slot.attribute_name = "ATTRIBUTE", "attribute"
    else:
        modifier[f"{inputs['Number']}_use_attribute"] = True
        modifier[f"{inputs['Number']}_attribute_name"] = "attribute"
    assert groups_without_bone(skin) == ["unused"]
    assert "handed in" in set(node_inputs.texts(modifier))


@pytest.mark.parametrize("frame", [-7.0, -6.75, 0.0, 5.0, 5.5, 9.25])
@pytest.mark.parametrize("kind", ["WAVE", "OCEAN", "NODES"])
def test_time_is_the_scenes_own(kind: str, frame: float) -> None:
    """Stretched, negative, between two frames, at another rate."""
    skin = character(before=kind)
    if kind == "NODES":
        scene_time(skin.modifiers["before"])
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 170
    scene.render.fps, scene.render.fps_base = 17, 1.3
    scene.frame_set(int(np.floor(frame)), subframe=frame - np.floor(frame))
    assert relative_deviation(skin) < 1e-5


def test_taking_over_a_frame_calls_no_handlers() -> None:
    skin = character(before="WAVE")
    bpy.context.scene.frame_set(-3)
    called: list[str] = []

    def handler(scene: bpy.types.Scene, *_: object) -> None:
        called.append(scene.name)

    bpy.app.handlers.frame_change_post.append(handler)
    try:
        assert relative_deviation(skin) < 1e-5
        assert called == []
        assert handler in bpy.app.handlers.frame_change_post
    finally:
        bpy.app.handlers.frame_change_post.remove(handler)


@pytest.mark.parametrize("before", ["HOOK", "MESH_DEFORM", "SURFACE_DEFORM", "CORRECTIVE_SMOOTH", "BOOLEAN"])
def test_what_assigning_resets_is_given_back(before: str) -> None:
    skin = character(before=before)
    play_to(5)
    assert relative_deviation(skin) < 1e-5
    expected = positions_of(skin).copy()
    add(skin, "SUBSURF", "Behind")
    bpy.context.view_layer.update()
    found = read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), len(expected))
    np.testing.assert_array_equal(found.positions, expected)


ALWAYS_DIFFER = {"rna_type", "execution_time", "persistent_uid", "is_override_data", "info"}
"""Properties that differ between equivalent modifiers or constraints; a point cache's info is for people."""


def different_properties(
    copy: bpy.types.bpy_struct, original: bpy.types.bpy_struct, depth: int = 3
) -> list[str]:
    """Every property of RNA in which two structs differ, read-only ones and structs within them included."""
    found = []
    for one in original.bl_rna.properties:
        name = one.identifier
        if name in ALWAYS_DIFFER:
            continue
        mine, theirs = getattr(copy, name, None), getattr(original, name, None)
        if one.type == "POINTER":
            if isinstance(theirs, bpy.types.ID) or theirs is None or mine is None:
                found += [name] * ((mine is None) != (theirs is None))
            elif depth:
                found += [f"{name}.{each}" for each in different_properties(mine, theirs, depth - 1)]
        elif one.type == "COLLECTION":
            found += [name] * (len(mine) != len(theirs))
        elif str(plain(mine)) != str(plain(theirs)):
            found.append(name)
    return found


def plain(value: object) -> object:
    return value if isinstance(value, (str, set, bool, int, float)) else [plain(one) for one in value or ()]


@pytest.mark.parametrize("kind", modifier_types())
def test_a_copied_modifier_has_every_property_of_its_original(kind: str) -> None:
    skin = character(before=kind)
    play_to(3)
    with IsolatedScene(bpy.context.evaluated_depsgraph_get()) as scene:
        copy = scene.copy_of(skin)
        for modifier in skin.modifiers:
            assert not different_properties(copy.modifiers[modifier.name], modifier)


@pytest.mark.parametrize("kind", [one.identifier for one in CONSTRAINTS.enum_items])
def test_a_copied_constraint_has_every_property_of_its_original(kind: str) -> None:
    skin = character()
    armature = bpy.data.objects["Arm"]
    bone = armature.pose.bones["b2"]
    constraint = bone.constraints.new(kind)
    target = bent_curve() if kind in {"FOLLOW_PATH", "SPLINE_IK"} else box("Target", 1, (1, 0.5, 2))
    for name in ("target", "pole_target"):
        if hasattr(constraint, name):
            setattr(constraint, name, target)
    if kind == "ARMATURE":
        constraint.targets.new().target = target
    for name in ("inverse_matrix", "space_object"):
        if hasattr(constraint, name):
            setattr(constraint, name, target if name == "space_object" else Matrix.Translation((1, 2, 3)))
    bpy.context.view_layer.update()
    with IsolatedScene(bpy.context.evaluated_depsgraph_get()) as scene:
        scene.copy_of(skin)
        copies = [one for one in bpy.data.objects if one.type == "ARMATURE" and one != armature]
        assert len(copies) == 1
        copied = copies[0].pose.bones["b2"].constraints[0]
        assert not different_properties(copied, constraint)
        assert getattr(copied, "target", None) != target or kind == "ARMATURE"
