"""Matrices taken apart as OpenUSD does (UsdSkelDecomposeTransform, GfMatrix4d::Factor), which Blender's USD
exporter uses for bones.

A matrix is factored into stretches along three orthogonal directions, and the rotation nearest to it (polar
decomposition). The stretches become the scale along the bone's axes, whatever their directions were: if those
are not the axes, the shear is lost. Which stretch becomes which axis' scale follows from the order in which
Jacobi's method finds the directions, so that is done here as there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.quaternion import quaternions

SMALLEST = 1e-10
"""Squared stretches below this count as this (GfMatrix4d::Factor's eps)."""

SWEEPS = 50
"""The most that OpenUSD makes; three or four are enough."""

PAIRS = ((0, 1), (0, 2), (1, 2))


def factored(
    axes: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rotations, unit quaternions (N, 4), and the scales (N, 3), of the axes of matrices (N, 3, 3);
    row vectors. The scales of a matrix that mirrors are all negative.
    """
    sign = np.where(np.linalg.det(axes) < 0, -1.0, 1.0)
    squares, directions = _directions(axes @ axes.transpose(0, 2, 1))
    scale = sign[:, None] * np.where(squares < SMALLEST, SMALLEST, np.sqrt(np.maximum(squares, SMALLEST)))
    unstretched = (directions / scale[:, None, :]) @ directions.transpose(0, 2, 1)
    return quaternions(_orthogonal(unstretched @ axes)), scale


def _orthogonal(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest rotations: what is left to do where a stretch is nearly zero."""
    left, _, right = np.linalg.svd(axes)
    left[:, :, 2] *= np.where(np.linalg.det(left @ right) < 0, -1.0, 1.0)[:, None]
    return left @ right


def _directions(symmetric: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues (N, 3) and eigenvectors, the columns of (N, 3, 3), of symmetric matrices (N, 3, 3), in
    the order of Jacobi's method (Press et al., Numerical Recipes in C, 11.1).
    """
    a = symmetric.copy()
    count = len(a)
    values = np.einsum("nii->ni", a).copy()
    vectors = np.tile(np.eye(3), (count, 1, 1))
    for sweep in range(SWEEPS):
        off = np.abs(a[:, (0, 0, 1), (1, 2, 2)]).sum(axis=1)
        if not np.any(off):
            break
        threshold = 0.2 * off / 9 if sweep < 3 else np.zeros(count)
        for p, q in PAIRS:
            _turn(a, values, vectors, (p, q), _worth_turning(a, values, (p, q), threshold, sweep))
    return values, vectors


def _worth_turning(
    a: NDArray[np.float64],
    values: NDArray[np.float64],
    pair: tuple[int, int],
    threshold: NDArray[np.float64],
    sweep: int,
) -> NDArray[np.intp]:
    """Return which of the matrices (N, 3, 3) have an element above the threshold (N,). In later sweeps, those
    that are too small to change the diagonal become zero, in place.
    """
    p, q = pair
    if sweep > 3:
        small = 100 * np.abs(a[:, p, q])
        negligible = (np.abs(values[:, p]) + small == np.abs(values[:, p])) & (
            np.abs(values[:, q]) + small == np.abs(values[:, q])
        )
        a[negligible, p, q] = 0
    return np.flatnonzero(np.abs(a[:, p, q]) > threshold)


def _turn(
    a: NDArray[np.float64],
    values: NDArray[np.float64],
    vectors: NDArray[np.float64],
    pair: tuple[int, int],
    at: NDArray[np.intp],
) -> None:
    """Turn some of the matrices (N, 3, 3) so that their element vanishes, in place."""
    p, q = pair
    element, apart = a[at, p, q], values[at, q] - values[at, p]
    with np.errstate(over="ignore", divide="ignore"):
        half_cotangent = 0.5 * apart / element
        to_turn = 1 / (np.abs(half_cotangent) + np.sqrt(1 + half_cotangent**2))
    tangent = np.asarray(np.where(half_cotangent < 0, -to_turn, to_turn), dtype=np.float64)
    cosine = 1 / np.sqrt(1 + tangent**2)
    sine = tangent * cosine
    values[at, p] -= tangent * element
    values[at, q] += tangent * element
    a[at, p, q] = 0
    # The third row or column, of which only the upper half is kept.
    third = 3 - p - q
    of_p, of_q = (min(p, third), max(p, third)), (min(q, third), max(q, third))
    first, second = a[at, of_p[0], of_p[1]], a[at, of_q[0], of_q[1]]
    a[at, of_p[0], of_p[1]] = cosine * first - sine * second
    a[at, of_q[0], of_q[1]] = sine * first + cosine * second
    first, second = vectors[at, :, p], vectors[at, :, q]
    vectors[at, :, p] = cosine[:, None] * first - sine[:, None] * second
    vectors[at, :, q] = sine[:, None] * first + cosine[:, None] * second
