"""Controller scripts: a TOML file's events happen at their time, and impossible ones are refused in
a sentence.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.ramps import Transition
from skinning_addon.animation.script import Script, ScriptKey, ScriptTrack, controller_of, planned, seconds_of
from skinning_addon.animation.script_file import read_script, script_text
from skinning_addon.core.text.errors import ScriptError
from tests.animation.builders import angle, arm, turning

# Turns at a constant rate, so that angles are straight lines of position and weight.
SLOW = turning("slow", (0, 10, 20, 30, 40), 2.0, "b0", [("half", 1.0)])
HELD = turning("held", (30, 30), 1.0, "b1")
CLIPS = (SLOW, HELD)

MOVE = """\
instances = 2
seconds = 3
once = ["slow"]

[[track]]
number = 0
clip = "slow"

[[track]]
number = 1
clip = "held"
enabled = false
weight = 0
priority = "high"
mask = { b1 = 1.0, b2 = 0.25 }

[[track]]
number = 0
instance = 1
clip = "slow"
position = 0.5
speed = -0.25

[[key]]
time = 0.5
what = "speed"
track = 0
value = 0
duration = 0.5
transition = "ease-in-ease-out"
instance = 0

[[key]]
time = 1
what = "enable"
track = 1
value = true

[[key]]
time = 1
what = "weight"
track = 1
value = 1
duration = 1

[[key]]
time = 2.5
what = "priority-blend"
value = 0
"""


def _written(folder: Path, text: str) -> Path:
    path = folder / "move.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_a_file_says_happens_at_its_time(tmp_path: Path):
    script = read_script(_written(tmp_path, MOVE))
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
    script = read_script(_written(tmp_path, MOVE))
    again = read_script(_written(tmp_path, script_text(script)))
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
    assert read_script(_written(tmp_path, script_text(odd))) == odd


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path):
    assert read_script(_written(tmp_path, f"\ufeff{MOVE}")) == read_script(_written(tmp_path, MOVE))


def test_the_pages_example_is_a_script(tmp_path: Path):
    page = (Path(__file__).parents[2] / "docs" / "animation.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    script = read_script(_written(tmp_path, text))
    assert script.clips == ("Walk", "Run")
    assert script.tracks[1].mask == {"b_Neck_04": 1.0}
    assert [key.time + key.duration for key in script.keys] == [1.0, 1.25]


def test_without_a_length_it_lasts_until_all_that_it_says_has_happened():
    tracks = (ScriptTrack(0, "slow", speed=2.0, position=0.5), ScriptTrack(1, "held", speed=0.0))
    assert seconds_of(Script(tracks), CLIPS) == pytest.approx(1.5 / 2)
    key = ScriptKey(2.0, EventKind.WEIGHT, 0.0, 0, duration=0.25)
    assert seconds_of(Script(tracks, (key,)), CLIPS) == pytest.approx(2.25)


TRACK = '[[track]]\nnumber = 0\nclip = "slow"\n'
KEY = "[[key]]\ntime = 1\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("speed = [", "is not a valid TOML file (Invalid value (at end of document)); fix or remove it."),
        ("", "the script has no track; add one that plays a clip."),
        (f"{TRACK}loud = 1", "track 0: there is no setting 'loud'; the settings are number, clip, "),
        (f"echo = 1\n{TRACK}", "there is no setting 'echo'; the settings are instances, seconds, "),
        ('track = "slow"', 'track is "slow"; it must be a list of tables, each with the header [[track]].'),
        ("key = 3", "key is 3; it must be a list of tables, each with the header [[key]]."),
        ('[[track]]\nclip = "slow"', ("[[track]] 1: the setting 'number' is missing; it must be a whole "
                                     "number from 0 to 255.")),
        ("[[track]]\nnumber = 0", "track 0: the setting 'clip' is missing; it must be a clip's name."),
        (f"{TRACK}speed = true", "track 0: speed is true; it must be a number."),
        (f"{TRACK}speed = 2000", "track 0: a track can't play 2000 times as fast; give -1000 to 1000."),
        (f"{TRACK}speed = nan", "track 0: a track can't play nan times as fast; give -1000 to 1000."),
        (f"{TRACK}weight = -1", "track 0: a weight must be between 0 and 1, not -1."),
        (f"{TRACK}mask = {{ b0 = 2 }}", "track 0: a mask must be between 0 and 1, not 2."),
        (f'{TRACK}mask = {{ b0 = "all" }}', ('track 0: mask is { b0 = "all" }; it must be bones with '
                                            'numbers from 0 to 1')),
        (f'{TRACK}priority = "top"', 'track 0: priority is "top"; it must be "low" or "high".'),
        (f"{TRACK}instance = 1", ("track 0: it is for instance 1, but the last one is 0; raise instances, "
                                 "or remove it.")),
        (TRACK + TRACK, "track 0 is defined twice; give one of them another number or instance."),
        (
            f"instances = 2\n{TRACK}{TRACK}instance = 1\nmask = {{ b0 = 1 }}",
            ("track 0: a mask applies to all instances, but this track is only for instance 1; put the mask "
            "on the track for all"),
        ),
        (f"{TRACK}speed = 1979-05-27", "track 0: speed is 1979-05-27; it must be a number."),
        (f"instances = nan\n{TRACK}", "instances is nan; it must be a whole number"),
        ("[track]\nnumber = 0", ("track is { number = 0 }; it must be a list of tables, each with the "
                                "header [[track]].")),
        (
            f'{TRACK}[[key]]\ntime = nan\nwhat = "speed"\ntrack = 0\nvalue = 1',
            "key 1: a time must be a number of seconds, not nan.",
        ),
        (
            f'{TRACK}{KEY}what = "mask"\ntrack = 0\nvalue = 2',
            "key 1: a mask must be between 0 and 1, not 2.",
        ),
        (
            f'{TRACK}{KEY}what = "priority-blend"\nvalue = 2',
            "key 1: a priority blend must be between 0 and 1, not 2.",
        ),
        (f'once = ["fly"]\n{TRACK}', "once lists 'fly', which is not on a track; remove it."),
        (f"seconds = 0\n{TRACK}", "seconds is 0; it must be a number above 0, up to 3600."),
        (f"instances = 0\n{TRACK}", "instances is 0; it must be a whole number from 1 to 1000."),
        (f"{TRACK}{KEY}", "key 1: the setting 'what' is missing; it must be \"enable\", \"speed\", "),
        (f'{TRACK}{KEY}what = "jump"', ('key 1: what is "jump"; it must be "enable", "speed", "weight", '
                                       '"position", ')),
        ((f'{TRACK}{KEY}what = "weight"\ntrack = '
         f'0'), "key 1: the setting 'value' is missing; it must be a number."),
        (f'{TRACK}{KEY}what = "enable"\ntrack = 0\nvalue = 1', "key 1: value is 1; it must be true or false."),
        ((f'{TRACK}{KEY}what = "speed"\nvalue = '
         f'1'), "key 1: the setting 'track' is missing; it must be a whole number"),
        (
            f'{TRACK}{KEY}what = "speed"\ntrack = 4\nvalue = 1',
            "key 1: there is no track 4 in the script; add it, or choose 0.",
        ),
        (
            f'{TRACK}{KEY}what = "priority-blend"\ntrack = 0\nvalue = 1',
            "key 1: the priority blend belongs to no single track; remove track.",
        ),
        (
            f'{TRACK}[[key]]\ntime = -1\nwhat = "speed"\ntrack = 0\nvalue = 1',
            "key 1: a key can't be set at -1 seconds because the clock is already at 0; choose a later time.",
        ),
        (
            f'seconds = 0.5\n{TRACK}{KEY}what = "speed"\ntrack = 0\nvalue = 1',
            ("key 1: it is at 1 s, but the script ends at 0.5 s; give it an earlier time, or make the "
            "script longer."),
        ),
        (
            f'{TRACK}[[key]]\ntime = 4000\nwhat = "speed"\ntrack = 0\nvalue = 1',
            "key 1: it is at 4000 s, but a script can be at most 3600 s long; give it an earlier time.",
        ),
        (
            f'{TRACK}{KEY}what = "weight"\ntrack = 0\nvalue = 1\nduration = 80000',
            "key 1: a transition can't take 80000 seconds; give 0 to 3600.",
        ),
        (
            f'{TRACK}{KEY}what = "position"\ntrack = 0\nvalue = -5000',
            "key 1: a position must be between -3600 and 3600 seconds, not -5000.",
        ),
        (
            f"{TRACK}position = 1e308",
            "track 0: a position must be between -3600 and 3600 seconds, not 1e+308.",
        ),
        (
            f'{TRACK}{KEY}what = "speed"\ntrack = 0\nvalue = 1\nduration = -0.1',
            "key 1: a transition can't take -0.1 seconds; give 0 to 3600.",
        ),
        (
            f'{TRACK}{KEY}what = "position"\ntrack = 0\nvalue = 1\nduration = 0.1',
            "key 1: position changes at once; remove duration.",
        ),
        (
            f'{TRACK}{KEY}what = "weight"\ntrack = 0\nvalue = 1\ntransition = "smooth"',
            'key 1: transition is "smooth"; it must be "linear" or "ease-in-ease-out".',
        ),
        (
            f'{TRACK}{KEY}what = "weight"\ntrack = 0\nvalue = 1\ninstance = 1',
            "key 1: it is for instance 1, but the last one is 0; raise instances, or remove it.",
        ),
        (
            (f'instances = 2\n{TRACK}[[track]]\nnumber = 1\nclip = "slow"\ninstance = 0\n'
            f'{KEY}what = "weight"\ntrack = 1\nvalue = 1\ninstance = 1'),
            "key 1: instance 1 has no track 1; add it for that instance or for all, or key another one.",
        ),
        (
            f"instances = 3\n{TRACK}instance = 0",
            "instance 1 has no track; add one for it or for all instances, or lower instances.",
        ),
    ],
)  # fmt: skip
def test_what_can_not_be_is_refused_in_a_sentence_that_names_file_and_place(
    tmp_path: Path, text: str, says: str
):
    path = _written(tmp_path, text)
    with pytest.raises(ScriptError) as refused:
        read_script(path)
    sentence = str(refused.value)
    assert sentence.startswith(f"'{path}'")
    assert says in sentence
    assert sentence.endswith(".")


def test_a_file_that_is_not_there_and_a_bone_that_is_not_there_are_named(tmp_path: Path):
    with pytest.raises(ScriptError, match=r"can't be read .*; check the path"):
        read_script(tmp_path / "none.toml")
    script = Script((ScriptTrack(0, "slow", mask={"tail": 1.0}),))
    with pytest.raises(ScriptError, match=r"^track 0: there is no bone 'tail' to mask"):
        controller_of(script, arm(), CLIPS)


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


ODD = [
    *(
        "0",
        "1",
        "-1",
        "0.5",
        "1e308",
        "-1e308",
        "1e-320",
        "nan",
        "inf",
        "true",
        "[]",
        "{}",
        "9" * 30,
        "0x" + "f" * 5000,
    ),
    *(
        '""',
        '"slow"',
        '"low"',
        '"enable"',
        '"mask"',
        "{ b9 = 1 }",
        "{ b0 = nan }",
        "1979-05-27",
        "255",
        "256",
        "[1]",
    ),
    '"' + "x" * 100_000 + '"',
]
VALUES = {
    "enable": ["true", "false"],
    "priority": ['"low"', '"high"'],
    "speed": ["-1.5", "0", "2"],
    "position": ["0.1"],
}


def _any_script(random: Random) -> str:
    """Write a script that is right, most often, or odd in some places."""
    odd = random.choice([0.0, 0.0, 0.01, 0.1])

    def some(**values: list[str]) -> list[str]:
        lines = []
        for key, texts in values.items():
            if key in {"number", "clip", "time", "what", "track", "value"} or random.random() < 0.4:
                lines.append(f"{key} = {random.choice(ODD if random.random() < odd else texts)}")
        return lines

    tracks = random.randint(0 if odd else 1, 3)
    lines = ["instances = 2", *some(seconds=["2", "2.5"], priority_blend=["0.5"])]
    for number in range(tracks):
        lines += [
            "[[track]]",
            *some(
                number=[f"{number}"],
                clip=['"slow"', '"held"'],
                enabled=["true", "false"],
                speed=["1", "-2", "0"],
            ),
            *some(weight=["0.5"], position=["0.3", "-4"], priority=['"low"', '"high"']),
            *some(**random.choice([{"mask": ["{ b0 = 0.5 }"]}, {"instance": ["0", "1"]}])),
        ]
    for _ in range(random.randint(0, 6) if tracks else 0):
        what = random.choice(["speed", "weight", "mask", "priority-blend", "position", "enable", "priority"])
        lines += [
            "[[key]]",
            *some(time=["0", "1", "0.4"], what=[f'"{what}"'], value=VALUES.get(what, ["0", "1", "0.5"])),
        ]
        if what != "priority-blend":
            lines += some(track=[str(random.randrange(tracks))])
        if what in {"speed", "weight", "mask", "priority-blend"}:
            lines += some(duration=["0.25", "0"], transition=['"linear"', '"ease-in-ease-out"'])
        lines += some(instance=["0", "1"])
    return "\n".join(lines)


def test_any_file_is_refused_in_a_sentence_or_plays_the_same_however_time_is_cut(tmp_path: Path):
    random, played = Random(1), 0  # noqa: S311 - the same scripts each time
    refused: list[str] = []
    for _ in range(300):
        path = _written(tmp_path, _any_script(random))
        try:
            script = read_script(path)
            plan = planned(script, arm(), CLIPS)
        except ScriptError as error:
            refused.append(str(error))
            continue
        assert read_script(_written(tmp_path, script_text(script))) == script
        controller = controller_of(script, arm(), CLIPS)
        told = [one for _ in range(20) for one in controller.advance(Fraction(plan.seconds) / 20)]
        assert tuple(told) == plan.passings
        assert np.isfinite(controller.to_root()).all()
        played += 1
    assert 150 < played < 280
    assert all(one.endswith(".") and len(one) < 1000 for one in refused)
