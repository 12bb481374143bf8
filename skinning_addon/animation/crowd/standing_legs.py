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
from ..instance_matrices import Matrices, carried_each, carried_on, compose_instances, run_down
from ..local_pose import LocalPose, compose
from ..rotations import Floats, inverse, multiply
from ..sampling import ClipSampler
from .feet import Body
from .fixed_point import MICROMETRES, Indices
from .hinges import STRAIGHT, TINY, Hinges, Line, about_z, tilted, turn_matrices, turned
from .planting import Leg, held_legs
from .posed_soles import PosedSoles
from .shown_feet import LENGTH, RAISED, STEEPEST, ShownFeet

ALMOST = 0.95
"""Of two pairs of parts whose shorter ones differ by a smaller share, neither is better."""

MOMENTS = 16
"""Of a clip, at which knees are looked at."""

LONG = 0.5
"""The share of the height from the hindmost foot to the foremost, at rest, beyond which a body leans uphill."""

FARTHEST_BENT = 0.02
"""The share of the height by which feet stand higher or lower at most because the ground bends under them."""


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
        target, turn = self._wanted(to_world, feet)
        uphill = self._uphill(feet)
        if uphill.any():
            lean = tilted((self._forward[:, None] * uphill).astype(np.float32))
            self._lean(pose, who, lean)
            to_world = carried_each(to_world, turn_matrices(lean))
            turn = multiply(turn, inverse(lean)[:, None])
        line = Line(*(to_world[bones, 3].swapaxes(0, 1) for bones in (legs.top, legs.knee, legs.foot)))
        # The knee's rows are its axes in the world; all are as long as one another.
        hinges = Hinges.of(line, np.einsum("rf,frcn->cfn", legs.axes, to_world[legs.knee, :3]))
        way = target - line.top
        lowered = self._lowered(hinges, way, uphill, feet)
        way[2] += lowered
        knee, top = hinges.bring(way)
        foot = multiply(inverse(multiply(top, knee)), turn)
        self._turn(pose, who, to_world, np.concatenate((top, knee, foot), axis=1))
        if lowered.any():
            down = -np.linalg.inv(self._body.root_to_world[:3, :3])[2][:, None] * lowered
            for root in self._roots:
                pose.translation[:, who, root] += down

    def _wanted(self, to_world: Matrices, feet: ShownFeet) -> tuple[Floats, Floats]:
        """Return where the feet's bones (3, F, n) are to be, and by what (4, F, n) they turn."""
        count = len(self._legs.top)
        heads = to_world[self._legs.foot, 3].swapaxes(0, 1).copy()
        turn = about_z(feet.yaw[:count].astype(np.float32))
        lifted = feet.lifted[:count].astype(np.float32)
        raised = (feet.rise[:count] / self._micrometres).astype(np.float32)
        raised += RAISED * self._body.height * 4 * lifted * (1 - lifted)
        if feet.slope.any():
            turn = multiply(tilted(self._in_world(feet.slope[:, :count] * self._micrometres)), turn)
            # A foot that swings tilts about its own sole.
            x, y, sole = self._soles.lowest(to_world)
            heads[2] -= sole
            raised += sole + self._above_slope(feet, x, y)
        target = self._targets(to_world, heads, turn, feet)
        target[2] += raised
        return target, turn

    def _uphill(self, feet: ShownFeet) -> Floats:
        """Return the slope (n,) that bodies follow, uphill ahead, as a tangent: from the feet behind to those
        ahead. Only those lean that are as long as bodies on four legs.
        """
        count = len(self._legs.top)
        rise = feet.rise[:count]
        if not self._is_long or not rise.any():
            return np.zeros(len(feet.height))
        ahead = (feet.mixed + feet.offset)[0, :count]
        square: Floats = np.maximum((ahead * ahead).sum(axis=0), 1.0)
        steep: Floats = (rise * ahead).sum(axis=0) / square
        return np.clip(steep, -STEEPEST, STEEPEST)

    def _lowered(self, hinges: Hinges, way: Floats, uphill: Floats, feet: ShownFeet) -> Floats:
        """Return by how much (n,) bodies go down: with the foot that is lowest, seen from the slope that they
        follow, as those that stand higher bend their legs; and on a slope until legs reach their feet.

        way: (3, F, n) from the tops of legs to where feet are to be.
        """
        count = len(self._legs.top)
        rise, ahead = feet.rise[:count], (feet.mixed + feet.offset)[0, :count]
        if not (rise.any() or feet.slope.any()):
            return np.zeros(len(feet.height), dtype=np.float32)
        lowest = np.maximum(-(rise - uphill * ahead).min(axis=0), 0)
        # By no more than what slopes take, however far beyond its reach a foot is.
        steep = (np.abs(rise) + LENGTH * feet.height * np.hypot(*feet.slope[:, :count])).max(axis=0)
        x, y, z = way
        beyond = -z - np.sqrt(np.maximum(hinges.reach - x * x - y * y, 0))
        least, most = lowest / self._micrometres, (lowest + steep) / self._micrometres
        return np.clip(beyond.max(axis=0), least, most).astype(np.float32)

    def _lean(self, pose: LocalPose, who: Indices, turn: Floats) -> None:
        """Turn whole bodies in the world, by (4, n), about the middle of where agents stand."""
        linear = self._body.root_to_world[:3, :3, None]
        seen = self._seen(turn.copy(), np.broadcast_to(linear, (3, 3, turn.shape[1])))
        middle = -self._body.root_to_world[3, :3] @ np.linalg.inv(linear[..., 0])
        for root in self._roots:
            pose.rotation[:, who, root] = multiply(seen, pose.rotation[:, who, root])
            moved = turned(seen, *(pose.translation[:, who, root] - middle[:, None]))
            pose.translation[:, who, root] = moved + middle[:, None]

    def _to_world(self, pose: LocalPose, who: Indices) -> Matrices:
        """Return the matrices (b, 4, 3, n) of the legs' bones in the body's world."""
        bones, skeleton = self._legs.bones, self._legs.skeleton
        parts = (pose.component(kind).swapaxes(1, 2) for kind in ("translation", "rotation", "scale"))
        own = (one[:, bones].take(who, axis=2).swapaxes(1, 2) for one in parts)
        matrices = compose_instances(LocalPose(*own))
        roots = skeleton.levels[0]
        matrices[roots] = carried_on(matrices[roots], self._body.root_to_world)
        return run_down(skeleton, matrices)

    def _targets(self, to_world: Matrices, heads: Floats, turn: Floats, feet: ShownFeet) -> Floats:
        """Return where the feet's bones (3, F, n), now at `heads`, are to be on level ground. Each foot turns
        (4, F, n) about its place at height 0.
        """
        count = heads.shape[1]
        place, way = (self._in_world(one[:, :count]) for one in (feet.mixed, feet.offset))
        (fades,) = np.nonzero(feet.fades)
        if fades.size:
            # While gaits fade, offsets count from the mix of their places, not from those of a mix of poses.
            posed = self._soles.places(to_world[..., fades])
            way[..., fades] += place[..., fades] - posed
            place[..., fades] = posed
        x, y = heads[:2] - place
        target = turned(turn, x, y, heads[2])
        target[:2] += place + way
        return target

    def _above_slope(self, feet: ShownFeet, x: Floats, y: Floats) -> Floats:
        """Return how much higher (F, n) the ground is than its slope would be where feet touch it, at x and y
        (F, n) of the body's world: it bends.
        """
        count = len(self._legs.top)
        if feet.under is None:
            return np.zeros_like(x)
        place = self._in_world(feet.mixed[:, :count])
        x, y = (x - place[0]) * self._micrometres, (y - place[1]) * self._micrometres
        along, across = np.zeros(feet.rise.shape), np.zeros(feet.rise.shape)
        along[:count] = self._forward[0] * x + self._forward[1] * y
        across[:count] = self._forward[0] * y - self._forward[1] * x
        straight = along * feet.slope[0] + across * feet.slope[1]
        most = FARTHEST_BENT * feet.height
        above = np.clip(feet.under.above(along, across) - straight, -most, most)
        return (above[:count] / self._micrometres).astype(np.float32)

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
        turns = self._seen(turns, np.moveaxis(parents, 0, 2))
        rotation = pose.rotation.swapaxes(1, 2)
        own = legs.bones[bones]
        rotation[:, own[:, None], who] = multiply(turns, rotation[:, own].take(who, axis=2))

    def _seen(self, turns: Floats, parents: Floats) -> Floats:
        """Return turns (4, ...) of the world as bones' parents (3, 3, ...) see them; `turns` is overwritten.

        A turn about an axis is, seen from the parent, the same about the axis as the parent sees it.
        """
        seen = np.einsum("rc...,c...->r...", parents, turns[1:])
        seen /= np.maximum(np.sqrt(np.einsum("rc...,rc...->r...", parents, parents)), TINY)
        turns[1:] = seen if self._turns_right else -seen
        return turns

    @cached_property
    def _roots(self) -> list[int]:
        return [bone for bone, parent in enumerate(self._body.skeleton.parents.tolist()) if parent < 0]

    @cached_property
    def _is_long(self) -> bool:
        """Whether feet stand that far from one another, one ahead of the other, as those of four-legged
        characters do.
        """
        body = self._body
        rest = body.posed_feet(body.skeleton.rest_to_root[None])[: len(self._legs.top)]
        ahead = [float((points[0, :, :2] @ self._forward).mean()) for points in rest]
        return float(np.ptp(ahead)) > LONG * body.height

    @cached_property
    def _soles(self) -> PosedSoles:
        return PosedSoles(self._body, len(self._legs.top), self._legs.bones)

    @cached_property
    def _turns_right(self) -> bool:
        """Whether the body's world is no mirror image of root space."""
        return float(np.linalg.det(self._body.root_to_world[:3, :3])) > 0

    @cached_property
    def _legs(self) -> _Legs:
        body, legs = self._body, held_legs(self._body)
        lines = [[*_upper_and_lower(body.skeleton, leg), leg.foot] for leg in legs]
        carriers = {bone for foot in body.feet[: len(legs)] for bone in foot.bones.tolist()}
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
