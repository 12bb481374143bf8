"""Legs that keep planted feet where they are, for gaits whose feet move at speeds that differ.

The body's own sway (`strides`) holds one foot, or the mean of several. What is left is taken up by each leg:
its joints turn as little as they can so that the foot is moved over the ground, level and as it was turned.
While it swings, that goes over smoothly into what its next contact needs. Nothing is stretched.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..local_pose import LocalPose, compose, decompose
from .contacts import FootMotion, runs, without_short
from .feet import Body
from .kinds import MOST_FEET, ROOM_FOR_FEET

Floats = NDArray[np.float64]

ROUNDS = 6
"""Of turning joints; each leaves a small part of what the one before left."""

SLIP = 0.04
"""The share of a cycle for which a foot that slips is held all the same."""

STIFFNESS = 1e-4
"""Of a leg that is stretched out, so that it doesn't turn wildly for nothing; in standing heights squared."""


@dataclass(frozen=True, eq=False)
class Leg:
    """joints: bones that turn, from the top down. sections: of each joint, itself and the bones that move with
    it, down to the next. foot: what keeps its orientation. carried: it and all below it.
    """

    joints: list[int]
    sections: list[NDArray[np.intp]]
    foot: int
    carried: NDArray[np.intp]


def legs_of(body: Body) -> list[Leg]:
    """Return the leg of each foot: the bones above it that carry no other foot."""
    parents = body.skeleton.parents.tolist()
    above = [_above(parents, int(foot.bones[0])) for foot in body.feet]
    lines = [set(_above(parents, bone)) for bone in range(len(parents))]
    tops = [_top(body, number) for number in range(len(body.feet))]
    legs: list[Leg] = []
    for number, top in enumerate(tops):
        others = {bone for other, line in enumerate(above) if other != number for bone in line}
        joints = [bone for bone in _above(parents, top)[1:] if bone not in others][::-1]
        below = [np.array([joint in line for line in lines]) for joint in (*joints, top)]
        sections = [np.flatnonzero(here & ~next_one) for here, next_one in pairwise(below)]
        legs.append(Leg(joints, sections, top, np.flatnonzero(below[-1])))
    return legs


def held_legs(body: Body) -> list[Leg]:
    """Return the legs of the feet that can be held where they are planted: the first ones, up to one that hangs
    on no leg of its own; none if that is among the first `ROOM_FOR_FEET`.
    """
    legs = legs_of(body)[:MOST_FEET]
    without = [number for number, one in enumerate(legs) if not one.joints]
    held = legs[: min(without)] if without else legs
    return held if len(held) == len(legs) or len(held) >= ROOM_FOR_FEET else []


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
            wanted = to_world[:, leg.carried]
            wanted[:, :, 3, :3] += path[:, None]
            reach(body, to_world, leg, wanted)
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


def reach(body: Body, to_world: Floats, leg: Leg, wanted: Floats) -> None:
    """Move a foot, and what it carries, in poses (S, B, 4, 4), bone to world, in place.

    wanted: (S, K, 4, 4) of the bones that `leg` carries. Where the leg is too short, it goes as near as it can.
    """
    line = to_world[:, [*leg.joints, leg.foot], 3, :3]
    before, target = line.copy(), wanted[:, np.flatnonzero(leg.carried == leg.foot)[0], 3, :3]
    turned = np.broadcast_to(np.eye(3), (*before[:, 1:].shape, 3)).copy()
    for _ in range(ROUNDS):
        turns = _turns(line, target - line[:, -1], STIFFNESS * body.height * body.height)
        for number in range(len(leg.joints)):
            rotation, pivot = rotations(turns[:, number]), line[:, number, None].copy()
            line[:, number + 1 :] = (line[:, number + 1 :] - pivot) @ rotation + pivot
            turned[:, number:] = turned[:, number:] @ rotation[:, None]
    for number, bones in enumerate(leg.sections):
        to_world[:, bones] = moved_about(
            to_world[:, bones], before[:, number], turned[:, number], line[:, number]
        )
    to_world[:, leg.carried] = wanted
    to_world[:, leg.carried, 3, :3] += (line[:, -1] - target)[:, None]


def _turns(line: Floats, missing: Floats, stiffness: float) -> Floats:
    """Return the rotation vectors (S, J, 3) of joints, as small as can be, that move the foot as is missing.

    line: (S, J + 1, 3) of the joints and the foot.
    """
    arms = line[:, -1:] - line[:, :-1]
    # A turn w moves the end of an arm a by w x a, so all joints together, each turned by a x f, by the sum of
    # (a x f) x a = (a a) f - (a f) a.
    together = -np.swapaxes(arms, 1, 2) @ arms
    together[:, (0, 1, 2), (0, 1, 2)] += (arms * arms).sum(axis=(1, 2))[:, None] + stiffness
    force = np.asarray(np.linalg.solve(together, missing[..., None]), dtype=np.float64)[:, None, :, 0]
    return np.cross(arms, force)


def rotations(turn: Floats) -> Floats:
    """Return the matrices (S, 3, 3), for row vectors, of rotation vectors (S, 3) in radians."""
    angle = np.linalg.norm(turn, axis=1)
    axis = turn / np.maximum(angle, 1e-12)[:, None]
    x, y, z = axis.T
    zero = np.zeros_like(x)
    across = np.stack((zero, z, -y, -z, zero, x, y, -x, zero), axis=1).reshape(-1, 3, 3)
    return (
        np.eye(3)
        + np.sin(angle)[:, None, None] * across
        + (1 - np.cos(angle))[:, None, None] * (across @ across)
    )


def moved_about(matrices: Floats, pivot: Floats, rotation: Floats, to: Floats) -> Floats:
    """Return matrices (S, K, 4, 4) turned by rotations (S, 3, 3) about pivots (S, 3), which go to other places
    (S, 3).
    """
    result = matrices.copy()
    result[..., 3, :3] -= pivot[:, None]
    result[..., :3] = result[..., :3] @ rotation[:, None]
    result[..., 3, :3] += to[:, None]
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
