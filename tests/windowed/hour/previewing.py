"""Previewing: the sidebar, the first preview, an engine, the first check, displays and the inspector."""

from __future__ import annotations

import time

from tests.windowed.hour.artist import Artist
from tests.windowed.hour.steps import (
    BODY,
    ENGINE,
    REPORT,
    SHOWN,
    Step,
    adding_to,
    check_and_wait,
    value,
    wait,
)

STEPS: list[Step] = []
step = adding_to(STEPS)


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
    check_and_wait(artist)
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
    artist.take("placement", "settings.placement == 'ASIDE'")
    wait(artist, SHOWN)
    artist.look()


@step
def split_the_view(artist: Artist) -> None:
    artist.take("placement", "settings.placement == 'SPLIT'")
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
    artist.take("placement", "settings.placement == 'IN_PLACE'")
    artist.look()


@step
def show_blenders_as_a_ghost(artist: Artist) -> None:
    artist.take("blender_mesh", "settings.blender_mesh == 'GHOST'")
    artist.look()


@step
def hide_blenders(artist: Artist) -> None:
    artist.take("blender_mesh", "settings.blender_mesh == 'HIDDEN'")
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
