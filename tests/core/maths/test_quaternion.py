"""Quaternions and rotation matrices, of few and of many, as mathutils has them."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from skinning_addon.core.maths.quaternion import ROWS_AT_ONCE, quaternions, rotation_matrices


@pytest.mark.parametrize("count", [0, 1, 53, 2 * ROWS_AT_ONCE + 7])
def test_rotations_are_those_of_mathutils(count: int) -> None:
    rotation = np.random.default_rng(count).normal(size=(count, 4))
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    found = rotation_matrices(rotation)
    # mathutils holds single precision, has w first, and writes matrices for column vectors.
    wanted = [Quaternion(np.roll(one, 1)).to_matrix().transposed() for one in rotation]
    assert np.allclose(found, np.array(wanted).reshape(-1, 3, 3), rtol=0, atol=1e-6)
    back = quaternions(found)
    assert np.allclose(back, np.where(rotation[:, 3:] < 0, -rotation, rotation), rtol=0, atol=1e-15)


def test_half_turns_are_exact() -> None:
    turns = np.eye(4)
    wanted = [np.diag((1.0, -1.0, -1.0)), np.diag((-1.0, 1.0, -1.0)), np.diag((-1.0, -1.0, 1.0)), np.eye(3)]
    assert np.array_equal(rotation_matrices(turns), wanted)
    assert np.array_equal(quaternions(np.array(wanted)), turns)
    assert Matrix(wanted[0]).to_quaternion() == Quaternion((0, 1, 0, 0))
