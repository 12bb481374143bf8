"""The output of `play --events`: markers passed, each clip's description and losses, and the controller's
state.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from typing import Any

from ...animation.controller import Controller
from ...animation.passings import Passing
from ...animation.plain_state import to_plain
from ...animation.reduction import Reduction
from ...animation.root_motion import RootMotion
from ...scene.baking.clip_baking import BakedClip

VERSION = 1


def events_text(
    arguments: argparse.Namespace,
    baked: Sequence[BakedClip],
    told: Sequence[Passing],
    controller: Controller,
    seconds: float,
    *,
    foreign: Collection[str],
    transition: float | None,
) -> str:
    """Return the document as JSON. docs/animation.md describes it.

    foreign: names of the clips from --clips-from. transition: the fades' length in seconds; None if a script
    decides.
    """
    document = {
        "version": VERSION,
        "file": arguments.file,
        "seconds": seconds,
        "transition": transition,
        "script": arguments.script,
        "clips": [
            _clip(one, arguments.clips_from if one.clip.name in foreign else arguments.file) for one in baked
        ],
        "events": [one._asdict() for one in told],
        "state": to_plain(controller),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _clip(baked: BakedClip, file: str) -> dict[str, Any]:
    return {
        "name": baked.clip.name,
        "file": file,
        "seconds": baked.clip.duration,
        "keys": baked.clip.key_count,
        "bytes": baked.clip.nbytes,
        "missing": list(baked.missing),
        "shear": [{"bone": one.bone, "amount": one.amount, "frame": one.frame} for one in baked.shear],
        "reduction": None if baked.reduction is None else _reduction(baked.reduction),
        "root_motion": None if baked.root_motion is None else _root_motion(baked.root_motion),
    }


def _reduction(reduction: Reduction) -> dict[str, Any]:
    return {
        "distance": reduction.distance,
        "keys_before": reduction.keys_before,
        "bytes_before": reduction.bytes_before,
    }


def _root_motion(motion: RootMotion) -> dict[str, Any]:
    return {
        "bone": motion.bone,
        "up": "XYZ"[motion.up],
        "seconds": ((motion.times - motion.times[0]) / motion.ticks_per_second).tolist(),
        "offset": motion.offset.tolist(),
        "heading": motion.heading.tolist(),
    }
