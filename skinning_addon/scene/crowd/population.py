"""A crowd of characters: how much room it needs, and by which rules its members walk about."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import MICROMETRES, micrometres
from ...animation.crowd.kinds import WALK
from ...animation.crowd.settings import CrowdSettings
from .landscape import Landscape
from .variants import Variant

ROOM = 6.0
"""The area for each agent, in multiples of the circle that it takes."""

ACROSS = 3.0
"""Seconds that walking from one side to the other takes at least."""


def usual_side(variants: Sequence[Variant], settings: CrowdSettings, count: int) -> float:
    """Return the side of a square area, in metres, where so many can walk about."""
    walking = max(
        one.character.strides[WALK].speed * one.character.metres_per_unit * one.scale[1] for one in variants
    )
    shares = sum(one.share for one in settings.kinds)
    squares = sum(one.share * one.widest * one.widest for one in settings.kinds)
    usual = math.sqrt(squares / shares) / MICROMETRES
    room = 2 * settings.widest / MICROMETRES + math.sqrt(ROOM * math.pi * count) * usual
    return max(room, ACROSS * walking)


def populated(
    variants: Sequence[Variant],
    count: int,
    *,
    seed: int,
    radius: float = 0.0,
    side: float = 0.0,
    landscape: Landscape | None = None,
) -> Crowd:
    """Put a crowd into a square area. radius, side: in metres, 0 for what suits it. landscape: what it walks
    on; a plane if left out.

    Raises:
        CrowdError: there is no room, or an option makes no sense.
    """
    settings = CrowdSettings(seed, tuple(one.kind(radius) for one in variants))
    across = side or usual_side(variants, settings, count)
    half = np.array([micrometres(across / 2)] * 2, dtype=np.int64)
    tallest = max(one.character.height * one.scale[1] for one in variants)
    ground = landscape.ground(settings, half, tallest) if landscape is not None else None
    return Crowd.populated(settings, count, (across, across), ground)
