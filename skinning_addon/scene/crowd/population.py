"""A character's crowd: how much room it needs, and by which rules its members walk about."""

from __future__ import annotations

import math

import numpy as np

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import micrometres
from ...animation.crowd.kinds import WALK, Kind
from ...animation.crowd.settings import CrowdSettings
from .character import Character
from .landscape import Landscape

ROOM = 6.0
"""The area for each agent, in multiples of the circle that it takes."""

ACROSS = 3.0
"""Seconds that walking from one side to the other takes at least."""


def usual_side(character: Character, count: int, radius: float) -> float:
    """Return the side of a square area, in metres, where so many can walk about."""
    walking = character.strides[WALK].speed * character.metres_per_unit
    room = 2 * radius + math.sqrt(ROOM * math.pi * count) * radius
    return max(room, ACROSS * walking)


def populated(
    character: Character,
    count: int,
    *,
    seed: int,
    radius: float = 0.0,
    side: float = 0.0,
    landscape: Landscape | None = None,
) -> Crowd:
    """Put a character's crowd into a square area. radius, side: in metres, 0 for what suits it. landscape: what
    it walks on; a plane if left out.

    Raises:
        CrowdError: there is no room, or an option makes no sense.
    """
    own = radius or character.radius
    across = side or usual_side(character, count, own)
    idle, walk, run = (one.gait(character.metres_per_unit) for one in character.strides)
    settings = CrowdSettings(seed, (Kind((idle, walk, run), micrometres(own)),))
    half = np.array([micrometres(across / 2)] * 2, dtype=np.int64)
    ground = landscape.ground(settings, half, character.height) if landscape is not None else None
    return Crowd.populated(settings, count, (across, across), ground)
