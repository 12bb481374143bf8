"""The sixty steps of an hour of work, in their order: what the artist does, and what has to be true after it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.installed_package import EXTENSION
from tests.windowed.hour.artist import Artist

Step = Callable[[Artist], None]

STEPS: list[Step] = []

SHOWN = "session.previews and all(figures(one)['settled'] for one in range(len(session.previews)))"
REPORT = "session.checks.results.of(scene.session_uid, settings.profiles.profile)"
CHECKED = f"{REPORT} is not None and not session.checks.results.outdated"
PLAYER = "next(iter(session.players))"
ENGINE = "threejs"
BODY = (0.423, 0.4)
"""Where the character's chest is in the view, as fractions of its width and height."""


def step(do: Step) -> Step:
    """Add a step to the hour."""
    STEPS.append(do)
    return do


def value(artist: Artist, code: str) -> Any:
    """Return the value of an expression inside Blender, in which the scene, rig and body have their names."""
    # Undo and reload leave older references without an object.
    return artist.blender.run("name_things()\n" + code)


def wait(artist: Artist, condition: str, timeout: float = 120) -> None:
    """Wait until an expression is true inside Blender."""
    artist.blender.wait_until(f"name_things() or ({condition})", timeout)


def names(artist: Artist) -> Any:
    """Return what undo has to leave alone or put back: positions, weights, pose and mode."""
    return value(
        artist,
        "[round(sum(one.co.length for one in body.data.vertices), 4),"
        " round(sum(group.weight for one in body.data.vertices for group in one.groups), 3),"
        " [round(value, 4) for one in rig.pose.bones['upper_arm_fk.L'].matrix_basis for value in one],"
        " body.mode, rig.mode]",
    )


@step
def open_the_sidebar(artist: Artist) -> None:
    artist.press("n")
    wait(artist, "area.spaces.active.show_region_ui")
    artist.look()


@step
def choose_the_tab(artist: Artist) -> None:
    # Its tab may be below the others, out of sight.
    value(artist, "sidebar().active_panel_category = 'Skinscope'\nsidebar().tag_redraw()")
    artist.look()
    assert value(artist, "sorted(said)"), "the tab is empty"


@step
def select_the_body(artist: Artist) -> None:
    # The rig's controls are in front of it: each click at one point takes the next object below.
    for _ in range(4):
        artist.click(*artist.region().at(*BODY))
        if value(artist, "bpy.context.view_layer.objects.active == body"):
            break
    wait(artist, "body.select_get()")
    artist.look()


@step
def start_the_preview(artist: Artist) -> None:
    artist.push("skinscope.preview_start")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def stop_it_by_the_key(artist: Artist) -> None:
    artist.press("shift+j")
    wait(artist, "not session.previews")
    artist.look()


@step
def start_it_by_the_key(artist: Artist) -> None:
    artist.press("shift+j")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def choose_an_engine(artist: Artist) -> None:
    listed = value(artist, "engines()")
    artist.choose("profile", listed.index(ENGINE))
    wait(artist, f"settings.profiles.profile == {ENGINE!r}")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def check_it(artist: Artist) -> None:
    artist.push("skinscope.profile_check")
    wait(artist, CHECKED, 300)
    artist.look_for_verdict()
    assert value(artist, f"{REPORT}.worst_mesh.worst.max") > 0.02


@step
def jump_to_the_worst_frame(artist: Artist) -> None:
    artist.push("skinscope.profile_jump")
    wait(artist, f"scene.frame_current == round({REPORT}.worst_mesh.worst.frame)")
    wait(artist, SHOWN)
    artist.look_for_verdict()
    deviation = value(artist, "figures()['max']")
    assert deviation > 0.01, "the heat map has nothing to show at the worst frame"


@step
def look_at_the_heat_map(artist: Artist) -> None:
    value(artist, "area.spaces.active.overlay.show_bones = False")
    artist.choose("display", value(artist, "displays().index('DEVIATION')"))
    wait(artist, "settings.display == 'DEVIATION'")
    wait(artist, SHOWN)
    artist.look()


@step
def type_a_threshold(artist: Artist) -> None:
    artist.click(*artist.find("property", "threshold").at(0.5), times=2)
    artist.type("ctrl+a", "2", "space", "c", "m", "Return")
    wait(artist, "abs(settings.threshold - 0.02) < 1e-6")
    artist.look()


@step
def undo_the_threshold(artist: Artist) -> None:
    artist.press("ctrl+z")
    wait(artist, "abs(settings.threshold - 0.02) > 1e-6")
    artist.look()


@step
def put_it_aside(artist: Artist) -> None:
    artist.set("placement", across=0.5)
    wait(artist, "settings.placement == 'ASIDE'")
    wait(artist, SHOWN)
    artist.look()


@step
def split_the_view(artist: Artist) -> None:
    artist.set("placement", across=0.85)
    wait(artist, "settings.placement == 'SPLIT'")
    artist.look()


@step
def drag_the_line(artist: Artist) -> None:
    before = value(artist, "settings.split")
    view = artist.region()
    y = view.at(0, 0.8)[1]
    x = view.left + round(before * view.width)
    artist.drag([(x, y), (x + 8, y), (x + 40, y), (x + 60, y)])
    wait(artist, f"abs(settings.split - {before}) > 0.01")
    artist.look()


@step
def put_it_in_place(artist: Artist) -> None:
    artist.set("placement", across=0.15)
    wait(artist, "settings.placement == 'IN_PLACE'")
    artist.look()


@step
def show_blenders_as_a_ghost(artist: Artist) -> None:
    artist.set("blender_mesh", across=0.7)
    wait(artist, "settings.blender_mesh == 'GHOST'")
    artist.look()


@step
def hide_blenders(artist: Artist) -> None:
    artist.set("blender_mesh", across=0.92)
    wait(artist, "settings.blender_mesh == 'HIDDEN'")
    artist.look()


@step
def hold_the_key_of_flicker(artist: Artist) -> None:
    artist.move(*artist.region().at(0.4, 0.5))
    artist.blender.xdotool("keydown", "j")
    wait(artist, "session.swapped")
    artist.look(settled=False)
    artist.blender.xdotool("keyup", "j")
    time.sleep(0.5)
    if value(artist, "session.swapped"):
        artist.press("j")
    wait(artist, "not session.swapped")


@step
def frame_the_worst(artist: Artist) -> None:
    before = value(artist, "list(area.spaces.active.region_3d.view_location)")
    artist.push("skinscope.frame_worst_vertex")
    wait(artist, f"list(area.spaces.active.region_3d.view_location) != {before}")
    artist.look()


@step
def select_what_deviates(artist: Artist) -> None:
    artist.push("skinscope.select_deviating")
    wait(artist, "body.mode == 'EDIT'")
    artist.look()


@step
def leave_edit_mode(artist: Artist) -> None:
    artist.press("Tab")
    wait(artist, "body.mode == 'OBJECT'")
    assert value(artist, "sum(one.select for one in body.data.vertices)") > 10
    value(artist, "look_from_the_front()")
    wait(artist, SHOWN)
    artist.look()


@step
def inspect_vertices(artist: Artist) -> None:
    artist.push("skinscope.inspect")
    wait(artist, "session.inspection.active")
    artist.move(*artist.region().at(*BODY))
    wait(artist, "session.inspection.shown is not None")
    artist.look()


@step
def pin_one(artist: Artist) -> None:
    artist.click(*artist.region().at(*BODY))
    wait(artist, "session.inspection.pinned is not None")
    artist.look()


@step
def end_the_inspection(artist: Artist) -> None:
    artist.press("Escape")
    wait(artist, "not session.inspection.active")
    artist.look()


@step
def unpin_it(artist: Artist) -> None:
    artist.push("skinscope.inspect_clear")
    wait(artist, "session.inspection.pinned is None")
    artist.look()


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
        "for one in rig.pose.bones: one.bone.select = one.name == 'upper_arm_fk.L'\n"
        "rig.pose.bones['upper_arm_parent.L']['IK_FK'] = 1.0\n"
        "bpy.ops.ed.undo_push(message='Choose a bone')",
    )
    before = names(artist)
    artist.press("r", "4", "0", "Return")
    wait(artist, f"{names(artist)} != {before}")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def undo_the_turn(artist: Artist) -> None:
    before = names(artist)
    artist.press("ctrl+z")
    wait(artist, SHOWN)
    assert names(artist) != before
    artist.look()


@step
def redo_the_turn(artist: Artist) -> None:
    before = names(artist)
    artist.press("ctrl+shift+z")
    wait(artist, SHOWN)
    assert names(artist) != before
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
    value(artist, "select_only(body)\nwith view3d(): bpy.ops.object.mode_set(mode='WEIGHT_PAINT')")
    wait(artist, "body.mode == 'WEIGHT_PAINT'")
    artist.look()


@step
def paint_a_stroke(artist: Artist) -> None:
    before = names(artist)
    view = artist.region()
    artist.drag([view.at(0.38 + 0.01 * count, 0.4) for count in range(6)])
    wait(artist, SHOWN)
    artist.look()
    if value(artist, "bpy.context.tool_settings.weight_paint.brush is not None"):
        assert names(artist) != before, "the stroke painted nothing"


@step
def undo_the_stroke(artist: Artist) -> None:
    artist.press("ctrl+z")
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


@step
def check_again(artist: Artist) -> None:
    artist.push("skinscope.profile_check")
    wait(artist, CHECKED, 300)
    artist.look_for_verdict()


@step
def choose_a_finding(artist: Artist) -> None:
    artist.unfold("SKINSCOPE_PT_profile_findings")
    number = value(artist, f"[one.rule for one in {REPORT}.findings].index('influence-limit')")
    artist.click(*artist.find("row", str(number)).at())
    wait(
        artist,
        "bpy.context.window_manager.skinscope_findings.active == {number}".replace("{number}", str(number)),
    )
    artist.look()


@step
def show_it_alone(artist: Artist) -> None:
    artist.push("skinscope.finding_show")
    wait(artist, "settings.profiles.alone == 'influence-limit'")
    wait(artist, SHOWN)
    artist.look()


@step
def show_all_again(artist: Artist) -> None:
    artist.push("skinscope.finding_show")
    wait(artist, "not settings.profiles.alone")
    wait(artist, SHOWN)
    artist.look()


@step
def fix_it(artist: Artist) -> None:
    before = names(artist)
    artist.push("skinscope.fix_influences")
    wait(artist, "max(len(one.groups) for one in body.data.vertices) <= 4")
    wait(artist, SHOWN)
    assert names(artist) != before
    artist.look_for_verdict()


@step
def check_what_the_fix_left(artist: Artist) -> None:
    artist.push("skinscope.profile_check")
    wait(artist, CHECKED, 300)
    artist.look_for_verdict()
    assert "influence-limit" not in value(artist, f"[one.rule for one in {REPORT}.findings]")


@step
def undo_the_fix(artist: Artist) -> None:
    for _ in range(4):
        artist.press("ctrl+z")
        time.sleep(0.5)
        if value(artist, "max(len(one.groups) for one in body.data.vertices)") > 4:
            break
    assert value(artist, "max(len(one.groups) for one in body.data.vertices)") > 4
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def unfold_animation(artist: Artist) -> None:
    artist.unfold("SKINSCOPE_PT_animation")
    artist.look()


@step
def list_the_clips(artist: Artist) -> None:
    artist.push("skinscope.clips_refresh")
    wait(artist, "clips() == ['Nod', 'Walk']")
    artist.look()


@step
def play_the_mixer(artist: Artist) -> None:
    artist.push("skinscope.mixer_play")
    wait(artist, f"list(session.players) and {PLAYER}.controller.now > 0.3")
    artist.look(settled=False)


@step
def fade_to_the_other(artist: Artist) -> None:
    artist.push("skinscope.mixer_fade")
    wait(artist, f"{PLAYER}.controller.weight(0)[0] < 1")
    artist.look(settled=False)


@step
def undo_while_it_plays(artist: Artist) -> None:
    artist.press("ctrl+z")
    time.sleep(0.5)
    artist.look(settled=False)
    playing = value(artist, "bool(list(session.players))")
    assert playing == (value(artist, "'skinscope.mixer_stop' in buttons()")), (
        "it plays on without its buttons"
    )


@step
def stop_the_mixer(artist: Artist) -> None:
    # While clips play the figures beside it change, which may hide where it is.
    for _ in range(4):
        artist.push("skinscope.mixer_stop")
        time.sleep(1)
        if not value(artist, "list(session.players)"):
            break
    wait(artist, "not list(session.players)", timeout=10)
    wait(artist, SHOWN)
    artist.look()


@step
def render_a_picture(artist: Artist) -> None:
    artist.press("F12")
    wait(artist, "bpy.data.images.get('Render Result') is not None")
    artist.look(settled=False)


@step
def close_the_picture(artist: Artist) -> None:
    artist.blender.run("name_things()")
    value(
        artist,
        "for one in list(bpy.context.window_manager.windows)[1:]:\n"
        "    with bpy.context.temp_override(window=one): bpy.ops.wm.window_close()",
    )
    artist.look()


@step
def play_blenders_own_animation(artist: Artist) -> None:
    before = value(artist, "scene.frame_current")
    artist.press("space")
    wait(artist, f"scene.frame_current not in ({before}, {before} + 1)")
    artist.look(settled=False)
    artist.press("space")
    wait(artist, "not bpy.context.window_manager.windows[0].screen.is_animation_playing")
    wait(artist, SHOWN)


@step
def save_the_file(artist: Artist) -> None:
    value(artist, "rig.location.x = 0.25\nbpy.ops.ed.undo_push(message='Move')")
    artist.press("ctrl+s")
    wait(artist, "not bpy.data.is_dirty")
    artist.look()


@step
def load_it_again(artist: Artist) -> None:
    value(artist, "bpy.ops.wm.revert_mainfile()")
    wait(artist, "abs(rig.location.x - 0.25) < 1e-6")
    artist.look()
    assert value(artist, "settings.profiles.profile") == ENGINE


@step
def preview_after_loading(artist: Artist) -> None:
    if not value(artist, "bool(session.previews)"):
        artist.press("shift+j")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def disable_the_extension(artist: Artist) -> None:
    value(artist, f"import addon_utils\naddon_utils.disable({EXTENSION!r})")
    artist.blender.screenshot(name=artist.step)
    assert not artist.blender.run("hasattr(bpy.types, 'SKINSCOPE_PT_preview')")
