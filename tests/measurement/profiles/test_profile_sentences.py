"""What is said of a check under a profile in one sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.measurement.profiles.profile_report import short_profile_sentence


def report(profile: str) -> Any:
    """Of a check that found the same in all of 40 frames."""
    worst = SimpleNamespace(
        max=0.0, height=1.8, frame=1.0, frames=40, clip="Walk", bone="hand.L", level=Level.SAME
    )
    mesh = SimpleNamespace(mesh="Human", worst=worst)
    return SimpleNamespace(profile=load_profile(profile), worst_mesh=mesh)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("blender", "Same as Blender's over 40 frames"),
        ("threejs", "Deforms in three.js as in Blender over 40 frames"),
    ],
)
def test_blender_is_not_compared_with_itself_by_name(profile: str, said: str):
    assert short_profile_sentence(report(profile)) == said
