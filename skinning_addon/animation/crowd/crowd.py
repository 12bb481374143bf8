"""A crowd's interface: play it, take agents over, and jump to any time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from ...core.text.errors import CrowdError
from .fixed_point import STEPS_PER_SECOND, UNIT, micrometres
from .footsteps import Footstep
from .ground import Ground
from .inputs import Input, InputKind, after_input
from .kinds import ROLE_NAMES
from .placing import no_room
from .recording import Recording
from .settings import CrowdSettings
from .state import CrowdState
from .stepping import step

LARGEST_AREA = 1e6
"""In metres."""

LONGEST = 24 * 3600
"""Seconds that can be played at once."""


class Crowd:
    """Agents that walk about in an area around the origin.

    state: as of now; read it, but change it by inputs only. recording: all that has happened.
    """

    def __init__(self, recording: Recording, at: int = 0) -> None:
        """Take up what was recorded, at a step; see also `populated`.

        Raises:
            CrowdError: an input that was recorded makes no sense.
        """
        self.recording = recording
        self.state = CrowdState.empty(np.zeros(2, np.int64), recording.settings)
        self._owed = Fraction(0)
        self._listeners: list[Callable[[Footstep], None]] = []
        self._apply_inputs()
        self.seek(at)

    @classmethod
    def populated(
        cls, settings: CrowdSettings, count: int, area: Sequence[float], ground: Ground | None = None
    ) -> Crowd:
        """Put agents into an area. area: its width and depth in metres. ground: what they walk on, a plane if
        left out.

        Raises:
            CrowdError: there is no room for that many.
        """
        crowd = cls(Recording(settings))
        half = np.array([micrometres(size / 2) for size in area if math.isfinite(size)], dtype=np.int64)
        if len(half) == 2 and (half > 0).all() and (half < settings.widest).any():
            raise no_room(count, half)
        crowd.set_area(area)
        if ground is not None:
            crowd.set_ground(ground)
        crowd.set_count(count)
        return crowd

    @property
    def settings(self) -> CrowdSettings:
        """The rules."""
        return self.recording.settings

    def listen(self, listener: Callable[[Footstep], None]) -> None:
        """Have a function called with each footstep that `advance` plays, in order."""
        self._listeners.append(listener)

    def advance(self, seconds: float | Fraction) -> list[Footstep]:
        """Play some time in whole steps, whatever the frame rate; what is left over counts for the next call.

        Returns the footsteps. Recorded inputs of the time that is played happen again.

        Raises:
            CrowdError: the time is negative, not a number, or more than a day.
        """
        if not (math.isfinite(seconds) and 0 <= seconds <= LONGEST):
            raise CrowdError(
                "A crowd can't play {seconds:g} seconds; give 0 to {most:,}.", seconds=seconds, most=LONGEST
            )
        self._owed += Fraction(seconds) * STEPS_PER_SECOND
        steps = int(self._owed)
        self._owed -= steps
        told = [one for _ in range(steps) for one in self._step()]
        for listener in self._listeners:
            for one in told:
                listener(one)
        return told

    def seek(
        self,
        at: int,
        enough: Callable[[], bool] = lambda: False,
        passed: Callable[[Footstep], None] = lambda _: None,
    ) -> bool:
        """Jump to a step, 120 a second; listeners aren't told. Return whether it was reached.

        enough: asked before each step that has to be played whether to leave the rest for another call. passed:
            called with each footstep on the way.

        Raises:
            CrowdError: it is before the start.
        """
        if at < 0:
            raise CrowdError("A crowd begins at step 0; choose a later one than {step}.", step=at)
        known = self.recording.latest(at)
        if known is not None and not known.step <= self.state.step <= at:
            self.state = known
        self._owed = Fraction(0)
        while self.state.step < at:
            if enough():
                return False
            for one in self._step():
                passed(one)
        return True

    def set_count(self, count: int) -> None:
        """Add agents, or take the last ones away.

        Raises:
            CrowdError: there is no room for that many, or there must not be as many; nothing has changed.
        """
        self._take(InputKind.COUNT, count)

    def set_area(self, area: Sequence[float]) -> None:
        """Change the area; those left outside get new places. area: width and depth in metres.

        Raises:
            CrowdError: there is no room in it; nothing has changed.
        """
        for size in area:
            if not 0 < size <= LARGEST_AREA:
                raise CrowdError(
                    "An area can't be {size:g} wide; give more than 0 and at most {most:g}.",
                    size=size,
                    most=LARGEST_AREA,
                )
        self._take(InputKind.AREA, *(micrometres(size / 2) for size in area))

    def set_ground(self, ground: Ground | None) -> None:
        """Change what is walked on; those beside it get new places. None: a plane.

        Raises:
            CrowdError: there is no room on it; nothing has changed.
        """
        grounds = self.recording.grounds
        digests = [one.digest for one in grounds]
        if ground is None:
            which = -1
        elif ground.digest in digests:
            which = digests.index(ground.digest)
        else:
            which = len(grounds)
            self.recording.grounds = [*grounds, ground]
        self._take(InputKind.GROUND, which)

    def steer(self, agent: int, direction: Sequence[float], gait: str = "walk") -> None:
        """Take an agent over, or tell one that is taken over where to go; (0, 0) to stand.

        Raises:
            CrowdError: there is no such agent or gait, or the direction is not a number.
        """
        x, y = map(float, direction)
        length = math.sqrt(x * x + y * y)
        if gait not in ROLE_NAMES[1:] or not math.isfinite(length):
            raise CrowdError(
                "Agent {agent} can't {gait} that way; choose walk or run, and two numbers.",
                agent=agent,
                gait=gait,
            )
        units = (round(one / length * UNIT) if length else 0 for one in (x, y))
        self._take(InputKind.STEER, agent, *units, ROLE_NAMES.index(gait))

    def release(self, agent: int) -> None:
        """Let an agent go on by itself.

        Raises:
            CrowdError: there is no such agent.
        """
        self._take(InputKind.RELEASE, agent)

    def _take(self, kind: InputKind, *values: int) -> None:
        given = Input(self.state.step, kind, values)
        self.state = after_input(self.state, self.settings, given, self.recording.grounds)
        self.recording.add(given)

    def _apply_inputs(self) -> None:
        for given in self.recording.inputs_at(self.state.step):
            self.state = after_input(self.state, self.settings, given, self.recording.grounds)

    def _step(self) -> list[Footstep]:
        self.recording.keep(self.state)
        told = step(self.state, self.settings)
        self._apply_inputs()
        return told
