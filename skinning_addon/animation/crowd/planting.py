"""Legs that keep planted feet where they are, for gaits whose feet move at speeds that differ.

The body's own sway (`strides`) holds one foot, or the mean of several. What is left is taken up by each leg:
its joints turn as little as they can so that the foot is moved over the ground, level and as it was turned.
While it swings, that goes over smoothly into what its next contact needs. Nothing is stretched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..local_pose import LocalPose, compose, decompose
from .contacts import FootMotion, runs, without_short
from .feet import Body

Floats = NDArray[np.float64]

ROUNDS = 6
"""Of turning joints; each leaves a small part of what the one before left."""

SLIP = 0.04
"""The share of a cycle for which a foot that slips is held all the same."""

STIFFNESS = 1e-4
"""Of a leg that is stretched out, so that it doesn't turn wildly for nothing; in standing heights squared."""


@dataclass(frozen=True, eq=False)
class Leg:
    """joints: bones that turn, from the top down. foot: what keeps its orientation. carried: (B,) it and all
    below it.
    """

    joints: list[int]
    foot: int
    carried: NDArray[np.bool_]


def legs_of(body: Body) -> list[Leg]:
    """Return the leg of each foot: the bones above it that carry no other foot."""
    parents = body.skeleton.parents.tolist()
    above = [_above(parents, int(foot.bones[0])) for foot in body.feet]
    tops = [_top(body, number) for number in range(len(body.feet))]
    legs: list[Leg] = []
    for number, top in enumerate(tops):
        others = {bone for other, line in enumerate(above) if other != number for bone in line}
        joints = [bone for bone in _above(parents, top)[1:] if bone not in others]
        carried = np.array([top in _above(parents, bone) for bone in range(len(parents))])
        legs.append(Leg(joints[::-1], top, carried))
    return legs


def planted_pose(body: Body, pose: LocalPose, motion: FootMotion, velocity: Floats) -> LocalPose:
    """Return the pose (D, S, B) of a cycle with legs that hold planted feet.

    motion: of its feet, with the body moved so that it holds them as far as it can. velocity: (2,) at which it
    goes.
    """
    skeleton = body.skeleton
    to_world = skeleton.to_root(compose(pose)) @ body.root_to_world
    # Wherever the body is moved to, its legs reach as far.
    for leg, path in zip(legs_of(body), paths_needed(motion, velocity), strict=True):
        if leg.joints:
            reach(body, to_world, leg, path)
    to_parent, _ = skeleton.to_parent(to_world @ np.linalg.inv(body.root_to_world))
    return decompose(to_parent).pose


def paths_needed(motion: FootMotion, velocity: Floats) -> Floats:
    """Return where each foot has to be moved, (F, S, 3), so that none slides while it is planted."""
    # A foot that slips for a moment has not been lifted.
    planted = np.stack([without_short(one, SLIP, False) for one in motion.planted(velocity)])
    count = planted.shape[1]
    result = np.zeros((len(planted), count, 3))
    for foot, (own, moves) in enumerate(zip(planted, motion.velocity, strict=True)):
        contacts = runs(own) if own.any() and not own.all() else []
        for contact in contacts:
            slid = np.cumsum((moves[contact] + velocity) * motion.interval, axis=0)
            # As far to one side as to the other.
            result[foot, contact, :2] = (slid.min(axis=0) + slid.max(axis=0)) / 2 - slid
        for before, after in zip(contacts, [*contacts[1:], *contacts[:1]], strict=True):
            gap = (int(after[0]) - int(before[-1])) % count
            numbers = np.arange(1, gap, dtype=np.int64)
            share = numbers / gap
            smooth = (share * share * (3 - 2 * share))[:, None]
            between = (int(before[-1]) + numbers) % count
            result[foot, between] = (1 - smooth) * result[foot, before[-1]] + smooth * result[foot, after[0]]
    return result


def reach(body: Body, to_world: Floats, leg: Leg, path: Floats) -> None:
    """Move a foot by a path (S, 3) in poses (S, B, 4, 4), bone to world, in place."""
    parents = body.skeleton.parents.tolist()
    before = to_world[:, leg.carried].copy()
    start = to_world[:, leg.foot, 3, :3].copy()
    for _ in range(ROUNDS):
        missing = start + path - to_world[:, leg.foot, 3, :3]
        turns = _turns(to_world, leg, missing, STIFFNESS * body.height * body.height)
        for number, joint in enumerate(leg.joints):
            below = np.array([joint in _above(parents, bone) for bone in range(len(parents))])
            pivot = to_world[:, joint, 3, :3].copy()
            to_world[:, below] = _turned(to_world[:, below], pivot, turns[:, number])
    went = to_world[:, leg.foot, 3, :3] - start
    to_world[:, leg.carried] = before
    to_world[:, leg.carried, 3, :3] += went[:, None]


def _turns(to_world: Floats, leg: Leg, missing: Floats, stiffness: float) -> Floats:
    """Return the rotation vectors (S, J, 3), as small as can be, that move the foot by what is missing."""
    arms = to_world[:, leg.foot, None, 3, :3] - to_world[:, leg.joints, 3, :3]
    # A turn w moves the end of an arm a by w x a.
    moves = np.zeros((*arms.shape[:2], 3, 3))
    for axis, (first, second) in enumerate(((1, 2), (2, 0), (0, 1))):
        moves[:, :, first, second] = arms[:, :, axis]
        moves[:, :, second, first] = -arms[:, :, axis]
    together = np.einsum("sjab,sjcb->sac", moves, moves) + stiffness * np.eye(3)
    solved = np.asarray(np.linalg.solve(together, missing[..., None]), dtype=np.float64)
    return np.einsum("sjab,sa->sjb", moves, solved[..., 0])


def _turned(matrices: Floats, pivot: Floats, turn: Floats) -> Floats:
    """Return matrices (S, K, 4, 4) turned about pivots (S, 3) by rotation vectors (S, 3)."""
    angle = np.linalg.norm(turn, axis=1)
    axis = turn / np.maximum(angle, 1e-12)[:, None]
    x, y, z = axis.T
    zero = np.zeros_like(x)
    across = np.stack((zero, z, -y, -z, zero, x, y, -x, zero), axis=1).reshape(-1, 3, 3)
    # For row vectors.
    rotation = (
        np.eye(3)
        + np.sin(angle)[:, None, None] * across
        + (1 - np.cos(angle))[:, None, None] * (across @ across)
    )
    result = matrices.copy()
    result[..., 3, :3] -= pivot[:, None]
    result[..., :3] = result[..., :3] @ rotation[:, None]
    result[..., 3, :3] += pivot[:, None]
    return result


def _top(body: Body, number: int) -> int:
    """Return a foot's uppermost bone."""
    return body.skeleton.index(body.feet[number].name)


def _above(parents: list[int], bone: int) -> list[int]:
    """Return a bone and those that carry it, upwards."""
    line: list[int] = []
    while bone >= 0:
        line.append(bone)
        bone = parents[bone]
    return line
