"""The layout of a chain of passes' influences in GPU memory. Only numpy: the GPU objects are made elsewhere.

one pass, up to 4 or 8 influences per vertex  vertex attributes: fastest, no fetch depends on another
anything else                                 a float texture, read along each vertex's own run of texels
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.joints import NO_BONE
from ..core.skinning.passes import Pass
from ..core.skinning.skin import Skin
from ..core.surface.weight_gradient import WeightGradient
from .palette_rows import entries_before_joints, rows_per_joint

INFLUENCE_TEXTURE_WIDTH = 4096
"""Texels in a row of the influence texture; lib/influences_texture.glsl relies on it."""

HEAD = 2
"""Texels before a pass's influences on a vertex."""

MATRICES = 4
"""The number of matrices in a draw call without indices."""

LARGEST_ATTRIBUTE_COUNT = 8
"""Influences that fit into attributes: these take four of the sixteen that every device has."""


@dataclass(frozen=True, eq=False)
class InfluenceLayout:
    """Influences, laid out for one of the files gpu_shaders/lib/influences_*.glsl.

    gradient_file: the matching file gpu_shaders/lib/gradients_*.glsl.
    attributes: by name, each (V, ...), in the order of the source mesh's vertices.
    texels: (N, 2) float32 for the influence texture, or None if attributes hold everything.
    joint_count: the number of entries of all palettes together.
    defines: names and values that the file needs.
    """

    shader_file: str
    gradient_file: str
    attributes: Mapping[str, NDArray[np.generic]]
    texels: NDArray[np.float32] | None
    joint_count: int
    defines: tuple[tuple[str, str], ...] = ()


def influence_layout(
    passes: Sequence[Pass], vertex_count: int, gradient: WeightGradient | None = None
) -> InfluenceLayout:
    """Lay out the influences of `passes`, normalized as in Blender's linear blend.

    gradient: of these passes, to include the derivatives of weights and masks along the tangents. Joints are
    numbered consecutively: the palette entries of the second pass follow those of the first. Without passes,
    nothing moves.
    """
    if not passes:
        return _in_attributes(_unmoved(vertex_count), 0, 1, None)
    before = [entries_before_joints(one, rows_per_joint(passes)) for one in passes]
    joint_count = sum(before) + sum(len(one.joints) for one in passes)
    skins = [one.skin.normalised() for one in passes]
    only = passes[0]
    if len(passes) == 1 and only.amount is None and skins[0].largest_count <= LARGEST_ATTRIBUTE_COUNT:
        return _in_attributes(
            skins[0], before[0], joint_count, None if gradient is None else gradient.weights[0]
        )
    return _in_texture(passes, skins, before, joint_count, gradient)


def matrix_layout(one: Pass, gradient: WeightGradient | None = None) -> InfluenceLayout:
    """Lay out a pass with the four joints of a draw call, without indices: three weights per vertex, the fourth
    implied.

    gradient: of the pass, to include the derivatives of the weights along the tangents.

    The four are the last entries of its palette; joint 0 is among them if there is room.
    """
    skin = one.skin.normalised()
    count = len(one.joints)
    first = max(0, count - MATRICES)
    if count > MATRICES + 1 or (first and (skin.joints == NO_BONE).any()):
        raise ValueError(f"{count} joints for a draw call of {MATRICES} matrices")
    # With fewer than four joints, both the implied weight and its matrix are zero.
    weights = np.zeros((skin.vertex_count, MATRICES), dtype=np.float32)
    # A vertex may name a joint twice.
    slot = skin.vertex_of_influence, skin.joints - first
    np.add.at(weights, slot, skin.weights)
    attributes = {"skinMatrixWeights": weights[:, : MATRICES - 1]}
    if gradient is not None:
        changes = np.zeros((skin.vertex_count, MATRICES, 2), dtype=np.float32)
        np.add.at(changes, slot, gradient.weights[0])
        attributes |= _weight_changes(changes)
    return InfluenceLayout(
        "lib/influences_four_matrix.glsl",
        "lib/gradients_four.glsl",
        attributes,
        None,
        count,
        (("FIRST_MATRIX", f"{first}u"),),
    )


def _unmoved(vertex_count: int) -> Skin:
    return Skin(
        np.arange(vertex_count + 1, dtype=np.int32),
        np.full(vertex_count, NO_BONE, dtype=np.int32),
        np.ones(vertex_count, dtype=np.float32),
    )


def _in_attributes(
    skin: Skin, first_joint: int, joint_count: int, weight_changes: NDArray[np.float32] | None
) -> InfluenceLayout:
    slots = 4 if skin.largest_count <= 4 else 8
    # An unused slot reads the first joint with weight 0, so its index must refer to an existing, finite entry.
    dtype = np.uint16 if joint_count <= 0x10000 else np.uint32
    joints = np.full((skin.vertex_count, slots), first_joint, dtype=dtype)
    weights = np.zeros((skin.vertex_count, slots), dtype=np.float32)
    owner = skin.vertex_of_influence
    slot = np.arange(len(owner)) - skin.starts[owner]
    joints[owner, slot] = skin.joints + first_joint
    weights[owner, slot] = skin.weights
    attributes = {}
    for group in range(slots // 4):
        part = slice(4 * group, 4 * group + 4)
        attributes[f"skinJoints{group}"] = joints[:, part]
        attributes[f"skinWeights{group}"] = weights[:, part]
    if weight_changes is not None:
        changes = np.zeros((skin.vertex_count, slots, 2), dtype=np.float32)
        changes[owner, slot] = weight_changes
        attributes |= _weight_changes(changes)
    name = "four" if slots == 4 else "eight"
    return InfluenceLayout(
        f"lib/influences_{name}.glsl", f"lib/gradients_{name}.glsl", attributes, None, joint_count
    )


def _weight_changes(changes: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Pack (V, slots, 2) derivatives of weights into attributes, two slots in each."""
    pairs = range(changes.shape[1] // 2)
    return {f"skinWeightChange{pair}": changes[:, 2 * pair : 2 * pair + 2].reshape(-1, 4) for pair in pairs}


def _in_texture(
    passes: Sequence[Pass],
    skins: Sequence[Skin],
    before: Sequence[int],
    joint_count: int,
    gradient: WeightGradient | None,
) -> InfluenceLayout:
    """Make every vertex's run of texels for lib/influences_texture.glsl and lib/gradients_texture.glsl.

    before: the number of palette entries of each pass before its joints.
    """
    starts = _run_starts(skins, with_changes=gradient is not None)
    texels = np.empty((starts[-1], 2), dtype=np.float32)
    next_free = starts[:-1]
    first_entry = 0
    for number, (one, skin, entries) in enumerate(zip(passes, skins, before, strict=True)):
        next_free = _write_influences(texels, next_free, skin, one.amount, (first_entry, entries))
        if gradient is not None:
            changes, amount_changes = gradient.weights[number], gradient.amounts[number]
            next_free = _write_changes(texels, next_free, skin, changes, amount_changes)
        first_entry += entries + len(one.joints)
    return InfluenceLayout(
        "lib/influences_texture.glsl",
        "lib/gradients_texture.glsl",
        {"skinInfluenceStart": starts[:-1].astype(np.uint32)[:, None]},
        texels,
        joint_count,
        (("WEIGHT_CHANGES", "0u" if gradient is None else "1u"),),
    )


def _run_starts(skins: Sequence[Skin], *, with_changes: bool) -> NDArray[np.int64]:
    """Return (V + 1,), the first texel of each vertex's run, and the number of all texels."""
    counts = np.sum([skin.counts for skin in skins], axis=0, dtype=np.int64)
    lengths = HEAD * len(skins) + counts
    if with_changes:
        lengths += counts + len(skins)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))


def _write_influences(
    texels: NDArray[np.float32],
    start: NDArray[np.int64],
    skin: Skin,
    amount: NDArray[np.float32] | None,
    entries: tuple[int, int],
) -> NDArray[np.int64]:
    """Write a pass's head and influences from each vertex's texel `start`, (V,); return the next free ones.

    entries: the pass's first palette entry, and how many stand before its joints.
    """
    first, before = entries
    texels[start, 0] = skin.counts
    texels[start, 1] = 1.0 if amount is None else amount
    texels[start + 1] = (first, 0.0)
    place = _places(skin, start + HEAD)
    texels[place, 0] = skin.joints + (first + before)
    texels[place, 1] = skin.weights
    return start + HEAD + skin.counts


def _write_changes(
    texels: NDArray[np.float32],
    start: NDArray[np.int64],
    skin: Skin,
    changes: NDArray[np.float32],
    amount_changes: NDArray[np.float32] | None,
) -> NDArray[np.int64]:
    """Write the derivatives of a pass's weights, (N, 2), and then of its amounts, (V, 2), the same way."""
    texels[_places(skin, start)] = changes
    last = start + skin.counts
    texels[last] = 0.0 if amount_changes is None else amount_changes
    return last + 1


def _places(skin: Skin, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the texel (N,) of every influence, if those of a vertex are in a row from its `start`, (V,)."""
    owner = skin.vertex_of_influence
    return start[owner] + np.arange(len(owner)) - skin.starts[owner]
