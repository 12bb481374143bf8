"""Clips by role: by their names, and by how they move where names say nothing."""

from __future__ import annotations

import pytest

from skinning_addon.animation.clip import Clip
from skinning_addon.animation.crowd.roles import find_roles
from skinning_addon.animation.crowd.strides import Stride, read_stride
from skinning_addon.core.text.errors import CrowdError
from tests.animation.crowd.walkers import body, stand, walk


def _unasked(name: str) -> Stride | None:
    raise AssertionError(f"{name} was measured, although names say enough")


def _measured(*clips: Clip):
    strides = {clip.name: read_stride(clip, body()) for clip in clips}
    return lambda name: strides[name]


def test_words_of_names_tell_roles_whatever_their_case():
    names = ("fight_idle", "WalkCycle", "RUN_fast", "Idle.001", "walking_backwards_slowly", "Runner")
    assert find_roles(names, _unasked).clips == ("Idle.001", "WalkCycle", "RUN_fast")


def test_who_chooses_a_clip_gets_it():
    names = ("Idle", "Walk", "Run", "Sneak")
    assert find_roles(names, _unasked, {"walk": "Sneak"}).clips == ("Idle", "Sneak", "Run")


def test_a_clip_called_survey_is_the_idle_as_it_moves_least_and_it_is_said():
    roles = find_roles(("Run", "Survey", "Walk"), _measured(stand("Survey")))
    assert roles.clips == ("Survey", "Walk", "Run")
    assert [str(one) for one in roles.notes] == [
        "'Survey' is the idle: no clip is called that, and it moves least."
    ]


def test_without_names_the_slowest_walks_and_the_fastest_runs():
    slow, fast = walk(name="A"), walk(name="B")
    fast = type(fast)(**{**vars(fast), "ticks_per_second": 60.0})
    roles = find_roles(("B", "A", "C"), _measured(fast, slow, stand("C")))
    assert roles.clips == ("C", "A", "B")
    assert len(roles.notes) == 3


def test_a_single_gait_serves_for_both_and_it_is_said():
    roles = find_roles(("Idle", "Walk"), _unasked)
    assert roles.clips == ("Idle", "Walk", "Walk")
    assert [str(one) for one in roles.notes] == ["There is no clip to run with, so 'Walk' serves for both."]


def test_a_loop_that_does_not_close_is_no_gait():
    half = walk(name="Half", missing=120)
    with pytest.raises(CrowdError, match=r"'Rig' has no clip to walk with.*choose it yourself"):
        find_roles(("Idle", "Half"), _measured(half), armature="Rig")


def test_no_clip_that_stands_is_a_sentence():
    with pytest.raises(CrowdError, match=r"'Rig' has no clip to idle with"):
        find_roles(("Walk", "Run"), _unasked, armature="Rig")


def test_an_unknown_clip_is_named():
    with pytest.raises(
        CrowdError, match=r"There is no clip 'Wlak' of 'Rig' to walk with; did you mean 'Walk'\?"
    ):
        find_roles(("Idle", "Walk"), _unasked, {"walk": "Wlak"}, "Rig")
