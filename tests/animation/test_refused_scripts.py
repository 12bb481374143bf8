"""Controller scripts that can't play are refused in a sentence that names the file and the entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from skinning_addon.animation.script import Script, ScriptTrack, controller_of
from skinning_addon.animation.script_file import read_script
from skinning_addon.core.text.errors import ScriptError
from tests.animation.builders import arm
from tests.animation.scripts import CLIPS, KEY, TRACK, written


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
def test_a_wrong_script_is_refused_in_a_sentence_that_names_the_file_and_the_entry(
    tmp_path: Path, text: str, says: str
):
    path = written(tmp_path, text)
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
