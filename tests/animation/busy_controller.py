"""Three clips of an arm, and a controller with every kind of keyed event in progress."""

from __future__ import annotations

import json

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.plain_state import to_plain
from skinning_addon.animation.ramps import Transition
from tests.animation.builders import arm, turning

WALK = turning("walk", (0, 60, 0), 1.1, "b0", [("left", 0.25), ("right", 0.8)])
RUN = turning("run", (0, -80, 30, 0), 0.7, "b1", [("left", 0.2), ("right", 0.55)])
WAVE = turning("wave", (0, 100), 0.9, "b2", [("top", 0.9)], looping=False)
CLIPS = (WALK, RUN, WAVE)


def busy(instances: int = 3) -> Controller:
    """Make a controller with every kind of keyed event in progress."""
    controller = Controller(arm(), CLIPS, tracks=3, instances=instances)
    controller.set_track(0, "walk", speed=1.0)
    controller.set_track(1, "run", enabled=False)
    controller.set_track(2, "wave", high=True, weight=0.5)
    controller.set_track(0, "walk", position=0.4, speed=1.3, instances=[1])
    controller.key(EventKind.SPEED, -0.8, track=0, at=0.9, duration=1.5, transition=Transition.EASE)
    controller.cross_fade(0, 1, 0.6, at=1.7, match_phase=True, transition=Transition.EASE)
    controller.key(EventKind.PRIORITY_BLEND, 0.2, at=0.3, duration=2, instances=[0])
    controller.key(EventKind.SPEED, -1, track=2, at=2.1, duration=0.4)
    controller.cross_fade(1, 0, 1.0, at=2.05, instances=[2])
    controller.key(EventKind.WEIGHT, 0.1, track=2, at=1.0, duration=1.0)
    controller.key(EventKind.POSITION, 0.33, track=0, at=3.3)
    controller.key(EventKind.ENABLE, 0, track=2, at=3.0)
    return controller


def state(controller: Controller) -> str:
    """Return the whole state as text."""
    return json.dumps(to_plain(controller))
