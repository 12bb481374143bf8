"""Picking agents, and which way keys send them, by views in closed form."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from skinning_addon.viewport.crowds.agents_in_view import agent_at, ground_direction

SIZE = (200, 100)

FROM_ABOVE = np.diag([0.1, 0.2, -0.1, 1.0])
"""10 m to each side, 5 m up and down the screen; without perspective."""


def crowd(*places: tuple[float, float]) -> SimpleNamespace:
    return SimpleNamespace(places=np.array([(*one, 0.0) for one in places]), heights=1.8, radii=0.5)


def front(distance: float) -> np.ndarray:
    """Look along +Y from (0, -distance, 0.9), with perspective; the clip's w is the distance."""
    world_to_view = np.array(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, -0.9, -distance, 1.0)))
    view_to_clip = np.array(((1, 0, 0, 0), (0, 2, 0, 0), (0, 0, -1, -1), (0, 0, -0.2, 0.0)))
    return world_to_view @ view_to_clip


@pytest.mark.parametrize(
    ("pixel", "agent"), [((100, 50), 0), ((150, 50), 1), ((108, 50), 0), ((125, 50), None), ((20, 90), None)]
)
def test_from_above_an_agent_is_where_it_stands(pixel, agent):
    assert agent_at(crowd((0, 0), (5, 0)), FROM_ABOVE, SIZE, pixel) == agent


def test_the_nearest_to_the_viewer_counts():
    one = crowd((0, 4), (0, 0), (0, 8))
    assert agent_at(one, front(10), SIZE, (100, 50)) == 1
    # Who stands behind the viewer doesn't.
    assert agent_at(one, front(-2), SIZE, (100, 50)) == 0


def test_from_the_side_it_reaches_up_to_its_head():
    one = crowd((0, 0))
    # At 10 m a metre is a tenth of half the width, and a fifth of half the height.
    top = 50 + 0.9 * 0.2 * 50
    assert agent_at(one, front(10), SIZE, (100, top)) == 0
    assert agent_at(one, front(10), SIZE, (100, top + 14)) is None


@pytest.mark.parametrize(
    ("turned", "keys", "way"),
    [
        (0, (0, 1), (0, 1)),
        (0, (1, 0), (1, 0)),
        (90, (0, 1), (-1, 0)),
        (90, (0, -1), (1, 0)),
        (0, (0, 0), (0, 0)),
    ],
)
@pytest.mark.parametrize("tilt", [0, 30, 89.9])
def test_keys_go_the_way_that_the_view_shows(turned, keys, way, tilt):
    """tilt: from level to straight down. Row vectors: the rows are right, up and backwards."""
    about, down = np.radians(turned), np.radians(tilt)
    right = np.array((np.cos(about), np.sin(about), 0))
    ahead = np.array((-np.sin(about), np.cos(about), 0))
    forward = np.cos(down) * ahead - np.sin(down) * np.array((0, 0, 1))
    view_to_world = np.eye(4)
    view_to_world[:3, :3] = right, np.cross(right, forward), -forward
    assert ground_direction(view_to_world, *keys) == pytest.approx(way, abs=1e-9)
