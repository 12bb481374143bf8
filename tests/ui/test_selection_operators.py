from __future__ import annotations

import bpy
import pytest

from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def cast(session):  # noqa: ARG001 - registers the operators
    """A rig whose vertices a modifier between two armature modifiers moves; only part of them, by a group."""
    rig = random_rig(RigOptions(scale="none"))
    moved = rig.mesh.vertex_groups.new(name="moved")
    moved.add(range(40), 1.0, "REPLACE")
    displace = rig.mesh.modifiers.new("Displace", "DISPLACE")
    displace.mid_level, displace.strength = 0.0, 0.02
    displace.vertex_group = "moved"
    last = rig.mesh.modifiers.new("Last", "ARMATURE")
    last.object, last.use_vertex_groups, last.use_bone_envelopes = rig.armature, False, False
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig.mesh


def selected(mesh_object) -> list[int]:
    bpy.ops.object.mode_set(mode="OBJECT")
    return [vertex.index for vertex in mesh_object.data.vertices if vertex.select]


def test_what_is_off_is_selected_in_edit_mode_and_nothing_else(cast):
    cast.data.vertices[200].select = True
    assert bpy.ops.skinscope.select_deviating(threshold=0.01) == {"FINISHED"}
    assert cast.mode == "EDIT"
    assert tuple(bpy.context.tool_settings.mesh_select_mode) == (True, False, False)
    assert selected(cast) == list(range(40))
    faces = [face for face in cast.data.polygons if face.select]
    assert all(max(face.vertices) < 40 for face in faces)


def test_hidden_vertices_stay_out(cast):
    cast.data.vertices[3].hide = True
    bpy.ops.skinscope.select_deviating(threshold=0.01)
    assert selected(cast) == [i for i in range(40) if i != 3]


def test_it_works_from_edit_mode(cast):
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    assert bpy.ops.skinscope.select_deviating(threshold=0.01) == {"FINISHED"}
    assert selected(cast) == list(range(40))


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_where_nothing_is_off_nothing_changes(cast, mode):
    cast.data.vertices[200].select = True
    before = [vertex.select for vertex in cast.data.vertices]
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.skinscope.select_deviating(threshold=0.03) == {"CANCELLED"}
    assert cast.mode == mode
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [vertex.select for vertex in cast.data.vertices] == before


def test_a_mesh_whose_vertices_are_others_is_refused_in_a_sentence(cast):
    cast.modifiers.new("Finer", "SUBSURF")
    cast.modifiers.move(len(cast.modifiers) - 1, 0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="switch those modifiers off"):
        bpy.ops.skinscope.select_deviating(threshold=0.01)
    assert cast.mode == "OBJECT"


def test_without_an_active_mesh_it_says_what_to_make_active(cast):  # noqa: ARG001
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Make a mesh active"):
        bpy.ops.skinscope.select_deviating()


def test_undo_in_edit_mode_brings_the_selection_back(cast):
    name = cast.name
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.select_deviating("EXEC_DEFAULT", True, threshold=0.01)
    bpy.ops.ed.undo()
    assert bpy.data.objects[name].mode == "EDIT"
    assert selected(bpy.data.objects[name]) == list(range(300))


def test_undo_brings_the_selection_back(cast):
    cast.data.vertices[200].select = True
    name = cast.name
    bpy.ops.ed.undo_push(message="before")
    # A call from Python makes no undo step unless it is asked to.
    bpy.ops.skinscope.select_deviating("EXEC_DEFAULT", True, threshold=0.01)
    assert bpy.data.objects[name].mode == "EDIT"
    bpy.ops.ed.undo()
    mesh_object = bpy.data.objects[name]
    assert mesh_object.mode == "OBJECT"
    assert selected(mesh_object) == [200]


def test_framing_needs_a_view_and_a_preview(session):  # noqa: ARG001
    with pytest.raises(RuntimeError, match="3D view"):
        bpy.ops.skinscope.frame_worst_vertex()
