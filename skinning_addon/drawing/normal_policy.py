"""How skinning turns normals; one file of gpu_shaders/lib each."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ..core.groups.draw_groups import DrawGroup
from ..core.skinning.mesh import SourceMesh
from ..core.skinning.palette import Blend, Pass
from ..core.surface.weight_gradient import WeightGradient, weight_gradient
from ..core.text.message import Message


class NormalPolicy(Enum):
    """The value is the part of the shaders that does it."""

    BLENDED = "lib/normals_blended.glsl"
    """By the blended matrix itself, as many engines have it."""
    COFACTOR = "lib/normals_cofactor.glsl"
    """By its cofactors: right under uneven scale too."""
    WEIGHT_GRADIENT = "lib/normals_gradient.glsl"
    """By how skinning bends the surface, changing weights included, as Blender's recomputed normals are."""


def best_policy(passes: Sequence[Pass]) -> NormalPolicy:
    """Return the policy that comes closest to Blender's normals, or to the engine's whose blend these passes have."""
    return NormalPolicy.COFACTOR if reason_against_gradient(passes) else NormalPolicy.WEIGHT_GRADIENT


def reason_against_gradient(passes: Sequence[Pass]) -> Message | None:
    """Say why normals go by cofactors, or by the blended rotation, although the weight gradient would be closer."""
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
    """A gradient, and what it was made of."""

    mesh: weakref.ref[SourceMesh]
    passes: tuple[weakref.ref[Pass], ...]
    gradient: WeightGradient


_known: weakref.WeakKeyDictionary[Pass, _Known] = weakref.WeakKeyDictionary()
"""By the first pass of the chain. An entry ends with that pass, which a binding and its drawings keep alive."""


def shared_gradient(passes: Sequence[Pass], mesh: SourceMesh) -> WeightGradient:
    """Return the weight gradient of a chain, computed once for all who ask while its passes and mesh live.

    Binding asks first: computing it takes half a second for 100,000 vertices, which nobody who draws has.
    """
    known = _known.get(passes[0])
    if known is None or known.mesh() is not mesh or [one() for one in known.passes] != list(passes):
        return share_gradient(passes, mesh, weight_gradient(passes, mesh))
    return known.gradient


def share_gradient(passes: Sequence[Pass], mesh: SourceMesh, gradient: WeightGradient) -> WeightGradient:
    """Have `shared_gradient` return this one for a chain: of a part of a mesh it is cut out of the whole mesh's."""
    made_of = tuple(weakref.ref(one) for one in passes)
    _known[passes[0]] = _Known(weakref.ref(mesh), made_of, gradient)
    return gradient


def share_gradient_of_group(group: DrawGroup, passes: Sequence[Pass], mesh: SourceMesh) -> None:
    """Share the gradient of a group of the mesh that `passes` skin: faces beyond its border count as they do there."""
    whole = shared_gradient(passes, mesh)
    own = WeightGradient(whole.tangents[group.vertices], (whole.weights[0][group.influences],), (None,))
    share_gradient((group.skinning,), group.mesh, own)
