"""A preview's state in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.deviation import EXACT_RELATIVE, Deviation
from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.text.message import Clause, Message, Sentence
from ..character.figures import Figures

MOST_LINES = 4
"""Meshes named in a 3D view; a character may consist of dozens."""


@dataclass(frozen=True)
class SummaryLine:
    """One line of a summary. same: whether it is about meshes that equal Blender's."""

    text: str
    same: bool


def verdict(figures: Figures) -> str:
    """Say in one sentence what was measured: 'Left hand off by 4.1 mm at frame 17'."""
    deviation = figures.deviation
    if deviation is None:
        return figures.problem
    if is_same(deviation):
        return Message("Same as Blender's at frame {frame:g}", frame=figures.frame)
    off_by = length(deviation, deviation.max)
    if not figures.bone:
        return Message("Off by {distance} at frame {frame:g}", distance=off_by, frame=figures.frame)
    part = body_part(figures.bone) or f"'{figures.bone}'"
    return Sentence(
        "{part} off by {distance} at frame {frame:g}", part=part, distance=off_by, frame=figures.frame
    )


def compared_with(modifiers: Sequence[str], profile: Profile = BLENDER) -> Message:
    """Say what was compared, and with which result of Blender's.

    modifiers: before which the meshes' stacks were cut, '' for none. profile: the one the meshes were skinned
    with.
    """
    if not profile.is_blender:
        alone = compared_with(modifiers)
        compared = Clause(alone.template, **alone.arguments)
        return Message("{profile}: {compared}", profile=profile.label, compared=compared)
    cut = sorted(set(modifiers) - {""})
    if not cut:
        return Message("Compared with Blender's final mesh")
    if len(cut) > 1:
        return Message("Compared with Blender's meshes before '{modifier}' and others", modifier=cut[0])
    return Message("Compared with Blender's mesh before '{modifier}'", modifier=cut[0])


def dropped_by(profile: Profile) -> Message:
    """Name the engine that drops the weight."""
    return Message("Dropped by {profile}", profile=profile.label)


def is_same(deviation: Deviation) -> bool:
    """Whether the difference is only rounding."""
    return deviation.relative <= EXACT_RELATIVE


def length(deviation: Deviation, distance: float) -> str:
    """Write a distance, given in scene units, in the most readable metric unit."""
    return format_length(deviation.metres(distance))


def summary(measured: Sequence[tuple[str, Figures]]) -> list[SummaryLine]:
    """Say in a few lines how far meshes lie from Blender's, the worst first.

    measured: the names of meshes, and figures that have a deviation.
    """
    compared = [(name, figures.deviation, figures.bone) for name, figures in measured if figures.deviation]
    off = sorted((one for one in compared if not is_same(one[1])), key=lambda one: -one[1].max)
    shown = off if len(off) <= MOST_LINES else off[: MOST_LINES - 1]
    lines = [
        SummaryLine(_off(name, bone, length(deviation, deviation.max)), same=False)
        for name, deviation, bone in shown
    ]
    if len(shown) < len(off):
        rest = off[len(shown)][1]
        text = Message(
            "{count} more: off by {distance} or less",
            count=len(off) - len(shown),
            distance=length(rest, rest.max),
        )
        lines.append(SummaryLine(text, same=False))
    same = [name for name, deviation, _ in compared if is_same(deviation)]
    if len(same) == 1:
        lines.append(SummaryLine(Message("{mesh}: same as Blender's", mesh=same[0]), same=True))
    elif same:
        others = Message("{count} others: same as Blender's", count=len(same))
        meshes = Message("{count} meshes: same as Blender's", count=len(same))
        lines.append(SummaryLine(others if off else meshes, same=True))
    return lines


def _off(name: str, bone: str, distance: str) -> Message:
    """Say how far a mesh is off; a bone name without a body part adds too little to the mesh's name."""
    part = body_part(bone)
    if part is None:
        return Message("{mesh}: off by {distance}", mesh=name, distance=distance)
    return Message("{mesh}: {part} off by {distance}", mesh=name, part=part, distance=distance)
