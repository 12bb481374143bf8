"""One vertex traced through skinning, step by step.

mesh space -> (offset) -> bone space -> (to_root) -> root space -> (root_to_mesh) -> mesh space, for each joint;
then the blend of all joints, then the mask, then the next pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..blending.blend_palette import AnyPalette
from ..blending.software_skinning import SoftwareSkinner, masked_positions
from ..profiles.binding import Binding
from ..skinning.joints import Joints
from ..skinning.mesh import SourceMesh
from ..skinning.passes import Blend, Pass, PassInput
from ..skinning.pose import Pose
from ..verdicts.dominant_bone import at_vertex

Position = NDArray[np.float64]
"""(3,) float64."""


class PosedJoints(Protocol):
    """What a pass needs at one instant; a frame's passes provide it."""

    @property
    def joints(self) -> Joints: ...
    @property
    def pose(self) -> Pose: ...
    @property
    def root_to_mesh(self) -> NDArray[np.float64]: ...


@dataclass(frozen=True, eq=False)
class Contribution:
    """One joint's contribution to the vertex.

    joint: its number in the palette. bone: name, "" for joint 0, which moves nothing. segment: segment of a
    bendy bone, otherwise None.
    stored_weight: as the mesh has it. weight: the share actually used; a vertex's shares add up to 1.
    in_bone: after offset. in_root: after to_root. in_mesh: after root_to_mesh, where this joint alone would
    take the vertex.
    share: weight * in_mesh; under linear blending these add up to the skinned position. None under the other
    blends, which add up motions, so that no joint has a share of the position.
    """

    joint: int
    bone: str
    segment: int | None
    stored_weight: float
    weight: float
    in_bone: Position
    in_root: Position
    in_mesh: Position
    share: Position | None


@dataclass(frozen=True, eq=False)
class PassTrace:
    """One pass. All positions are in mesh space.

    before: result of the last pass. start: where this one begins, the same unless `from_run_start`. skinned:
    `start` skinned by its joints. amount: of the mask. result: before + amount * (skinned - before).
    weight_sum: sum of the stored weights; the vertex stays in place unless it exceeds SMALLEST_MOVING_SUM.
    from_run_start: whether the pass begins where its run of passes did, not where the last one ended.
    """

    armature: str
    blend: Blend
    from_run_start: bool
    before: Position
    start: Position
    contributions: tuple[Contribution, ...]
    weight_sum: float
    skinned: Position
    amount: float
    result: Position


@dataclass(frozen=True, eq=False)
class VertexTrace:
    """rest: input of the first pass. result: output of the last. Mesh space."""

    vertex: int
    rest: Position
    passes: tuple[PassTrace, ...]
    result: Position


def trace_vertex(
    binding: Binding,
    chain: Sequence[Pass],
    posed: Sequence[PosedJoints],
    palettes: Sequence[AnyPalette],
    vertex: int,
) -> VertexTrace:
    """Skin one vertex and keep every step.

    chain: the passes of the instant, which may have other skins than the binding's; posed, palettes: their
    joints and their blends' palettes, in order.
    Positions are rounded to float32 where skinning rounds them, at the end of each pass. Costs about a
    millisecond a pass.
    """
    rest = binding.mesh.positions[vertex].astype(np.float64)
    run_start = current = rest
    passes: list[PassTrace] = []
    for one, instant, palette in zip(chain, posed, palettes, strict=True):
        if one.input is PassInput.PREVIOUS:
            run_start = current
        names = binding.skeletons[one.armature].names
        starts = current, run_start
        passes.append(_trace_pass(at_vertex(one, vertex), instant, palette, names, starts))
        current = passes[-1].result
    return VertexTrace(vertex, rest, tuple(passes), current)


def _trace_pass(
    one: Pass,
    instant: PosedJoints,
    palette: AnyPalette,
    names: Sequence[str],
    starts: tuple[Position, Position],
) -> PassTrace:
    """starts: where the vertex was before the pass, and where the pass begins."""
    before, start = starts
    skin = one.skin.normalised()
    total = float(one.skin.weight_sums[0])
    contributions = tuple(
        _contribution(one.blend, instant, names, start, (joint, weight * total, weight))
        for joint, weight in zip(skin.joints.tolist(), skin.weights.tolist(), strict=True)
    )
    skinned = _skinned(one, palette, start)
    return PassTrace(
        armature=one.armature,
        blend=one.blend,
        from_run_start=one.input is PassInput.RUN_START,
        before=before,
        start=start,
        contributions=contributions,
        weight_sum=total,
        skinned=skinned,
        amount=1.0 if one.amount is None else float(one.amount[0]),
        result=skinned if one.amount is None else _masked(before, skinned, one.amount),
    )


def _contribution(
    blend: Blend,
    instant: PosedJoints,
    names: Sequence[str],
    start: Position,
    influence: tuple[int, float, float],
) -> Contribution:
    """influence: joint, stored weight, and weight."""
    joint, stored, weight = influence
    bone = int(instant.joints.bone[joint])
    if bone < 0:
        # Joint 0 is the identity in all spaces; it has no bone space.
        in_bone = in_root = in_mesh = start
    else:
        in_bone = _moved(start, instant.joints.offset[joint])
        in_root = _moved(in_bone, instant.pose.to_root[joint])
        in_mesh = _moved(in_root, instant.root_to_mesh)
    return Contribution(
        joint=joint,
        bone=names[bone] if bone >= 0 else "",
        segment=int(instant.joints.segment[joint]) if joint in instant.joints.bendy else None,
        stored_weight=stored,
        weight=weight,
        in_bone=in_bone,
        in_root=in_root,
        in_mesh=in_mesh,
        share=weight * in_mesh if blend is Blend.LINEAR else None,
    )


def _moved(position: Position, matrix: NDArray[np.float64]) -> Position:
    return np.asarray(position @ matrix[:3, :3] + matrix[3, :3], dtype=np.float64)


def _skinned(one: Pass, palette: AnyPalette, start: Position) -> Position:
    """Skin a mesh of this one vertex with this one pass, by the usual code."""
    alone = replace(one, input=PassInput.PREVIOUS, amount=None)
    nothing = np.empty((0, 3), dtype=np.int32)
    mesh = SourceMesh(
        start.astype(np.float32)[None], np.zeros((1, 3), dtype=np.float32), nothing[:, :2], nothing
    )
    return SoftwareSkinner((alone,), mesh).skin_positions((palette,))[0].astype(np.float64)


def _masked(before: Position, skinned: Position, amount: NDArray[np.float32]) -> Position:
    first, last = before.astype(np.float32)[None], skinned.astype(np.float32)[None]
    return masked_positions(first, last, amount)[0].astype(np.float64)
