from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.inspection.matrix_text import (
    Z_UP_TO_Y_UP,
    MatrixNotation,
    NamedMatrix,
    matrices_as_python,
    matrices_as_text,
)
from tests.core.builders import random_transform, rotation, translation

OBJECT_TO_OBJECT = {"from_bone": False, "to_bone": False}


def test_y_up_turns_blenders_up_to_y_and_its_front_to_z():
    """glTF: +Y up, +Z forward. A character in Blender stands along Z and looks along -Y."""
    up, front = np.array((0, 0, 1, 1)), np.array((0, -1, 0, 1))
    assert (up @ Z_UP_TO_Y_UP).tolist() == [0, 1, 0, 1]
    assert (front @ Z_UP_TO_Y_UP).tolist() == [0, 0, 1, 1]
    assert np.linalg.det(Z_UP_TO_Y_UP) == 1


def test_a_column_is_a_row_turned_over():
    matrix = NamedMatrix("to_root", translation(1, 2, 3), from_bone=True, to_bone=False)
    assert matrix.written(MatrixNotation()).tolist()[3] == [1, 2, 3, 1]
    assert matrix.written(MatrixNotation(column_vectors=True))[:, 3].tolist() == [1, 2, 3, 1]


def test_a_location_with_y_up():
    matrix = NamedMatrix("final", translation(1, 2, 3), **OBJECT_TO_OBJECT)
    assert matrix.written(MatrixNotation(y_up=True)).tolist()[3] == [1, 3, -2, 1]


def test_turning_about_up_is_turning_about_up_in_either():
    matrix = NamedMatrix("final", rotation((0, 0, 1), 50), **OBJECT_TO_OBJECT)
    assert matrix.in_axes(MatrixNotation(y_up=True)) == pytest.approx(rotation((0, 1, 0), 50))


@pytest.mark.parametrize("y_up", [False, True])
def test_the_chain_holds_in_either_axes(y_up):
    """final = offset @ to_root, where mesh and root space are one; and bones stay bones."""
    rng = np.random.default_rng(7)
    offset, to_root, to_parent = (random_transform(rng) for _ in range(3))
    notation = MatrixNotation(y_up=y_up)
    first = NamedMatrix("offset", offset, from_bone=False, to_bone=True).in_axes(notation)
    then = NamedMatrix("to_root", to_root, from_bone=True, to_bone=False).in_axes(notation)
    final = NamedMatrix("final", offset @ to_root, **OBJECT_TO_OBJECT).in_axes(notation)
    assert first @ then == pytest.approx(final)
    local = NamedMatrix("to_parent", to_parent, from_bone=True, to_bone=True)
    assert local.in_axes(notation) == pytest.approx(to_parent)


def test_text_is_for_people():
    matrix = NamedMatrix("to_root", translation(1, -2.5, 1e-9), from_bone=True, to_bone=False)
    lines = matrices_as_text("Rig, hand.L", [matrix], MatrixNotation(column_vectors=True)).splitlines()
    assert lines[0] == "Rig, hand.L (column vectors, Z up)"
    assert lines[1] == "to_root"
    assert lines[2].split() == ["1.000000", "0.000000", "0.000000", "1.000000"]
    assert lines[3].split()[3] == "-2.500000"
    assert len({len(line) for line in lines[2:]}) == 1


def test_python_gives_every_digit_back():
    rng = np.random.default_rng(3)
    matrices = [NamedMatrix(name, random_transform(rng), **OBJECT_TO_OBJECT) for name in ("offset", "final")]
    code = matrices_as_python("a\nb", matrices, MatrixNotation())
    said = {}
    exec(code, said)  # noqa: S102 - it is Python that is promised
    for matrix in matrices:
        assert (np.array(said[matrix.name]) == matrix.value).all()
    assert code.startswith("# a b (row vectors, Z up)\n")


def test_no_minus_zero_is_written():
    matrix = NamedMatrix("final", np.eye(4), **OBJECT_TO_OBJECT)
    assert "-0" not in matrices_as_text("", [matrix], MatrixNotation(y_up=True))
