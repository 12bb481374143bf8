"""What makes a preview read a frame, rebind, or pause. Nothing is drawn here."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.viewport.character import preview as preview_module
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.character.stale import Stale
from tests.scene.animated_settings import FRAMES, animated_rig
from tests.scene.random_rig import RigOptions, random_rig
from tests.viewport.character.following import catch_up, follow, layer, relative_deviation, skinned_by


def test_a_frame_is_read_once_however_often_it_is_drawn(preview, rig):
    frame = follow(preview, rig)._frame
    assert follow(preview, rig)._frame is frame
    rig.pose()
    assert follow(preview, rig)._frame is not frame


def test_posing_and_frame_changes_keep_the_binding(preview, rig):
    bound = follow(preview, rig).binding
    rig.pose()
    rig.armature.location.x += 0.3
    rig.armature.data.bones[0].hide = True
    bpy.context.scene.frame_set(7)
    live = catch_up(preview, rig)
    assert live.binding is bound
    assert relative_deviation(live, rig) < 1e-5


@pytest.mark.parametrize(
    "change",
    [
        "mesh.vertex_groups[0].add([0, 1, 2], 0.25, 'REPLACE')",
        "mesh.vertex_groups.new(name='a new group'); bone.name = 'a new group'",
        "mesh.modifiers[0].use_deform_preserve_volume = True",
        "mesh.data.vertices[0].co.x += 1",
        "mesh.data = mesh.data.copy(); mesh.data.vertices[1].co.x += 1",
        "bone.use_deform = False",
        "bone.bbone_segments = 3",
        "mesh.parent = armature; mesh.parent_type = 'ARMATURE'",
        (
            "mesh.modifiers.clear(); mesh.parent = armature; mesh.parent_type = 'BONE'; mesh.parent_bone = "
            "'bone 4'"
        ),
        "armature.name = 'Renamed'",
        "armature.data = armature.data.copy(); armature.data.bones[0].use_deform = False",
    ],
)
def test_a_change_of_the_binding_makes_it_bind_again(preview, rig, change):
    bound = follow(preview, rig).binding
    exec(change, {"mesh": rig.mesh, "armature": rig.armature, "bone": rig.armature.data.bones[0]})  # noqa: S102
    live = catch_up(preview, rig)
    assert live.binding is not bound
    assert relative_deviation(live, rig) < 1e-5
    bound = live.binding
    assert catch_up(preview, rig).binding is bound, "it goes on binding"


def test_a_constraint_on_a_part_that_a_bone_carries_is_followed(preview, rig):
    rig.mesh.modifiers.clear()
    rig.mesh.parent, rig.mesh.parent_type, rig.mesh.parent_bone = rig.armature, "BONE", "bone 4"
    assert relative_deviation(catch_up(preview, rig), rig) < 1e-5
    constraint = rig.mesh.constraints.new("COPY_LOCATION")
    constraint.target = rig.armature
    assert relative_deviation(catch_up(preview, rig), rig) < 1e-5
    rig.mesh.constraints.clear()
    assert relative_deviation(catch_up(preview, rig), rig) < 1e-5


def test_shape_keys_that_play_are_followed(preview, rig):
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Bulge")
    for point in key.data:
        point.co *= 1.5
    key.value = 0
    key.keyframe_insert("value", frame=1)
    key.value = 1
    key.keyframe_insert("value", frame=11)
    for frame in (1, 6, 11):
        bpy.context.scene.frame_set(frame)
        assert relative_deviation(catch_up(preview, rig), rig) < 1e-5
    bound = catch_up(preview, rig).binding
    assert catch_up(preview, rig).binding is bound, "it goes on binding although nothing changes"


def test_looking_at_shape_keys_does_not_make_it_look_again(preview, rig, monkeypatch):
    """Looking makes and removes data-blocks, which Blender reports as an update of every object of the
    scene.
    """
    rig.mesh.shape_key_add(name="Basis")
    catch_up(preview, rig)
    looked = []
    moved_contents = preview_module.moved_contents
    monkeypatch.setattr(preview_module, "moved_contents", lambda *a: looked.append(1) or moved_contents(*a))
    preview.mark(Stale.OBJECTS)
    catch_up(preview, rig)
    assert not looked
    preview.mark(Stale.POSE)
    catch_up(preview, rig)
    assert looked


def test_painting_weights_rests_between_bindings(preview, rig):
    follow(preview, rig)
    rig.mesh.vertex_groups[0].add([0], 0.5, "REPLACE")
    bpy.context.view_layer.update()
    bound = preview.binding
    preview._binding_pace.due = float("inf")
    live = follow(preview, rig)
    assert live is not None, "meanwhile the last state is drawn"
    assert not preview.bind_if_needed(rig.mesh, bpy.context.view_layer.depsgraph)
    assert preview.binding is bound
    assert preview.wanted_in == layer(), "it is put off, not forgotten"


def test_edit_mode_pauses_it_and_says_so(preview, rig):
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.ops.object.mode_set(mode="EDIT")
    assert catch_up(preview, rig) is None
    assert "Edit Mode" in preview.paused
    bpy.ops.object.mode_set(mode="OBJECT")
    assert catch_up(preview, rig) is not None
    assert preview.paused == ""


def test_an_object_scaled_to_zero_pauses_it_until_it_is_scaled_up(preview, rig):
    follow(preview, rig)
    rig.mesh.scale = (0, 0, 0)
    assert catch_up(preview, rig) is None
    assert "scaled to zero" in preview.paused
    rig.mesh.scale = (1, 1, 1)
    assert catch_up(preview, rig) is not None
    assert preview.paused == ""


@pytest.mark.parametrize(
    "change",
    [
        "mesh.modifiers[0].object = None",
        "mesh.scale = (0, 0, 0)",
        (
            "mesh.data.clear_geometry(); mesh.modifiers.new('Triangulate', 'TRIANGULATE'); "
            "mesh.modifiers.move(1, 0)"
        ),
    ],
)
def test_what_can_not_be_bound_is_not_tried_again_until_it_changes(preview, rig, monkeypatch, change):
    """Trying makes data-blocks if the mesh has shape keys, which Blender reports as an update of every
    object.
    """
    rig.mesh.shape_key_add(name="Basis")
    follow(preview, rig)
    exec(change, {"mesh": rig.mesh})  # noqa: S102
    tried = []
    read_mesh_contents = preview_module.read_mesh_contents
    monkeypatch.setattr(
        preview_module, "read_mesh_contents", lambda *a, **k: tried.append(1) or read_mesh_contents(*a, **k)
    )
    for _ in range(6):
        assert catch_up(preview, rig) is None
    assert preview.paused
    assert len(tried) <= 2
    assert preview.wanted_in is None


def test_without_its_armature_it_pauses_and_with_it_goes_on(preview, rig):
    follow(preview, rig)
    rig.mesh.modifiers[0].object = None
    assert catch_up(preview, rig) is None
    assert "has no armature" in preview.paused
    rig.mesh.modifiers[0].object = rig.armature
    assert catch_up(preview, rig) is not None


def test_other_bones_put_in_the_armature_pause_or_follow_and_the_old_ones_bring_it_back(preview, rig):
    follow(preview, rig)
    own = rig.armature.data
    rig.armature.data = random_rig(RigOptions(seed=5, bones=2)).armature.data
    live = catch_up(preview, rig)
    assert preview.error == ""
    assert preview.paused if live is None else relative_deviation(live, rig) < 1e-5
    rig.armature.data = own
    live = catch_up(preview, rig)
    assert preview.paused == ""
    assert relative_deviation(live, rig) < 1e-5


def test_rest_position_is_followed_there_and_back(preview, rig):
    rig.pose()
    posed = skinned_by(follow(preview, rig))
    rig.armature.data.pose_position = "REST"
    live = catch_up(preview, rig)
    at_rest = skinned_by(live)
    assert np.abs(at_rest - live.binding.mesh.positions).max() < 1e-5 * live.binding.mesh.diagonal
    assert np.abs(at_rest - posed).max() > 0.01 * live.binding.mesh.diagonal
    assert relative_deviation(live, rig) < 1e-5
    rig.armature.data.pose_position = "POSE"
    assert relative_deviation(catch_up(preview, rig), rig) < 1e-5
    assert (preview.paused, preview.error) == ("", "")


def test_a_modifier_that_animation_switches_off_is_noticed(preview, rig):
    modifier = rig.mesh.modifiers[0]
    for frame, on in ((1, True), (10, False)):
        modifier.show_viewport = on
        modifier.keyframe_insert("show_viewport", frame=frame)
    moved = []
    for frame in (1, 12, 1):
        bpy.context.scene.frame_set(frame)
        live = catch_up(preview, rig)
        assert relative_deviation(live, rig) < 1e-5
        moved.append(np.abs(skinned_by(live) - live.binding.mesh.positions).max())
    assert moved[1] == 0 < moved[0] == moved[2]
    assert (preview.paused, preview.error) == ("", "")


SCRIPTED = {
    "switch": "mesh.modifiers[0].show_viewport = False",
    "volume": "mesh.modifiers[0].use_deform_preserve_volume = True",
    "groups": "mesh.modifiers[0].use_vertex_groups = False",
    "renamed group": "mesh.vertex_groups[1].name = 'Else'",
    "new modifier": "mesh.modifiers.new('Other', 'ARMATURE').object = armature",
    "no armature": "mesh.modifiers[0].object = None",
}


@pytest.mark.parametrize("event", ["frame_change_pre", "frame_change_post"])
@pytest.mark.parametrize("change", SCRIPTED)
def test_what_a_script_changes_at_a_frame_is_noticed(preview, rig, change, event):
    """Of what a script does after a new frame, Blender reports nothing but the frame."""
    bone = rig.armature.pose.bones[1]
    for frame in (1, 20):
        bone.rotation_mode = "XYZ"
        bone.rotation_euler.x = frame / 10
        bone.keyframe_insert("rotation_euler", frame=frame)

    def change_at_frame_5(scene, *_) -> None:
        if scene.frame_current == 5:
            exec(SCRIPTED[change], {"mesh": rig.mesh, "armature": rig.armature})  # noqa: S102

    handlers = getattr(bpy.app.handlers, event)
    handlers.append(change_at_frame_5)
    try:
        for frame in (2, 3, 4):
            bpy.context.scene.frame_set(frame)
            live = catch_up(preview, rig)
            bound = live.binding
        bpy.context.scene.frame_set(5)
        live = catch_up(preview, rig)
        assert preview.paused or preview.binding is not bound or preview.wanted_in
        if not preview.paused:
            assert relative_deviation(live, rig) < 1e-5
    finally:
        handlers.remove(change_at_frame_5)


@pytest.mark.parametrize(
    "setting",
    [
        "use_deform_preserve_volume",
        "use_multi_modifier",
        "invert_vertex_group",
        "use_deform",
        "bbone_segments",
        "envelope_distance",
    ],
)
def test_an_animated_setting_is_followed(session, setting):
    rig = animated_rig(setting)
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        live = catch_up(preview, rig)
        assert relative_deviation(live, rig) < 1e-5, frame
        assert live.binding is catch_up(preview, rig).binding, "it goes on binding"
    assert (preview.paused, preview.error) == ("", "")


@pytest.mark.usefixtures("session")
def test_under_an_engine_what_it_drops_of_blenders_weights_is_known(rig):
    rig.mesh.modifiers[0].use_bone_envelopes = False
    preview = Preview(rig.mesh, bpy.context.evaluated_depsgraph_get(), load_profile("unity-1"))
    bones = rig.armature.data.bones
    shares, counts = [], []
    for vertex in rig.mesh.data.vertices:
        names = [rig.mesh.vertex_groups[one.group].name for one in vertex.groups]
        weights = [one.weight for one, name in zip(vertex.groups, names, strict=True) if name in bones]
        # One influence is kept, the largest; Unity's path does not know of bones that do not deform.
        shares.append(1 - max(weights) / sum(weights) if sum(weights) > 1e-4 else 0.0)
        counts.append(sum(one > 0 for one in weights) if sum(weights) > 1e-4 else 0)
    assert max(shares) > 0.2
    np.testing.assert_allclose(preview.binding.passes[0].dropped, shares, atol=1e-5)  # pyright: ignore[reportCallIssue]
    # One is left of each, but what Blender itself has is shown.
    assert preview.binding.passes[0].skin.largest_count == 1
    np.testing.assert_array_equal(preview.binding.passes[0].authored_counts, counts)
    assert max(counts) > 2
