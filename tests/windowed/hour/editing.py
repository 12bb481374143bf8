"""Editing under the preview: a pose, painted weights, moved vertices, and undo of each."""

from __future__ import annotations

from tests.windowed.hour.artist import Artist
from tests.windowed.hour.steps import NAMES, SHOWN, Step, adding_to, names, value, wait

STEPS: list[Step] = []
step = adding_to(STEPS)


@step
def pose_the_rig(artist: Artist) -> None:
    value(artist, "area.spaces.active.overlay.show_bones = True\nselect_only(rig)")
    artist.press("ctrl+Tab")
    wait(artist, "rig.mode == 'POSE'")
    artist.look()


@step
def turn_a_bone(artist: Artist) -> None:
    value(
        artist,
        "rig.data.bones.active = rig.data.bones['upper_arm_fk.L']\n"
        # From 5.0 on the pose is what has the selection.
        "for one in rig.pose.bones:\n"
        "    (one if hasattr(one, 'select') else one.bone).select = one.name == 'upper_arm_fk.L'\n"
        "rig.pose.bones['upper_arm_parent.L']['IK_FK'] = 1.0\n"
        "bpy.ops.ed.undo_push(message='Choose a bone')",
    )
    before = names(artist)
    artist.press("r", "4", "0", "Return")
    wait(artist, f"{NAMES} != {before}")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def undo_the_turn(artist: Artist) -> None:
    before = names(artist)
    artist.press("ctrl+z")
    wait(artist, f"{NAMES} != {before}")
    wait(artist, SHOWN)
    artist.look()


@step
def redo_the_turn(artist: Artist) -> None:
    before = names(artist)
    artist.press("ctrl+shift+z")
    wait(artist, f"{NAMES} != {before}")
    wait(artist, SHOWN)
    artist.look()


@step
def undo_it_again(artist: Artist) -> None:
    artist.press("ctrl+z")
    wait(artist, SHOWN)
    artist.look()


@step
def leave_pose_mode(artist: Artist) -> None:
    artist.press("ctrl+Tab")
    wait(artist, "rig.mode == 'OBJECT'")
    artist.look()


@step
def begin_to_paint_weights(artist: Artist) -> None:
    # Where there is a brush, each is an undo step, as it is when it's done by mouse and key: without one, undo of
    # the stroke goes back to before them. Debian's Blender 4.3 has none, so there is no stroke to undo.
    value(
        artist,
        "push = bpy.ops.ed.undo_push if bpy.app.version >= (5, 0) else (lambda message: None)\n"
        "select_only(body)\n"
        "push(message='Select')\n"
        "with view3d(): bpy.ops.object.mode_set(mode='WEIGHT_PAINT')\n"
        "push(message='Weight Paint')",
    )
    wait(artist, "body.mode == 'WEIGHT_PAINT'")
    artist.look()


@step
def paint_a_stroke(artist: Artist) -> None:
    value(artist, f"unpainted = {NAMES}")
    view = artist.region()
    artist.drag([view.at(0.38 + 0.01 * count, 0.4) for count in range(6)])
    if value(artist, "bpy.context.tool_settings.weight_paint.brush is not None"):
        wait(artist, f"{NAMES} != unpainted")
    wait(artist, SHOWN)
    artist.look()


@step
def undo_the_stroke(artist: Artist) -> None:
    # Without a brush, as in Debian's Blender 4.3, there is no stroke: undo would take back what came before.
    if value(artist, "bpy.context.tool_settings.weight_paint.brush is not None"):
        artist.press("ctrl+z")
    # All of the stroke, and nothing else.
    wait(artist, f"{NAMES} == unpainted")
    wait(artist, SHOWN)
    artist.look()


@step
def end_the_painting(artist: Artist) -> None:
    value(artist, "with view3d(): bpy.ops.object.mode_set(mode='OBJECT')")
    wait(artist, SHOWN)
    artist.look()


@step
def edit_the_mesh(artist: Artist) -> None:
    artist.press("Tab")
    wait(artist, "body.mode == 'EDIT'")
    artist.look()


@step
def move_vertices(artist: Artist) -> None:
    artist.press("a", "g", "x", "period", "1", "Return")
    artist.look()


@step
def show_the_edited_mesh(artist: Artist) -> None:
    before = value(artist, "body.data.vertices[0].co.x")
    artist.press("Tab")
    wait(artist, "body.mode == 'OBJECT'")
    wait(artist, SHOWN)
    assert abs(value(artist, "body.data.vertices[0].co.x") - before) > 0.05
    artist.look_for_verdict()


@step
def undo_the_edit(artist: Artist) -> None:
    before = value(artist, "body.data.vertices[0].co.x")
    # Back into Edit Mode, and back to where the vertices were.
    artist.press("ctrl+z", "ctrl+z")
    wait(artist, "body.mode == 'EDIT'")
    artist.press("Tab")
    wait(artist, "body.mode == 'OBJECT'")
    wait(artist, SHOWN)
    assert abs(value(artist, "body.data.vertices[0].co.x") - before) > 0.05
    artist.look()
