"""Animation controllers that play in the 3D views: each poses only the previews of one armature.

The user's pose, actions and frame are left alone: controllers affect only the previews. Time comes from
Blender's playback while that runs, and from a timer's own clock while the timeline stands still.
"""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.controller import Controller
from ..animation.passings import Passing
from ..animation.script import PlannedScript
from ..core.profiles.profile import Profile
from ..core.skinning.skeleton import Skeleton
from ..core.text.errors import SkinscopeError
from ..core.text.message import Message
from ..scene.baking.clip_baking import BakedClip, BakeSettings
from ..scene.identification import identity
from .failure import told_once
from .objects.object_lookup import ObjectLookup
from .redraw import is_playing_back, redraw_views

SECONDS_BETWEEN_TICKS = 1 / 60
LONGEST_TICK = 0.25
"""Seconds. While Blender is busy the clock stops: a character that jumps ahead afterwards would be no use."""

PASSINGS_KEPT = 6

Listener = Callable[[str, Passing], None]
"""Receives the name of an armature object and a marker it has passed."""


Follow = Callable[["Player", bpy.types.Object], None]
"""Brings a player up to date with the settings of its armature object."""


class Player:
    """One controller and what it shows. Keeps no Blender object.

    uid: session_uid of the armature object. name: when last seen. playing: False if paused. to_root: (B, 4,
    4), the controller's current pose. passings: the last markers passed, the newest first. error: a sentence
    that says why it was stopped. instance: which one it shows.

    plan: of a player with a script, which pauses at its end. follow: brings it up to date at the next tick
    once it is `stale`, at `moment` (seconds) if that is not None. refused: why it can't follow the current
    script.
    """

    def __init__(
        self,
        armature: bpy.types.Object,
        controller: Controller,
        plan: PlannedScript | None = None,
        follow: Follow | None = None,
    ) -> None:
        self.uid: int = armature.session_uid
        self.name = identity(armature)
        self.controller = controller
        self.playing = False
        self.error = ""
        self.passings: deque[Passing] = deque(maxlen=PASSINGS_KEPT)
        self.instance = 0
        self.plan, self.follow = plan, follow
        self.refused: Message | None = None
        self.stale = False
        self.moment: Fraction | None = None
        self.pose()

    @property
    def seconds(self) -> float:
        """Current time, or that of the next tick."""
        return self.controller.now if self.moment is None else float(self.moment)

    def pose(self) -> None:
        """Take the shown instance's pose at the current time."""
        self.to_root = self.controller.to_root(self.instance, 1)[0]

    def advance(self, seconds: float) -> list[Passing]:
        """Advance time, and list the markers passed."""
        step = Fraction(seconds)
        if self.plan is not None:
            left = Fraction(self.plan.seconds) - self.controller.timeline.clock
            step = min(step, max(left, Fraction(0)))
            self.playing = self.playing and step < left
        passed = self.controller.advance(step)
        self.passings.extendleft(passed)
        self.pose()
        return passed


class Players:
    """All players of this session, under the session_uid of their armatures, and the clips that were baked for
    them.

    baked: by armature, then by name of the clip. baked_with: the settings that they were baked with, by
    armature. listeners: called with every marker passed, and the armature; one that raises an error is
    dropped. lost: players whose armature was deleted; undo brings both back. start_over: armatures
    whose mixer was stopped, so that the state in the file no longer counts.
    """

    def __init__(
        self,
        objects: ObjectLookup,
        moved: Callable[[int], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """moved: called with the uid of an armature whose player shows something new."""
        self.baked: dict[int, dict[str, BakedClip]] = {}
        self.baked_with: dict[int, BakeSettings | None] = {}
        self.lost: dict[int, Player] = {}
        self.start_over: set[int] = set()
        self.listeners: list[Listener] = []
        self._objects = objects
        self._moved = moved
        self._clock = clock
        self._players: dict[int, Player] = {}
        self._last_tick = 0.0
        self._last_frame = 0.0
        self._seconds_played = 0.0
        # Blender identifies timers by the object it was given; a bound method is a new one each time.
        self._timer = self.tick

    def __iter__(self) -> Iterator[Player]:
        return iter(tuple(self._players.values()))

    def of(self, armature: bpy.types.Object) -> Player | None:
        """Return the player of an armature object, None if it has none."""
        return self._players.get(armature.session_uid)

    def by_uid(self, uid: int) -> Player | None:
        """Return the player of the armature object with this session_uid, None if it has none."""
        return self._players.get(uid)

    def keep_baked(
        self, armature: bpy.types.Object, baked: Sequence[BakedClip], baked_with: BakeSettings | None = None
    ) -> None:
        """Keep baked clips of an armature for future players."""
        self.baked_with[armature.session_uid] = baked_with
        self.baked.setdefault(armature.session_uid, {}).update({one.clip.name: one for one in baked})
        self.mark(armature.session_uid)

    def drop_baked(self, armature: bpy.types.Object) -> None:
        """Forget the baked clips of an armature; running players continue."""
        self.baked.pop(armature.session_uid, None)
        self.baked_with.pop(armature.session_uid, None)

    def drop_exported_otherwise(self, scene: bpy.types.Scene, profile: Profile) -> None:
        """Forget clips of a scene's armatures that play otherwise in a profile's file."""
        for uid, baked_with in tuple(self.baked_with.items()):
            armature = self._objects.find(uid)
            if armature is None or scene.objects.get(armature.name) != armature:
                continue
            if baked_with is not None and baked_with != baked_with.under(profile):
                self.drop_baked(armature)

    def baked_of(self, armature: bpy.types.Object) -> Mapping[str, BakedClip]:
        """Return the baked clips of an armature, by name."""
        return self.baked.get(armature.session_uid, {})

    def skeleton_of(self, armature: bpy.types.Object) -> Skeleton:
        """Return the skeleton that the baked clips of an armature are for; see `BakeSettings.skeleton_of`."""
        return (self.baked_with.get(armature.session_uid) or BakeSettings()).skeleton_of(armature)

    def add(
        self,
        armature: bpy.types.Object,
        controller: Controller,
        plan: PlannedScript | None = None,
        follow: Follow | None = None,
    ) -> Player:
        """Give an armature a player, paused, replacing any it has."""
        player = self._players[armature.session_uid] = Player(armature, controller, plan, follow)
        self.lost.pop(player.uid, None)
        self.show(player)
        return player

    def play(self, player: Player, *, playing: bool) -> None:
        """Resume a player, or pause it."""
        player.playing = playing
        if playing:
            self._wake()

    def mark(self, uid: int | None = None) -> None:
        """Note that an armature's settings may have changed, or any armature's by default: players follow at
        the next tick.
        """
        for player in self._players.values():
            if player.follow is not None and uid in {None, player.uid}:
                player.stale = True
                self._wake()

    def show(self, player: Player) -> None:
        """Show a player's current pose."""
        player.pose()
        self._moved(player.uid)
        redraw_views()

    def go_to(self, uid: int, seconds: float) -> None:
        """Jump to another moment of an armature's script, earlier or later; listeners don't hear of its
        markers.
        """
        player = self.by_uid(uid)
        if player is None or player.plan is None:
            return
        player.moment = Fraction(min(max(seconds, 0.0), player.plan.seconds))
        self.mark(player.uid)

    def stop(self, uid: int) -> None:
        """End the player of an armature: its previews follow Blender's pose again."""
        if self._players.pop(uid, None) is not None:
            self._moved(uid)
            redraw_views()

    def bring_back(self) -> None:
        """Let those players go on whose armature was deleted and is back, as after undo."""
        for uid, player in tuple(self.lost.items()):
            if self._objects.find(uid) is not None:
                del self.lost[uid]
                self._players[uid] = player
                self.play(player, playing=player.playing)
                self.mark(uid)
                self.show(player)

    def stop_all(self) -> None:
        """End all players and drop what was baked, as when another file is loaded."""
        for uid in tuple(self._players):
            self.stop(uid)
        self.baked.clear()
        self.baked_with.clear()
        self.lost.clear()
        self.start_over.clear()
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)

    def poses(self) -> dict[str, NDArray[np.float64]]:
        """Return the poses players show, to_root (B, 4, 4) by name of the armature object."""
        return {player.name: player.to_root for player in self._players.values() if not player.error}

    def note_frame(self, frame: float, frames_per_second: float) -> None:
        """Note that Blender has gone to another frame; cheap, and safe from any thread."""
        passed = frame - self._last_frame
        # Playback that wraps to the start of its range has advanced by one frame.
        self._seconds_played += (passed if passed >= 0 else 1.0) / frames_per_second
        self._last_frame = frame

    def tick(self) -> float | None:
        """Advance running players by the elapsed time. Called by a timer; returns when to call again."""
        now = self._clock()
        elapsed, self._last_tick = now - self._last_tick, now
        played, self._seconds_played = self._seconds_played, 0.0
        seconds = min(played if is_playing_back() else elapsed, LONGEST_TICK)
        for player in tuple(self._players.values()):
            if player.stale:
                self._follow(player)
        playing = [player for player in self._players.values() if player.playing and not player.error]
        for player in playing:
            armature = self._objects.find(player.uid)
            if armature is None:
                self._lose(player)
                continue
            player.name = identity(armature)
            try:
                passed = player.advance(seconds)
            except SkinscopeError as error:
                player.error, passed = str(error), []
            except Exception:  # noqa: BLE001 - an error in a timer would be printed, and the timer be gone
                player.error, passed = told_once(), []
            self._moved(player.uid)
            for one in passed:
                self._tell(player.name, one)
        if playing:
            redraw_views()
        return SECONDS_BETWEEN_TICKS if playing else None

    def _wake(self) -> None:
        if not bpy.app.timers.is_registered(self._timer):
            self._last_tick = self._clock()
            bpy.app.timers.register(self._timer, first_interval=SECONDS_BETWEEN_TICKS, persistent=True)

    def _follow(self, player: Player) -> None:
        armature = self._objects.find(player.uid)
        player.stale = False
        if armature is None:
            self._lose(player)
        elif player.follow is not None:
            try:
                player.follow(player, armature)
            except Exception:  # noqa: BLE001 - as in tick
                player.error = told_once()
            self._moved(player.uid)
            redraw_views()

    def _lose(self, player: Player) -> None:
        """Set a player aside whose armature was deleted."""
        self.stop(player.uid)
        self.lost[player.uid] = player

    def _tell(self, armature: str, passing: Passing) -> None:
        for listener in tuple(self.listeners):
            try:
                listener(armature, passing)
            except Exception:  # noqa: BLE001 - somebody else's code
                traceback.print_exc()
                self.listeners.remove(listener)
