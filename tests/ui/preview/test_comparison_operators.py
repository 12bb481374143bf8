from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.settings.properties import hides_mesh_in, preview_settings
from skinning_addon.viewport.choices.settings import BlenderMesh
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the operators
    rig = random_rig(RigOptions())
    bpy.context.view_layer.update()
    for one in bpy.context.view_layer.objects:
        one.select_set(one == rig.mesh)
    bpy.context.view_layer.objects.active = rig.mesh
    return rig


@pytest.mark.usefixtures("rig")
def test_flickering_swaps_and_swaps_back_and_ends_with_the_last_preview(session):
    with pytest.raises(RuntimeError, match="No preview is running"):
        bpy.ops.skinscope.flicker()
    bpy.ops.skinscope.preview_start()
    bpy.ops.skinscope.flicker()
    assert session.swapped
    bpy.ops.skinscope.flicker()
    assert not session.swapped
    bpy.ops.skinscope.flicker()
    bpy.ops.skinscope.preview_stop()
    assert not session.swapped


def test_the_line_can_only_be_moved_where_there_is_one(session):  # noqa: ARG001
    with pytest.raises(RuntimeError, match="context is incorrect"):
        bpy.ops.skinscope.split_move()


def test_settings_say_what_is_compared(session):  # noqa: ARG001
    settings = bpy.context.scene.skinscope
    assert not preview_settings(bpy.context.scene).hides_blenders_mesh
    settings.blender_mesh = "GHOST"
    assert preview_settings(bpy.context.scene).blender_mesh is BlenderMesh.GHOST
    assert preview_settings(bpy.context.scene).split is None
    settings.placement, settings.split = "SPLIT", 0.25
    assert preview_settings(bpy.context.scene).split == 0.25
    assert preview_settings(bpy.context.scene).offset == (0, 0, 0)


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("placement", ["IN_PLACE", "ASIDE", "SPLIT"])
@pytest.mark.parametrize("blender_mesh", list(BlenderMesh.__members__))
def test_evaluations_and_redraws_agree_on_what_is_hidden(session, shown, placement, blender_mesh):  # noqa: ARG001
    scene = bpy.context.scene
    settings = scene.skinscope
    settings.show_previews, settings.placement, settings.blender_mesh = shown, placement, blender_mesh
    assert hides_mesh_in(scene) == preview_settings(scene).hides_blenders_mesh
    assert hides_mesh_in(scene) == (shown and (placement == "SPLIT" or blender_mesh != "SHOWN"))


@pytest.mark.parametrize(
    "setting", ["placement = 'SPLIT'", "blender_mesh = 'HIDDEN'", "blender_mesh = 'GHOST'"]
)
def test_changing_a_setting_hides_blenders_mesh_and_changing_it_back_shows_it(session, rig, setting):
    bpy.ops.skinscope.preview_start()
    settings = bpy.context.scene.skinscope

    def hidden() -> bool:
        bpy.context.view_layer.update()
        copy = rig.mesh.evaluated_get(bpy.context.view_layer.depsgraph)
        return not copy.visible_camera

    assert not hidden()
    exec(f"settings.{setting}")  # noqa: S102
    assert hidden()
    assert rig.mesh.session_uid in session.hidden_meshes
    settings.placement, settings.blender_mesh = "IN_PLACE", "SHOWN"
    assert not hidden()
