"""A verdict, of a check or an export, is marked old once a rig has changed since, and no longer once undo has
brought it back.
"""

from __future__ import annotations

from collections.abc import Callable

import bmesh
import bpy
import pytest

from skinning_addon.measurement.check.report import FileReport
from skinning_addon.scene.binding.rig_signature import KeySummaries
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.viewport import checked_rigs
from skinning_addon.viewport.choices.export_results import ExportVerdict
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RandomRig, RigOptions


@pytest.fixture
def rig(session) -> RandomRig:
    rig = animated_rig(RigOptions(scale="none"))
    rig.armature.parent = bpy.data.objects.new("Carrier", None)
    bpy.context.collection.objects.link(rig.armature.parent)
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    check_both(session)
    assert not old(session)
    return rig


def check_both(session) -> None:
    """Check a profile, and keep a verdict about an export, as its operator does."""
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    checks, scene = session.checks, bpy.context.scene
    verdict = ExportVerdict(FileReport("rig.glb", (), ()), "glTF", "", None, None)
    checks.keep_export(scene.session_uid, verdict, checks.exported_rigs(scene))


def old(session) -> bool:
    """What a view and its timer do after an edit."""
    bpy.context.view_layer.update()
    checks, uid = session.checks, bpy.context.scene.session_uid
    while checks.rigs.due:
        checks.compare()
    check, export = checks.results.check_of(uid, "threejs"), checks.exports.of(uid)
    assert check.outdated == export.outdated
    return check.outdated


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


def scale_the_armature(rig: RandomRig) -> None:
    rig.armature.scale.z *= 1.5


def scale_what_carries_it(rig: RandomRig) -> None:
    rig.armature.parent.scale *= 2.0


def parent_it_to_something_large(rig: RandomRig) -> None:
    above = bpy.data.objects.new("Above", None)
    bpy.context.collection.objects.link(above)
    above.scale *= 2.0
    rig.armature.parent.parent = above


def copy_a_scale(rig: RandomRig) -> None:
    rig.armature.parent.constraints.new("COPY_SCALE")


def key_another_scale_of_what_carries_it(rig: RandomRig) -> None:
    """As *Auto Keying* does."""
    rig.armature.parent.scale *= 2.0
    rig.armature.parent.keyframe_insert("scale", frame=1)


CHANGES = [
    move_a_key,
    weigh_otherwise,
    move_a_vertex,
    switch_off_deform,
    preserve_volume,
    constrain,
    scale_the_armature,
    scale_what_carries_it,
    parent_it_to_something_large,
    copy_a_scale,
    key_another_scale_of_what_carries_it,
]


@pytest.mark.parametrize("frame", [None, 7])
@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_a_changed_rig_makes_a_verdict_old(
    rig, session, change: Callable[[RandomRig], None], frame: int | None
):
    change(rig)
    if frame is not None:
        # As a script does: nothing is evaluated before the new frame.
        bpy.context.scene.frame_set(frame)
    assert old(session)
    check_both(session)
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


@pytest.mark.parametrize("by", ["keys", "a strip", "a driver"])
def test_a_scale_that_plays_does_not_make_a_verdict_old(rig, session, by):
    """Each frame has another one, and all of them were checked."""
    carrier = rig.armature.parent
    if by == "a driver":
        for curve in carrier.driver_add("scale"):
            curve.driver.expression = "1 + frame / 10"
    else:
        for frame in (1, 12):
            carrier.scale = (frame,) * 3
            carrier.keyframe_insert("scale", frame=frame)
    if by == "a strip":
        data = carrier.animation_data
        data.nla_tracks.new().strips.new("Grow", 1, data.action)
        data.action = None
    check_both(session)
    before = tuple(carrier.scale)
    bpy.context.scene.frame_set(9)
    assert tuple(carrier.scale) != before
    rig.armature.update_tag()
    assert not old(session)
    data = carrier.animation_data
    if by == "a driver":
        data.drivers[0].driver.expression = "1 + frame"
    else:
        curve = next(fcurves(data.action or data.nla_tracks[0].strips[0].action))
        curve.keyframe_points[0].co.y += 3
        curve.id_data.update_tag()
    carrier.update_tag()
    assert old(session)


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


def test_a_rig_that_changes_while_its_export_is_checked_makes_the_verdict_old(session, rig):
    """The full check of an export runs in the background, while the user works."""
    checks, scene = session.checks, bpy.context.scene
    rigs = checks.exported_rigs(scene)
    move_a_key(rig)
    bpy.context.view_layer.update()
    verdict = ExportVerdict(FileReport("rig.glb", (), ()), "glTF", "", None, None)
    checks.keep_export(scene.session_uid, verdict, rigs)
    assert old(session)


def test_keys_are_read_a_little_at_a_time(session, rig, monkeypatch: pytest.MonkeyPatch):
    """A game character has dozens of actions, which take half a second to read after undo."""
    monkeypatch.setattr(checked_rigs, "SECONDS_FOR_KEYS", -1.0)
    move_a_key(rig)
    session.checks.rigs.mark_all()
    session.checks.compare()
    assert session.checks.rigs.due
    assert not session.checks.exports.of(bpy.context.scene.session_uid).outdated
    monkeypatch.setattr(checked_rigs, "SECONDS_FOR_KEYS", 0.02)
    session.checks.compare()
    assert not session.checks.rigs.due
    assert session.checks.exports.of(bpy.context.scene.session_uid).outdated


def test_posing_reads_no_keys(session, rig, monkeypatch: pytest.MonkeyPatch):
    read: list[str] = []
    of = KeySummaries.of
    monkeypatch.setattr(
        KeySummaries,
        "of",
        lambda self, action: (
            (read.append(action.name) if action.session_uid not in self._known else None) or of(self, action)
        ),
    )
    rig.armature.pose.bones[0].location.x += 1
    assert not old(session)
    assert read == []
    move_a_key(rig)
    assert old(session)
    assert read == [rig.armature.animation_data.action.name]
