"""What a game-ready copy keeps of a character, what it leaves out, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest

from skinning_addon.core.refit.channels import Channels
from skinning_addon.core.text.errors import InvalidArrayError, UsageError
from skinning_addon.scene.refit import game_ready_copy
from skinning_addon.scene.refit.game_ready_copy import make_copy
from skinning_addon.scene.refit.plan import CopiedBone, CopiedClip
from tests.scene.refit.evaluated import rest_matrices, rest_positions, weights, world_positions
from tests.scene.refit.planning import copied, planned

KINDS = ("actions", "armatures", "collections", "meshes", "objects", "scenes", "shape_keys")


def all_data() -> dict[str, set[str]]:
    return {kind: {one.name for one in getattr(bpy.data, kind)} for kind in KINDS}


@pytest.fixture
def character() -> tuple[bpy.types.Object, bpy.types.Object]:
    """An arm of three bones, of which the middle one does not deform, keyed, and a tube with everything that a
    mesh may have.
    """
    data = bpy.data.armatures.new("Arm")
    armature = bpy.data.objects.new("Arm", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for index, name in enumerate(("upper", "control", "lower")):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (0.1, 0.2, index), (0.15, 0.25, index + 1)
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    data.bones["control"].use_deform = False
    armature.location = (1, 2, 3)
    armature.keyframe_insert("location", frame=1)
    armature.location = (2, 2, 3)
    armature.keyframe_insert("location", frame=10)
    for index, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = "XYZ"
        bone.keyframe_insert("rotation_euler", frame=1)
        bone.rotation_euler = (0.4 + index / 5, 0.2, 0.1)
        bone.keyframe_insert("rotation_euler", frame=10)
    armature.animation_data.action.name = "Bend"
    armature.animation_data.action.pose_markers.new("step").frame = 5

    bpy.ops.mesh.primitive_cylinder_add(vertices=12, depth=3, location=(0, 0, 1.5))
    body = bpy.context.object
    body.name = "Body"
    bpy.ops.object.transform_apply(location=True)
    body.parent = armature
    body.matrix_parent_inverse.translation = (0.25, 0, 0)
    height = (rest_positions(body)[:, 2] / 3).clip(0, 1)
    for name, values in (("upper", 1 - height), ("lower", height), ("control", height), ("crease", height)):
        group = body.vertex_groups.new(name=name)
        for vertex, value in enumerate(values.tolist()):
            group.add([vertex], value, "REPLACE")
    mesh = body.data
    mesh.materials.append(bpy.data.materials.new("Skin"))
    mesh.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Wide").data[0].co.x += 0.5
    armature_modifier = body.modifiers.new("Rig", "ARMATURE")
    armature_modifier.object = armature
    armature_modifier.use_deform_preserve_volume = True
    body.modifiers.new("Relax", "CORRECTIVE_SMOOTH")
    body.modifiers.new("Finer", "SUBSURF")
    return armature, body


def test_everything_of_the_mesh_stays_but_the_weights_and_what_moves_it(character):
    armature, body = character
    rig, meshes = copied(planned(armature))
    copy = meshes["Body"]
    assert copy.data != body.data
    assert np.array_equal(rest_positions(copy), rest_positions(body))
    assert list(copy.data.materials) == list(body.data.materials)
    for layers in ("uv_layers", "color_attributes"):
        assert [one.name for one in getattr(copy.data, layers)] == [
            one.name for one in getattr(body.data, layers)
        ]
    assert [one.name for one in copy.data.shape_keys.key_blocks] == ["Basis", "Wide"]
    assert [(one.name, one.type) for one in copy.modifiers] == [("Rig", "ARMATURE"), ("Finer", "SUBSURF")]
    assert copy.modifiers["Rig"].object == rig
    assert not copy.modifiers["Rig"].use_deform_preserve_volume
    assert {group.name for group in copy.vertex_groups} == {"upper", "lower", "crease"}
    assert copy.parent == rig
    assert copy.matrix_parent_inverse == body.matrix_parent_inverse
    assert [bone.name for bone in rig.data.bones] == ["upper", "lower"]
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION"}


def test_of_an_armature_that_is_switched_off_the_copy_is_shown(character):
    armature, body = character
    bpy.context.view_layer.objects.active = body
    armature.hide_set(True)
    armature.hide_viewport = True
    # Without the middle bone, so its bones are edited.
    rig, meshes = copied(planned(armature))
    assert [bone.name for bone in rig.data.bones] == ["upper", "lower"]
    assert (rig.visible_get(), meshes["Body"].visible_get()) == (True, True)
    assert (armature.hide_viewport, armature.visible_get()) == (True, False)


@pytest.mark.parametrize("letter", ["b", "ü", "骨"])
def test_copies_of_long_names_say_what_they_are(character, letter):
    armature, body = character
    armature.name = body.name = letter * 300
    assert armature.name != body.name
    body.data.name = armature.animation_data.action.name = letter * 300
    plan = planned(armature)
    for ending in (" game-ready", " game-ready.001"):
        rig, meshes = copied(plan)
        (mesh,) = meshes.values()
        (track,) = rig.animation_data.nla_tracks
        named = (mesh.data, rig.users_collection[0], track.strips[0].action)
        assert {one.name[-len(ending) :] for one in named} == {ending}
        assert rig.name.startswith(letter * 10)
        assert mesh.name.startswith(letter * 10)
        assert " game-ready" in rig.name
        assert " game-ready" in mesh.name


def test_clips_keep_names_lengths_markers_and_the_motion_of_the_armature_itself(character):
    armature, _ = character
    rig, _ = copied(planned(armature))
    (track,) = rig.animation_data.nla_tracks
    (strip,) = track.strips
    assert (track.name, track.mute) == ("Bend", True)
    assert strip.action.name == "Bend game-ready"
    assert tuple(strip.action.frame_range) == (1, 10)
    assert [one.name for one in strip.action.pose_markers] == ["step"]
    # The clip that the original shows, so both are seen to move alike.
    assert rig.animation_data.action == strip.action
    for frame in (1, 4, 10):
        bpy.context.scene.frame_set(frame)
        assert rig.matrix_world == armature.matrix_world


def test_the_mesh_moves_alike_where_blender_skins_linearly(character):
    armature, body = character
    body.modifiers["Rig"].use_deform_preserve_volume = False
    body.modifiers.remove(body.modifiers["Relax"])
    _, meshes = copied(planned(armature))
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        wanted = world_positions(body)
        assert np.abs(world_positions(meshes["Body"]) - wanted).max() < 3e-5 * np.linalg.norm(
            np.ptp(wanted, axis=0)
        )


def test_the_originals_are_untouched_and_one_undo_takes_the_copy_away(character):
    armature, body = character
    before, rest, grouped = all_data(), rest_matrices(armature), weights(body)
    plan = planned(armature)
    assert all_data() == before
    bpy.ops.ed.undo_push(message="before")
    make_copy(plan.plan, bpy.context)
    bpy.ops.ed.undo_push(message="copy")
    assert all_data() != before
    armature, body = bpy.data.objects["Arm"], bpy.data.objects["Body"]
    assert [one.name for one in body.modifiers] == ["Rig", "Relax", "Finer"]
    assert weights(body) == grouped
    assert all(np.array_equal(matrix, rest[bone]) for bone, matrix in rest_matrices(armature).items())
    bpy.ops.ed.undo()
    assert all_data() == before


@pytest.mark.parametrize("step", ["copy_armature", "copy_meshes", "copy_clips"])
def test_nothing_is_left_of_a_copy_that_fails(character, monkeypatch, step: str):
    armature, _ = character
    plan = planned(armature).plan
    before = all_data()
    made = getattr(game_ready_copy, step)

    def failing(*arguments):
        made(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(game_ready_copy, step, failing)
    with pytest.raises(KeyboardInterrupt):
        make_copy(plan, bpy.context)
    assert all_data() == before


def test_what_has_changed_since_it_was_planned_is_refused(character):
    armature, body = character
    plan = planned(armature).plan
    before = all_data()
    body.shape_key_clear()
    body.data.clear_geometry()
    with pytest.raises(UsageError, match="'Body' has 0 vertices, but weights were found for 24"):
        make_copy(plan, bpy.context)
    assert all_data() == {**before, "shape_keys": set()}


def test_an_armature_that_is_being_edited_is_refused(character):
    armature, _ = character
    plan = planned(armature).plan
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    before = all_data()
    with pytest.raises(UsageError, match="'Arm' is being edited; leave Edit Mode"):
        make_copy(plan, bpy.context)
    assert all_data() == before


def test_a_mesh_that_another_armature_moves_too_is_refused(character):
    armature, body = character
    other = armature.copy()
    other.name = "Other"
    bpy.context.scene.collection.objects.link(other)
    body.modifiers.new("Second", "ARMATURE").object = other
    with pytest.raises(UsageError, match="'Body' is moved by 'Other' as well as by 'Arm'"):
        planned(armature)


def test_an_armature_without_deforming_bones_is_refused(character):
    armature, _ = character
    for bone in armature.data.bones:
        bone.use_deform = False
    with pytest.raises(UsageError, match="No bone of 'Arm' deforms"):
        planned(armature)


def test_weights_are_cut_to_the_limit(character):
    armature, body = character
    plan = planned(armature, influences=1)
    # Those at both ends have one bone already, the others have two.
    assert plan.cut_vertices == sum(
        len([name for name in one if name in {"upper", "lower"}]) > 1 for one in weights(body)
    )
    _, meshes = copied(plan)
    for one in weights(meshes["Body"]):
        assert sum(name in {"upper", "lower"} for name in one) == 1


def test_new_bones_are_made(character):
    armature, _ = character
    plan = planned(armature).plan
    helper = CopiedBone("helper", "upper", plan.bones[1].rest_to_root, 0.5)
    (clip,) = plan.clips
    parts = clip.channels
    widened = Channels(
        *(
            np.concatenate((one, one[:, 1:]), axis=1)
            for one in (parts.translations, parts.rotations, parts.scales)
        )
    )
    more = replace(
        plan, bones=(*plan.bones, helper), clips=(CopiedClip(clip.name, clip.frames, widened, clip.source),)
    )
    collection = make_copy(more, bpy.context)
    rig = next(one for one in collection.objects if one.type == "ARMATURE")
    assert rig.data.bones["helper"].parent.name == "upper"
    assert rig.data.bones["helper"].length == pytest.approx(0.5, abs=1e-6)
    bpy.context.scene.frame_set(7)
    bpy.context.view_layer.update()
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    assert np.array(bones["helper"].matrix) == pytest.approx(np.array(bones["lower"].matrix), abs=1e-4)


def test_plans_that_hold_no_numbers_are_refused(character):
    armature, _ = character
    plan = planned(armature).plan
    (mesh,) = plan.meshes
    broken = mesh.weights.copy()
    broken[0, 0] = np.nan
    with pytest.raises(InvalidArrayError, match="'Body' has weights that are no numbers"):
        replace(plan, meshes=(replace(mesh, weights=broken),))
