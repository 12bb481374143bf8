"""Shows feet where agents hold them, and on the ground as high as it is there: as poses of their legs.

What `held_feet` keeps is where feet are seen from above. On a slope each foot goes up or down by as much as the
ground under it, and the body down with the lowest.
"""

from __future__ import annotations

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

NO_TURN = TURNED_STANDING
"""Likewise, in units of `CrowdState.foot_yaw`."""

LENGTH = 0.2
"""The share of the height that a foot is long at most."""

STEEPEST = 0.15
"""Feet go up or down by no more than this share of the height: nobody bends more beside a wall or a hole."""

RAISED = 0.05
"""The share of the height by which a foot is raised in the middle of a step."""


def is_held(state: CrowdState, settings: CrowdSettings) -> Mask:
    """Whether (N,) any foot of an agent is not where its gaits have it, or may not be: while gaits fade, a mix
    of poses has feet elsewhere than a mix of their places.
    """
    tables, kind = settings.foot_tables, state.cast.kind
    away = np.abs(state.foot_offset).max(axis=0) > NOTHING * tables.heights[kind] * state.cast.scale / SCALE
    turned = np.abs(state.foot_yaw).max(axis=0) > NO_TURN
    held = away | turned | (state.foot_step > 0).any(axis=0) | fading(weights(state, settings))
    slopes = np.abs(rises(state, settings)).max(axis=0) > NOTHING * tables.heights[kind]
    return (held | slopes) & (tables.counts[kind] > 0)


def rises(state: CrowdState, settings: CrowdSettings) -> Floats:
    """Return how much higher (F, N) the ground is under each foot than under the middle of its agent, in
    micrometres at scale SCALE.
    """
    tables = settings.foot_tables
    if state.ground is None:
        return np.zeros((MOST_FEET, state.count))
    there = bodies(state, weights(state, settings)).places(tables) + state.foot_offset.reshape(
        2, MOST_FEET, -1
    )
    rise = state.ground.heights_at(there) - state.ground.heights_at(state.position)
    own = np.arange(MOST_FEET)[:, None] < tables.counts[state.cast.kind]
    most = STEEPEST * tables.heights[state.cast.kind]
    return np.where(own, np.clip(rise / (state.cast.scale / float(SCALE)), -most, most), 0.0)


def farthest_off(state: CrowdState, settings: CrowdSettings) -> Floats:
    """Return how far (N,) a point of a foot is at most from where its gaits have it, in micrometres at scale
    SCALE; 0 where no foot is held.
    """
    x, y = state.foot_offset.reshape(2, MOST_FEET, -1) / (state.cast.scale / float(SCALE))
    height = settings.foot_tables.heights[state.cast.kind]
    # A foot is no longer than a part of the height.
    turned = np.abs(state.foot_yaw) / RADIAN * (LENGTH * height)
    raised = np.where(state.foot_step > 0, RAISED * height, 0.0)
    away = np.hypot(x, y) + turned + raised + np.abs(rises(state, settings))
    return np.where(is_held(state, settings), away.max(axis=0), 0.0)


class StandingPoses:
    """Poses of a character's agents, with feet where agents hold them."""

    def __init__(self, mixer: Mixer, legs: StandingLegs, state: CrowdState, settings: CrowdSettings) -> None:
        """mixer: of the agents of `state`."""
        self._mixer, self._legs = mixer, legs
        (self._who,) = np.nonzero(is_held(state, settings))
        self._state, self._settings = state, settings

    @property
    def instances(self) -> int:
        """How many agents there are."""
        return self._mixer.instances

    def pose(self, first: int, end: int) -> LocalPose:
        """Return the pose of the agents from `first` up to `end`, as (D, N, B)."""
        pose = self._mixer.pose(first, end)
        who = self._who[(self._who >= first) & (self._who < end)]
        if who.size:
            rows = who - first
            stood = self._legs.stood(pose.at(rows), self._state.of(who), self._settings)
            result = LocalPose(pose.translation.copy(), pose.rotation.copy(), pose.scale.copy())
            result.put(rows, stood)
            return result
        return pose


class StandingLegs:
    """The legs of a character that stand where agents hold their feet.

    forward: (2,) unit vector, which way agents look in the body's world. metres_per_unit: of that world.
    """

    def __init__(self, body: Body, forward: NDArray[np.float64], metres_per_unit: float) -> None:
        self._body, self._forward, self._metres_per_unit = body, forward, metres_per_unit

    @cached_property
    def _soles(self) -> Soles:
        return Soles(self._body)

    @cached_property
    def _legs(self) -> list[Leg]:
        return legs_of(self._body)[:MOST_FEET]

    def stood(self, pose: LocalPose, state: CrowdState, settings: CrowdSettings) -> LocalPose:
        """Return n agents' poses (D, n, B) that put their feet where they are held, and on the ground.

        pose: (D, n, B) by their gaits. Legs turn as little as they can, and don't stretch.
        """
        body, skeleton = self._body, self._body.skeleton
        to_root = skeleton.to_root(compose(pose))
        places, to_world = self._soles.places(to_root), to_root @ body.root_to_world
        fades = fading(weights(state, settings))
        wanted = self._wanted(places[..., :2], fades, state, settings)
        step = state.foot_step / STEP_LASTS
        raised = RAISED * body.height * 4 * step * (1 - step)
        rise = rises(state, settings) / (MICROMETRES * self._metres_per_unit)
        # With the lowest foot; those that stand higher bend their legs.
        lowered = np.minimum(rise.min(axis=0), 0.0)
        to_world[:, :, 3, 2] += lowered[:, None]
        off = state.foot_offset.reshape(2, MOST_FEET, -1).any(axis=0) | (state.foot_yaw != 0)
        off |= (state.foot_step > 0) | fades | (rise != 0) | (lowered != 0)
        rotation = pose.rotation.copy()
        for number, leg in enumerate(self._legs):
            (who,) = np.nonzero(off[number])
            if not leg.joints or not who.size:
                continue
            posed, place = to_world[who], places[number, who].copy()
            turn = np.zeros((len(who), 3))
            turn[:, 2] = state.foot_yaw[number, who] / RADIAN
            height = place[:, 2] + (raised + rise)[number, who]
            to = np.concatenate((wanted[number, who], height[:, None]), axis=1)
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

    def _wanted(self, places: Floats, fades: Mask, state: CrowdState, settings: CrowdSettings) -> Floats:
        """Return where (F, n, 2) feet are to stand, in the body's world.

        places: (F, n, 2) where they are in the pose. fades: (n,) who is between two gaits: `held_feet` counts
        from the mix of their places, which are not those of a mix of poses.
        """
        cosine, sine = state.heading / float(UNIT)
        x, y = state.foot_offset.reshape(2, MOST_FEET, -1)[:, : len(places)] / (
            state.cast.scale / float(SCALE)
        )
        off = self._in_world(cosine * x + sine * y, cosine * y - sine * x)
        mixed = bodies(state, weights(state, settings)).from_agents(settings.foot_tables)[:, : len(places)]
        return np.where(fades[:, None], self._in_world(*mixed), places) + off

    def _in_world(self, ahead: Floats, left: Floats) -> Floats:
        """Return (F, n, 2) what lies ahead and to the left (F, n), in micrometres."""
        sideways = np.array((-self._forward[1], self._forward[0]))
        there = ahead[..., None] * self._forward + left[..., None] * sideways
        return there / (MICROMETRES * self._metres_per_unit)
