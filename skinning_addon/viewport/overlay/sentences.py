"""A preview's state in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.deviation import Deviation
from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.text.message import Clause, Message, Sentence
from ...core.text.sized_length import sized_length
from ...core.verdicts.rules import rule_of
from ...core.verdicts.verdict import Level
from ..character.figures import Figures
from ..choices.moved_shapes import MovedShape

MOST_LINES = 4
"""Meshes named in a 3D view; a character may consist of dozens."""


@dataclass(frozen=True)
class SummaryLine:
    """One line of a summary. level: of the meshes that it is about, by the check's thresholds."""

    text: str
    level: Level

    @property
    def fine(self) -> bool:
        """Whether it is about meshes with nothing to look at."""
        return self.level <= Level.GOOD


def when(measured: Iterable[Figures], frame: float, alone: str = "") -> Message:
    """Say which frame figures are of: 'At this frame'.

    frame: of the scene. alone: the rule of the cause that is the only one previews show; empty if they show
    the whole engine.
    """
    frames = {figures.frame for figures in measured}
    if frames <= {frame}:
        told = Message("At this frame")
    else:
        told = Message("At frame {frame:g}", frame=max(frames - {frame}, key=lambda one: abs(one - frame)))
    if not alone:
        return told
    return Message("{when}, '{cause}' alone", when=told, cause=Message(rule_of(alone).name))


def verdict(figures: Figures) -> str:
    """Say in one sentence what was measured: 'Left hand off by 4.1 mm at frame 17'."""
    deviation = figures.deviation
    if deviation is None:
        return figures.problem
    if figures.rounding:
        return Message("Same as Blender's at frame {frame:g}", frame=figures.frame)
    off_by = sized_length(deviation.metres(deviation.max), figures.height)
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


def limit_of(profile: Profile) -> Message:
    """Say how many influences an engine takes."""
    limit = influence_limit(profile)
    if limit is None:
        return Message("{profile} takes all influences", profile=profile.label)
    return Message("{profile} takes {limit} influences", profile=profile.label, limit=limit)


def length(deviation: Deviation, distance: float) -> str:
    """Write a distance, given in scene units, in the most readable metric unit."""
    return format_length(deviation.metres(distance))


def summary(measured: Sequence[tuple[str, Figures]]) -> list[SummaryLine]:
    """Say in a few lines how far meshes lie from Blender's, the worst first.

    measured: the names of meshes, and figures that have a deviation.
    """
    compared = [(name, figures, figures.deviation) for name, figures in measured if figures.deviation]
    compared.sort(key=lambda one: -one[2].max)
    off = [one for one in compared if not one[1].fine]
    near = [one for one in compared if one[1].fine and not one[1].rounding]
    same = [one for one in compared if one[1].rounding]
    shown = off if len(off) <= MOST_LINES else off[: MOST_LINES - 1]
    lines = [SummaryLine(_off(*one), level_of_figures(one[1])) for one in shown]
    lines += _rest(off[len(shown) :], Level.LOOK)
    lines += [SummaryLine(_off(*near[0]), Level.GOOD)] if len(near) == 1 else _rest(near, Level.GOOD)
    if len(same) == 1:
        lines.append(SummaryLine(Message("{mesh}: same as Blender's", mesh=same[0][0]), Level.SAME))
    elif same:
        others = Message("{count} others: same as Blender's", count=len(same))
        meshes = Message("{count} meshes: same as Blender's", count=len(same))
        lines.append(SummaryLine(others if lines else meshes, Level.SAME))
    return lines


def shape_moved(shape: MovedShape) -> SummaryLine:
    """Say how far fixes have moved a mesh from its authored shape."""
    words = {"mesh": shape.mesh, "distance": format_length(shape.moved)}
    if shape.fixes > 1:
        text = Message(
            "{mesh}: up to {distance} off its authored shape since {count} fixes", count=shape.fixes, **words
        )
        return SummaryLine(text, shape.level)
    text = Message(
        "{mesh}: {distance} off its authored shape since '{fix}'", fix=Message(shape.last), **words
    )
    return SummaryLine(text, shape.level)


def level_of_figures(figures: Figures) -> Level:
    """Return how bad a deviation is; worth a look if it was not judged."""
    if figures.rounding:
        return Level.SAME
    return Level.LOOK if figures.level is None else figures.level


def _rest(rest: Sequence[tuple[str, Figures, Deviation]], at_least: Level) -> list[SummaryLine]:
    """Say in one line, or none, how far further meshes are off, the worst first."""
    if not rest:
        return []
    _, figures, deviation = rest[0]
    text = Message(
        "{count} more: off by {distance} or less",
        count=len(rest),
        distance=length(deviation, deviation.max),
    )
    return [SummaryLine(text, max(at_least, level_of_figures(figures)))]


def _off(name: str, figures: Figures, deviation: Deviation) -> Message:
    """Say how far a mesh is off; a bone name without a body part adds too little to the mesh's name."""
    part = body_part(figures.bone)
    distance = sized_length(deviation.metres(deviation.max), figures.height)
    if part is None:
        return Message("{mesh}: off by {distance}", mesh=name, distance=distance)
    return Message("{mesh}: {part} off by {distance}", mesh=name, part=part, distance=distance)
