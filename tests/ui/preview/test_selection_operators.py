from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.ui.widgets.focus import preview_in_focus
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
    assert tuple(bpy.context.scene.tool_settings.mesh_select_mode) == (True, False, False)
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
    with pytest.raises(RuntimeError, match="switch them off"):
        bpy.ops.skinscope.select_deviating(threshold=0.01)
    assert cast.mode == "OBJECT"


def test_without_an_active_mesh_it_says_what_to_make_active(cast):  # noqa: ARG001
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Make a mesh with an armature active"):
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


def with_two_influences(mesh_object) -> np.ndarray:
    """Let Blender deform a copy of a mesh that keeps the two largest influences of each vertex: (V, 3), mesh
    space.
    """
    copy = mesh_object.copy()
    copy.data = mesh_object.data.copy()
    bpy.context.scene.collection.objects.link(copy)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    copy.select_set(True)
    bpy.context.view_layer.objects.active = copy
    bpy.ops.object.vertex_group_limit_total(group_select_mode="ALL", limit=2)
    bpy.ops.object.vertex_group_normalize_all(lock_active=False)
    positions = deformed(copy)
    bpy.data.objects.remove(copy)
    return positions


def deformed(mesh_object) -> np.ndarray:
    evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([vertex.co for vertex in evaluated.data.vertices])


def test_what_an_engine_makes_of_it_is_what_is_off(session):  # noqa: ARG001 - registers the operators
    rig = random_rig(RigOptions(scale="none"))
    for bone in rig.armature.data.bones:
        bone.use_deform = True
    for group in [one for one in rig.mesh.vertex_groups if one.name not in rig.armature.data.bones]:
        rig.mesh.vertex_groups.remove(group)
    off = np.linalg.norm(with_two_influences(rig.mesh) - deformed(rig.mesh), axis=1)
    threshold = float(np.sort(off)[-30:-28].mean())
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "unity-2"
    bpy.ops.skinscope.select_deviating(threshold=threshold)
    # The earlier ones have weights close to 0, which Blender's operator would raise to 1.
    chosen = [one for one in selected(rig.mesh) if one >= 20]
    assert chosen == [one for one in np.flatnonzero(off > threshold).tolist() if one >= 20]
    assert len(chosen) > 20


def test_what_a_modifier_after_the_armature_moves_is_not_off(session):  # noqa: ARG001 - registers the operators
    rig = random_rig(RigOptions(scale="none"))
    rig.mesh.modifiers.new("Swollen", "CAST").factor = 1.0
    bpy.context.view_layer.objects.active = rig.mesh
    assert bpy.ops.skinscope.select_deviating(threshold=1e-3) == {"CANCELLED"}
    assert rig.mesh.mode == "OBJECT"


@pytest.fixture
def posed(cast, session):
    """The armature of `cast` in Pose Mode, and the preview of its mesh; another character is previewed too."""
    other = random_rig(RigOptions(seed=7, scale="none"))
    other.mesh.modifiers.new("Last", "ARMATURE").object = other.armature
    armature = cast.modifiers[0].object
    for one in bpy.context.view_layer.objects:
        one.select_set(one == armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for mesh_object in (other.mesh, cast):
        session.start(mesh_object, depsgraph)
    return armature


def edited() -> list[str]:
    return [one.name for one in bpy.context.objects_in_mode]


def test_with_an_armature_active_its_previewed_mesh_is_meant(cast, posed):
    assert bpy.ops.skinscope.select_deviating(threshold=0.01) == {"FINISHED"}
    assert bpy.context.active_object == cast
    assert edited() == [cast.name]
    assert not posed.select_get()
    assert selected(cast) == list(range(40))


def test_of_all_meshes_of_an_armature_those_that_are_off_are_edited(cast, posed, session):
    bpy.ops.object.mode_set(mode="OBJECT")
    good, worse = cast.copy(), cast.copy()
    for one in (good, worse):
        one.data = cast.data.copy()
        bpy.context.scene.collection.objects.link(one)
    good.modifiers.remove(good.modifiers["Displace"])
    worse.modifiers["Displace"].strength = 0.05
    for one in (good, worse):
        session.start(one, bpy.context.evaluated_depsgraph_get())
    bpy.context.view_layer.objects.active = posed
    assert bpy.ops.skinscope.select_deviating(threshold=0.01) == {"FINISHED"}
    assert bpy.context.active_object == worse
    assert sorted(edited()) == sorted([cast.name, worse.name])
    assert selected(cast) == selected(worse) == list(range(40))


def test_where_nothing_is_off_posing_goes_on(cast, posed):  # noqa: ARG001
    assert bpy.ops.skinscope.select_deviating(threshold=0.03) == {"CANCELLED"}
    assert bpy.context.active_object == posed
    assert posed.mode == "POSE"


def test_one_undo_leads_back_to_the_pose(cast, posed):
    names = cast.name, posed.name
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.select_deviating("EXEC_DEFAULT", True, threshold=0.01)
    bpy.ops.ed.undo()
    mesh_object, armature = (bpy.data.objects[name] for name in names)
    assert bpy.context.active_object == armature
    assert armature.mode == "POSE"
    assert mesh_object.mode == "OBJECT"
    assert not mesh_object.select_get()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not any(vertex.select for vertex in mesh_object.data.vertices)


def test_a_mesh_that_is_hidden_is_named(cast, posed):  # noqa: ARG001
    cast.hide_set(True)
    with pytest.raises(RuntimeError, match=f"'{cast.name}' is hidden"):
        bpy.ops.skinscope.select_deviating()


def test_with_an_armature_active_panels_are_about_what_it_poses(cast, posed, session):  # noqa: ARG001
    assert preview_in_focus(bpy.context).uid == cast.session_uid
    session.stop([cast.session_uid])
    # That of the other armature is better than none.
    assert preview_in_focus(bpy.context) == session.previews[0]


def test_framing_needs_a_view_and_a_preview(session):  # noqa: ARG001
    with pytest.raises(RuntimeError, match="3D view"):
        bpy.ops.skinscope.frame_worst_vertex()
