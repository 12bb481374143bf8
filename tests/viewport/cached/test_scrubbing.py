"""While the user drags through time, characters are shown from memory; nothing of it stays."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.viewport.cached import scrub
from skinning_addon.viewport.cached.aside import MARK
from skinning_addon.viewport.cached.choices import CachedChoices
from tests.viewport.cached.recorded import FRAMES, Mode, assert_known_frames_are_blenders, bending_rig

SCRUBS = CachedChoices(is_on=True, scrubs=True)


@pytest.fixture
def scrubbed(mode, rig) -> Mode:  # noqa: ARG001 - the rig is what is recorded
    mode.choices = SCRUBS
    mode.record()
    return mode


def assert_here(*objects: bpy.types.Object) -> None:
    assert not any(one.hide_viewport or MARK in one for one in objects)


def test_a_drag_is_shown_from_memory_and_its_end_brings_everything_back(scrubbed, rig):
    armature, body = rig
    body.select_set(True)
    scrubbed.scrub(2, 3)
    assert armature.hide_viewport
    assert body.hide_viewport
    scrubbed.scrub(4, 5, 6)
    evaluated = {one.original for one in bpy.context.evaluated_depsgraph_get().ids}
    assert evaluated.isdisjoint({*rig, *(one.data for one in rig)})
    scrubbed.release()
    assert_here(*rig)
    assert body.select_get()
    assert scrubbed.known == FRAMES
    assert assert_known_frames_are_blenders(scrubbed, [body]) == FRAMES


def test_it_is_off_by_default(mode, rig):
    mode.record()
    mode.scrub(2, 3, 4)
    assert_here(*rig)


def test_a_click_is_no_drag(scrubbed, rig):
    scrubbed.scrub(4)
    assert_here(*rig)
    scrubbed.release()
    scrubbed.scrub(7)
    assert_here(*rig)


def test_frames_that_change_without_a_drag_are_blenders(scrubbed, rig):
    for frame in (2, 3, 4):
        bpy.context.scene.frame_set(frame)
        scrubbed.fire()
    assert_here(*rig)


def test_at_a_frame_that_is_not_known_they_come_back_until_the_next_drag(scrubbed, rig):
    scrubbed.scrub(2, 3)
    assert rig[0].hide_viewport
    # Between two whole frames, as when subframes are shown.
    scrubbed.scrub(3.5)
    assert_here(*rig)
    scrubbed.scrub(4, 5, 6)
    assert_here(*rig)
    scrubbed.release()
    scrubbed.scrub(5, 4)
    assert rig[0].hide_viewport


def test_only_characters_that_are_known_at_this_frame_step_aside(scrubbed, rig):
    other, _ = bending_rig()
    scrubbed.record()
    other.location.x = 1
    bpy.context.view_layer.update()
    scrubbed.cached.refresh()
    scrubbed.scrub(2, 3, 4)
    assert rig[0].hide_viewport
    assert not other.hide_viewport


def test_frames_that_are_recorded_in_a_drag_are_blenders_until_the_next(mode, rig):
    mode.choices = SCRUBS
    mode.cached.refresh()
    mode.scrub(2, 3, 4, 5, 4, 3)
    assert_here(*rig)
    assert mode.known == 4
    mode.release()
    mode.scrub(4, 3)
    assert rig[0].hide_viewport
    mode.release()


def test_a_drag_that_rests_brings_them_back_and_goes_on(scrubbed, rig):
    scrubbed.scrub(2, 3)
    look = scrubbed.cached._scrub._look
    for _ in range(scrub.LOOKS_OF_REST - 1):
        scrubbed.fire(look)
    assert rig[0].hide_viewport
    scrubbed.fire(look)
    assert_here(*rig)
    scrubbed.scrub(4, 5)
    assert rig[0].hide_viewport
    scrubbed.release()
    assert_here(*rig)


def test_an_end_that_was_not_seen_leaves_nothing_aside(scrubbed, rig):
    """As when the window loses the button's release: the timer that looks after the drag finds its end."""
    scrubbed.scrub(2, 3)
    assert rig[0].hide_viewport
    scrubbed.release()
    assert_here(*rig)
    bpy.context.scene.frame_set(6)
    assert not scrubbed.cached._scrub.moves


def test_playing_goes_before_a_drag(scrubbed, rig):
    """While Blender plays, characters step aside only if they are known at all frames."""
    scrubbed.cached.cache.forget_all()
    scrubbed.cached.refresh()
    scrubbed.play()
    scrubbed.scrub(2, 3, 2, 3)
    assert_here(*rig)
    scrubbed.stop()


def test_switching_it_off_forgets_the_drag(scrubbed, rig):
    scrubbed.scrub(2, 3)
    scrubbed.cached.stop()
    assert_here(*rig)
    assert not scrubbed.cached._scrub.moves
