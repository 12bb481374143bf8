"""The same seed, the same crowd: across versions, frame rates, jumps and files."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.draws import GOLDEN, mixed
from skinning_addon.animation.crowd.recording_file import read_recording, recording_arrays
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.core.text.errors import CrowdError
from tests.animation.crowd.crowds import crowd, walking_kind

AFTER_3000 = "df73f08417ba3240925f4b99313356874ea4363dac6216593f82263ce62ff1e7"
"""Of `_eventful` after 3,000 steps, on every Blender, numpy and machine."""

HELD_AFTER_1200 = "145b7b17dd2d70cfaa460c538f8a89f3434df73df00984b76d89b1bd5af8a5e8"
"""Of walkers with feet."""


def _eventful(steps: int = 3000) -> Crowd:
    """A crowd that is steered, grows, shrinks, and loses ground."""
    one = crowd(200, 24.0, seed=7, run_share=50)
    _play_to(one, steps)
    return one


EVENTS: tuple[tuple[int, Callable[[Crowd], None]], ...] = (
    (100, lambda one: one.steer(3, (0.3, -0.8), "run")),
    (100, lambda one: one.set_count(260)),
    (700, lambda one: one.steer(3, (-1, 0.1))),
    (900, lambda one: one.set_area((20.0, 22.0))),
    (1300, lambda one: one.release(3)),
    (1900, lambda one: one.set_count(240)),
)


def _play_to(one: Crowd, steps: int) -> None:
    """Play on, and do what happens until then."""
    begin = one.state.step
    for at, change in EVENTS:
        if begin < at <= steps:
            one.advance(Fraction(at - one.state.step, 120))
            change(one)
    one.advance(Fraction(steps - one.state.step, 120))


def test_the_state_is_the_same_on_every_blender_numpy_and_machine():
    assert _eventful().state.digest() == AFTER_3000


def test_feet_that_are_held_are_the_same_on_every_blender_numpy_and_machine():
    one = Crowd.populated(CrowdSettings(5, (walking_kind(),), run_share=50), 100, (16.0, 16.0))
    one.steer(3, (0.3, -0.8), "run")
    one.advance(10)
    assert one.state.foot_offset.any()
    assert one.state.foot_yaw.any()
    assert one.state.digest() == HELD_AFTER_1200


def test_another_seed_is_another_crowd():
    assert crowd(seed=1).state.digest() != crowd(seed=2).state.digest()


def test_random_numbers_are_those_of_splitmix64():
    """Published: the first five for the seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64")."""
    states = np.uint64(1234567) + np.arange(1, 6, dtype=np.uint64) * GOLDEN
    assert mixed(states).tolist() == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip


@pytest.mark.parametrize("rate", [Fraction(24), Fraction(24000, 1001), Fraction(60), Fraction(7)])
def test_the_frame_rate_changes_nothing(rate: Fraction):
    one, other = crowd(40, 9.0, idle=60), crowd(40, 9.0, idle=60)
    told = []
    while one.state.step < 480:
        told += one.advance(1 / rate)
    assert told == other.advance(Fraction(one.state.step, 120))
    assert one.state.digest() == other.state.digest()


def test_a_jump_is_where_playing_leads():
    """Forth and back, at inputs and between them, in any order."""
    one, played = _eventful(1400), crowd(200, 24.0, seed=7, run_share=50)
    digests = {}
    for at in (0, 99, 100, 101, 700, 899, 900, 1299, 1300, 1399):
        _play_to(played, at)
        digests[at] = played.state.digest()
    for at in (1399, 99, 900, 100, 101, 1300, 0, 899, 1299, 700):
        one.seek(at)
        assert one.state.digest() == digests[at]


def test_what_is_done_after_a_jump_back_replaces_what_came_later():
    one = _eventful(1000)
    one.seek(800)
    one.release(3)
    assert [given.step for given in one.recording.inputs] == [0, 0, 100, 100, 700, 800]
    one.seek(1200)
    other = _eventful(800)
    other.release(3)
    other.advance(Fraction(400, 120))
    assert one.state.digest() == other.state.digest()


def test_snapshots_take_bounded_memory_and_jumps_still_work():
    one, other = crowd(100, 14.0), crowd(100, 14.0)
    one.recording.most_bytes = 5 * 100 * 152
    one.seek(1500)
    assert len(one.recording.snapshots) <= 5
    assert 0 in one.recording.snapshots
    one.seek(1000)
    other.seek(1000)
    assert one.state.digest() == other.state.digest()


def _saved(one: Crowd, path: Path) -> Path:
    np.savez(path, **recording_arrays(one))
    return path


def test_a_saved_crowd_goes_on_where_it_was_and_can_be_rewound(tmp_path: Path):
    one = _eventful(1000)
    again = read_recording(_saved(one, tmp_path / "crowd.npz"))
    assert again.state.digest() == one.state.digest()
    assert again.recording.inputs == one.recording.inputs
    for at in (1200, 850, 50):
        one.seek(at)
        again.seek(at)
        assert again.state.digest() == one.state.digest()


@pytest.mark.parametrize("cut", [0, 10, 0.5, -1])
def test_a_truncated_file_is_refused_in_a_sentence(tmp_path: Path, cut: float):
    path = _saved(crowd(5), tmp_path / "crowd.npz")
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content)) if isinstance(cut, float) else cut])
    with pytest.raises(CrowdError, match=r"'crowd.npz' is not a crowd's recording, or it is damaged \(.+\)"):
        read_recording(path)


def test_a_byte_that_has_changed_anywhere_never_gives_another_crowd(tmp_path: Path):
    one = crowd(5)
    path = _saved(one, tmp_path / "crowd.npz")
    content = path.read_bytes()
    random = np.random.default_rng(3)
    for place in random.integers(0, len(content), 150).tolist():
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        assert _digest_or_refusal(path) in {one.state.digest(), "refused"}


def _digest_or_refusal(path: Path) -> str:
    try:
        return read_recording(path).state.digest()
    except CrowdError as error:
        return "refused" if str(error).startswith("'crowd.npz' ") else str(error)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"version": 3', b'"version": 4', "is a crowd of version 4, and this Skinscope reads version 3"),
        (b'"steer", 3', b'"steer", -', "damaged"),
        (b'"steer", 3', b'"steer",99', "There is no agent 99|damaged"),
        (b'"radius": 3', b'"radius":-3', "An agent needs a radius above 0|damaged"),
        (b'"every": 120', b'"every":   0', "damaged"),
    ],
)
def test_a_file_that_says_something_else_is_refused_in_a_sentence(
    tmp_path: Path, old: bytes, new: bytes, said: str
):
    one = crowd(10)
    one.steer(3, (1, 0))
    arrays = recording_arrays(one)
    text = arrays["document"].tobytes()
    assert old in text
    arrays["document"] = np.frombuffer(text.replace(old, new), dtype=np.uint8)
    path = tmp_path / "crowd.npz"
    np.savez(path, **arrays)
    with pytest.raises(CrowdError, match=said):
        read_recording(path)


def test_a_file_that_is_missing_or_something_else_is_refused(tmp_path: Path):
    with pytest.raises(CrowdError, match=r"'none\.npz' can't be read"):
        read_recording(tmp_path / "none.npz")
    with zipfile.ZipFile(tmp_path / "other.npz", "w") as archive:
        archive.writestr("readme.txt", "no crowd")
    with pytest.raises(CrowdError, match=r"'other\.npz' is not a crowd's recording"):
        read_recording(tmp_path / "other.npz")
