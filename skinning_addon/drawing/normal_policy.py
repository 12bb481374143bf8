"""How linear blending turns normals; one file of gpu_shaders/lib each."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from enum import Enum

from ..core.mesh import SourceMesh
from ..core.palette import Blend, Pass
from ..core.skin import Skin
from ..core.weight_gradient import WeightGradient, weight_gradient


class NormalPolicy(Enum):
    """The value is the part of the shaders that does it."""

    BLENDED = "lib/normals_blended.glsl"
    """By the blended matrix itself, as many engines have it."""
    COFACTOR = "lib/normals_cofactor.glsl"
    """By its cofactors: right under uneven scale too."""
    WEIGHT_GRADIENT = "lib/normals_gradient.glsl"
    """By how skinning bends the surface, changing weights included, as Blender's recomputed normals are."""


def best_policy(passes: Sequence[Pass]) -> NormalPolicy:
    """Return the most exact policy that these passes have: the gradient for a single linear one that nothing masks."""
    if len(passes) == 1 and passes[0].blend is Blend.LINEAR and passes[0].amount is None:
        return NormalPolicy.WEIGHT_GRADIENT
    return NormalPolicy.COFACTOR


_gradients: weakref.WeakKeyDictionary[Skin, tuple[weakref.ref[SourceMesh], WeightGradient]] = (
    weakref.WeakKeyDictionary()
)


def shared_gradient(skin: Skin, mesh: SourceMesh) -> WeightGradient:
    """Return the weight gradient of a skin as stored, computed once for all who ask while skin and mesh live."""
    known = _gradients.get(skin)
    if known is None or known[0]() is not mesh:
        known = weakref.ref(mesh), weight_gradient(skin.normalised(), mesh)
        _gradients[skin] = known
    return known[1]
