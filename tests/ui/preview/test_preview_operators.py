from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.preview.what_to_preview import meshes_to_preview
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def rig():
    return random_rig(RigOptions(scale="none"))


def select(*objects, active=None):
    bpy.context.view_layer.update()
    for one in bpy.context.view_layer.objects:
        one.select_set(one in objects)
    bpy.context.view_layer.objects.active = active or (objects[0] if objects else None)


def part_of(rig, name):
    """A second mesh that the same armature deforms."""
    part = rig.mesh.copy()
    part.name = name
    bpy.context.scene.collection.objects.link(part)
    bpy.context.view_layer.update()
    return part


def previewed(session):
    return sorted(one.name for one in session.previews)


def test_it_previews_the_selected_meshes(session, rig):
    part_of(rig, "not selected")
    select(rig.mesh)
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    assert previewed(session) == [rig.mesh.name]


def test_with_the_armature_active_it_previews_all_that_the_armature_moves(session, rig):
    part_of(rig, "part")
    hidden = part_of(rig, "hidden")
    hidden.hide_set(True)
    sword = bpy.data.objects.new("sword", bpy.data.meshes.new_from_object(rig.mesh))
    bpy.context.scene.collection.objects.link(sword)
    sword.parent, sword.parent_type, sword.parent_bone = rig.armature, "BONE", rig.armature.data.bones[0].name
    select(rig.armature)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    assert previewed(session) == sorted([rig.mesh.name, "part", "sword"])


def test_nothing_selected_says_what_to_select(session):  # noqa: ARG001 - registers the operators
    select()
    with pytest.raises(RuntimeError, match="Select a mesh with an armature"):
        bpy.ops.skinscope.preview_start()


def test_a_mesh_that_nothing_deforms_is_refused_in_a_sentence(session, rig):
    rig.mesh.modifiers.clear()
    select(rig.mesh)
    with pytest.raises(RuntimeError, match=f"'{rig.mesh.name}' has no armature"):
        bpy.ops.skinscope.preview_start()
    assert session.previews == ()


def test_an_armature_that_moves_nothing_is_refused_in_a_sentence(session, rig):
    bpy.data.objects.remove(rig.mesh)
    select(rig.armature)
    with pytest.raises(RuntimeError, match="No armature deforms the selection"):
        bpy.ops.skinscope.preview_start()
    assert session.previews == ()


def test_one_mesh_that_is_refused_does_not_keep_the_others_back(session, rig):
    plain = bpy.data.objects.new("plain", rig.mesh.data.copy())
    bpy.context.scene.collection.objects.link(plain)
    select(rig.mesh, plain)
    assert bpy.ops.skinscope.preview_start() == {"FINISHED"}
    assert previewed(session) == [rig.mesh.name]


def test_stopping_ends_all_previews_or_one(session, rig):
    part = part_of(rig, "part")
    select(rig.mesh, part)
    bpy.ops.skinscope.preview_start()
    assert bpy.ops.skinscope.preview_stop(uid=part.session_uid) == {"FINISHED"}
    assert previewed(session) == [rig.mesh.name]
    assert bpy.ops.skinscope.preview_stop() == {"FINISHED"}
    assert session.previews == ()
    with pytest.raises(RuntimeError, match="No preview is running"):
        bpy.ops.skinscope.preview_stop()


def test_toggling_starts_where_none_is_on_and_stops_all_otherwise(session, rig):
    select(rig.mesh)
    assert bpy.ops.skinscope.preview_toggle() == {"FINISHED"}
    assert previewed(session) == [rig.mesh.name]
    select()
    assert bpy.ops.skinscope.preview_toggle() == {"FINISHED"}
    assert session.previews == ()
    with pytest.raises(RuntimeError, match="Select a mesh with an armature"):
        bpy.ops.skinscope.preview_toggle()


def test_hiding_previews_draws_none_and_ends_none(session, rig):
    select(rig.mesh)
    bpy.ops.skinscope.preview_start()
    bpy.context.scene.skinscope.show_previews = False
    assert not session.settings_of(bpy.context.scene).shown
    assert previewed(session) == [rig.mesh.name]


def test_starting_shows_previews_that_were_hidden(session, rig):  # noqa: ARG001
    bpy.context.scene.skinscope.show_previews = False
    select(rig.mesh)
    bpy.ops.skinscope.preview_start()
    assert bpy.context.scene.skinscope.show_previews


def test_only_selected_meshes_count_where_a_mesh_is_active(session, rig):  # noqa: ARG001
    select(rig.mesh, rig.armature, active=rig.mesh)
    part_of(rig, "part").select_set(False)
    assert meshes_to_preview(bpy.context) == [rig.mesh]


def test_untouched_settings_fit_the_character_and_others_stay(session, rig):  # noqa: ARG001
    rig.mesh.scale = (100, 100, 100)
    bpy.context.view_layer.update()
    select(rig.mesh)
    settings = bpy.context.scene.skinscope
    settings.distance = 3
    bpy.ops.skinscope.preview_start()
    assert settings.distance == 3
    height = rig.mesh.dimensions.z
    assert settings.threshold == pytest.approx(0.005 * height / 1.8, rel=0.6)
