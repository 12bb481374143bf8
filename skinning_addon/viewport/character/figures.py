"""What was measured of a previewed mesh, and the bone behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.profiles.binding import Binding, Reason
from ...core.skinning.deviation import Deviation
from ...core.skinning.palette import Pass
from ...core.verdicts.dominant_bone import at_vertex, dominant_bones


@dataclass(frozen=True, eq=False)
class Figures:
    """What was measured last.

    deviation: None where there is nothing to compare with; then `problem` says why. frame: of the scene.
    before: the modifier before which Blender's stack was cut for it, '' where it is whole.
    bone: the bone that moves the worst vertex most, "" where none does.
    reasons: what the deviation itself tells of why it is not exact.
    """

    deviation: Deviation | None
    problem: str
    frame: float
    before: str = ""
    bone: str = ""
    reasons: tuple[Reason, ...] = ()


def bone_of_vertex(binding: Binding, chain: Sequence[Pass], vertex: int) -> str:
    """Name the bone that moves a vertex of a bound mesh most, "" where none does."""
    pass_index, bone = dominant_bones([at_vertex(one, vertex) for one in chain], 1)
    if bone[0] < 0:
        return ""
    return binding.skeletons[chain[int(pass_index[0])].armature].names[int(bone[0])]
