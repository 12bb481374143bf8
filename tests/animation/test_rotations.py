"""Quaternions against closed forms, and against Blender's own math."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mathutils import Matrix, Quaternion

from skinning_addon.animation.rotations import (
    RotationBlend,
    aligned,
    from_rows,
    interpolate,
    inverse,
    multiply,
    normalised,
    to_rows,
)
from tests.animation.builders import about, angle

NLERP, SLERP = RotationBlend.NLERP, RotationBlend.SLERP

quaternions = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)
shares = st.floats(0, 1)


def _unit(components: list[float]) -> np.ndarray:
    return normalised(np.array(components))


@given(st.floats(0, 179), shares)
def test_slerp_turns_by_its_share_of_the_angle(degrees: float, share: float):
    turned = interpolate(about((0, 0, 1), 0.0), about((0, 0, 1), degrees), share, SLERP)
    assert angle(turned) == pytest.approx(share * degrees, abs=1e-9)


@given(st.floats(0, 179), shares)
def test_nlerp_turns_by_the_angle_of_the_chord(degrees: float, share: float):
    turned = interpolate(about((0, 0, 1), 0.0), about((0, 0, 1), degrees), share, NLERP)
    half = np.radians(degrees) / 2
    expected = 2 * np.degrees(np.arctan2(share * np.sin(half), 1 - share + share * np.cos(half)))
    assert angle(turned) == pytest.approx(expected, abs=1e-9)


@given(quaternions, quaternions, shares)
def test_slerp_is_that_of_mathutils(first: list[float], second: list[float], share: float):
    # A half turn apart both ways are equally long.
    assume(abs(_unit(first) @ _unit(second)) > 1e-3)
    ours = interpolate(_unit(first), _unit(second), share, SLERP)
    # Blender computes in float32, and below 1.6 degrees along a straight line, whose points are too short by up
    # to 2.5e-5.
    theirs = normalised(
        np.array(Quaternion(first).normalized().slerp(Quaternion(second).normalized(), share))
    )
    assert np.abs(np.abs(ours @ theirs) - 1) < 1e-6


@given(quaternions, quaternions, shares)
def test_interpolation_takes_the_shortest_way(first: list[float], second: list[float], share: float):
    one, other = _unit(first), _unit(second)
    whole = angle(multiply(inverse(one), other))
    for blend in (NLERP, SLERP):
        assert angle(multiply(inverse(one), interpolate(one, other, share, blend))) <= whole + 1e-6
        assert (
            interpolate(one, other, share, blend)
            == pytest.approx(interpolate(one, -other, share, blend), abs=1e-9)
            or abs(one @ other) < 1e-9
        )


@given(quaternions)
def test_matrices_are_those_of_mathutils(components: list[float]):
    rotation = _unit(components)
    theirs = np.array(Quaternion(components).normalized().to_matrix().transposed())
    ours = np.array(to_rows(rotation))
    assert np.abs(ours - theirs).max() < 1e-6
    assert abs(abs(from_rows(ours) @ rotation) - 1) < 1e-12


@given(quaternions, quaternions)
def test_a_product_turns_by_its_second_factor_first(first: list[float], second: list[float]):
    ours = multiply(_unit(first), _unit(second))
    theirs = np.array(Quaternion(first).normalized() @ Quaternion(second).normalized())
    assert np.abs(ours - theirs).max() < 1e-6


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 0.3, 2)])
def test_half_turns_come_back_from_their_matrices(axis: tuple[float, float, float]):
    theirs = np.array(Matrix.Rotation(np.pi, 3, axis).transposed())
    assert np.abs(np.array(to_rows(from_rows(theirs))) - theirs).max() < 1e-6


def test_neighbours_are_put_on_one_side():
    turns = about((0, 1, 0), np.arange(0.0, 720.0, 40.0))
    flipped = turns * np.where(np.arange(18) % 3 == 0, -1, 1)
    assert (np.sum(aligned(flipped)[:, 1:] * aligned(flipped)[:, :-1], axis=0) > 0).all()


def test_nothing_becomes_no_rotation():
    assert normalised(np.zeros((4, 2))).T.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]
