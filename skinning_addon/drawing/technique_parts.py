"""The parts that each technique draws a mesh in."""

from __future__ import annotations

from ..core.groups.draw_groups import DrawGroup, draw_mesh_of
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.surface.weight_gradient import WeightGradient
from .chain_cache import ChainCache
from .draw_call import DrawCall, GroupPart, Part
from .processor_part import ProcessorPart
from .storage import AUTOMATIC_STORAGE, Storage


def whole_part(
    cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh, storage: Storage = AUTOMATIC_STORAGE
) -> tuple[Part, ...]:
    """Draw all of the mesh at once."""
    return (DrawCall(cache.passes, mesh, draw_mesh, storage=storage, gradient=cache.gradient(mesh)),)


def software_part(cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh) -> tuple[Part, ...]:
    """Skin the whole mesh on the processor."""
    return (ProcessorPart(cache.passes, mesh, draw_mesh, cache.gradient(mesh)),)


def group_parts(
    cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh, limit: int, storage: Storage
) -> tuple[Part, ...]:
    """Draw the mesh in groups of at most `limit` joints. The processor skins the rest.

    draw_mesh: its triangles in the order of `mesh.triangles`.

    Raises:
        BindingError: the passes can't be cut up; see `draw_groups`.
    """
    cut = cache.groups(mesh, limit)
    whole = cache.gradient(mesh)
    parts: list[Part] = [
        GroupPart(group, draw_mesh, storage, _gradient_of_group(group, whole)) for group in cut.groups
    ]
    if cut.rest is not None:
        rest = cut.rest
        drawn = draw_mesh_of(rest, draw_mesh)
        gradient = _gradient_of_group(rest, whole)
        parts.append(ProcessorPart((rest.skinning,), rest.mesh, drawn, gradient, rest))
    return tuple(parts)


def _gradient_of_group(group: DrawGroup, whole: WeightGradient | None) -> WeightGradient | None:
    """Cut a group's gradient out of the whole mesh's: faces beyond the group's border count too."""
    if whole is None:
        return None
    return WeightGradient(whole.tangents[group.vertices], (whole.weights[0][group.influences],), (None,))
