"""The files of `crowd` besides its picture. docs/animation.md describes them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import STEPS_PER_SECOND
from ...animation.crowd.strides import Stride
from ...scene.crowd.character import Character
from .playing_crowd import Played

VERSION = 1
COLUMNS = "time,agent,x,y,z,heading,state,gait,phase"


def positions_text(played: Played) -> str:
    """Return the positions as CSV: seconds, metres, degrees from X, phase from 0 to 1."""
    return "\n".join((COLUMNS, *played.rows)) + "\n"


def events_text(file: str, character: Character, crowd: Crowd, played: Played) -> str:
    """Return all events in order of time, and the gaits, as JSON."""
    events: list[dict[str, Any]] = [
        *({"event": "footstep", **one._asdict()} for one in played.footsteps),
        *({"event": one.what, "time": one.time, "agent": one.agent} for one in played.changes),
    ]
    document = {
        "version": VERSION,
        "file": file,
        "seed": crowd.settings.seed,
        "count": crowd.state.count,
        "seconds": crowd.state.step / STEPS_PER_SECOND,
        "feet": [foot.name for foot in character.body.feet],
        "gaits": [_gait(one, character.metres_per_unit) for one in character.strides],
        "events": sorted(events, key=lambda one: (one["time"], one["agent"])),
        "closest": played.closest if played.closest < float("inf") else None,
        "settings": asdict(crowd.settings),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _gait(stride: Stride, metres_per_unit: float) -> dict[str, Any]:
    return {
        "clip": stride.clip.name,
        "seconds": stride.clip.duration,
        "travels": stride.travels,
        "speed": stride.speed * metres_per_unit,
        "stride": stride.length * metres_per_unit,
        "forward": stride.forward.tolist(),
        "drift": stride.drift_in_millimetres,
        "contacts": [{"phase": share, "foot": name} for share, name in stride.contacts],
    }
