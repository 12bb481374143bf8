"""Measurements of a previewed mesh, and the bone behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.profiles.binding import Binding, Reason
from ...core.skinning.deviation import Deviation
from ...core.skinning.passes import Pass
from ...core.verdicts.dominant_bone import at_vertex, dominant_bones


@dataclass(frozen=True, eq=False)
class Figures:
    """The last measurement.

    deviation: None if there is nothing to compare with; then `problem` says why. frame: of the scene. before:
    the modifier before which Blender's stack was cut for it, '' if it is whole. bone: the worst vertex's
    dominant bone, "" if none. reasons: why it is not exact, as far as the deviation itself tells.
    """

    deviation: Deviation | None
    problem: str
    frame: float
    before: str = ""
    bone: str = ""
    reasons: tuple[Reason, ...] = ()


def bone_of_vertex(binding: Binding, chain: Sequence[Pass], vertex: int) -> str:
    """Return the dominant bone of a vertex of a bound mesh, "" if none moves it."""
    pass_index, bone = dominant_bones([at_vertex(one, vertex) for one in chain], 1)
    if bone[0] < 0:
        return ""
    return binding.skeletons[chain[int(pass_index[0])].armature].names[int(bone[0])]
