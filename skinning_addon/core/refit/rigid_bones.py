"""The motion of bones that brings a mesh nearest to where it is wanted, weights held.

After Le and Deng, *Smooth Skinning Decomposition with Rigid Bones* (2012). With w the weight of a vertex on a
bone and p the vertex at rest with a one behind it, the sum over vertices of |sum_j w_j p M_j - d|^2 depends on
the mesh only by moments: A_jk = sum w_j w_k p'p, (4, 4), and D_j = sum w_j p'd. One bone is moved at a time,
the others held: for it the best turn is known in closed form, and it never makes the sum larger.

A bone may be scaled along its own axes: the sum falls apart into one for each axis, and the best scale is known
in closed form as well. Or it turns on from where it was authored, with the scale and shear that it has there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .mesh_motion import MeshMotion
from .rotations import limited_turns, nearest_turns

HELD = 1e-6
"""How strongly a bone is held where it was, as a part of what it carries: it decides what the mesh does not, as
the turn of a straight line around itself."""

TURNS_AND_SCALES = 3
"""How often rotation and scale take turns in one move of a bone."""

THIN = 1e-3
"""How strongly scales stay at one, as a part of what a bone carries along its longest axis: what is thin along
an axis would be scaled without bounds for the little that this brings."""

SCALES = (0.25, 4.0)
"""The least and the largest scale."""


SMALLEST_VOLUME = 1e-12
"""A parent that makes less than this of a unit cube shows nothing of what hangs on it."""

Axes = Callable[[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Returns a bone's best axes (F, 3, 3), given around the middle of what it carries: carried (3, 3), its moments
with itself; products (F, 3, 3), those with where it is to go; before (F, 3, 3), its axes so far."""


@dataclass(frozen=True, eq=False)
class Tether:
    """How far a bone's head may go. head: (3,), at rest. to: (F, 3), where it is held. distance: at most."""

    head: NDArray[np.float64]
    to: NDArray[np.float64]
    distance: float

    def pull(self, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what brings a bone's head back (F, 3). matrices: (4, F, 3)."""
        away = np.einsum("i,ifc->fc", np.append(self.head, 1.0), matrices) - self.to
        far = np.linalg.norm(away, axis=1, keepdims=True)
        return away * (np.minimum(self.distance / np.maximum(far, 1e-300), 1.0) - 1.0)


@dataclass(frozen=True, eq=False)
class Moments:
    """carried: (N, 4, N, 4), A of each pair of bones. wanted: (N, 4, F, 3), D of each bone."""

    carried: NDArray[np.float64]
    wanted: NDArray[np.float64]


def moments(motion: MeshMotion, weights: NDArray[np.float64]) -> Moments:
    """Sum up the moments of weights (U, N)."""
    bones = weights.shape[1]
    held = (weights[:, :, None] * motion.with_one[:, None]).reshape(len(weights), -1)
    shared = held * motion.shares[:, None]
    wanted = np.empty((4 * bones, motion.frame_count, 3))
    for frames, moved in motion.blocks():
        wanted[:, frames] = (shared.T @ moved).reshape(4 * bones, -1, 3)
    return Moments(
        (shared.T @ held).reshape(bones, 4, bones, 4), wanted.reshape(bones, 4, motion.frame_count, 3)
    )


def own_axes(carried: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the axes (3, 3) of what a bone carries, right-handed rows, the longest first.

    carried: (4, 4), A of the bone with itself.
    """
    _, axes = np.linalg.eigh(_around_middle(carried))
    rows = axes.T[::-1].copy()
    # An axis may point either way: the same one always, so that results can be repeated.
    largest = np.abs(rows).argmax(axis=1)
    rows *= np.sign(rows[np.arange(3), largest])[:, None]
    rows[2] = np.cross(rows[0], rows[1])
    return rows


def turning(
    carried: NDArray[np.float64],  # noqa: ARG001 - turns depend on the products alone
    products: NDArray[np.float64],
    before: NDArray[np.float64],  # noqa: ARG001
) -> NDArray[np.float64]:
    """Let a bone turn only, see `Axes`."""
    return nearest_turns(products)


def shifting(
    carried: NDArray[np.float64],  # noqa: ARG001 - a bone that only moves keeps its axes
    products: NDArray[np.float64],
    before: NDArray[np.float64],  # noqa: ARG001
) -> NDArray[np.float64]:
    """Let a bone move only, without a turn, see `Axes`."""
    return np.broadcast_to(np.eye(3), products.shape)


def scaled_along(axes: NDArray[np.float64]) -> Axes:
    """Let a bone turn, and be scaled along axes (3, 3) at rest."""

    def linear(
        carried: NDArray[np.float64], products: NDArray[np.float64], before: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return axes.T @ _scaled_turns(axes @ carried @ axes.T, axes @ products, axes @ before)

    return linear


def scaled_along_under(axes: NDArray[np.float64], under: NDArray[np.float64]) -> Axes:
    """Let a bone turn, and be scaled along axes (3, 3) at rest, below a parent whose linear part under (F, 3,
    3), from rest, may be sheared and scaled. What the bone does so far must be of this kind.

    With G = axes @ under, its axes are axes^T S R G. No rotation R is the best in closed form then; each round
    takes the best for an upper bound of the sum that touches it at the rotation before.
    """
    below = axes @ under
    spread = below @ below.transpose(0, 2, 1)
    # The bound replaces what `under` makes of lengths by its most, and what that is too much by its tangent.
    too_much = np.linalg.eigvalsh(spread)[:, -1, None, None] * np.eye(3) - spread
    lost = np.abs(np.linalg.det(below)) < SMALLEST_VOLUME
    inverse = np.linalg.inv(np.where(lost[:, None, None], np.eye(3), below))

    def linear(
        carried: NDArray[np.float64], products: NDArray[np.float64], before: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        own, goals = axes @ carried @ axes.T, axes @ products
        thin = THIN * np.diagonal(own).max()
        turns = axes @ before @ inverse
        scales = np.linalg.norm(turns, axis=2)
        turns = turns / np.where(scales > 0, scales, 1.0)[:, :, None]
        for _ in range(TURNS_AND_SCALES):
            scaled = scales[:, :, None]
            towards = (scaled * goals) @ below.transpose(0, 2, 1)
            turns = nearest_turns(towards + (scaled * scaled.transpose(0, 2, 1) * own) @ turns @ too_much)
            moved = turns @ below
            lengths: NDArray[np.float64] = own * (moved @ moved.transpose(0, 2, 1)) + thin * np.eye(3)
            along = np.einsum("fij,fij->fi", goals, moved) + thin
            scales = np.clip(np.einsum("fij,fj->fi", np.linalg.inv(lengths), along), *SCALES)
        return axes.T @ (scales[:, :, None] * turns) @ below

    return linear


def turning_on_from(authored: NDArray[np.float64], degrees: float = 180.0) -> Axes:
    """Let a bone turn by at most so many degrees, from what authored axes (F, 3, 3) make of it."""

    def linear(
        carried: NDArray[np.float64],  # noqa: ARG001 - turns depend on the products alone
        products: NDArray[np.float64],
        before: NDArray[np.float64],  # noqa: ARG001
    ) -> NDArray[np.float64]:
        return authored @ limited_turns(nearest_turns(authored.transpose(0, 2, 1) @ products), degrees)

    return linear


def move_bones(
    found: Moments,
    matrices: NDArray[np.float64],
    axes: Sequence[Axes],
    order: NDArray[np.intp],
    sweeps: int,
    *,
    tethers: Sequence[Tether | None] | None = None,
) -> None:
    """Move bones in turn, in place.

    matrices: (N, 4, F, 3), of each bone from rest to d: the bone's own matrix less the identity. axes: what
    each of the N may do. order: the bones to move; the others are held. tethers: of each of the N, none for
    those that may go anywhere.
    """
    frames = matrices.shape[2]
    still = np.eye(4)[:, None, :3]
    together = [_together(found, bone) for bone in range(len(matrices))]
    for _ in range(sweeps):
        for bone in order.tolist():
            own = found.carried[bone, :, bone]
            if own[3, 3] <= 0:
                continue
            carried, moved, some = found.carried[bone], matrices, together[int(bone)]
            if some is not None:
                carried, moved = carried[:, some], matrices[some]
            others = carried.reshape(4, -1) @ moved.reshape(-1, 3 * frames)
            others -= own @ matrices[bone].reshape(4, -1)
            left = found.wanted[bone] - others.reshape(4, frames, 3) + (own @ np.eye(4, 3))[:, None]
            now = matrices[bone] + still
            best = _best(own, left, now, axes[int(bone)])
            tether = tethers[int(bone)] if tethers is not None else None
            if tether is not None:
                best[3] += tether.pull(best)
            matrices[bone] = best - still


def _together(found: Moments, bone: int) -> NDArray[np.intp] | None:
    """Return the bones that carry anything together with a bone; None if they are too many to pick them."""
    some = np.flatnonzero(found.carried[bone].any(axis=(0, 2)))
    return some if 2 * len(some) < len(found.carried) else None


def _best(
    own: NDArray[np.float64],
    left: NDArray[np.float64],
    now: NDArray[np.float64],
    axes: Axes,
) -> NDArray[np.float64]:
    """Return a bone's matrices (4, F, 3). own: (4, 4). left: (4, F, 3), what it is to make. now: (4, F, 3)."""
    mass, middle = own[3, 3], own[3, :3] / own[3, 3]
    carried = _around_middle(own)
    products = left[:3].transpose(1, 0, 2) - middle[:, None] * left[3][:, None]
    before = now[:3].transpose(1, 0, 2)
    hold = HELD * np.trace(carried) / 3 or 1.0
    linear = axes(carried + hold * np.eye(3), products + hold * before, before)
    result = np.empty_like(now)
    result[:3] = linear.transpose(1, 0, 2)
    result[3] = left[3] / mass - middle @ linear
    return result


def _scaled_turns(
    carried: NDArray[np.float64], products: NDArray[np.float64], before: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return S R (F, 3, 3), S along the axes of rows: scale and rotation in turn, starting from `before`."""
    spread = np.diagonal(carried)
    thin = THIN * spread.max()
    scales = np.linalg.norm(before, axis=2)
    turns = before
    for _ in range(TURNS_AND_SCALES):
        turns = nearest_turns(scales[:, :, None] * products)
        along = np.einsum("fij,fij->fi", turns, products)
        scales = np.clip((along + thin) / (spread + thin), *SCALES)
    return scales[:, :, None] * turns


def _around_middle(own: NDArray[np.float64]) -> NDArray[np.float64]:
    return own[:3, :3] - np.outer(own[3, :3], own[3, :3]) / own[3, 3]
