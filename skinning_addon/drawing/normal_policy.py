"""Ways of turning normals in skinning; each has a file in gpu_shaders/lib."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ..core.skinning.passes import Blend, Pass
from ..core.text.message import Message


class NormalPolicy(Enum):
    """The value is the shader part that implements it."""

    BLENDED = "lib/normals_blended.glsl"
    """By the blended matrix itself, as in many engines."""
    COFACTOR = "lib/normals_cofactor.glsl"
    """By its cofactors: also correct under uneven scale."""
    WEIGHT_GRADIENT = "lib/normals_gradient.glsl"
    """By the bending of the surface, including changing weights, like Blender's recomputed normals."""


def best_policy(passes: Sequence[Pass]) -> NormalPolicy:
    """Return the policy closest to Blender's normals, or to those of the engine whose blend these passes
    use.
    """
    return NormalPolicy.COFACTOR if reason_against_gradient(passes) else NormalPolicy.WEIGHT_GRADIENT


def reason_against_gradient(passes: Sequence[Pass]) -> Message | None:
    """Return why normals use cofactors, or the blended rotation, although the weight gradient would be
    closer.
    """
    if not passes:
        return Message("Normals are unchanged because nothing deforms the mesh.")
    if any(one.following is not None for one in passes):
        return Message(
            "Normals treat weights as constant around each vertex: the weights follow the pose, and "
            "differentiating them in every frame would cost more than skinning."
        )
    if any(one.blend is Blend.DUAL_QUATERNION for one in passes):
        return Message(
            "Normals are turned by the blended rotation, as in engines that blend dual quaternions."
        )
    return None
