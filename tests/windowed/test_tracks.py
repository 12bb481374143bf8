"""Tracks that play a script, as a user works with them."""

from __future__ import annotations

from tests.windowed.hour.artist import TABS
from tests.windowed.hour.panel_picture import cut_texts
from tests.windowed.two_actions import PLAYER, USERS, bar
from tests.windowed.view_pixels import ViewPixels, changed, is_same_view, preview_mask

__all__ = ["bar"]

TRACKS = """\
instances = 2
seconds = 1.5
[[track]]
number = 0
clip = "Bend"
[[track]]
number = 1
clip = "Lean"
enabled = false
weight = 0.0
[[key]]
time = 0.4
what = "enable"
track = 1
value = true
[[key]]
time = 0.4
what = "weight"
track = 1
value = 1.0
duration = 0.25
transition = "ease-in-ease-out"
[[key]]
time = 0.9
what = "enable"
track = 0
value = false
instance = 1
"""
WATCHED_TRACKS = """\
from skinning_addon.ui.tracks import track_events, tracks_panel
from skinning_addon.ui.registration import CLASSES
others = [  # parents before their children
    one for one in CLASSES
    if getattr(one, 'bl_category', '') == 'Skinscope' and one.__name__ != 'SKINSCOPE_PT_preview'
]
for one in reversed(others):
    bpy.utils.unregister_class(one)
drawn = []
class SKINSCOPE_PT_watched(bpy.types.Panel):
    bl_label, bl_space_type, bl_region_type, bl_category = 'Tracks', 'VIEW_3D', 'UI', 'Skinscope'
    def draw(self, context):
        tracks_panel.SKINSCOPE_PT_tracks.draw(self, context)
        tracks_panel.SKINSCOPE_PT_track_events.draw(self, context)
        player = next(iter(current_session().players), None)
        drawn.append([[one.text, one.passed] for one in track_events.happenings(player)] if player else [])
bpy.utils.register_class(SKINSCOPE_PT_watched)
with view3d() as area:
    area.spaces.active.show_region_ui = True
side_bar = next(region for region in area.regions if region.type == 'UI')
"""
UNWATCHED_TRACKS = """\
bpy.utils.unregister_class(SKINSCOPE_PT_watched)
for one in others:
    bpy.utils.register_class(one)
area.spaces.active.show_region_ui = False
"""


MANY_KEYS = """\
script = rig.skinscope_animation.script
for number in range(6):
    key = script.keys.add()
    key.kind, key.number, key.time, key.duration, key.share = 'WEIGHT', number % 2, 0.1 * number, 0.25, 1.0
"""


def test_a_list_of_keys_that_scrolls_cuts_no_text_short(bar, tmp_path):
    file = tmp_path / "tracks.toml"
    file.write_text(TRACKS, encoding="utf-8")
    bar.run(f"with view3d(): bpy.ops.skinscope.script_load(filepath={str(file)!r})")
    bar.run(MANY_KEYS)
    bar.run(WATCHED_TRACKS)
    bar.screenshot(settled=False)
    bar.run("side_bar.active_panel_category = 'Skinscope'\nside_bar.tag_redraw()")
    left, top, width, height = bar.run(
        "side_bar.x, bpy.context.window_manager.windows[0].height - side_bar.y - side_bar.height,"
        " side_bar.width, side_bar.height"
    )
    # To the end of the panels, where the list is.
    bar.xdotool("mousemove", str(left + 20), str(top + height // 2))
    bar.xdotool("click", "--repeat", "60", "--delay", "10", "5")
    bar.xdotool("mousemove", "300", "300")
    sidebar = bar.screenshot()[top : top + height, left : left + width - TABS]
    bar.run(UNWATCHED_TRACKS)
    # The two buttons that open a file dialog, side by side, end in dots of their own.
    assert len({y for _, y in cut_texts(sidebar)}) <= 1


def test_tracks_play_what_they_are_told_and_follow_undo(bar, tmp_path):
    users = bar.run(USERS)
    file = tmp_path / "tracks.toml"
    file.write_text(TRACKS, encoding="utf-8")
    view = ViewPixels.of(bar)
    bar.run(f"with view3d(): bpy.ops.skinscope.script_load(filepath={str(file)!r})")
    bar.run("bpy.ops.ed.undo_push(message='Load')")
    bar.run("with view3d(): bpy.ops.skinscope.script_play()")
    # It comes to its end by itself, and pauses there.
    bar.wait_until(f"{PLAYER}.controller.now == 1.5 and not {PLAYER}.playing")
    assert bar.run(f"[float({PLAYER}.controller.weight(track)[1]) for track in (0, 1)]") == [0, 1]
    assert bar.run(USERS) == users
    bar.run(WATCHED_TRACKS)
    bar.screenshot(settled=False)
    bar.run("side_bar.active_panel_category = 'Skinscope'\nside_bar.tag_redraw()")
    # Any moment, earlier too; the panel lists what is passed there and what is to come.
    bar.run("script = rig.skinscope_animation.script\nsession.players.go_to(rig.session_uid, 0.5)")
    bar.wait_until("drawn and [one[1] for one in drawn[-1]] == [True, True, False]")
    told = [text for text, _ in bar.run("drawn[-1]")]
    assert told[:2] == ["0.40 s  Track 1: Enable on", "0.40 s  Track 1: Weight 1.00"]
    # Nine frames after the track begins.
    assert told[2].endswith("s  step (Lean, 100%)")
    bar.screenshot()
    bar.run(UNWATCHED_TRACKS)
    blended = view.cut(bar.screenshot())
    assert preview_mask(blended).any()
    # An edit is seen at once, and its undo too, with nothing played.
    bar.run("script.tracks[0].enabled = False\nbpy.ops.ed.undo_push(message='Disable')")
    bar.wait_until(f"not {PLAYER}.stale and float({PLAYER}.controller.weight(0)[0]) == 0")
    assert changed(view.cut(bar.screenshot()), blended) > 500
    bar.run("bpy.ops.ed.undo()")
    bar.wait_until(f"not {PLAYER}.stale and float({PLAYER}.controller.weight(0)[0]) == 1")
    assert is_same_view(view.cut(bar.screenshot()), blended)
    assert bar.run(f"[{PLAYER}.controller.now, {PLAYER}.error]") == [0.5, ""]
