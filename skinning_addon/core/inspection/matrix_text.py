"""Matrices in the reader's notation: row or column vectors, Z up or Y up, as text or Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z_UP_TO_Y_UP = np.array(
    ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
)
"""Row vectors: (x, y, z) with Z up is (x, z, -y) with Y up, as in glTF."""


@dataclass(frozen=True)
class MatrixNotation:
    """How matrices are written.

    column_vectors: for `M * v`, with the location in the last column, as Blender and most mathematics write
        them; otherwise for `v * M`, with the location in the last row, as DirectX and this project do.
    y_up: mesh and root space have Y up, as in glTF. Bone space is unchanged: a bone lies along its own Y axis
    either way.
    """

    column_vectors: bool = False
    y_up: bool = False

    def __str__(self) -> str:
        vectors = "column vectors" if self.column_vectors else "row vectors"
        return f"{vectors}, {'Y' if self.y_up else 'Z'} up"


@dataclass(frozen=True, eq=False)
class NamedMatrix:
    """A matrix and the spaces that it maps between.

    value: (4, 4), row vectors, Z up. from_bone, to_bone: whether those are bone spaces.
    """

    name: str
    value: NDArray[np.float64]
    from_bone: bool
    to_bone: bool

    def in_axes(self, notation: MatrixNotation) -> NDArray[np.float64]:
        """Return the matrix for row vectors in the notation's axes."""
        value = self.value
        if notation.y_up and not self.from_bone:
            value = Z_UP_TO_Y_UP.T @ value
        if notation.y_up and not self.to_bone:
            value = value @ Z_UP_TO_Y_UP
        # Turns -0.0 into 0.0.
        return value + 0.0

    def written(self, notation: MatrixNotation) -> NDArray[np.float64]:
        """Return the matrix row by row in this notation."""
        value = self.in_axes(notation)
        return value.T if notation.column_vectors else value


def matrices_as_text(title: str, matrices: Iterable[NamedMatrix], notation: MatrixNotation) -> str:
    """Write matrices as readable text: six decimals, aligned."""
    lines = [f"{title} ({notation})"]
    for matrix in matrices:
        lines.append(matrix.name)
        lines += [" ".join(f"{value:12.6f}" for value in row) for row in matrix.written(notation).tolist()]
    return "\n".join(lines) + "\n"


def matrices_as_python(title: str, matrices: Iterable[NamedMatrix], notation: MatrixNotation) -> str:
    """Write matrices as tuples of rows, every digit kept; for `numpy.array` and, as column vectors,
    `mathutils.Matrix`.
    """
    # Text in a comment must not end it.
    lines = [f"# {' '.join(title.split())} ({notation})"]
    for matrix in matrices:
        lines.append(f"{matrix.name} = (")
        lines += [f"    ({', '.join(map(repr, row))})," for row in matrix.written(notation).tolist()]
        lines.append(")")
    return "\n".join(lines) + "\n"
