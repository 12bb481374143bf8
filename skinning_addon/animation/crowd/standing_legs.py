"""Turns legs so that feet stand where they are wanted: in closed form, all legs of all agents at once.

A leg is taken as two stiff parts that a hinge joins. The hinge, the knee, bends as far as the foot's distance
from the top of the leg asks for, about the axis about which it bends in the clips; then the whole leg turns the
shortest way until it points at the foot's place. Nothing is stretched: where a leg is too short, the foot is as
near as it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.skeleton import Skeleton
from ..clip import Clip
from ..instance_matrices import Matrices, carried_on, compose_instances, run_down
from ..local_pose import LocalPose, compose
from ..rotations import Floats, inverse, multiply, normalised
from ..sampling import ClipSampler
from .feet import Body
from .fixed_point import MICROMETRES, Indices
from .foot_tracks import Soles, resting_places
from .kinds import MOST_FEET
from .planting import Leg, legs_of
from .shown_feet import RAISED, ShownFeet

TINY = 1e-12
"""Instead of a length of zero, by which nothing can be divided."""

ALMOST = 0.95
"""Of two pairs of parts whose shorter ones differ by a smaller share, neither is better."""

MOMENTS = 16
"""Of a clip, at which knees are looked at."""

STRAIGHT = 0.02
"""A knee bent the wrong way by fewer radians is as good as straight: it bends the right way."""


@dataclass(frozen=True, eq=False)
class _Legs:
    """F legs. skeleton: of the bones that carry them, their own and their feet's; bones: (b,) its bones among
    the body's. top, knee, foot: (F,) bones of `skeleton`. axes: (3, F) of the knees, in their own space.
    """

    skeleton: Skeleton
    bones: Indices
    top: Indices
    knee: Indices
    foot: Indices
    axes: Floats


@dataclass(frozen=True, eq=False)
class _Line:
    """Where the tops, knees and feet of legs are, (3, F, n) each."""

    top: Floats
    knee: Floats
    foot: Floats


class StandingLegs:
    """The legs of a character that stand where agents hold their feet, F of them."""

    def __init__(
        self,
        body: Body,
        forward: NDArray[np.float64],
        metres_per_unit: float,
        clips: Sequence[Clip] = (),
    ) -> None:
        """forward: (2,) unit vector, which way agents look in the body's world. metres_per_unit: of that world.
        clips: that show how knees bend.
        """
        self._body, self._micrometres = body, MICROMETRES * metres_per_unit
        self._forward, self._clips = forward, clips

    def stand(self, pose: LocalPose, who: Indices, feet: ShownFeet) -> None:
        """Put the feet of some agents, in their poses by their gaits, where they are held and on the ground.

        pose: (D, I, B), changed in place. who: (n,) of the I. feet: of those n.
        """
        legs = self._legs
        to_world = self._to_world(pose, who)
        rise = (feet.rise[: len(legs.top)] / self._micrometres).astype(np.float32)
        # With the lowest foot; those that stand higher bend their legs.
        lowered = np.minimum(rise.min(axis=0), 0)
        line = _Line(*(to_world[bones, 3].swapaxes(0, 1) for bones in (legs.top, legs.knee, legs.foot)))
        yaw = feet.yaw[: len(legs.top)].astype(np.float32)
        target = self._targets(to_world, line.foot, yaw, feet)
        lifted = feet.lifted[: len(legs.top)].astype(np.float32)
        target[2] += RAISED * self._body.height * 4 * lifted * (1 - lifted) + rise - lowered
        # The knee's rows are its axes in the world; all are as long as one another.
        axis = np.einsum("rf,frcn->cfn", legs.axes, to_world[legs.knee, :3])
        knee, top = _bring(line, target, axis)
        foot = multiply(inverse(multiply(top, knee)), _about_z(yaw))
        self._turn(pose, who, to_world, np.concatenate((top, knee, foot), axis=1))
        if lowered.any():
            down = np.linalg.inv(self._body.root_to_world[:3, :3])[2][:, None] * lowered
            for root in np.flatnonzero(self._body.skeleton.parents < 0).tolist():
                pose.translation[:, who, root] += down

    def _to_world(self, pose: LocalPose, who: Indices) -> Matrices:
        """Return the matrices (b, 4, 3, n) of the legs' bones in the body's world."""
        bones, skeleton = self._legs.bones, self._legs.skeleton
        parts = (pose.component(kind).swapaxes(1, 2) for kind in ("translation", "rotation", "scale"))
        own = (one[:, bones].take(who, axis=2).swapaxes(1, 2) for one in parts)
        matrices = compose_instances(LocalPose(*own))
        roots = skeleton.levels[0]
        matrices[roots] = carried_on(matrices[roots], self._body.root_to_world)
        return run_down(skeleton, matrices)

    def _targets(self, to_world: Matrices, heads: Floats, yaw: Floats, feet: ShownFeet) -> Floats:
        """Return where the feet's bones (3, F, n), now at `heads`, are to be, on level ground."""
        count = heads.shape[1]
        place, way = (self._in_world(one[:, :count]) for one in (feet.mixed, feet.offset))
        (fades,) = np.nonzero(feet.fades)
        if fades.size:
            # While gaits fade, offsets count from the mix of their places, not from those of a mix of poses.
            posed = self._places(to_world[..., fades])
            way[..., fades] += place[..., fades] - posed
            place[..., fades] = posed
        target = heads.copy()
        cosine, sine = np.cos(yaw), np.sin(yaw)
        x, y = heads[:2] - place
        target[:2] = place + way
        target[0] += cosine * x - sine * y
        target[1] += sine * x + cosine * y
        return target

    def _places(self, to_world: Matrices) -> Floats:
        """Return where the feet stand (2, F, n) in the body's world."""
        agents = to_world.shape[-1]
        found: list[Floats] = []
        for parts, flat in self._soles:
            rows = [own @ to_world[bone].reshape(4, -1) for bone, own in parts]
            # Agents are innermost in memory all the same.
            points = np.concatenate(rows).reshape(-1, 3, agents).transpose(2, 0, 1)
            found.append(resting_places(points, flat, self._body.height).T)
        return np.stack(found, axis=1)

    def _in_world(self, seen: Floats) -> Floats:
        """Return (2, F, n) what lies ahead and to the left (2, F, n), in micrometres."""
        (x, y), (ahead, left) = self._forward / self._micrometres, seen
        return np.stack((ahead * x - left * y, ahead * y + left * x)).astype(np.float32)

    def _turn(self, pose: LocalPose, who: Indices, to_world: Matrices, turns: Floats) -> None:
        """Turn tops, knees and feet in the world, by (4, 3 F, n), each after those above it."""
        legs = self._legs
        bones = np.concatenate((legs.top, legs.knee, legs.foot))
        above = legs.skeleton.parents[bones]
        parents = to_world[above, :3]
        if (above < 0).any():
            parents[above < 0] = self._body.root_to_world[:3, :3, None]
        # A turn about an axis is, seen from the parent, the same about the axis as the parent sees it.
        seen = np.einsum("frcn,cfn->rfn", parents, turns[1:])
        seen /= np.maximum(np.sqrt(np.einsum("frcn,frcn->rfn", parents, parents)), TINY)
        turns[1:] = seen if self._turns_right else -seen
        rotation = pose.rotation.swapaxes(1, 2)
        own = legs.bones[bones]
        rotation[:, own[:, None], who] = multiply(turns, rotation[:, own].take(who, axis=2))

    @cached_property
    def _soles(self) -> list[tuple[list[tuple[int, Floats]], Floats]]:
        """Of each sole its bones among the legs', each with its points (P, 4) in its space; and how all these
        lie at rest (P, 2) around the middle of the foot.
        """
        found: list[tuple[list[tuple[int, Floats]], Floats]] = []
        every = Soles(self._body).flat
        for foot, flat in zip(self._body.feet, every, strict=False):
            bones = np.searchsorted(self._legs.bones, foot.bones)
            order = np.argsort(bones, kind="stable")
            points = foot.points.astype(np.float32)
            parts = [(bone, points[bones == bone]) for bone in np.unique(bones).tolist()]
            found.append((parts, flat[order].astype(np.float32)))
        return found

    @cached_property
    def _turns_right(self) -> bool:
        """Whether the body's world is no mirror image of root space."""
        return float(np.linalg.det(self._body.root_to_world[:3, :3])) > 0

    @cached_property
    def _legs(self) -> _Legs:
        body, legs = self._body, legs_of(self._body)[:MOST_FEET]
        lines = [[*_upper_and_lower(body.skeleton, leg), leg.foot] for leg in legs]
        carriers = {bone for foot in body.feet[:MOST_FEET] for bone in foot.bones.tolist()}
        bones = _with_ancestors(body.skeleton, {*carriers, *(leg.foot for leg in legs)})
        top, knee, foot = np.searchsorted(bones, np.array(lines, dtype=np.intp).reshape(-1, 3)).T
        axes = [self._axis(*line) for line in lines]
        return _Legs(
            body.skeleton.subset(bones), bones, top, knee, foot, np.array(axes, np.float32).reshape(-1, 3).T
        )

    def _axis(self, top: int, knee: int, foot: int) -> NDArray[np.float64]:
        """Return the axis (3,) about which a knee bends, in its own space: as in the clips, or as at rest."""
        body = self._body
        poses = [
            compose(ClipSampler(clip, body.skeleton).at(np.arange(MOMENTS) / MOMENTS * clip.duration))
            for clip in self._clips
        ]
        rest = body.skeleton.rest_to_root[None]
        to_root = np.concatenate([rest, *(body.skeleton.to_root(one) for one in poses)])
        to_world = to_root @ body.root_to_world
        upper = to_world[:, knee, 3, :3] - to_world[:, top, 3, :3]
        lower = to_world[:, foot, 3, :3] - to_world[:, knee, 3, :3]
        bent = np.cross(lower, upper)
        lengths = np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1)
        if np.linalg.norm(bent.sum(axis=0)) <= STRAIGHT * lengths.sum():
            # It never bends: forwards, as a knee does.
            bent[:] = self._forward[1], -self._forward[0], 0
        rows = to_world[:, knee, :3, :3]
        axis = np.einsum("sc,src->r", bent, rows / np.linalg.norm(rows, axis=2, keepdims=True))
        return axis / np.linalg.norm(axis)


def _upper_and_lower(skeleton: Skeleton, leg: Leg) -> tuple[int, int]:
    """Return the joints of a leg that turn: the longer the shorter of both parts is, the better.

    Of a leg of one joint, the foot is its own knee, which never bends.
    """
    heads = skeleton.rest_to_root[[*leg.joints, leg.foot], 3, :3]
    pairs = [(top, knee) for knee in range(1, len(leg.joints)) for top in range(knee)]
    if not pairs:
        return leg.joints[0], leg.foot

    def shorter(pair: tuple[int, int]) -> float:
        top, knee = pair
        parts = heads[knee] - heads[top], heads[-1] - heads[knee]
        return min(float(np.linalg.norm(part)) for part in parts)

    # Of those that are about as good, the lowest top.
    longest = max(map(shorter, pairs))
    top, knee = max(pair for pair in pairs if shorter(pair) >= ALMOST * longest)
    return leg.joints[top], leg.joints[knee]


def _with_ancestors(skeleton: Skeleton, bones: set[int]) -> Indices:
    """Return bones and all that carry them, ascending."""
    found = set(bones)
    for bone in range(len(skeleton.names) - 1, -1, -1):
        if bone in found:
            found.add(int(skeleton.parents[bone]))
    return np.array(sorted(found - {-1}), dtype=np.intp)


def _bring(legs: _Line, target: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Return the turns (4, F, n) of knees, and of whole legs after that, which bring feet to their targets.

    target: (3, F, n). axis: (3, F, n) about which knees bend; of any length.
    """
    upper, lower, line = legs.knee - legs.top, legs.foot - legs.knee, target - legs.top
    axis = axis / np.maximum(np.sqrt(_dot(axis, axis)), TINY)
    along = axis * _dot(axis, lower)
    across, ahead = lower - along, _cross(axis, lower)
    # The foot's distance from the top, squared, for a knee that turns by an angle:
    # constant + 2 (straight cos + bent sin) of the angle.
    straight, bent = _dot(upper, across), _dot(upper, ahead)
    wanted = (_dot(line, line) - _dot(upper, upper) - _dot(lower, lower)) / 2 - _dot(upper, along)
    most = np.sqrt(straight * straight + bent * bent)
    bends = most > 0
    angle = np.arccos(np.clip(wanted / np.where(bends, most, 1), -1, 1))
    whole = np.arctan2(bent, straight)
    half = np.where(bends, whole - np.where(whole < -STRAIGHT, -angle, angle), 0) / 2
    sine, cosine = np.sin(half), np.cos(half)
    turned = np.concatenate((cosine[None], axis * sine))
    end = upper + along + across * (1 - 2 * sine * sine) + ahead * (2 * sine * cosine)
    length = np.sqrt(_dot(end, end) * _dot(line, line)) + _dot(end, line)
    return turned, normalised(np.concatenate((length[None], _cross(end, line))))


def _about_z(angle: Floats) -> Floats:
    """Return the turns (4, F, n) about the world's Z axis by angles."""
    result = np.zeros((4, *angle.shape), dtype=np.float32)
    result[0], result[3] = np.cos(angle / 2), np.sin(angle / 2)
    return result


def _dot(one: Floats, other: Floats) -> Floats:
    return np.einsum("c...,c...->...", one, other)


def _cross(one: Floats, other: Floats) -> Floats:
    (a, b, c), (d, e, f) = one, other
    return np.stack((b * f - c * e, c * d - a * f, a * e - b * d))
