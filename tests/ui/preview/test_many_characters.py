"""Linked characters, library overrides, instances of collections, and characters that come and go."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.ui.preview.what_to_preview import meshes_to_preview
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.layers import layer_key
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def library(tmp_path) -> str:
    """A file with the collection 'Character': a rig that bends from frame 1 to 20."""
    rig = random_rig(RigOptions(seed=3, scale="none"))
    character = bpy.data.collections.new("Character")
    bone = rig.armature.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (20, 1.0)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    for one in (rig.mesh, rig.armature):
        character.objects.link(one)
    path = str(tmp_path / "character.blend")
    bpy.data.libraries.write(path, {character})
    bpy.data.batch_remove([rig.mesh, rig.armature, character])
    return path


@pytest.fixture
def linked(session, library: str) -> bpy.types.Collection:  # noqa: ARG001 - registers the operators
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.collections = ["Character"]
    return into.collections[0]


def mesh_of(collection: bpy.types.Collection) -> bpy.types.Object:
    return next(one for one in collection.all_objects if one.type == "MESH")


def instance(collection: bpy.types.Collection, *, x: float) -> bpy.types.Object:
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    empty.location.x = x
    bpy.context.scene.collection.objects.link(empty)
    return empty


def select(*objects: bpy.types.Object) -> None:
    bpy.context.view_layer.update()
    for one in bpy.context.view_layer.objects:
        one.select_set(one in objects)
    bpy.context.view_layer.objects.active = objects[0]


def layer() -> tuple[int, str]:
    return layer_key(bpy.context.scene, bpy.context.view_layer)


def relative_deviation(preview: Preview, mesh_object: bpy.types.Object) -> float:
    """Bring the preview up to date as the draw handler and the timer do, and compare with Blender's mesh."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    preview.follow(mesh_object, depsgraph, layer())
    preview._binding_pace.due = 0.0
    if preview.wanted_in:
        preview.bind_if_needed(mesh_object, depsgraph)
    live = preview.follow(mesh_object, depsgraph, layer())
    skinned = live.surface.positions(live._frame)
    blender = read_blender_positions(mesh_object, depsgraph, len(skinned))
    return float(np.abs(skinned - blender).max()) / live.binding.mesh.diagonal


def assert_follows(session, mesh_object: bpy.types.Object) -> None:
    preview = session.preview_of(mesh_object)
    for frame in (1, 10, 20):
        bpy.context.scene.frame_set(frame)
        assert relative_deviation(preview, mesh_object) < 1e-5
        assert (preview.paused, preview.error) == ("", "")


def places(session, mesh_object: bpy.types.Object) -> list[tuple[float, ...]]:
    """Where instances of the object stand, as far as the session knows."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    session.instances.follow(layer(), depsgraph, [one.uid for one in session.previews])
    found = session.instances.of(mesh_object.session_uid, layer())
    return sorted(tuple(one.mesh_to_world[3, :3].round(5)) for one in found)


def test_a_linked_character_is_previewed_where_it_is_linked_into_the_scene(session, linked):
    bpy.context.scene.collection.children.link(linked)
    select(mesh_of(linked))
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    assert_follows(session, mesh_of(linked))


def test_a_linked_character_counts_as_shown_until_the_view_finds_its_instances_gone(session, linked):
    """Panels are drawn before the view: after any change in the scene they called it hidden, and stayed so."""
    empty = instance(linked, x=2.0)
    select(empty)
    bpy.ops.skinscope.preview_start()
    assert len(places(session, mesh_of(linked))) == 1
    uid = mesh_of(linked).session_uid
    session.instances.mark()
    assert len(session.instances.of(uid, layer())) == 1
    assert not session.instances.follow(layer(), bpy.context.evaluated_depsgraph_get(), [uid])
    bpy.data.objects.remove(empty)
    session.instances.mark()
    assert session.instances.follow(layer(), bpy.context.evaluated_depsgraph_get(), [uid])
    assert session.instances.of(uid, layer()) == ()
    # An idle view asks for no redraw of panels.
    assert not session.instances.follow(layer(), bpy.context.evaluated_depsgraph_get(), [uid])


def test_a_library_override_is_previewed_and_follows_its_own_pose(session, linked):
    bpy.context.scene.collection.children.link(linked)
    root = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    mesh = mesh_of(root)
    assert mesh.override_library
    select(mesh)
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    assert_follows(session, mesh)
    armature = mesh.modifiers[0].object
    armature.pose.bones[1].location.x += 0.5
    assert relative_deviation(session.preview_of(mesh), mesh) < 1e-5


def test_an_empty_starts_the_previews_of_what_it_instances(session, linked):
    empty = instance(linked, x=3.0)
    select(empty)
    assert meshes_to_preview(bpy.context) == [mesh_of(linked)]
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    assert_follows(session, mesh_of(linked))


@pytest.mark.parametrize("selected", [True, False])
def test_a_dropped_character_is_checked_as_if_it_were_in_the_scene(session, linked, selected):
    """The asset browser drops collections as instances."""
    scene = bpy.context.scene
    scene.frame_end, scene.skinscope.profiles.profile = 20, "unity-1"
    empty = instance(linked, x=3.0)
    select(empty)
    empty.select_set(selected)
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    dropped = session.checks.results.of(scene.session_uid, "unity-1").worst_mesh.worst
    bpy.data.objects.remove(empty)
    scene.collection.children.link(linked)
    select(mesh_of(linked))
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    placed = session.checks.results.of(scene.session_uid, "unity-1").worst_mesh.worst
    assert placed.max > 0.01
    assert dropped.max == pytest.approx(placed.max)
    assert (dropped.frame, dropped.worst_vertex) == (placed.frame, placed.worst_vertex)


def test_an_empty_without_characters_is_refused_in_a_sentence(session):
    collection = bpy.data.collections.new("Nobody")
    select(instance(collection, x=0.0))
    with pytest.raises(RuntimeError, match="No armature deforms the selection"):
        bpy.ops.skinscope.preview_start()
    assert session.previews == ()


def test_every_instance_is_found_and_followed_where_it_goes(session, linked):
    at = mesh_of(linked).matrix_world.translation
    first, second = instance(linked, x=0.0), instance(linked, x=3.0)
    select(first)
    bpy.ops.skinscope.preview_start()
    mesh = mesh_of(linked)
    assert places(session, mesh) == [tuple(np.round((at.x + x, at.y, at.z), 5)) for x in (0.0, 3.0)]
    second.location = (0.0, 0.0, 7.0)
    bpy.context.view_layer.update()
    assert places(session, mesh)[0] == tuple(np.round((at.x, at.y, at.z), 5))
    assert places(session, mesh)[1] == tuple(np.round((at.x, at.y, at.z + 7.0), 5))
    second.hide_set(True)
    bpy.context.view_layer.update()
    assert len(places(session, mesh)) == 1


def test_an_instance_of_an_instance_is_found(session, linked):
    inner = bpy.data.collections.new("Crowd")
    inside = instance(linked, x=1.0)
    bpy.context.scene.collection.objects.unlink(inside)
    inner.objects.link(inside)
    outer = instance(inner, x=10.0)
    select(outer)
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    mesh = mesh_of(linked)
    (found,) = places(session, mesh)
    assert found[0] == pytest.approx(mesh.matrix_world.translation.x + 11.0, abs=1e-4)


def test_instances_are_listed_again_only_after_a_change(session, linked, monkeypatch):
    from skinning_addon.viewport.objects import instances

    select(instance(linked, x=0.0))
    bpy.ops.skinscope.preview_start()
    listed = []
    instances_of = instances.instances_of
    monkeypatch.setattr(instances, "instances_of", lambda *a: listed.append(1) or instances_of(*a))
    session.instances.mark()
    for _ in range(3):
        places(session, mesh_of(linked))
    assert len(listed) == 1


def test_made_local_it_is_previewed_on(session, linked):
    bpy.context.scene.collection.children.link(linked)
    mesh = mesh_of(linked)
    select(mesh)
    bpy.ops.skinscope.preview_start()
    assert_follows(session, mesh)
    bpy.ops.object.make_local(type="ALL")
    local = next(one for one in bpy.context.view_layer.objects if one.type == "MESH" and one.library is None)
    preview = session.preview_of(local)
    if preview is None:
        # Blender keeps the linked one where something else uses it; then this is another object.
        select(local)
        bpy.ops.skinscope.preview_start()
    assert_follows(session, local)


def test_several_armatures_are_previewed_and_each_mesh_follows_its_own(session):
    rigs = [random_rig(RigOptions(seed=seed, scale="none")) for seed in (1, 2)]
    select(*(rig.armature for rig in rigs))
    bpy.ops.skinscope.preview_start()
    assert len(session.previews) == 2
    for rig in rigs:
        rig.pose()
    for rig in rigs:
        assert relative_deviation(session.preview_of(rig.mesh), rig.mesh) < 1e-5


def test_an_object_that_undo_brings_back_can_be_previewed_and_the_other_preview_goes_on(session):
    bpy.context.preferences.edit.use_global_undo = True
    rigs = [random_rig(RigOptions(seed=seed, scale="none")) for seed in (1, 2)]
    names = [rig.mesh.name for rig in rigs]
    select(*(rig.mesh for rig in rigs))
    bpy.ops.skinscope.preview_start()
    bpy.ops.ed.undo_push(message="Two")
    bpy.data.objects.remove(rigs[1].mesh)
    bpy.ops.ed.undo_push(message="One")
    bpy.ops.ed.undo()
    back = bpy.data.objects[names[1]]
    assert session.objects.find(back.session_uid) == back
    assert_follows(session, bpy.data.objects[names[0]])
    if session.preview_of(back) is None:
        session.start(back, bpy.context.evaluated_depsgraph_get())
    assert_follows(session, back)
