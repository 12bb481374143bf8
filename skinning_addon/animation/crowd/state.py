"""The whole changing state of a crowd, as integers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .cast import Cast
from .fixed_point import FULL, UNIT, Indices, Integers
from .ground import Ground
from .kinds import IDLE, ROLES, ROOM_FOR_FEET
from .settings import CrowdSettings


class Mode(IntEnum):
    """What an agent is doing."""

    IDLING = 0
    TURNING = 1
    """On the spot, until the target is roughly ahead: the rest is turned while moving."""
    PIVOTING = 2
    """On the spot, until the target is straight ahead: there is no room for a curve."""
    MOVING = 3
    WAITING = 4
    """Something is in the way."""
    STEERED = 5
    """Taken over."""


@dataclass(eq=False)
class CrowdState:
    """N agents; arrays are modified in place.

    step: since the start, 120 a second. half: (2,) half the area's size; its centre is the origin.
    position, target: (2, N) micrometres. heading: (2, N) direction. steering: (2, N) the direction that a
    steered agent is told; zero for standing. mode: (N,) `Mode`. gait: (N,) WALK or RUN, for the way to the
    target or as told. timer: (N,) steps since the mode began. draws: (N,) random numbers drawn.
    role: (N,) the gait that is faded to. begin: (3, N) weights when that fade began. fade: (N,) steps since.
    stride_phase: (N,) of walk and run, which keep in phase. idle_phase: (N,).
    foot_offset: (2 F, N) how far each foot is from where its gaits have it, in micrometres: all along X, then
    all along Y. foot_yaw: (F, N) by how much it is turned, counter-clockwise, in billionths of a radian.
    foot_step: (F, N) steps since it was lifted to be put down elsewhere; 0 if it was not. F: the most
    feet that any agent has, at least `ROOM_FOR_FEET`.
    cast: who they are. ground: what they walk on; None for a plane without end.
    """

    step: int
    half: Integers
    position: Integers
    target: Integers
    heading: Integers
    steering: Integers
    mode: Integers
    gait: Integers
    timer: Integers
    draws: Integers
    role: Integers
    begin: Integers
    fade: Integers
    stride_phase: Integers
    idle_phase: Integers
    foot_offset: Integers
    foot_yaw: Integers
    foot_step: Integers
    cast: Cast
    ground: Ground | None = None

    @classmethod
    def empty(cls, half: Integers, settings: CrowdSettings) -> CrowdState:
        """Make a state without agents."""
        shapes = {name: (rows, 0) if rows else (0,) for name, rows in _rows(settings).items()}
        arrays: dict[str, Any] = {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}
        return cls(0, half, **arrays, cast=Cast.of(settings, 0))

    @property
    def count(self) -> int:
        """N."""
        return len(self.mode)

    def agent_arrays(self) -> dict[str, Integers]:
        """Return the arrays that have a column for each agent, by name."""
        return {name: cast("Integers", getattr(self, name)) for name in ROWS}

    @property
    def bytes(self) -> int:
        """What the agents take in memory."""
        return sum(one.nbytes for one in self.agent_arrays().values())

    def copy(self) -> CrowdState:
        """Return a state that shares nothing with this one."""
        return CrowdState(
            self.step,
            self.half.copy(),
            *(one.copy() for one in self.agent_arrays().values()),
            cast=self.cast,
            ground=self.ground,
        )

    def of(self, who: Indices) -> CrowdState:
        """Return a state of some agents only, which shares nothing with this one."""
        some = (np.ascontiguousarray(one[..., who]) for one in self.agent_arrays().values())
        return CrowdState(self.step, self.half.copy(), *some, cast=self.cast.only(who), ground=self.ground)

    def truncate(self, count: int) -> None:
        """Keep the first agents only."""
        for name, one in self.agent_arrays().items():
            setattr(self, name, np.ascontiguousarray(one[..., :count]))
        self.cast = self.cast.only(np.arange(count))

    def append(self, position: Integers, settings: CrowdSettings) -> Integers:
        """Add idle agents at places (2, n), who look along X; return their indices."""
        before, new = self.count, int(position.shape[1])
        for name, one in self.agent_arrays().items():
            added = np.zeros((*one.shape[:-1], new), np.int64)
            setattr(self, name, np.concatenate((one, added), axis=-1))
        self.cast = Cast.of(settings, before + new)
        self.position[:, before:] = self.target[:, before:] = position
        self.heading[0, before:] = UNIT
        self.begin[IDLE, before:] = FULL
        return np.arange(before, before + new)

    def digest(self) -> str:
        """Return the SHA-256 of all of it, the same on every machine."""
        result = hashlib.sha256(f"{self.step} {self.count}".encode())
        for one in (self.half, *self.agent_arrays().values()):
            result.update(np.ascontiguousarray(one, dtype="<i8").tobytes())
        if self.ground is not None:
            result.update(self.ground.digest.encode())
        return result.hexdigest()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all of it as arrays by name, but the ground, and the cast, which follows from the settings."""
        return {"step": np.array(self.step), "half": self.half, **self.agent_arrays()}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], settings: CrowdSettings) -> CrowdState:
        """Undo `to_arrays`. Raises KeyError or ValueError if that is no state.

        Without those of feet, as older recordings have it, feet are where the gaits have them.
        """
        count = arrays["mode"].size
        all_rows = _rows(settings)
        arrays = {**{name: np.zeros((all_rows[name], count), np.int64) for name in OF_FEET}, **arrays}
        for name, rows in all_rows.items():
            one = arrays[name]
            if one.dtype != np.int64 or one.shape != ((rows, count) if rows else (count,)):
                raise ValueError(f"{name} has the wrong shape or type")
        for name, most in (("mode", len(Mode)), ("gait", len(ROLES)), ("role", len(ROLES))):
            if count and not (arrays[name].min() >= 0 and arrays[name].max() < most):
                raise ValueError(f"{name} has a value that does not exist")
        half = arrays["half"]
        if half.dtype != np.int64 or half.shape != (2,) or arrays["step"].shape != ():
            raise ValueError("the area or the step has the wrong shape or type")
        own: dict[str, Any] = {name: arrays[name] for name in ROWS}
        return cls(int(arrays["step"]), half, **own, cast=Cast.of(settings, count))


OF_FEET = {"foot_offset": 2, "foot_yaw": 1, "foot_step": 1}
"""The arrays of feet, each with its number of rows for one."""

_ROWS_OF = {
    **dict.fromkeys(("position", "target", "heading", "steering"), 2),
    "begin": len(ROLES),
    **{name: rows * ROOM_FOR_FEET for name, rows in OF_FEET.items()},
}

ROWS = {
    one.name: _ROWS_OF.get(one.name, 0)
    for one in fields(CrowdState)
    if one.name not in {"step", "half", "cast", "ground"}
}
"""The arrays of agents, each with its number of rows; 0 for those that have one dimension. Of feet, see
`ROOM_FOR_FEET`.
"""

BYTES_PER_AGENT = 8 * sum(max(rows, 1) for rows in ROWS.values())
"""Of characters with no more than `ROOM_FOR_FEET` feet."""


def _rows(settings: CrowdSettings) -> dict[str, int]:
    """Return ROWS for the feet that the agents have."""
    return {**ROWS, **{name: rows * settings.foot_tables.feet for name, rows in OF_FEET.items()}}
