"""Cached Playback as a person plays: real keys in a window, and what the picture and the file have of it."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.test_habits import press
from tests.windowed.view_pixels import ViewPixels, solid_mask

ON = """\
settings.cached_playback = True
settings.cached_display = 'SHADED'
cached = session.cached
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 20
"""
SUBDIVIDED = """\
bar.shape_key_add(name='Basis')
key = bar.shape_key_add(name='Wide')
for point in key.data:
    point.co.x *= 2
for frame, value in ((1, 0.0), (20, 1.0)):
    key.value = value
    key.keyframe_insert('value', frame=frame)
bar.modifiers.new('Subdivision', 'SUBSURF').levels = 2
bpy.context.preferences.system.use_gpu_subdivision = True
"""
ASIDE = "bool(cached.shown) and rig.hide_viewport and bar.hide_viewport"
WATCHED = """\
seen = []
def watch(*_):
    # Until they step aside: how many frames are known.
    if not cached.shown:
        seen.append(len(cached.cache.known_frames()))
watch.__module__ = 'skinning_addon'
bpy.app.handlers.frame_change_post.append(watch)
None
"""
MARKED = "any('skinscope_aside' in one for one in bpy.data.objects)"
HERE = "not cached.aside and not rig.hide_viewport and not bar.hide_viewport"
PLAYS = "bpy.context.window_manager.windows[0].screen.is_animation_playing"
AFRESH = "rig = bpy.data.objects['Bar Rig']; bar = bpy.data.objects['Bar']; scene = bpy.context.scene; None"


@pytest.fixture
def known(own_bar: WindowedBlender) -> WindowedBlender:
    """The bar with all frames known: played once from the first to the last."""
    return played_once(own_bar)


def played_once(blender: WindowedBlender) -> WindowedBlender:
    blender.run(ON)
    blender.wait_until("cached.cache.groups")
    press(blender, "space")
    blender.wait_until("len(cached.cache.known_frames()) == 20")
    return blender


def test_once_all_frames_are_known_blender_evaluates_nothing(known):
    # While it plays on.
    known.wait_until(ASIDE)
    assert known.run(PLAYS)
    frame = known.run("scene.frame_current")
    known.wait_until(f"scene.frame_current != {frame}")
    known.wait_until("cached.costs.remembered is not None")
    assert known.run("cached.costs.blenders") > 0
    press(known, "space")
    known.wait_until(HERE)
    assert not known.run(PLAYS)
    assert known.run("len(cached.cache.known_frames())") == 20
    assert known.run("bar.select_get()")


def test_playing_again_is_from_memory_at_once(known):
    """Blender evaluates the frame that it starts from, and reports that like an edit."""
    known.wait_until(ASIDE)
    for _ in range(2):
        press(known, "space")
        known.wait_until(HERE)
        known.run(WATCHED)
        press(known, "space")
        known.wait_until(ASIDE)
        assert known.run("min(seen, default=20)") == known.run("len(cached.cache.known_frames())") == 20
        assert known.run("len(seen)") <= 5
        known.run("bpy.app.handlers.frame_change_post.remove(watch); None")


def test_the_picture_is_that_of_blenders_own_frames(known):
    assert known.run("not cached.cache.by_vertices")
    compare_with_blender(known)


def test_the_picture_of_kept_vertices_is_blenders(own_bar):
    """The graphics card subdivides the mesh, which Blender leaves out of what it evaluates."""
    own_bar.run(SUBDIVIDED)
    played_once(own_bar)
    assert own_bar.run("len(cached.cache.by_vertices)") == 1
    compare_with_blender(own_bar)


def compare_with_blender(known: WindowedBlender) -> None:
    known.wait_until(ASIDE)
    view = ViewPixels.of(known)
    # Blender redraws as it plays: hold it at one frame by a range of one.
    known.run("scene.frame_start = scene.frame_end = 15")
    known.wait_until("scene.frame_current == 15 and bool(cached.shown)")
    time.sleep(0.5)
    memory = view.cut(known.screenshot(name="from_memory"))
    press(known, "space")
    known.wait_until(HERE)
    known.run("scene.frame_set(15)")
    blenders = view.cut(known.screenshot(name="blenders"))
    ours, theirs = solid_mask(memory), solid_mask(blenders)
    assert theirs.sum() > 3000
    # The outlines are the same to a pixel, where Blender smooths.
    assert not np.any(ours & ~widened(theirs))
    assert not np.any(~ours & ~widened(~theirs))


def widened(mask: np.ndarray) -> np.ndarray:
    """Add a pixel all around."""
    padded = np.pad(mask, 1)
    height, width = mask.shape
    shifted = (padded[y : y + height, x : x + width] for y in range(3) for x in range(3))
    return np.logical_or.reduce(list(shifted))


def test_a_press_brings_them_back_and_blender_plays_on(known):
    known.wait_until(ASIDE)
    press(known, "Tab")
    known.wait_until("not cached.aside")
    known.run(AFRESH)
    assert known.run("bar.mode == 'EDIT' or rig.mode == 'EDIT'")


def test_after_a_press_blender_plays_on_and_evaluates_them(known):
    known.wait_until(ASIDE)
    # Selects another object, or none.
    press(known, "alt+a")
    known.wait_until(HERE)
    frame = known.run("scene.frame_current")
    known.wait_until(f"scene.frame_current not in range({frame}, {frame} + 4)")
    assert known.run(PLAYS)
    assert known.run(HERE)
    press(known, "space", "space")
    known.wait_until(ASIDE)


def test_turning_the_view_brings_nothing_back(known):
    known.wait_until(ASIDE)
    known.xdotool("click", "4")
    known.xdotool("click", "5")
    time.sleep(0.5)
    assert known.run(ASIDE)


def test_undo_while_it_plays_finds_everything_in_place(known):
    known.run("rig.location.x = 0.0; bpy.ops.ed.undo_push(message='Before')")
    known.run("bpy.ops.ed.undo_push(message='After')")
    known.wait_until("len(cached.cache.known_frames()) == 20")
    known.wait_until(ASIDE)
    press(known, "ctrl+z")
    known.run(AFRESH)
    assert known.run(HERE)
    assert known.run(MARKED) is False


def test_what_is_saved_while_it_plays_has_nothing_hidden(known, start_blender, tmp_path: Path):
    path = tmp_path / "played.blend"
    known.wait_until(ASIDE)
    known.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r}, copy=True)")
    with start_blender([str(path), "--addons", ""]) as other:
        assert other.run("[one.name for one in bpy.data.objects if one.hide_viewport]") == []
        assert other.run(MARKED) is False


def test_another_blender_records_while_this_one_stays_free(own_bar):
    own_bar.run(ON)
    own_bar.run(
        "scene.frame_end = 400; from skinning_addon.ui.playback.background_recording import recording"
    )
    own_bar.run("with view3d() as area: area.spaces.active.show_region_ui = True")
    own_bar.wait_until("cached.cache.groups")
    own_bar.run("with view3d(): bpy.ops.skinscope.cached_playback_record()")
    own_bar.wait_until("0 < recording.progress[0]", timeout=60)
    own_bar.screenshot(name="recording")
    own_bar.run("with view3d(): bpy.ops.view3d.view_orbit(angle=0.5, type='ORBITLEFT')")
    own_bar.wait_until("not recording.is_running", timeout=120)
    own_bar.screenshot(name="recorded")
    assert own_bar.run("len(cached.known_frames(bpy.context))") == 400
    press(own_bar, "space")
    # At once, not after a round.
    own_bar.wait_until(ASIDE, timeout=8)
    assert own_bar.run("len(cached.known_frames(bpy.context))") == 400
    press(own_bar, "space")
    own_bar.wait_until(HERE)
    own_bar.run("[scene.frame_set(one) for one in range(1, 401, 50)]")
    assert own_bar.run("cached.cache.distrusted") == []
    assert own_bar.run("len(cached.known_frames(bpy.context))") == 400


def test_esc_stops_recording_and_the_status_bar_tells_how_far_it_is(own_bar):
    own_bar.run(ON)
    own_bar.run(
        "scene.frame_end = 30000; from skinning_addon.ui.playback.background_recording import recording\n"
        "told = []\n"
        "def tell(_header, _context): told.append(recording.progress[0] if recording.is_running else None)\n"
        "bpy.types.STATUSBAR_HT_header.append(tell)"
    )
    own_bar.wait_until("cached.cache.groups")
    own_bar.run("with view3d(): bpy.ops.skinscope.cached_playback_record()")
    # It is redrawn as the recording goes on, without any input.
    own_bar.wait_until("len({one for one in told if one}) > 2", timeout=60)
    own_bar.screenshot(name="status", settled=False)
    press(own_bar, "space")
    own_bar.wait_until("bpy.context.screen.is_animation_playing")
    assert own_bar.run("recording.is_running")
    press(own_bar, "Escape")
    own_bar.wait_until("not bpy.context.screen.is_animation_playing")
    assert own_bar.run("recording.is_running"), "Esc stops Blender first"
    press(own_bar, "Escape")
    own_bar.wait_until("not recording.is_running")
    assert own_bar.run("0 < len(cached.known_frames(bpy.context)) < 30000")
    own_bar.wait_until("told[-1] is None")
    own_bar.run("bpy.types.STATUSBAR_HT_header.remove(tell)")


def test_an_edit_makes_frames_unknown(known):
    press(known, "space")
    known.wait_until(HERE)
    known.run("rig.pose.bones['upper'].scale.x = 1.5; bpy.context.view_layer.update()")
    assert known.run("len(cached.cache.known_frames())") == 0


def test_frames_can_be_forgotten(known):
    known.wait_until(ASIDE)
    known.run("with view3d(): bpy.ops.skinscope.cached_playback_forget()")
    assert known.run(HERE)
    assert known.run("len(cached.cache.known_frames())") < 20


def test_disabling_the_extension_brings_them_back(known):
    known.wait_until(ASIDE)
    known.run(
        "import addon_utils\n"
        "name = next(one for one in bpy.context.preferences.addons.keys() if 'skinscope' in one)\n"
        "addon_utils.disable(name)"
    )
    known.run(AFRESH)
    assert known.run("not rig.hide_viewport and not bar.hide_viewport")
    assert known.run(MARKED) is False


def test_frames_are_recorded_while_the_user_rests(own_bar):
    own_bar.run("from skinning_addon.viewport.choices.preferences import stored_preferences")
    own_bar.run("stored_preferences().record_when_idle = True")
    own_bar.run("from skinning_addon.ui.playback.background_recording import recording")
    own_bar.run("from skinning_addon.ui.playback.idle_recording import idle_recording")
    own_bar.run(ON + "scene.frame_end = 400")
    own_bar.wait_until("cached.cache.groups")
    own_bar.wait_until("idle_recording.listens")
    own_bar.xdotool("mousemove", "300", "300", "mousemove", "340", "300")
    own_bar.wait_until("not idle_recording.listens")
    # A move of the mouse is no rest.
    assert not own_bar.run("recording.is_running")
    assert own_bar.run("len(cached.cache.known_frames())") <= 1
    own_bar.wait_until("0 < recording.progress[0]")
    own_bar.screenshot(name="recording_when_idle", settled=False)
    own_bar.wait_until("len(cached.cache.known_frames()) == 400", timeout=120)
    own_bar.wait_until("not recording.is_running")
    # Nothing is left to be recorded.
    own_bar.run("idle_recording.look()")
    assert not own_bar.run("idle_recording.listens")
