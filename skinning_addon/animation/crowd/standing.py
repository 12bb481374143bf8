"""Shows feet where agents hold them, and on the ground as high as it is there: as poses of their legs.

What `held_feet` keeps is where feet are seen from above. On a slope each foot goes up or down by as much as the
ground under it, and the body down with the lowest.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.skeleton import invert_affine
from ..local_pose import LocalPose, compose
from ..mixing import Mixer
from ..rotations import from_rows
from .feet import Body
from .fixed_point import MICROMETRES, SCALE, UNIT, Floats, Indices, Mask
from .foot_tracks import Soles
from .gaits import fading, weights
from .held_feet import AWAY_STANDING, RADIAN, STEP_LASTS, TURNED_STANDING, bodies
from .kinds import MOST_FEET
from .planting import Leg, legs_of, moved_about, reach, rotations
from .settings import CrowdSettings
from .state import CrowdState

NOTHING = 1 / AWAY_STANDING
"""Feet that are off by less than this share of the height are shown as clips have them."""

NO_TURN = TURNED_STANDING / RADIAN
"""Likewise, by fewer radians."""

LENGTH = 0.2
"""The share of the height that a foot is long at most."""

STEEPEST = 0.15
"""The share of the height by which a foot goes up or down at most, so that nobody kneels beside a wall."""

RAISED = 0.05
"""The share of the height by which a foot is raised in the middle of a step."""


@dataclass(frozen=True, eq=False)
class ShownFeet:
    """The feet of N agents, F of each, as they are to be seen. Lengths are in micrometres at scale SCALE.

    fades: (N,) who is between two gaits. mixed: (2, F, N) the mix of where their gaits have the feet, ahead and
    to the left; offset: (2, F, N) how far from there they are held, likewise. yaw: (F, N) radians by which they
    are turned, counter-clockwise. lifted: (F, N) the share of a step that is done, 0 for none. rise: (F, N) how
    much higher the ground is than under the middle of the agent. height: (N,) how tall agents stand; 0 if their
    feet aren't held.
    """

    fades: Mask
    mixed: Floats
    offset: Floats
    yaw: Floats
    lifted: Floats
    rise: Floats
    height: Floats

    @classmethod
    def of(cls, state: CrowdState, settings: CrowdSettings) -> ShownFeet:
        """Take them from a state."""
        tables, weight = settings.foot_tables, weights(state, settings)
        now, size = bodies(state, weight), state.cast.scale / float(SCALE)
        off = state.foot_offset.reshape(2, MOST_FEET, -1)
        cosine, sine = state.heading / float(UNIT)
        own = np.arange(MOST_FEET)[:, None] < tables.counts[now.kind]
        height = np.where(own[0], tables.heights[now.kind], 0.0)
        rise = np.zeros(own.shape)
        if state.ground is not None:
            ground = state.ground.heights_at
            above = ground(now.places(tables) + off) - ground(state.position)
            rise = np.where(own, np.clip(above / size, -STEEPEST * height, STEEPEST * height), 0.0)
        return cls(
            fading(weight),
            now.from_agents(tables),
            np.stack((cosine * off[0] + sine * off[1], cosine * off[1] - sine * off[0])) / size,
            state.foot_yaw / float(RADIAN),
            state.foot_step / STEP_LASTS,
            rise,
            height,
        )

    def only(self, who: Indices) -> ShownFeet:
        """Return those of some agents."""
        return ShownFeet(*(getattr(self, one.name)[..., who] for one in fields(self)))

    @cached_property
    def moved(self) -> Mask:
        """Whether (F, N) a foot is not where its gaits have it, or may not be: a mix of poses has feet
        elsewhere than the mix of their places.
        """
        away = (self.offset != 0).any(axis=0) | (self.yaw != 0) | (self.lifted > 0) | (self.rise != 0)
        return away | self.fades

    @cached_property
    def held(self) -> Mask:
        """Whether (N,) that is to be seen of any foot of an agent."""
        least = NOTHING * self.height
        away = (np.abs(self.offset).max(axis=0) > least) | (np.abs(self.rise) > least)
        away |= (np.abs(self.yaw) > NO_TURN) | (self.lifted > 0)
        return (self.height > 0) & (away.any(axis=0) | self.fades)

    @property
    def farthest_off(self) -> Floats:
        """(N,) how far a point of a foot is at most from where its gaits have it; 0 where no foot is held."""
        # A foot is no longer than a part of the height.
        turned = np.abs(self.yaw) * (LENGTH * self.height)
        raised = np.where(self.lifted > 0, RAISED * self.height, 0.0)
        away = np.hypot(*self.offset) + turned + raised + np.abs(self.rise)
        return np.where(self.held, away.max(axis=0), 0.0)


class StandingPoses:
    """Poses of a character's agents, with feet where agents hold them."""

    def __init__(self, mixer: Mixer, legs: StandingLegs, feet: ShownFeet) -> None:
        """mixer, feet: of the same agents."""
        self._mixer, self._legs, self._feet = mixer, legs, feet
        (self._who,) = np.nonzero(feet.held)

    @property
    def instances(self) -> int:
        """How many agents there are."""
        return self._mixer.instances

    def pose(self, first: int, end: int) -> LocalPose:
        """Return the pose of the agents from `first` up to `end`, as (D, N, B)."""
        pose = self._mixer.pose(first, end)
        who = self._who[(self._who >= first) & (self._who < end)]
        if not who.size:
            return pose
        result = LocalPose(pose.translation.copy(), pose.rotation.copy(), pose.scale.copy())
        result.put(who - first, self._legs.stood(pose.at(who - first), self._feet.only(who)))
        return result


class StandingLegs:
    """The legs of a character that stand where agents hold their feet.

    forward: (2,) unit vector, which way agents look in the body's world. metres_per_unit: of that world.
    """

    def __init__(self, body: Body, forward: NDArray[np.float64], metres_per_unit: float) -> None:
        self._body, self._forward, self._micrometres = body, forward, MICROMETRES * metres_per_unit

    @cached_property
    def _soles(self) -> Soles:
        return Soles(self._body)

    @cached_property
    def _legs(self) -> list[Leg]:
        return legs_of(self._body)[:MOST_FEET]

    def stood(self, pose: LocalPose, feet: ShownFeet) -> LocalPose:
        """Return n agents' poses (D, n, B) that put their feet where they are held, and on the ground.

        pose: (D, n, B) by their gaits. Legs turn as little as they can, and don't stretch.
        """
        body, skeleton = self._body, self._body.skeleton
        to_root = skeleton.to_root(compose(pose))
        places, to_world = self._soles.places(to_root), to_root @ body.root_to_world
        wanted = self._wanted(places[..., :2], feet)
        rise = feet.rise / self._micrometres
        raised = RAISED * body.height * 4 * feet.lifted * (1 - feet.lifted) + rise
        # With the lowest foot; those that stand higher bend their legs.
        lowered = np.minimum(rise.min(axis=0), 0.0)
        to_world[:, :, 3, 2] += lowered[:, None]
        moved = feet.moved | (lowered != 0)
        rotation = pose.rotation.copy()
        for number, leg in enumerate(self._legs):
            (who,) = np.nonzero(moved[number])
            if not leg.joints or not who.size:
                continue
            posed, place = to_world[who], places[number, who]
            turn = np.zeros((len(who), 3))
            turn[:, 2] = feet.yaw[number, who]
            to = np.column_stack((wanted[number, who], place[:, 2] + raised[number, who]))
            place[:, 2] += lowered[who]
            reach(body, posed, leg, moved_about(posed[:, leg.carried], place, rotations(turn), to))
            self._turn(rotation, pose.scale, who, posed, [*leg.joints, leg.foot])
        return LocalPose(self._lowered(pose.translation, lowered), rotation, pose.scale)

    def _lowered(self, translation: NDArray[np.floating], lowered: Floats) -> NDArray[np.floating]:
        """Return translations (3, n, B) of bodies that are lowered by (n,) in the body's world."""
        if not lowered.any():
            return translation
        down = np.linalg.inv(self._body.root_to_world[:3, :3])[2][:, None] * lowered
        roots = np.flatnonzero(self._body.skeleton.parents < 0)
        result = translation.copy()
        result[:, :, roots] += down[:, :, None]
        return result

    def _turn(
        self,
        rotation: NDArray[np.floating],
        scale: NDArray[np.floating],
        who: Indices,
        to_world: Floats,
        bones: list[int],
    ) -> None:
        """Write the rotations (4, n, B) of some bones of some agents, from their poses (w, B, 4, 4)."""
        above = self._body.skeleton.parents[bones]
        parents = to_world[:, above]
        parents[:, above < 0] = self._body.root_to_world
        inverse, _ = invert_affine(parents.reshape(-1, 4, 4))
        to_parent = to_world[:, bones] @ inverse.reshape(parents.shape)
        # Bones have turned alone: rows are those of the rotation, scaled as they were.
        scales = np.moveaxis(scale[:, who][:, :, bones], 0, -1)
        rotation[:, who[:, None], bones] = from_rows(to_parent[..., :3, :3] / scales[..., None])

    def _wanted(self, places: Floats, feet: ShownFeet) -> Floats:
        """Return where (F, n, 2) feet are to stand, in the body's world. places: where they are in the pose."""
        count = len(places)
        # While gaits fade, offsets count from the mix of their places, which are not those of a mix of poses.
        begin = np.where(feet.fades[:, None], self._in_world(feet.mixed[:, :count]), places)
        return begin + self._in_world(feet.offset[:, :count])

    def _in_world(self, seen: Floats) -> Floats:
        """Return (F, n, 2) what lies ahead and to the left (2, F, n), in micrometres."""
        axes = np.array((self._forward, (-self._forward[1], self._forward[0])))
        return np.moveaxis(seen, 0, -1) @ axes / self._micrometres
