"""Fits in a space that the world scales unevenly: what counts is how far off the mesh is in the world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.refit.judging import distances
from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.refit.weight_fit import fit_weights
from tests.core.refit.limb import blended, chain, dense, sparse, turns, wanted_of

VERTICES, JOINTS = 12, 5

STRETCH = np.array([[1.0, 0.0, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.6]])
"""Axes of an object that are neither of one length nor at right angles."""


@pytest.fixture
def limb() -> tuple[Wanted, np.ndarray]:
    """A limb of which each vertex follows all joints, and its weights (V, 1 + J)."""
    random = np.random.default_rng(2)
    rest = random.normal(size=(VERTICES, 3))
    weights = np.zeros((VERTICES, 1 + JOINTS))
    weights[:, 1:] = random.dirichlet(np.ones(JOINTS), VERTICES)
    finals = turns(JOINTS)
    return wanted_of(rest, blended(rest, weights, finals), finals), weights


def in_world(wanted: Wanted) -> Wanted:
    """Return the same mesh and joints as the world sees them."""
    to_world = np.eye(4)
    to_world[:3, :3] = STRETCH
    return replace(
        wanted,
        rest=wanted.rest @ STRETCH,
        positions=(wanted.positions @ STRETCH).astype(np.float32),
        finals=np.linalg.inv(to_world) @ wanted.finals @ to_world,
    )


def test_distances_are_those_in_the_world(limb: tuple[Wanted, np.ndarray]):
    wanted, weights = limb
    few = np.where(weights >= np.sort(weights, axis=1)[:, -2:-1], weights, 0.0)
    off = (
        blended(wanted.rest, few / few.sum(axis=1, keepdims=True), wanted.finals) - wanted.positions
    ) @ STRETCH
    found = distances(replace(wanted, stretch=STRETCH), sparse(few))
    assert found == pytest.approx(np.linalg.norm(off, axis=2).T, abs=1e-5)


def test_weights_are_those_that_a_fit_in_the_world_finds(limb: tuple[Wanted, np.ndarray]):
    wanted, weights = limb
    authored, edges = sparse(weights), chain(VERTICES)
    found = dense(fit_weights(replace(wanted, stretch=STRETCH), authored, edges, 2), 1 + JOINTS)
    assert found == pytest.approx(
        dense(fit_weights(in_world(wanted), authored, edges, 2), 1 + JOINTS), abs=1e-4
    )
    # A fit that knows nothing of the world finds other ones.
    assert np.abs(found - dense(fit_weights(wanted, authored, edges, 2), 1 + JOINTS)).max() > 0.01


def test_the_size_is_that_in_the_world(limb: tuple[Wanted, np.ndarray]):
    wanted, _ = limb
    assert replace(wanted, stretch=STRETCH).size == pytest.approx(in_world(wanted).size)
