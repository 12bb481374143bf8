"""Previews of armatures in Edit Mode: they show what each scene shows."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.viewport.character.stale import Stale
from skinning_addon.viewport.layers import layer_key
from tests.scene.random_rig import RandomRig, RigOptions, random_rig
from tests.viewport.character.following import catch_up, relative_deviation, skinned_by


@pytest.mark.parametrize(
    "options",
    [
        RigOptions(seed=3),
        RigOptions(seed=3, bendy=4),
        RigOptions(seed=3, preserve_volume=True, parent_armature=True, transformed=True),
        RigOptions(seed=3, modifiers=2, mask=True),
    ],
    ids=["plain", "bendy", "by parent", "two"],
)
def test_an_armature_that_is_edited_deforms_nothing(session, options):
    rig = random_rig(options)
    bpy.context.view_layer.objects.active = rig.armature
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    posed = skinned_by(catch_up(preview, rig))
    for mode in ("EDIT", "OBJECT", "EDIT", "POSE"):
        bpy.ops.object.mode_set(mode=mode)
        live = catch_up(preview, rig)
        assert relative_deviation(live, rig) < 1e-5, mode
        rest = live.binding.mesh.positions
        moved = np.abs(skinned_by(live) - rest).max() / live.binding.mesh.diagonal
        assert (moved < 1e-5) == (mode == "EDIT")
        blender = live._reference
        blender.follow(live._frame_revision, live._frame, rig.mesh, bpy.context.view_layer.depsgraph)
        if blender.wanted:
            blender.read_shadow(live._frame_revision, live._frame, rig.mesh, bpy.context.view_layer.depsgraph)
        assert np.abs(blender.positions - skinned_by(live)).max() < 1e-5 * live.binding.mesh.diagonal
    assert np.abs(skinned_by(live) - posed).max() < 1e-5 * live.binding.mesh.diagonal
    assert (preview.paused, preview.error) == ("", "")


@pytest.mark.parametrize("edited", [0, 1, 2])
def test_an_edited_armature_leaves_a_run_of_multi_modifiers_as_it_is(session, edited):
    rig = random_rig(RigOptions(seed=3))
    rigs = [rig.armature]
    for _ in range(2):
        rigs.append(rig.armature.copy())
        rigs[-1].data = rig.armature.data.copy()
        rigs[-1].pose.bones[1].location.x = 0.3 * len(rigs)
        bpy.context.collection.objects.link(rigs[-1])
        modifier = rig.mesh.modifiers.new("Multi", "ARMATURE")
        modifier.object, modifier.use_multi_modifier = rigs[-1], True
    bpy.context.view_layer.objects.active = rigs[edited]
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    for mode in ("OBJECT", "EDIT", "OBJECT"):
        bpy.ops.object.mode_set(mode=mode)
        live = catch_up(preview, rig)
        assert relative_deviation(live, rig) < 1e-5, mode


def test_bendy_bones_have_no_segments_after_undo_into_edit_mode(session):
    rig = random_rig(RigOptions(seed=3, bendy=4, bendy_mapping="CURVED"))
    bpy.context.preferences.edit.use_global_undo = True
    bpy.context.view_layer.objects.active = rig.armature
    names = rig.mesh.name, rig.armature.name
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.ed.undo_push(message="Edit")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.ed.undo_push(message="Leave")
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    bpy.ops.ed.undo()
    mesh, armature = (bpy.data.objects[name] for name in names)
    found = RandomRig(mesh, armature, rig.random, rig.options)
    assert found.armature.mode == "EDIT"
    for mode in ("EDIT", "OBJECT"):
        bpy.ops.object.mode_set(mode=mode)
        preview.mark(Stale.MESH)
        live = catch_up(preview, found)
        assert preview.paused == ""
        assert relative_deviation(live, found) < 1e-5, mode


def test_what_an_edited_armature_deforms_is_compared_before_later_modifiers(session, rig):
    rig.mesh.modifiers.new("Push", "DISPLACE").strength = 0.5
    bpy.context.view_layer.objects.active = rig.armature
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    bpy.ops.object.mode_set(mode="EDIT")
    live = catch_up(preview, rig)
    depsgraph = bpy.context.view_layer.depsgraph
    live._reference.read_shadow(live._frame_revision, live._frame, rig.mesh, depsgraph)
    rest = np.array([vertex.co for vertex in rig.mesh.data.vertices])
    np.testing.assert_allclose(live._reference.positions, rest, atol=1e-5)  # pyright: ignore[reportCallIssue]
    np.testing.assert_allclose(skinned_by(live), rest, atol=1e-5)


def test_an_armature_edited_in_another_scene_is_shown_as_each_scene_shows_it(session, rig):
    other = bpy.data.scenes.new("Other")
    for one in (rig.mesh, rig.armature):
        other.collection.objects.link(one)
    there = other.view_layers[0]
    there.update()
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    bpy.context.view_layer.objects.active = rig.armature
    for mode in ("EDIT", "OBJECT"):
        bpy.ops.object.mode_set(mode=mode)
        for evaluates in (False, True):
            if evaluates:
                rig.armature.data.update_tag()
                there.update()
            catch_up(preview, rig)
            live = preview.follow(rig.mesh, there.depsgraph, layer_key(other, there))
            blender = read_blender_positions(rig.mesh, there.depsgraph, live.binding.mesh.vertex_count)
            assert np.abs(skinned_by(live) - blender).max() < 1e-5 * live.binding.mesh.diagonal, (
                mode,
                evaluates,
            )
