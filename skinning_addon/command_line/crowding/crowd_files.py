"""The files of `crowd` besides its picture. docs/animation.md describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import SCALE, STEPS_PER_SECOND
from ...animation.crowd.kinds import ROLE_NAMES
from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.strides import Stride
from ...animation.local_pose import decompose
from ...core.skinning.skeleton import invert_affine
from ...scene.crowd.character import Character
from ...scene.crowd.crowd_motion import CrowdMotion
from ...scene.crowd.textured_character import Z_UP_TO_Y_UP
from ...scene.crowd.variants import Variant, troupes
from .playing_crowd import Played

VERSION = 1

LINE_COLUMNS = (
    *("x", "y", "z", "qw", "qx", "qy", "qz", "sx", "sy", "sz"),
    *("idle_weight", "walk_weight", "run_weight", "idle_phase", "stride_phase"),
)
"""Of an agent in JSON lines: where it is, how much of each clip is heard, and their phases from 0 to
1 (walk and run share theirs)."""

COLUMNS = "time,agent,x,y,z,heading,state,gait,phase"


def positions_text(played: Played) -> str:
    """Return the positions as CSV: seconds, metres, degrees from X, phase from 0 to 1."""
    return "\n".join((COLUMNS, *played.rows)) + "\n"


def events_text(file: str, variants: Sequence[Variant], crowd: Crowd, played: Played) -> str:
    """Return all events in order of time, who is who, and the gaits, as JSON."""
    characters = [_character(one.character) for one in troupes(variants)]
    cast = crowd.state.cast
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
        # Of the first character.
        "feet": characters[0]["feet"],
        "gaits": characters[0]["gaits"],
        "characters": characters,
        "variants": [_variant(one) for one in variants],
        "agents": [
            {"variant": kind, "scale": scale}
            for kind, scale in zip(cast.kind.tolist(), (cast.scale / SCALE).tolist(), strict=True)
        ],
        "events": sorted(events, key=lambda one: (one["time"], one["agent"])),
        "closest": played.closest if played.closest < float("inf") else None,
        "settings": _rules(crowd.settings),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _rules(settings: CrowdSettings) -> dict[str, Any]:
    """Return the rules as plain data, but the ways of feet, which only `crowd.npz` needs."""
    kinds = [
        replace(kind, gaits=tuple(replace(gait, feet=()) for gait in kind.gaits)) for kind in settings.kinds
    ]
    return asdict(replace(settings, kinds=tuple(kinds)))


def lines_text(
    file: str, variants: Sequence[Variant], crowd: Crowd, motions: Sequence[CrowdMotion]
) -> Iterator[str]:
    """Yield JSON lines: a head that says what the numbers are, then each frame, with a row for every agent.

    motions: of each character.
    """
    count = crowd.state.count
    of_agent = np.empty(count, dtype=np.intp)
    rows = np.empty((len(motions[0].seconds), count, len(LINE_COLUMNS)))
    for number, motion in enumerate(motions):
        of_agent[motion.agents] = number
        rows[:, motion.agents] = _rows(motion)
    head = {
        "version": VERSION,
        "generator": "Skinscope",
        "file": file,
        # Of the first character.
        "character": motions[0].troupe.character.name,
        "seed": crowd.settings.seed,
        "axes": "Y up, right-handed, metres, as in glTF",
        "frames_per_second": motions[0].rate,
        "frames": len(motions[0].seconds),
        "clips": _clips(motions[0]),
        "columns": list(LINE_COLUMNS),
        "characters": [
            {"name": one.troupe.character.name, "clips": _clips(one), "texture": texture}
            for one, texture in zip(motions, texture_folders(len(motions)), strict=True)
        ],
        "variants": [_variant(one) for one in variants],
        "agents": [
            {"character": character, "variant": kind}
            for character, kind in zip(of_agent.tolist(), crowd.state.cast.kind.tolist(), strict=True)
        ],
    }
    yield json.dumps(head, ensure_ascii=False)
    seconds = motions[0].seconds.tolist()
    for frame, (second, agents) in enumerate(zip(seconds, np.round(rows, 6).tolist(), strict=True)):
        yield json.dumps({"frame": frame, "seconds": second, "agents": agents})


def texture_folders(characters: int) -> list[str]:
    """Return the folders of the characters' textures, beside the lines."""
    return ["texture"] if characters == 1 else [f"texture/{number}" for number in range(characters)]


def _clips(motion: CrowdMotion) -> list[dict[str, Any]]:
    return [
        {"role": role, "name": one.clip.name, "seconds": one.clip.duration}
        for role, one in zip(ROLE_NAMES, motion.troupe.character.strides, strict=True)
    ]


def _rows(motion: CrowdMotion) -> NDArray[np.float64]:
    """Return the numbers of a character's agents (F, N, 15), by LINE_COLUMNS."""
    character = motion.troupe.character
    # From where the armature stands in the file: what a texture of bones moves is there already.
    moved = invert_affine(character.body.root_to_world[None])[0][0] @ motion.places
    places = decompose(np.linalg.inv(Z_UP_TO_Y_UP) @ moved @ Z_UP_TO_Y_UP).pose
    metres = places.translation * character.metres_per_unit
    return np.concatenate(
        (
            np.moveaxis(metres, 0, -1),
            np.moveaxis(places.rotation, 0, -1),
            np.moveaxis(places.scale, 0, -1),
            motion.gaits,
            motion.phases,
        ),
        axis=2,
        dtype=np.float64,
    )


def _character(character: Character) -> dict[str, Any]:
    return {
        "name": character.name,
        "feet": [foot.name for foot in character.body.feet],
        "gaits": [_gait(one, character.metres_per_unit) for one in character.strides],
    }


def _variant(variant: Variant) -> dict[str, Any]:
    return {
        "character": variant.character.name,
        "share": variant.share,
        "scale": list(variant.scale),
        "without": sorted(variant.without),
        "tint": list(variant.tint),
    }


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
