"""A verdict is marked old once a rig has changed since its check, and no longer once undo has brought it back."""

from __future__ import annotations

from collections.abc import Callable

import bmesh
import bpy
import pytest

from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RandomRig, RigOptions


@pytest.fixture
def rig(session) -> RandomRig:
    rig = animated_rig(RigOptions(scale="none"))
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    assert not old(session)
    return rig


def old(session) -> bool:
    """What a view and its timer do after an edit."""
    bpy.context.view_layer.update()
    if session.checks.rigs.due:
        session.checks.compare()
    return session.checks.results.check_of(bpy.context.scene.session_uid, "threejs").outdated


def first_curve(rig: RandomRig) -> bpy.types.FCurve:
    action = rig.armature.animation_data.action
    if hasattr(action, "slots"):
        return action.layers[0].strips[0].channelbags[0].fcurves[0]
    return action.fcurves[0]


def move_a_key(rig: RandomRig) -> None:
    curve = first_curve(rig)
    curve.keyframe_points[0].co.y += 0.1
    curve.update()
    rig.armature.animation_data.action.update_tag()


def weigh_otherwise(rig: RandomRig) -> None:
    group = rig.mesh.vertex_groups[0]
    group.add([0], 0.123, "REPLACE")
    rig.mesh.data.update()


def move_a_vertex(rig: RandomRig) -> None:
    rig.mesh.data.vertices[0].co.x += 0.01


def switch_off_deform(rig: RandomRig) -> None:
    rig.armature.data.bones[0].use_deform = False


def preserve_volume(rig: RandomRig) -> None:
    rig.mesh.modifiers[0].use_deform_preserve_volume ^= True


def constrain(rig: RandomRig) -> None:
    rig.armature.pose.bones[0].constraints.new("LIMIT_ROTATION")


@pytest.mark.parametrize(
    "change",
    [move_a_key, weigh_otherwise, move_a_vertex, switch_off_deform, preserve_volume, constrain],
    ids=lambda one: one.__name__,
)
def test_a_changed_rig_makes_a_verdict_old(rig, session, change: Callable[[RandomRig], None]):
    change(rig)
    assert old(session)
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    assert not old(session)


def test_looking_around_does_not_make_a_verdict_old(rig, session):
    bpy.context.scene.frame_set(5)
    assert not old(session)
    rig.armature.data.bones.active = rig.armature.data.bones[0]
    rig.armature.pose.bones[0].location.x += 1
    assert not old(session)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not old(session)


def test_a_rig_that_is_as_it_was_is_not_old(rig, session):
    before = rig.mesh.data.vertices[0].co.copy()
    move_a_vertex(rig)
    assert old(session)
    rig.mesh.data.vertices[0].co = before
    # What undo does.
    session.checks.rigs.mark_all()
    assert not old(session)


def test_a_verdict_is_old_once_edit_mode_is_left_with_a_vertex_moved(session, rig):
    bpy.ops.object.mode_set(mode="EDIT")
    shape = bmesh.from_edit_mesh(rig.mesh.data)
    shape.verts.ensure_lookup_table()
    shape.verts[0].co.x += 0.01
    bmesh.update_edit_mesh(rig.mesh.data)
    assert not old(session)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert old(session)
