"""Bone envelopes: weights by a vertex's distance to the bone at rest.

An envelope is a capsule from the bone's head to its tail, with a radius at either end. Inside it the factor is
1; it falls to 0 over the envelope distance outside:

    factor = 1 - (gap / distance)**2        gap = distance from the axis - radius at that point

Envelopes depend on the rest pose and on the positions that go into the pass, so the weights they make are
static. Measured against Blender 5.2 to float32 accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field
from ..skinning.skin import BoneSkin

VERTICES_PER_BLOCK = 4096
"""Vertices x bones x 3 floats of a block stay within a few megabytes."""


@dataclass(frozen=True, eq=False)
class Envelopes:
    """The envelopes of B bones, all lengths in root space.

    head, tail: (B, 3) float64, ends of the bones at rest. head_radius, tail_radius, distance: (B,) float64.
    weight: (B,) float64, factor's weight if envelopes stand in for groups.
    multiply: (B,) bool, whether a bone's group weights are multiplied by its factor.
    """

    head: NDArray[np.float64]
    tail: NDArray[np.float64]
    head_radius: NDArray[np.float64]
    tail_radius: NDArray[np.float64]
    distance: NDArray[np.float64]
    weight: NDArray[np.float64]
    multiply: NDArray[np.bool_]

    def __post_init__(self) -> None:
        count = len(self.head)
        for name in ("head", "tail"):
            set_field(self, name, read_only(name, getattr(self, name), np.float64, (count, 3)))
        for name in ("head_radius", "tail_radius", "distance", "weight"):
            set_field(self, name, read_only(name, getattr(self, name), np.float64, (count,)))
        set_field(self, "multiply", read_only("multiply", self.multiply, np.bool_, (count,)))

    def factors(self, positions: NDArray[np.float64], bones: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the factor, 0 to 1, of each position for the bone beside it.

        positions: (..., 3), root space. bones: (...), indices; the leading axes are broadcast together.
        """
        head, axis = self.head[bones], self.tail[bones] - self.head[bones]
        length = np.linalg.norm(axis, axis=-1)
        from_head = positions - head
        with np.errstate(invalid="ignore", divide="ignore"):
            along = np.where(length > 0, np.einsum("...c,...c->...", from_head, axis) / length**2, 0.0)
        along = np.clip(along, 0.0, 1.0)
        gap_to_axis = np.linalg.norm(from_head - along[..., None] * axis, axis=-1)
        radius = self.head_radius[bones] * (1 - along) + self.tail_radius[bones] * along
        reach = self.distance[bones]
        with np.errstate(invalid="ignore", divide="ignore"):
            fading = 1 - ((gap_to_axis - radius) / reach) ** 2
        outside = (reach == 0) | (gap_to_axis >= radius + reach)
        return np.where(gap_to_axis < radius, 1.0, np.where(outside, 0.0, fading))


def multiplied_by_envelopes(skin: BoneSkin, envelopes: Envelopes, positions: NDArray[np.float64]) -> BoneSkin:
    """Multiply group weights by envelopes, for bones with that option.

    positions: (V, 3) float64, root space, before the pass.
    """
    concerned = np.flatnonzero(envelopes.multiply[skin.bones])
    if not concerned.size:
        return skin
    weights = skin.weights.copy()
    owner = skin.vertex_of_influence[concerned]
    weights[concerned] *= envelopes.factors(positions[owner], skin.bones[concerned]).astype(np.float32)
    return skin.with_weights(weights)


def with_envelopes_where_ungrouped(
    skin: BoneSkin, envelopes: Envelopes, positions: NDArray[np.float64], bones: NDArray[np.integer]
) -> BoneSkin:
    """Give envelope weights to the vertices that are in no group of a deforming bone.

    bones: the deforming bones in the order of Blender's pose, which is the order of the new influences.
    A group membership of weight 0 still counts and rules the envelopes out.
    """
    ungrouped = np.flatnonzero(skin.counts == 0)
    vertices, all_bones, weights = [skin.vertex_of_influence], [skin.bones], [skin.weights.astype(np.float64)]
    for start in range(0, len(ungrouped), VERTICES_PER_BLOCK):
        block = ungrouped[start : start + VERTICES_PER_BLOCK]
        factors = envelopes.factors(positions[block, None], bones[None]) * envelopes.weight[bones]
        vertex, bone = np.nonzero(factors > 0)
        vertices.append(block[vertex])
        all_bones.append(bones[bone].astype(np.int32))
        weights.append(factors[vertex, bone])
    return BoneSkin.from_entries(
        np.concatenate(vertices), np.concatenate(all_bones), np.concatenate(weights), skin.vertex_count
    )
