"""Which helper bones bring the vertices nearer that are furthest off: the blends that `helper_bones` describes.

As in Le and Deng's two-layer compression: a new helper moves as the vertex does whose motion would serve most
of what is far off; then weights are solved for given helpers, and helpers for given weights, in turn. Since a
helper is a blend of joints, both are quadratic forms of the joints that vertices may choose from (`costs`), and
no frame is needed again. Shear is not yet lost here; weights are fitted once more to what helpers really do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import sparse_weights
from ..maths.weight_problems import cost_of
from .candidates import Candidates
from .costs import costs
from .helper_bones import DRIVERS, Blends
from .mirroring import Twins
from .wanted import Wanted

FURTHEST = 3000
"""Vertices that are looked at, those that are furthest off."""

NEAREST = 6
"""Helpers that a vertex may choose from."""

STEPS = 4
"""Helpers are placed in so many steps: later ones see what earlier ones have left."""

ROUNDS = 2
"""How often weights and helpers are solved in turn after each step."""

PULL = 1e-8
"""How strongly weights are pulled towards the authored ones, as a part of the squared diagonal: hardly."""

SEEDS = 300
"""Vertices whose motion is tried for a new helper."""

SMALLEST_SHARE = 1e-3


def find_blends(
    wanted: Wanted,
    chosen: Candidates,
    off: NDArray[np.floating],
    influences: int,
    count: int,
    *,
    twins: Twins,
    mirrored_joints: NDArray[np.integer],
    progress: Callable[[float], None] | None = None,
) -> Blends:
    """Return up to `count` helpers, at least one fewer if the last would be half of a pair.

    chosen: joints that vertices may choose from, and that helpers of theirs may blend. off: (V,) how far off
    each vertex is without helpers; those with 0 are not looked at. twins: vertices of both sides; helpers then
    come in pairs. mirrored_joints: see `find_twins`. progress: called with the finished fraction.
    """
    rows = _rows(wanted, chosen, off, twins, mirrored_joints)
    search = _Search(rows, influences, (PULL * wanted.size**2) or 1.0)
    for step in range(STEPS):
        room = -(-count * (step + 1) // STEPS) - search.count
        search.place(room)
        for number in range(ROUNDS):
            search.solve()
            search.blend()
            if progress is not None:
                progress((step * ROUNDS + number + 1) / (STEPS * ROUNDS))
    return search.blends()


@dataclass(frozen=True, eq=False)
class _Rows:
    """Vertices, or pairs of mirrored ones. joints, allowed, former: (n, C), see `Candidates`. forms: (n, C, C),
    what choices cost. mirrored: (J,) the joint on the other side, -1 if there is none; None if not symmetric.
    """

    joints: NDArray[np.int32]
    allowed: NDArray[np.bool_]
    former: NDArray[np.float64]
    forms: NDArray[np.float64]
    joint_count: int
    mirrored: NDArray[np.intp] | None

    def shares(self, blends: NDArray[np.float64], rows: NDArray[np.intp] | slice) -> NDArray[np.float64]:
        """Return blends (H, J) over the candidates of rows, (n, H, C)."""
        found = blends[:, self.joints[rows]].transpose(1, 0, 2)
        return found * self.allowed[rows][:, None]


def _rows(
    wanted: Wanted,
    chosen: Candidates,
    off: NDArray[np.floating],
    twins: Twins,
    mirrored_joints: NDArray[np.integer],
) -> _Rows:
    picked = np.zeros(len(off), dtype=np.bool_)
    picked[np.argsort(-off, kind="stable")[:FURTHEST]] = True
    picked &= off > 0
    both = picked[twins.one] | picked[twins.other]
    # Pairs count once, on the side of positive X.
    left = wanted.rest[twins.one, 0] >= wanted.rest[twins.other, 0]
    one, other = (
        np.where(left, *pair)[both] for pair in ((twins.one, twins.other), (twins.other, twins.one))
    )
    single = picked.copy()
    single[twins.one] = single[twins.other] = False
    images = np.asarray(mirrored_joints, dtype=np.int32)[chosen.joints[one]]
    vertices = np.concatenate([np.flatnonzero(single), one])
    allowed = chosen.allowed[vertices]
    allowed[len(vertices) - len(one) :] &= images >= 0
    # What does not move can't drive.
    allowed &= chosen.joints[vertices] > 0
    some = allowed.any(axis=1)
    forms = [
        costs(wanted, chosen.joints[block], block)
        for block in wanted.blocks(vertices, chosen.joints.shape[1])
    ]
    form = np.concatenate(forms) if forms else np.empty((0, *(chosen.joints.shape[1],) * 2))
    first = len(vertices) - len(one)
    pairs = np.arange(len(one))
    for block in wanted.blocks(pairs, chosen.joints.shape[1]):
        form[first + block] += costs(wanted, np.maximum(images[block], 0), other[block])
        form[first + block] /= 2
    joint_count = wanted.finals.shape[1]
    return _Rows(
        chosen.joints[vertices][some],
        allowed[some],
        chosen.former[vertices][some],
        form[some],
        joint_count,
        np.asarray(mirrored_joints, dtype=np.intp) if len(one) else None,
    )


class _Search:
    def __init__(self, rows: _Rows, influences: int, pull: float) -> None:
        self._rows, self._influences = rows, influences
        self._pull = np.full(len(rows.joints), pull)
        # Helpers, then those of the other side: `_other` (H,) is the place of each one's counterpart.
        self._shares = np.empty((0, rows.joint_count))
        every = rows.joints.shape[1]
        self._dense = self._solved(rows.forms, rows.allowed, rows.former, every)
        self._effective = self._solved(rows.forms, rows.allowed, rows.former, influences)
        self._first = self._effective
        self._own = self._effective
        self._of_pool = np.empty((len(rows.joints), 0))

    @property
    def count(self) -> int:
        """Bones, with those of the other side."""
        return len(self._pool())

    def blends(self) -> Blends:
        """Return what has been found."""
        pool = self._pool()
        # Of a helper that is its own mirror image there is one.
        mirrored = self._mirrored(pool)
        other = np.arange(len(pool))
        if mirrored is not None and len(pool):
            other = np.abs(pool[None] - mirrored[:, None]).sum(axis=2).argmin(axis=1)
        return Blends(pool, other, np.zeros(len(pool), dtype=np.bool_))

    def place(self, room: int) -> None:
        """Add helpers that move as vertices do which stand for many others, for at most `room` bones."""
        rows = self._rows
        left = cost_of(rows.forms, self._effective) if len(rows.forms) else np.empty(0)
        tried = np.argsort(-left, kind="stable")[:SEEDS]
        each = self._dense[tried]
        dense = np.zeros((len(tried), rows.joint_count))
        np.add.at(dense, (np.arange(len(tried))[:, None], rows.joints[tried]), each)
        reached = np.empty((len(tried), len(left)))
        for number, blend in enumerate(dense):
            shares = rows.shares(blend[None], slice(None))[:, 0]
            cost = cost_of(rows.forms, shares)
            reached[number] = np.where(shares.sum(axis=1) > 1 - SMALLEST_SHARE, cost, np.inf)
        while room > 0 and len(tried):
            saved = np.maximum(left**2 - np.minimum(reached, np.sqrt(np.finfo(float).max)) ** 2, 0.0).sum(
                axis=1
            )
            best = int(saved.argmax())
            if saved[best] <= 0:
                return
            left = np.minimum(left, reached[best])
            seed = int(tried[best])
            blend = np.zeros(rows.joint_count)
            largest = np.argsort(-self._first[seed], kind="stable")[:DRIVERS]
            blend[rows.joints[seed, largest]] += self._first[seed, largest]
            blend /= blend.sum()
            pair = self._pool(np.concatenate([self._shares, blend[None]]))
            room -= len(pair) - self.count
            if room < 0:
                return
            self._shares = np.concatenate([self._shares, blend[None]])

    def solve(self) -> None:
        """Solve the weights of all rows with the helpers as they are."""
        rows, pool = self._rows, self._pool()
        shares = rows.shares(pool, slice(None))
        cost = np.einsum("nhc,ncd,nhd->nh", shares, rows.forms, shares, optimize=True)
        usable = shares.sum(axis=2) > 1 - SMALLEST_SHARE
        nearest = np.argsort(np.where(usable, cost, np.inf), axis=1)[:, :NEAREST]
        size = rows.joints.shape[1]
        basis = np.zeros((len(shares), size + nearest.shape[1], size))
        basis[:, :size] = np.eye(size)
        basis[:, size:] = np.take_along_axis(shares, nearest[:, :, None], axis=1)
        found = self._solved(
            basis @ rows.forms @ basis.transpose(0, 2, 1),
            np.concatenate([rows.allowed, np.take_along_axis(usable, nearest, axis=1)], axis=1),
            np.concatenate([rows.former, np.zeros(nearest.shape)], axis=1),
            self._influences,
        )
        self._own = found[:, :size]
        self._of_pool = np.zeros(cost.shape)
        np.put_along_axis(self._of_pool, nearest, found[:, size:], axis=1)
        self._gather()

    def blend(self) -> None:
        """Find each helper's shares for the weights as they are."""
        for number in range(len(self._shares)):
            former, count = self._shares[number].copy(), self.count
            self._shares[number] = self._blended(number)
            # One that is its own mirror image stays so, and of a pair there stay two: weights count on it.
            if self.count != count:
                self._shares[number] = former
            self._gather()

    def _gather(self) -> None:
        """Gather what each row follows in all, by joints."""
        shares = self._rows.shares(self._pool(), slice(None))
        self._effective = self._own + np.einsum("nh,nhc->nc", self._of_pool, shares)

    def _blended(self, number: int) -> NDArray[np.float64]:
        """Return the best shares (J,) of a helper, whichever side its vertices are on."""
        rows, former = self._rows, self._shares[number]
        sides = [(number, rows.joints)]
        other = self._place_of_other(number)
        if other is not None and rows.mirrored is not None:
            sides.append((other, rows.mirrored[rows.joints].astype(np.int32)))
        users = [
            (np.flatnonzero(self._of_pool[:, place] > SMALLEST_SHARE), place, joints)
            for place, joints in sides
        ]
        weights = np.concatenate([self._of_pool[used, place] for used, place, _ in users])
        if not len(weights):
            return former
        used = np.concatenate([one for one, _, _ in users])
        joints = np.concatenate([table[one] for one, _, table in users])
        allowed = rows.allowed[used] & (joints > 0)
        drivers = self._common(joints, allowed, weights, former)
        # (n, D, C): each driver among a row's candidates.
        at = (joints[:, None] == drivers[:, None]) & allowed[:, None]
        whole = at.any(axis=2).all(axis=1)
        used, weights, at = used[whole], weights[whole], at[whole].astype(np.float64)
        if not len(used):
            return former
        of_helper = np.einsum("d,ndc->nc", former[drivers], at)
        rest = self._effective[used] / weights[:, None] - of_helper
        # A row's distance is its weight times what remains once the others are taken off.
        terms = at + rest[:, None]
        forms = terms @ rows.forms[used] @ terms.transpose(0, 2, 1)
        form = np.einsum("n,nij->ij", np.square(weights), forms)
        found = sparse_weights(
            form[None],
            np.ones((1, len(drivers)), dtype=np.bool_),
            DRIVERS,
            towards=former[None, drivers],
            pull=np.array([1e-6 * np.trace(form) / len(drivers) or 1.0]),
        )[0]
        found[found < SMALLEST_SHARE] = 0.0
        result = np.zeros_like(former)
        result[drivers] = found / found.sum()
        return result

    @staticmethod
    def _common(
        joints: NDArray[np.int32],
        allowed: NDArray[np.bool_],
        weights: NDArray[np.float64],
        former: NDArray[np.float64],
    ) -> NDArray[np.intp]:
        """Return the joints that nearly all of a helper's vertices can choose, and its drivers so far."""
        there = np.zeros(len(former))
        np.add.at(
            there, joints[allowed], np.broadcast_to(np.square(weights)[:, None], allowed.shape)[allowed]
        )
        nearly_all = there > (1 - SMALLEST_SHARE) * np.square(weights).sum()
        return np.flatnonzero(nearly_all | (former > 0))

    def _pool(self, shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the helpers, then those of the other side which are not the same."""
        shares = self._shares if shares is None else shares
        mirrored = self._mirrored(shares)
        if mirrored is None:
            return shares
        return np.concatenate([shares, mirrored[self._has_other(shares)]])

    def _mirrored(self, shares: NDArray[np.float64]) -> NDArray[np.float64] | None:
        if self._rows.mirrored is None:
            return None
        result = np.zeros_like(shares)
        there = self._rows.mirrored >= 0
        result[:, self._rows.mirrored[there]] = shares[:, there]
        return result

    def _has_other(self, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        mirrored = self._mirrored(shares)
        if mirrored is None:
            return np.zeros(len(shares), dtype=np.bool_)
        return (np.abs(mirrored - shares).max(axis=1) > SMALLEST_SHARE) & (
            mirrored.sum(axis=1) > 1 - SMALLEST_SHARE
        )

    def _place_of_other(self, number: int) -> int | None:
        has = self._has_other(self._shares)
        return len(self._shares) + int(has[:number].sum()) if has[number] else None

    def _solved(
        self,
        forms: NDArray[np.float64],
        allowed: NDArray[np.bool_],
        towards: NDArray[np.float64],
        influences: int,
    ) -> NDArray[np.float64]:
        if not len(forms):
            return np.zeros(allowed.shape)
        return sparse_weights(forms, allowed, influences, towards=towards, pull=self._pull)
