"""Engines' rules for rotating normals, against closed forms and plain Python written from the named sources."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.skinning.normals import Normals, degrees_between
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from tests.core.builders import bound, mesh_of, skin_of

SLOPE = np.array([[0.0, 1.0, 1.0]], dtype=np.float32) / np.float32(math.sqrt(2))


def turned(rule: Normals, influences: list[tuple[int, float]], *linear: np.ndarray) -> np.ndarray:
    """Skin one vertex with a sloping normal by joints with these 3 x 3 matrices; return its normal."""
    final = np.tile(np.eye(4, dtype=np.float32), (len(linear) + 1, 1, 1))
    for joint, matrix in enumerate(linear, start=1):
        final[joint, :3, :3] = matrix
    one = Pass(skin_of([influences]), bound([np.eye(4)] * len(linear)), "Rig")
    mesh = mesh_of([(0, 0, 0)], normals=SLOPE)
    return SoftwareSkinner((one,), mesh, rule).skin((Palette(final),)).normals[0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Normals.MATRIX, (0, 1, 2)),
        (Normals.COFACTORS, (0, 2, 1)),
        (Normals.JOINT_COFACTORS, (0, 2, 1)),
    ],
)
def test_a_slope_that_is_stretched(rule, expected):
    assert turned(rule, [(1, 1.0)], np.diag((1, 1, 2))) == pytest.approx(
        np.array(expected) / math.sqrt(5), abs=1e-6
    )


def test_filament_turns_by_each_joint_makes_unit_length_and_blends():
    """Filament, shaders/src/surface_getters.vs: mulBoneNormal returns normalize(cof * n), skinNormal adds up
    weight times it.
    """
    rng = np.random.default_rng(4)
    one, two = rng.normal(size=(2, 3, 3))
    expected = np.zeros(3)
    for weight, matrix in ((0.3, one), (0.7, two)):
        by_joint = SLOPE[0] @ (np.linalg.inv(matrix).T * np.linalg.det(matrix))
        expected += weight * by_joint / np.linalg.norm(by_joint)
    found = turned(Normals.JOINT_COFACTORS, [(1, 0.3), (2, 0.7)], one, two)
    assert found == pytest.approx(expected / np.linalg.norm(expected), abs=2e-6)


def test_threejs_turns_by_the_blended_matrix():
    """three.js, ShaderChunk/skinnormal_vertex.glsl: objectNormal = vec4(skinMatrix * vec4(objectNormal,
    0.0)).xyz.
    """
    rng = np.random.default_rng(5)
    one, two = rng.normal(size=(2, 3, 3))
    expected = SLOPE[0] @ (0.3 * one + 0.7 * two)
    found = turned(Normals.MATRIX, [(1, 0.3), (2, 0.7)], one, two)
    assert found == pytest.approx(expected / np.linalg.norm(expected), abs=2e-6)


def test_a_joint_that_is_scaled_to_nothing_leaves_the_normal_to_others():
    assert turned(
        Normals.JOINT_COFACTORS, [(1, 0.9), (2, 0.1)], np.zeros((3, 3)), np.eye(3)
    ) == pytest.approx(SLOPE[0])
    assert turned(Normals.JOINT_COFACTORS, [(1, 1.0)], np.zeros((3, 3))) == pytest.approx(SLOPE[0])


def test_degrees():
    a = np.array([[1, 0, 0], [2, 0, 0], [1, 0, 0], [0, 0, 0]])
    b = np.array([[1, 0, 0], [0, 3, 0], [-1, 0, 0], [1, 0, 0]])
    assert degrees_between(a, b).tolist() == [0, 90, 180, 0]
