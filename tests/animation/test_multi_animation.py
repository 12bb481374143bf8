"""The MultiAnimation sample's track transition, as docs/animation.md describes it, by the rules of D3DX's
controller.

KeyTrackSpeed and KeyTrackWeight change linearly from the current value to the new one; a track's position is
the integral of its speed; tracks are mixed by weight; AdvanceTime calls back for each key in the elapsed time.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.animation.clip import Clip, Marker, sparse_clip
from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from tests.animation.builders import BoneKeys, about, angle, arm

PAGE = Path(__file__).parents[2] / "docs" / "animation.md"


def _clip(name: str, degrees_a_second: float, footsteps: dict[float, str]) -> Clip:
    """Rotates b0 by 2 seconds' worth of degrees, then starts over; closely spaced keys, on a straight line."""
    times = np.linspace(0, 2, 201)
    return sparse_clip(
        name,
        {"b0": BoneKeys(rotation=(times, about((1, 0, 0), degrees_a_second * times).T))},
        ticks_per_second=1.0,
        markers=tuple(Marker("foot", time, data) for time, data in footsteps.items()),
    )


def _run_the_page() -> tuple[
    Controller, list[tuple[str, float]], list[tuple[float, float, float, float, float]]
]:
    """Run the example; return its controller, its footsteps, and by frame: seconds, positions of both tracks,
    weight, angle.
    """
    (source,) = [
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        if "move_to" in block
    ]
    assert len(source.strip().splitlines()) <= 21
    frames: list[tuple[float, float, float, float, float]] = []

    class Watched(Controller):
        def advance(self, dt: float | Fraction) -> list[object]:
            passed = super().advance(dt)
            turned = float(angle(self.pose().rotation)[0, 0])
            seen = self.position(0)[0], self.position(1)[0], self.weight(1)[0], turned
            frames.append((self.now, *map(float, seen)))
            return passed

    heard: list[tuple[str, float]] = []
    names = {
        "Controller": Watched,
        "EventKind": EventKind,
        "Fraction": Fraction,
        "skeleton": arm(),
        "loiter": _clip("Loiter", 10.0, {1.02: "shuffle.wav"}),
        "walk": _clip("Walk", 40.0, {0.1: "left.wav", 0.6: "right.wav"}),
        "play_sound": lambda data, weight: heard.append((data, weight)),
    }
    exec(source, names)  # noqa: S102 - the page's own example
    return names["controller"], heard, frames


def test_the_pages_example_moves_to_the_other_track_as_the_sample_does():
    controller, heard, frames = _run_the_page()
    assert len(frames) == 61
    for seconds, old, new, weight, turned in frames[1:]:
        t = seconds - 1
        on_the_way = min(t, 0.25)
        # Integrals of speeds that go from 1 to 0 and from 0 to 1 in a quarter of a second.
        expected_old = 1 + on_the_way - 2 * on_the_way**2
        expected_new = 2 * on_the_way**2 + max(t - 0.25, 0)
        assert old == pytest.approx(expected_old, abs=1e-9)
        assert new == pytest.approx(expected_new, abs=1e-9)
        assert weight == pytest.approx(min(4 * t, 1), abs=1e-9)
        # About one axis, by small angles, a mean of rotations is the mean of angles.
        assert turned == pytest.approx(
            10 * expected_old * (1 - weight) + 40 * expected_new * weight, abs=0.01
        )
    assert controller.weight(0) == [0]
    assert not controller.upcoming()
    # When old and new positions reach their footsteps: 1 + t - 2 t² = 1.02, 2 t² = 0.1, 0.125 + (t - 0.25) =
    # 0.6.
    shuffle, left = (1 - math.sqrt(1 - 0.16)) / 4, math.sqrt(0.05)
    assert [data for data, _ in heard] == ["shuffle.wav", "left.wav", "right.wav"]
    assert [weight for _, weight in heard] == pytest.approx([1 - 4 * shuffle, 4 * left, 1])
