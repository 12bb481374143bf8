"""Where helpers are placed on a limb that Preserve Volume bends: the judge is the arc that it bends along."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.volume_blend import joint_motions
from skinning_addon.core.refit.volume_search import VolumeSearch
from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.skinning.skin import Skin
from tests.core.refit.limb import sparse

ANGLES = np.radians([0.0, 40.0, 90.0])
SHARES = np.linspace(0, 1, 21)
"""Of the second joint, at each vertex."""


def turned_about_y(angles: np.ndarray) -> np.ndarray:
    """Return row-vector matrices (..., 4, 4) that turn about Y."""
    result = np.zeros((*angles.shape, 4, 4))
    result[..., 0, 0] = result[..., 2, 2] = np.cos(angles)
    result[..., 0, 2], result[..., 2, 0] = -np.sin(angles), np.sin(angles)
    result[..., 1, 1] = result[..., 3, 3] = 1.0
    return result


def bent() -> tuple[Wanted, Skin]:
    """Vertices a unit from a hinge: a share of the second joint's turn takes each along an arc."""
    rest = np.c_[np.ones(len(SHARES)), 0.01 * SHARES, np.zeros(len(SHARES))]
    finals = np.tile(np.eye(4), (len(ANGLES), 3, 1, 1))
    finals[:, 2] = turned_about_y(ANGLES)
    moved = np.c_[rest, np.ones(len(rest))][:, None, None] @ turned_about_y(SHARES[:, None] * ANGLES)
    positions = moved[:, :, 0, :3].transpose(1, 0, 2).astype(np.float32)
    wanted = Wanted(rest, positions, finals, np.zeros(len(ANGLES), dtype=np.intp), ("Clip",))
    return wanted, sparse(np.c_[np.zeros(len(SHARES)), 1 - SHARES, SHARES])


def search_of(wanted: Wanted, authored: Skin) -> VolumeSearch:
    motions = joint_motions(wanted.finals, np.tile(np.eye(4), (3, 1, 1)))
    return VolumeSearch(wanted, motions, authored, np.ones(len(SHARES)), np.full(3, -1))


def placed(search: VolumeSearch) -> list[float]:
    return sorted(search.blends.shares[:, 2].tolist())


def test_the_first_helper_stands_in_the_middle_of_the_bend():
    wanted, authored = bent()
    search = search_of(wanted, authored)
    search.place(authored, wanted, 1)
    assert placed(search) == [pytest.approx(0.5, abs=0.051)]


def test_the_next_ones_stand_on_both_sides_of_it_and_none_twice():
    wanted, authored = bent()
    search = search_of(wanted, authored)
    search.place(authored, wanted, 3)
    first, second, third = placed(search)
    assert 0.1 < first < 0.4 < second < 0.6 < third < 0.9


def test_what_helpers_already_reach_gets_no_more():
    """Every vertex follows a joint of its own that moves it along its arc."""
    wanted, authored = bent()
    search = search_of(wanted, authored)
    own = turned_about_y(SHARES[None] * ANGLES[:, None])
    helped = Wanted(
        wanted.rest,
        wanted.positions,
        np.concatenate([wanted.finals, own], axis=1),
        wanted.sources,
        wanted.names,
    )
    search.place(sparse(np.c_[np.zeros((len(SHARES), 3)), np.eye(len(SHARES))]), helped, 4)
    left = [one for one in placed(search) if 0.1 < one < 0.9]
    assert left == []
