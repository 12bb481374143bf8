"""Which pose a preview shows: one that Blender has rebuilt, and each scene's and view layer's own."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.text.errors import PoseNotReadyError
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.viewport.character import preview as preview_module
from skinning_addon.viewport.character.stale import Stale
from skinning_addon.viewport.layers import layer_key
from tests.viewport.character.following import catch_up, follow, layer, relative_deviation, skinned_by


@pytest.mark.parametrize("emptied", [False, True])
def test_a_pose_that_is_not_rebuilt_yet_is_waited_for(preview, rig, emptied):
    """After undo, or where data was exchanged, pose bones are those of before until Blender evaluates the
    armature.
    """
    follow(preview, rig)
    good = rig.armature.data
    other = bpy.data.armatures.new("Other") if emptied else good.copy()
    if not emptied:
        other.bones[0].name = "renamed"
    # As undo and reloading a library do; assigning the data rebuilds the pose at once.
    good.user_remap(other)
    with pytest.raises(PoseNotReadyError, match="wait a moment"):
        read_armature(rig.armature)
    preview.mark(Stale.MESH)
    preview.wanted_in, preview._binding_pace.due = layer(), 0.0
    preview.bind_if_needed(rig.mesh, bpy.context.view_layer.depsgraph)
    assert not preview.error
    if emptied:
        assert catch_up(preview, rig) is None
        assert "has no bones" in preview.paused
        rig.armature.data = good
    live = catch_up(preview, rig)
    assert relative_deviation(live, rig) < 1e-5
    assert (preview.paused, preview.error, preview.wanted_in) == ("", "", None)


def test_a_preview_goes_on_by_itself_once_the_pose_is_rebuilt(preview, rig, monkeypatch):
    def not_ready(*_: object) -> None:
        raise PoseNotReadyError("'{armature}' is not ready.", armature="Random")

    follow(preview, rig)
    preview.mark(Stale.MESH)
    with monkeypatch.context() as patched:
        patched.setattr(preview_module, "bind_mesh", not_ready)
        assert catch_up(preview, rig) is None
        assert preview.paused == "'Random' is not ready."
        assert preview.wanted_in == layer(), "it waits for a mark"
    assert relative_deviation(catch_up(preview, rig), rig) < 1e-5
    assert (preview.paused, preview.error, preview.wanted_in) == ("", "", None)


def test_one_object_in_two_scenes_is_posed_as_each_of_them_poses_it(preview, rig):
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(rig.mesh)
    other.collection.objects.link(rig.armature)
    for frame, place in ((1, 0.0), (20, 5.0)):
        rig.armature.location.x = place
        rig.armature.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    other.frame_set(20)
    here, there = bpy.context.view_layer, other.view_layers[0]
    live_here = preview.follow(rig.mesh, here.depsgraph, layer_key(bpy.context.scene, here))
    live_there = preview.follow(rig.mesh, there.depsgraph, layer_key(other, there))
    assert live_here is not live_there
    moved = live_there._frame.passes[0].root_to_mesh - live_here._frame.passes[0].root_to_mesh
    assert np.abs(moved).max() > 1


def test_two_view_layers_follow_and_are_freed_each_on_its_own(preview, rig):
    here, there = bpy.context.view_layer, bpy.context.scene.view_layers.new("There")
    there.update()
    scene = bpy.context.scene
    lives = [
        preview.follow(rig.mesh, view_layer.depsgraph, layer_key(scene, view_layer))
        for view_layer in (here, there)
    ]
    assert lives[0] is not lives[1]
    rig.pose()
    for view_layer in (here, there):
        view_layer.update()
        live = preview.follow(rig.mesh, view_layer.depsgraph, layer_key(scene, view_layer))
        blender = read_blender_positions(rig.mesh, view_layer.depsgraph, live.binding.mesh.vertex_count)
        skinned = skinned_by(live)
        assert np.abs(skinned - blender).max() < 1e-5 * live.binding.mesh.diagonal
    scene.view_layers.remove(there)
    assert relative_deviation(follow(preview, rig), rig) < 1e-5
