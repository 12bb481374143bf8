"""Normals with the weight gradient: the tangents of the surface, carried along by every pass. See
`weight_gradient`.

Each vertex carries three directions: its two tangents, and its normal, along which weights are assumed
constant. A pass moves the vertex p to f(p, w), and a direction t to its derivative; weights w and mask change
by dw along t:

    linear             B t + sum_b dw_b (p F_b)
    dual quaternions   the derivative of (c p c* + 2 e c*) / |c|^2, c and e the blended real and dual parts
    mask a             previous + a (skinned - previous) + da (f(p) - p)

Blender's own normals are those of the posed faces, whatever moved them; so are these, for any chain of
passes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..blending.blend_palette import AnyPalette
from ..blending.dual_quaternion import DualQuaternionPalette
from ..blending.motion_blending import Signs
from ..blending.slots import SlotChunk, slot_table
from ..blending.volume_blending import joint_motions
from ..blending.volume_palette import VolumePalette
from ..maths.vectors import cross, dot, rotated, transformed, unit_length
from ..skinning.mesh import SourceMesh
from ..skinning.palette import Palette
from ..skinning.passes import Pass, PassInput
from ..skinning.skin import Skin
from .weight_gradient import WeightGradient

MotionPalette = VolumePalette | DualQuaternionPalette

State = NDArray[np.float32]
"""(V, 4, 3): position, two tangents, normal direction, of every vertex, mesh space."""

DIRECTIONS = range(1, 4)


def gradient_normals(
    passes: Sequence[Pass], gradient: WeightGradient, palettes: Sequence[AnyPalette], mesh: SourceMesh
) -> NDArray[np.float32]:
    """Return the normals (V, 3) float32 of a mesh skinned from rest by a chain of passes.

    gradient: of these passes. palettes: one per pass.
    """
    return vertex_normals(posed_directions(passes, gradient, palettes, mesh), mesh.normals)


def vertex_normals(posed: State, rest_normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the posed normals (V, 3) float32 of the vertices themselves."""
    with np.errstate(all="ignore"):
        across = cross(*(np.ascontiguousarray(posed[:, axis].T) for axis in (1, 2)))
        normals = np.ascontiguousarray(rest_normals.T)
        # A vertex without a normal still has none afterwards.
        return np.ascontiguousarray(unit_length(across * np.sqrt(dot(normals, normals)), normals).T)


def posed_directions(
    passes: Sequence[Pass], gradient: WeightGradient, palettes: Sequence[AnyPalette], mesh: SourceMesh
) -> State:
    """Return positions and directions of a mesh skinned from rest by a chain of passes; see
    `gradient_normals`.
    """
    current = np.empty((mesh.vertex_count, 4, 3), dtype=np.float32)
    current[:, 0], current[:, 1:3] = mesh.positions, gradient.tangents
    current[:, 3] = np.cross(gradient.tangents[:, 0], gradient.tangents[:, 1])
    run_start = current
    with np.errstate(all="ignore"):
        for one, weights, amounts, palette in zip(
            passes, gradient.weights, gradient.amounts, palettes, strict=True
        ):
            if one.input is PassInput.PREVIOUS:
                run_start = current
            skinned = _skinned(one, weights, palette, run_start)
            current = skinned if one.amount is None else _between(current, skinned, one.amount, amounts)
    return current


def corner_normals(
    rest_tangents: NDArray[np.float32],
    posed: State,
    rest_normals: NDArray[np.float32],
    source_vertex: NDArray[np.int32],
) -> NDArray[np.float32]:
    """Return the posed normals (D, 3) float32 of drawn vertices, whose rest normals may point anywhere.

    rest_tangents: (V, 2, 3), of the gradient. rest_normals: (D, 3). source_vertex: (D,).
    They follow by the cofactors of the three directions; a normal that collapses is left unchanged.
    """
    normals = np.ascontiguousarray(rest_normals.T)
    before = [np.ascontiguousarray(rest_tangents[source_vertex, axis].T) for axis in range(2)]
    along0, along1, outward = (np.ascontiguousarray(posed[source_vertex, axis].T) for axis in DIRECTIONS)
    with np.errstate(all="ignore"):
        turned = dot(normals, before[0]) * cross(along1, outward)
        turned += dot(normals, before[1]) * cross(outward, along0)
        turned += dot(normals, cross(*before)) * cross(along0, along1)
        return np.ascontiguousarray(unit_length(turned, normals).T)


def _skinned(one: Pass, derivative: NDArray[np.float32], palette: AnyPalette, before: State) -> State:
    skin = one.skin.normalised()
    tables = [slot_table(Skin(skin.starts, skin.joints, change)) for change in derivative.T]
    result = np.empty_like(before)
    for chunk, *changes in zip(slot_table(skin).chunks, *(table.chunks for table in tables), strict=True):
        state = np.ascontiguousarray(before[chunk.vertices].transpose(1, 2, 0))
        if isinstance(palette, Palette):
            moved = _linear(chunk, changes, palette, state)
        else:
            moved = _by_motions(chunk, changes, palette, state)
        chunk.store(moved.reshape(12, -1), result.reshape(-1, 12))
    return result


def _between(
    before: State, after: State, amount: NDArray[np.float32], change: NDArray[np.float32] | None
) -> State:
    mixed = np.asarray(before + amount[:, None, None] * (after - before), dtype=np.float32)
    if change is not None:
        mixed[:, 1:3] += change[:, :, None] * (after[:, :1] - before[:, :1])
    return mixed


def _linear(
    chunk: SlotChunk, changes: Sequence[SlotChunk], palette: Palette, state: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Move the state (4, 3, m) of a chunk's vertices."""
    rows = palette.rows().reshape(-1, 12)
    blended = chunk.blended(rows).reshape(3, 4, -1)
    moved = np.empty_like(state)
    moved[0] = transformed(blended, state[0])
    for direction in DIRECTIONS:
        moved[direction] = _turned(blended, state[direction])
    for direction, change in zip(DIRECTIONS, changes, strict=False):
        moved[direction] += transformed(change.blended(rows).reshape(3, 4, -1), state[0])
    return moved


def _by_motions(
    chunk: SlotChunk, changes: Sequence[SlotChunk], palette: MotionPalette, state: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Move the state (4, 3, m) of a chunk's vertices by blended dual quaternions."""
    into = palette.mesh_to_root.T[:3, :, None]
    back = palette.root_to_mesh.T[:3, :, None]
    in_root = np.stack((transformed(into, state[0]), *(_turned(into, state[axis]) for axis in DIRECTIONS)))
    moved = _moved_by_sums(_sums_of_motions(chunk, changes, palette, state), in_root)
    return np.stack((transformed(back, moved[0]), *(_turned(back, moved[axis]) for axis in DIRECTIONS)))


def _sums_of_motions(
    chunk: SlotChunk, changes: Sequence[SlotChunk], palette: MotionPalette, state: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Blend real and dual parts, (4, 8, m): the vertices' own, then their derivatives along each
    direction.
    """
    motions, signs = _motions(palette)
    sums = np.zeros((4, 8, len(chunk.vertices)), dtype=np.float32)
    pivot = sums[0, :4]
    for slot, (motion, weights) in enumerate(chunk.terms(motions)):
        count = len(weights)
        here = sums[:, :, :count]
        if not slot:
            pivot = motion[:4].copy()
        against = here[0, :4] if signs is Signs.RUNNING_SUM else pivot[:, :count]
        side = np.where(dot(motion[:4], against) < 0, np.float32(-1), np.float32(1))
        to_dual = motion[4:].reshape(4, 4, count).transpose(1, 0, 2)
        at_vertex = np.concatenate((motion[:4], transformed(to_dual, state[0, :, :count])))
        here[0] += side * weights * at_vertex
        for axis in DIRECTIONS:
            here[axis, 4:] += side * weights * _turned(to_dual, state[axis, :, :count])
        for axis, change in zip(DIRECTIONS, changes, strict=False):
            here[axis] += side * change.weights[slot] * at_vertex
    return sums


def _moved_by_sums(sums: NDArray[np.float32], state: NDArray[np.float32]) -> NDArray[np.float32]:
    """Apply blended motions (4, 8, m) to states (4, 3, m) in root space; if everything cancels out, nothing
    moves.
    """
    length = np.sqrt(dot(sums[0, :4], sums[0, :4]))
    sums = np.divide(sums, np.where(length > 0, length, 1), dtype=np.float32)
    real, dual = sums[0, :4], sums[0, 4:]
    real[3, length == 0] = 1
    position = np.concatenate((state[0], np.zeros_like(state[0, :1])))
    moved = np.empty_like(state)
    moved[0] = rotated(real, state[0]) + 2 * _product(dual, _conjugate(real))[:3]
    for axis in DIRECTIONS:
        change_of_real, change_of_dual = sums[axis, :4], sums[axis, 4:]
        turn = _product(_product(change_of_real, position), _conjugate(real))
        shift = _product(change_of_dual, _conjugate(real)) + _product(dual, _conjugate(change_of_real))
        moved[axis] = rotated(real, state[axis]) + 2 * (turn + shift)[:3]
        # The change of length, removed by the division.
        moved[axis] -= 2 * dot(real, change_of_real) * moved[0]
    return moved


def _motions(palette: MotionPalette) -> tuple[NDArray[np.float32], Signs]:
    """Return motions as in `joint_motions`, (J, 20), for either kind of dual quaternion."""
    if isinstance(palette, VolumePalette):
        return joint_motions(palette), Signs.RUNNING_SUM
    motions = np.zeros((len(palette), 20), dtype=np.float32)
    motions[:, :4], motions[:, 16:] = palette.real, palette.dual
    return motions, Signs.PIVOT


def _turned(rows: NDArray[np.float32], directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each direction by its own matrix: rows (R, 4, n) or (R, 4, 1), directions (3, n) -> (R, n)."""
    return rows[:, 0] * directions[0] + rows[:, 1] * directions[1] + rows[:, 2] * directions[2]


def _product(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Multiply quaternions (4, n), (x, y, z, w)."""
    vector = a[3] * b[:3] + b[3] * a[:3] + cross(a[:3], b[:3])
    return np.concatenate((vector, (a[3] * b[3] - dot(a[:3], b[:3]))[None]))


def _conjugate(a: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.concatenate((-a[:3], a[3:]))
