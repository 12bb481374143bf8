"""While Blender plays, recording takes no more than its share of the frames: who is left out comes next time."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest

from skinning_addon.viewport.cached.recording_time import LEAST, MOST_LEFT, SHARE, RecordingTime
from tests.viewport.cached.recorded import FRAMES, Mode, assert_known_frames_are_blenders, bending_rig


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def recorded(frame_seconds: float, each: float, characters: int, frames: int) -> list[int]:
    """Return how many characters were recorded at each frame; the first always is."""
    clock = Clock()
    allowed = RecordingTime(clock)
    allowed.start()
    counts: list[int] = []
    for _ in range(frames):
        allowed.begin(frame_seconds)
        count = 0
        while count < characters and (not count or allowed.is_left):
            clock.now += each
            count += 1
        allowed.end()
        counts.append(count)
        clock.now += frame_seconds
    return counts


def test_heavy_characters_take_their_share_of_the_frames_and_no_more():
    counts = recorded(frame_seconds=0.04, each=0.0004, characters=10, frames=500)
    assert 10 * counts.count(10) < 500
    assert sum(counts) * 0.0004 <= SHARE * 500 * 0.04 + MOST_LEFT + 0.0004
    assert sum(counts) * 0.0004 >= 0.95 * SHARE * 500 * 0.04


def test_light_characters_are_all_recorded_at_once():
    assert set(recorded(frame_seconds=0.002, each=LEAST / 12, characters=10, frames=100)) == {10}


def test_the_first_is_recorded_however_long_that_takes():
    assert set(recorded(frame_seconds=0.004, each=0.01, characters=3, frames=50)[1:]) == {1}


def test_what_is_saved_up_does_not_grow():
    clock = Clock()
    allowed = RecordingTime(clock)
    for _ in range(1000):
        allowed.begin(0.1)
        allowed.end()
    allowed.begin(0.1)
    clock.now += MOST_LEFT
    assert not allowed.is_left


@pytest.fixture
def slow(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mode]:
    """A mode whose frames and characters take so long that two are never recorded at one frame."""
    bending_rig()
    bending_rig()
    mode.cached.refresh()
    mode.cached.costs.begin()
    mode.cached.costs.end(from_memory=False, counts=True)
    monkeypatch.setattr(RecordingTime, "is_left", property(lambda _: False))
    yield mode
    mode.stop()


def test_who_is_left_out_is_recorded_when_blender_comes_there_again(slow: Mode):
    slow.play()
    scene, cache = bpy.context.scene, slow.cached.cache
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
    first, second = cache.groups
    known = [[len(mesh.frames) for mesh in cache.meshes_of(one)] for one in (first, second)]
    assert known == [[FRAMES], [0]]
    slow.fire()
    assert slow.cached.shown == (first,)
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
    slow.fire()
    assert slow.cached.shown == (first, second)
    slow.stop()
    meshes = [one for one in scene.objects if one.type == "MESH"]
    assert assert_known_frames_are_blenders(slow, meshes) == 2 * FRAMES


def test_without_playing_everybody_is_recorded(slow: Mode):
    slow.record()
    assert slow.known == FRAMES
