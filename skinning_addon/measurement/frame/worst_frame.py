"""How far a mesh lies from Blender's under a profile, and the verdict: the same for the sidebar's check and
the command line's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...core.skinning.deviation import EXACT_RELATIVE, Deviation
from ...core.verdicts.verdict import HEIGHT_OF_THRESHOLDS, USUAL, Level, Thresholds, judge
from .body_parts import BodyParts, PartDeviation


@dataclass(frozen=True)
class NormalDeviation:
    """max, p99, mean: degrees between an engine's normals and Blender's, at the frame where the mean over the
    surface is largest; p99 is what 99% of the vertices do not exceed.

    Blender recomputes normals from the posed faces while engines rotate the rest normals, so a few degrees
    are usual where a surface bends. by_rule: the largest effect, in degrees and over all frames, of the
    shader's rule alone, against cofactors of the blended matrix. clip, frame: where.
    """

    max: float
    p99: float
    mean: float
    by_rule: float
    clip: str
    frame: float


@dataclass(frozen=True)
class WorstFrame:
    """The deviation of one mesh under one profile, at the frame where a vertex lies furthest from Blender's.

    max, rms, p99: metres; p99 is what 99% of the vertices do not exceed.
    relative: see `core.skinning.deviation`; the largest over all frames, not necessarily this one's. NaN if
    not measured.
    clip, frame: where it was. frames: how many were measured. bone: the worst vertex's dominant bone. level:
    the verdict about that frame (`core.verdicts.verdict`), None if not judged.
    surface: share of the surface, 0 to 1, that lies further off than what counts as good (1 mm at 1.8 m, a
    fifth of it for hands and face); surface_fail: further off than the failure threshold. along_normal,
    tangential: metres, of the worst vertex.
    run: the longest run of measured frames in which some vertex lies further off than good. pop: metres, the
    most that any vertex's deviation changes from one measured frame of a clip to the next. parts: those with
    anything further off than good in any frame, the worst first. normals: only under an engine's profile.
    height: metres, of the character; 0 if not judged.
    """

    max: float
    rms: float
    p99: float
    relative: float
    worst_vertex: int
    clip: str
    frame: float
    frames: int
    bone: str = ""
    surface: float = 0.0
    along_normal: float = 0.0
    tangential: float = 0.0
    run: int = 0
    pop: float = 0.0
    level: Level | None = None
    parts: tuple[PartDeviation, ...] = ()
    normals: NormalDeviation | None = None
    surface_fail: float = 0.0
    height: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether only rounding was measured."""
        return self.relative <= EXACT_RELATIVE


def worst_frame(
    deviation: Deviation,
    clip: str,
    frame: float,
    *,
    frames: int,
    bone: str = "",
    relative: float | None = None,
) -> WorstFrame:
    """Describe the frame where a deviation is largest, without a verdict.

    frames: how many were measured. relative: the largest over them; defaults to this frame's. bone: see
    `WorstFrame`.
    """
    return WorstFrame(
        max=deviation.metres(deviation.max),
        rms=deviation.metres(deviation.rms),
        p99=deviation.metres(deviation.percentile(99)),
        relative=deviation.relative if relative is None else relative,
        worst_vertex=deviation.worst_vertex,
        clip=clip,
        frame=frame,
        frames=frames,
        bone=bone,
    )


def judged(
    worst: WorstFrame,
    deviation: Deviation,
    body: BodyParts,
    *,
    split: tuple[float, float],
    run: int,
    pop: float,
    parts: tuple[PartDeviation, ...],
    thresholds: Thresholds = USUAL,
) -> WorstFrame:
    """Return a worst frame with its verdict, and with the figures tracked over all frames.

    deviation, body: of that frame. split: metres, of the worst vertex along the normal and across it, see
    `split_along`.
    run, pop, parts: see `WorstFrame`. thresholds: in metres, for a figure of the usual height.
    """
    judgement = judge(
        deviation.distance * deviation.metres_per_unit,
        deviation.area,
        body.fine,
        body.height_scale,
        thresholds,
    )
    along_normal, tangential = split
    return replace(
        worst,
        bone=str(body.bones[deviation.worst_vertex]) if deviation.worst_vertex >= 0 else "",
        surface=judgement.surface_good,
        surface_fail=judgement.surface_fail,
        along_normal=along_normal,
        tangential=tangential,
        run=run,
        pop=pop,
        level=judgement.level,
        parts=parts,
        height=body.height_scale * HEIGHT_OF_THRESHOLDS,
    )
