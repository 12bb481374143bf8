"""Controller scripts: a TOML file's events happen at their time, and impossible ones are refused in
a sentence.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.ramps import Transition
from skinning_addon.animation.script import Script, ScriptKey, ScriptTrack, controller_of, seconds_of
from skinning_addon.animation.script_file import read_script, script_text
from tests.animation.builders import angle, arm
from tests.animation.scripts import CLIPS, MOVE, written


def test_what_a_file_says_happens_at_its_time(tmp_path: Path):
    script = read_script(written(tmp_path, MOVE))
    assert seconds_of(script, CLIPS) == 3
    controller = controller_of(script, arm(), CLIPS)
    controller.advance(0.75)
    # D3DX's ease, x² (3 - 2x), is 1/2 half-way; its integral over half of the way is 1/2 - 3/32 of the
    # duration.
    assert controller.speed(0) == pytest.approx([0.5, -0.25])
    assert controller.position(0) == pytest.approx([0.5 + 0.5 * (0.5 - 3 / 32), 0.5 - 0.25 * 0.75])
    assert controller.weight(1) == pytest.approx([0, 0])
    controller.advance(0.5)
    assert controller.weight(1) == pytest.approx([0.25, 0.25])
    assert controller.position(0) == pytest.approx([0.75, 0.5 - 0.25 * 1.25])
    turned = angle(controller.pose().rotation)
    # The mask limits b0 to the low track; b1, which only the high one has keys for, is at its 30 degrees.
    assert turned[0] == pytest.approx([20 * 0.75, 30, 0], abs=1e-3)
    # "once": played backwards it stays at its start instead of looping to its end.
    controller.advance(1.75)
    assert controller.position(0) == pytest.approx([0.75, 0])
    # Priority blend at 0: b1 is the low track's, which rests.
    assert angle(controller.pose().rotation)[0] == pytest.approx([15, 0, 0], abs=1e-3)


def test_priority_and_mask_are_keyed_like_the_rest():
    script = Script(
        (
            ScriptTrack(0, "slow", speed=0, position=1.0),
            ScriptTrack(1, "held", mask={"b0": 1.0}),
        ),
        (
            ScriptKey(1.0, EventKind.PRIORITY, 1.0, 1),
            ScriptKey(2.0, EventKind.MASK, 0.0, 1, duration=1.0),
        ),
    )
    controller = controller_of(script, arm(), CLIPS)

    def turned(bone: int) -> float:
        return float(angle(controller.pose().rotation)[0, bone])

    # Two low tracks of weight 1: the mean of 20 and the 0 of a clip that does not turn b0.
    assert turned(0) == pytest.approx(10, abs=1e-3)
    controller.advance(1.5)
    # The high track over the low one, in the one bone of its mask; b1 is the low one's.
    assert turned(0) == pytest.approx(0, abs=1e-3)
    assert turned(1) == pytest.approx(0, abs=1e-3)
    controller.advance(1.0)
    # The mask holds by half; a bone that a high track has is that track's by the priority blend of 1.
    assert turned(1) == pytest.approx(30, abs=1e-3)
    state = controller.timeline.states
    assert state.mask.value(2.5)[0, 1] == pytest.approx(0.5)
    controller.advance(1.0)
    controller.key(EventKind.PRIORITY, 0, track=1)
    # No mask and one group: means of two tracks in both bones.
    assert [turned(0), turned(1)] == pytest.approx([10, 15], abs=1e-3)


def test_a_mask_that_holds_by_half_halves_the_weight_of_the_bones_it_leaves_out():
    script = Script(
        (ScriptTrack(0, "slow", speed=0), ScriptTrack(1, "held", mask={"b0": 1.0})),
        (ScriptKey(0.0, EventKind.MASK, 0.5, 1),),
    )
    controller = controller_of(script, arm(), CLIPS)
    # b1: 0 degrees by weight 1, 30 degrees by weight 1/2. Nlerp's angle, by its own formula.
    share, half = 1 / 3, np.radians(15)
    expected = 2 * np.degrees(np.arctan2(share * np.sin(half), 1 - share + share * np.cos(half)))
    assert angle(controller.pose().rotation)[0, 1] == pytest.approx(expected, abs=1e-3)


def test_a_script_is_written_as_it_is_read(tmp_path: Path):
    script = read_script(written(tmp_path, MOVE))
    again = read_script(written(tmp_path, script_text(script)))
    assert again == script
    odd = Script(
        (
            ScriptTrack(3, 'A "b"\\\n\x7f \U0001f600', speed=1e-7, mask={"Arm.L": 0.1}),
            ScriptTrack(3, "slow", instance=1),
        ),
        (
            ScriptKey(0.1, EventKind.WEIGHT, 0.3, 3, 1e-5, Transition.EASE),
            ScriptKey(0.2, EventKind.PRIORITY, 1.0, 3),
            ScriptKey(0.2, EventKind.ENABLE, 0.0, 3, instance=1),
        ),
        instances=2,
        priority_blend=0.1,
    )
    assert read_script(written(tmp_path, script_text(odd))) == odd


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path):
    assert read_script(written(tmp_path, f"\ufeff{MOVE}")) == read_script(written(tmp_path, MOVE))


def test_the_pages_example_is_a_script(tmp_path: Path):
    page = (Path(__file__).parents[2] / "docs" / "animation.md").read_text(encoding="utf-8")
    (text,) = (one for one in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[[track]]" in one)
    script = read_script(written(tmp_path, text))
    assert script.clips == ("Walk", "Run")
    assert script.tracks[1].mask == {"b_Neck_04": 1.0}
    assert [key.time + key.duration for key in script.keys] == [1.0, 1.25]


def test_without_a_length_it_lasts_until_all_that_it_says_has_happened():
    tracks = (ScriptTrack(0, "slow", speed=2.0, position=0.5), ScriptTrack(1, "held", speed=0.0))
    assert seconds_of(Script(tracks), CLIPS) == pytest.approx(1.5 / 2)
    key = ScriptKey(2.0, EventKind.WEIGHT, 0.0, 0, duration=0.25)
    assert seconds_of(Script(tracks, (key,)), CLIPS) == pytest.approx(2.25)


def test_a_script_drives_the_same_controller_as_calls_do():
    script = Script(
        (ScriptTrack(0, "slow"), ScriptTrack(1, "held", enabled=False)),
        (ScriptKey(0.3, EventKind.ENABLE, 1.0, 1), ScriptKey(0.3, EventKind.WEIGHT, 0.0, 0, 0.25)),
    )
    scripted, told = controller_of(script, arm(), CLIPS), Controller(arm(), CLIPS)
    told.set_track(0, "slow")
    told.set_track(1, "held", enabled=False)
    told.key(EventKind.ENABLE, 1, track=1, at=0.3)
    told.key(EventKind.WEIGHT, 0, track=0, at=0.3, duration=0.25)
    assert scripted.advance(1.25) == told.advance(1.25)
    assert scripted.to_root().tobytes() == told.to_root().tobytes()
