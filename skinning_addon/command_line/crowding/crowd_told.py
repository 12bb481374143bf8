"""What `skinscope crowd` says at its end: what was found of each character, and what happened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import MICROMETRES
from ...animation.crowd.kinds import ROLE_NAMES
from ...animation.crowd.strides import STANDARD_HEIGHT, Stride
from ...core.text.message import counted
from ...scene.crowd.character import Character
from ...scene.crowd.variants import Variant, troupes
from .playing_crowd import Played

SEAM_TOLD = 0.005
"""A smaller jump, as a share of the height, is not worth a sentence."""

MILLIMETRES = 1000 * STANDARD_HEIGHT


def crowd_told(variants: Sequence[Variant], crowd: Crowd, played: Played) -> list[str]:
    """Return the sentences, one a line."""
    lines = [line for one in troupes(variants) for line in _character_told(one.character)]
    apart, side = 2 * crowd.settings.widest / MICROMETRES, 2 * crowd.state.half[0] / MICROMETRES
    distance = f"{played.closest:.3f} m" if math.isfinite(played.closest) else f"more than {2 * apart:.3f} m"
    agents = counted(crowd.state.count, "agent", "agents")
    outside = "nobody was outside" if played.outside <= 0 else f"{played.outside:.6f} m outside at most"
    footsteps = counted(len(played.footsteps), "footstep", "footsteps")
    arrived, blocked = (sum(one.what == what for one in played.changes) for what in ("arrived", "blocked"))
    took = 1000 * median(played.seconds or [0.0])
    alike = len(set(crowd.state.cast.radius.tolist())) == 1
    radii = f"their radii together are {apart:.3f} m" if alike else f"the widest two together {apart:.3f} m"
    closest = f"the closest two were {distance} apart, and {radii}"
    overlap = f"circles overlapped by {max(-1000 * played.gap, 0.0):.2f} mm at most"
    stops = counted(blocked, "stop", "stops")
    return [
        *lines,
        f"{agents} on {side:.4g} x {side:.4g} m: {closest}; {overlap}; {outside}.",
        f"{footsteps}, {counted(arrived, 'arrival', 'arrivals')}, {stops} in the way.",
        f"{counted(len(played.seconds), 'step', 'steps')}, {took:.2f} ms each.",
    ]


def _character_told(character: Character) -> list[str]:
    feet = ", ".join(foot.name for foot in character.body.feet)
    found = "by name" if character.body.named else "as the lowest ends of limbs"
    lines = [f"{character.name}, {character.height:.3g} m tall; feet found {found}: {feet}."]
    for role, one in zip(ROLE_NAMES, character.strides, strict=True):
        lines += _gait_told(role, one, character.metres_per_unit)
    return lines


def _gait_told(role: str, stride: Stride, metres_per_unit: float) -> list[str]:
    clip = stride.clip.name
    if not stride.speed:
        return [f"{role}: '{clip}', {stride.clip.duration:.2f} s."]
    way = "its root's way" if stride.travels else "planted feet"
    speed, length = stride.speed * metres_per_unit, stride.length * metres_per_unit
    steps = counted(len(stride.contacts), "footstep", "footsteps")
    before, after = f"{MILLIMETRES * stride.drift_before:.1f} mm", f"{stride.drift_in_millimetres:.1f} mm"
    slide = (
        f"planted feet slide by {after} at most at a height of 1.8 m, and by {before} in the clip as it is"
    )
    lines = [
        f"{role}: '{clip}', {speed:.3g} m/s by {way}, {length:.3g} m and {steps} a cycle.",
        f"{role}: {slide}.",
    ]
    if stride.seam > SEAM_TOLD:
        lines.append(
            f"{role}: '{clip}' doesn't close: where it begins again, bones jump by "
            f"{MILLIMETRES * stride.seam:.0f} mm on average at a height of 1.8 m."
        )
    return lines
