"""Ways of turning normals in skinning; each has a file in gpu_shaders/lib."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ..core.groups.draw_groups import DrawGroup
from ..core.skinning.mesh import SourceMesh
from ..core.skinning.passes import Blend, Pass
from ..core.surface.weight_gradient import WeightGradient, weight_gradient
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


@dataclass(frozen=True, eq=False)
class _Known:
    """A gradient, and its source."""

    mesh: weakref.ref[SourceMesh]
    passes: tuple[weakref.ref[Pass], ...]
    gradient: WeightGradient


_known: weakref.WeakKeyDictionary[Pass, _Known] = weakref.WeakKeyDictionary()
"""By the first pass of the chain. An entry ends with that pass, which a binding and its drawings keep alive."""


def shared_gradient(passes: Sequence[Pass], mesh: SourceMesh) -> WeightGradient:
    """Return the weight gradient of a chain, computed once and shared while its passes and mesh live.

    Call it when binding: computing it takes half a second for 100,000 vertices, too slow inside a draw
    callback.
    """
    known = _known.get(passes[0])
    if known is None or known.mesh() is not mesh or [one() for one in known.passes] != list(passes):
        return share_gradient(passes, mesh, weight_gradient(passes, mesh))
    return known.gradient


def share_gradient(passes: Sequence[Pass], mesh: SourceMesh, gradient: WeightGradient) -> WeightGradient:
    """Make `shared_gradient` return this one for a chain: for a part of a mesh, it is cut out of the whole
    mesh's.
    """
    made_of = tuple(weakref.ref(one) for one in passes)
    _known[passes[0]] = _Known(weakref.ref(mesh), made_of, gradient)
    return gradient


def share_gradient_of_group(group: DrawGroup, passes: Sequence[Pass], mesh: SourceMesh) -> None:
    """Share the gradient of a group of the mesh that `passes` skin: faces beyond its border count as in the
    whole mesh.
    """
    whole = shared_gradient(passes, mesh)
    own = WeightGradient(whole.tangents[group.vertices], (whole.weights[0][group.influences],), (None,))
    share_gradient((group.skinning,), group.mesh, own)
