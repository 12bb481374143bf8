"""Footsteps are heard once each while the timeline plays, and never in jumps, or without a device."""

from __future__ import annotations

import sys
import wave
from pathlib import Path
from types import ModuleType, SimpleNamespace

import bpy
import numpy as np
import pytest

from skinning_addon.animation.crowd.footsteps import Footstep
from skinning_addon.viewport.crowds import scene_crowd
from skinning_addon.viewport.crowds.step_sound import MOST_AT_ONCE, StepSound
from tests.viewport.crowds.test_scene_crowd import Chosen


class NoSoundError(Exception):
    """What `aud` raises."""


class Aud(ModuleType):
    """A stand-in for Blender's module that notes what is played."""

    error = NoSoundError

    def __init__(self, *, device: bool = True) -> None:
        super().__init__("aud")
        self.played: list[SimpleNamespace] = []
        self.stopped = 0
        self._has_device = device
        self.Sound = SimpleNamespace(file=self._file)

    def _file(self, path: str) -> SimpleNamespace:
        if path.endswith(".txt"):
            raise NoSoundError("not a sound")
        loud = SimpleNamespace(volume=lambda volume: SimpleNamespace(path=path, volume=volume))
        return SimpleNamespace(cache=lambda: loud)

    def Device(self) -> Aud:  # noqa: N802 - its name there
        if not self._has_device:
            raise NoSoundError("no device")
        return self

    def play(self, sound: SimpleNamespace) -> None:
        self.played.append(sound)

    def stopAll(self) -> None:  # noqa: N802 - its name there
        self.stopped += 1


@pytest.fixture
def aud(monkeypatch: pytest.MonkeyPatch) -> Aud:
    made = Aud()
    monkeypatch.setitem(sys.modules, "aud", made)
    return made


@pytest.fixture
def file(tmp_path: Path) -> str:
    with wave.open(str(tmp_path / "step.wav"), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(8000)
        stream.writeframes(b"\0\1" * 800)
    return str(tmp_path / "step.wav")


def steps(*agents: int, weight: float = 1.0) -> list[Footstep]:
    return [Footstep(0.0, one, "Walk", "foot.L", weight) for one in agents]


def test_a_footstep_is_as_loud_as_it_is_near(aud: Aud, file: str):
    sound = StepSound()
    sound.choose(file)
    places = np.array([(0.0, 0, 0), (10, 0, 0), (100, 0, 0), (10_000, 0, 0)])
    sound.play(steps(0, 1, 2, 3), places, np.full(4, 2.0), np.zeros(3))
    assert [one.volume for one in aud.played] == pytest.approx([1.0, 0.6, 0.06])
    sound.play(steps(0, weight=0.5), places, np.full(4, 2.0), np.zeros(3))
    assert aud.played[-1].volume == 0.5


def test_only_the_loudest_of_very_many_are_heard(aud: Aud, file: str):
    sound = StepSound()
    sound.choose(file)
    places = np.zeros((100, 3))
    places[:, 0] = np.arange(100)[::-1]
    sound.play(steps(*range(100)), places, np.full(100, 1.8), np.zeros(3))
    assert len(aud.played) == MOST_AT_ONCE
    assert min(one.volume for one in aud.played) >= 3 * 1.8 / MOST_AT_ONCE


def test_what_is_no_sound_is_a_sentence(aud: Aud, file: str, tmp_path: Path):
    sound = StepSound()
    sound.choose(str(tmp_path / "none.wav"))
    assert sound.error.startswith("There is no sound file '")
    (tmp_path / "text.txt").write_text("text", encoding="utf-8")
    sound.choose(str(tmp_path / "text.txt"))
    assert sound.error == "'text.txt' can't be read as a sound (not a sound); choose another."
    sound.choose(file)
    assert sound.error == ""
    assert sound.is_on
    sound.choose("")
    assert not sound.is_on
    assert not aud.played


@pytest.mark.parametrize("aud_there", [True, False])
def test_without_a_device_or_the_module_nothing_is_heard_nor_said(
    monkeypatch: pytest.MonkeyPatch, file: str, aud_there: bool
):
    monkeypatch.setitem(sys.modules, "aud", Aud(device=False) if aud_there else None)
    sound = StepSound()
    sound.choose(file)
    sound.play(steps(0), np.zeros((1, 3)), np.ones(1), np.zeros(3))
    assert not sound.is_on
    assert sound.error == ""
    sound.stop()


def test_blenders_own_aud_takes_it(file: str):
    """With whatever device there is, also none."""
    pytest.importorskip("aud", reason="this Blender is built without aud")
    sound = StepSound()
    sound.choose(file)
    assert sound.error == ""
    sound.play(steps(0, 0), np.zeros((1, 3)), np.ones(1), np.ones(3))
    sound.stop()


def test_each_footstep_of_the_time_that_is_played_is_heard_once(
    aud: Aud, file: str, monkeypatch: pytest.MonkeyPatch
):
    other = Chosen()
    expected = other.refreshed(count=4).player.crowd.advance(8)
    other.crowd.stop()
    chosen = Chosen()
    crowd = chosen.refreshed(sound=file, count=4)
    assert not crowd.error
    monkeypatch.setattr(scene_crowd, "is_playing_back", lambda: True)
    monkeypatch.setattr(scene_crowd, "SECONDS_AT_ONCE", 100.0)
    scene = bpy.context.scene
    scene.frame_start = 1
    for frame in range(1, 8 * scene.render.fps + 2):
        scene.frame_set(frame)
        crowd.catch_up()
    assert len(aud.played) == len(expected) > 10
    # A jump is silent.
    scene.frame_set(1)
    crowd.catch_up()
    scene.frame_set(150)
    crowd.catch_up()
    assert len(aud.played) == len(expected)
    crowd.stop()
    assert aud.stopped == 1
