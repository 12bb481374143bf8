"""Time is exact however it is divided, and saved state is complete."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skinning_addon.animation.events import EventKind
from skinning_addon.animation.plain_state import from_plain, to_plain
from skinning_addon.core.text.errors import ClipError
from tests.animation.builders import arm, turning
from tests.animation.busy_controller import CLIPS, RUN, WALK, busy, state


@settings(max_examples=40)
@given(
    st.integers(0, 40).map(lambda whole: whole / 8),
    st.lists(st.floats(0, 1), max_size=40),
)
def test_many_small_steps_equal_one_large(seconds: float, cuts: list[float]):
    whole = Fraction(seconds)
    at = sorted({Fraction(0), whole, *(Fraction(cut) * whole for cut in cuts)})
    large, small = busy(), busy()
    told = large.advance(whole)
    told_in_steps = [one for before, after in pairwise(at) for one in small.advance(after - before)]
    assert state(small) == state(large)
    assert sorted(told_in_steps) == told
    assert [one.time for one in told_in_steps] == sorted(one.time for one in told_in_steps)
    assert np.array_equal(small.to_root(), large.to_root())


def test_sixty_frames_a_second_for_a_minute_equal_one_step():
    large, small = busy(), busy()
    told = large.advance(60)
    told_in_steps = [one for _ in range(3600) for one in small.advance(Fraction(1, 60))]
    assert state(small) == state(large)
    assert told_in_steps == told
    assert len(told) > 300


@pytest.mark.parametrize("elapsed", [0.5, 2.3])
def test_what_was_saved_goes_on_as_if_nothing_had_happened(elapsed: float):
    one = busy()
    one.set_mask(2, {"b2": 0.75})
    one.advance(elapsed)
    other = from_plain(json.loads(state(one)), arm(), CLIPS)
    for _ in range(1000):
        assert one.advance(1 / 60) == other.advance(1 / 60)
        assert one.to_root().tobytes() == other.to_root().tobytes()
    assert state(one) == state(other)


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in plain data, from the top down."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _half_way() -> dict[str, Any]:
    controller = busy()
    controller.set_mask(2, {"b2": 0.75})
    controller.advance(1.8)
    # The next step reports its passings.
    controller.key(EventKind.SPEED, 1.5, track=0)
    return json.loads(state(controller))


HALF_WAY = _half_way()
JUNK = [None, "x", "0.5", -1, 7, 0.5, 1e300, float("nan"), 10**400, True, [], [[]], {}, [0, 0]]


@settings(max_examples=250)
@given(st.sampled_from(list(_places(HALF_WAY))), st.sampled_from(JUNK))
def test_a_state_that_is_damaged_anywhere_is_refused_or_plays(place: tuple[Any, ...], junk: Any):
    plain = copy.deepcopy(HALF_WAY)
    node = plain
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = junk
    try:
        controller = from_plain(plain, arm(), CLIPS)
    except ClipError:
        return
    controller.advance(0.4)
    controller.advance(5)
    assert np.isfinite(controller.to_root()).all()


@pytest.mark.parametrize("plain", [None, [], "x", {}, {"version": 1}, {"version": 2}])
def test_what_is_no_state_is_refused(plain: Any):
    with pytest.raises(ClipError, match="start playing again"):
        from_plain(plain, arm(), CLIPS)


def test_a_state_of_other_bones_is_refused():
    with pytest.raises(ClipError, match="bones of the armature have changed"):
        from_plain(HALF_WAY, arm(4), CLIPS)


@pytest.mark.parametrize("clips", [(WALK, RUN), (WALK, RUN, turning("nod", bone="b2"))])
def test_a_state_needs_its_clips(clips: tuple[object, ...]):
    with pytest.raises(ClipError, match="'wave' no longer exists"):
        from_plain(to_plain(busy()), arm(), clips)
