"""The draw calls in which each technique draws a mesh."""

from __future__ import annotations

from ..core.groups.draw_groups import DrawGroup, draw_mesh_of
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.surface.weight_gradient import WeightGradient
from .chain_cache import ChainCache
from .cpu_draw_call import CpuDrawCall
from .draw_call import DrawCall, GpuDrawCall, GroupDrawCall
from .storage import AUTOMATIC_STORAGE, Storage


def whole_draw_call(
    cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh, storage: Storage = AUTOMATIC_STORAGE
) -> tuple[DrawCall, ...]:
    """Draw all of the mesh at once."""
    return (GpuDrawCall(cache.passes, mesh, draw_mesh, storage=storage, gradient=cache.gradient(mesh)),)


def software_draw_call(cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh) -> tuple[DrawCall, ...]:
    """Skin the whole mesh on the CPU."""
    return (CpuDrawCall(cache.passes, mesh, draw_mesh, cache.gradient(mesh)),)


def group_draw_calls(
    cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh, limit: int, storage: Storage
) -> tuple[DrawCall, ...]:
    """Draw the mesh in groups of at most `limit` joints. The CPU skins the rest.

    draw_mesh: its triangles in the order of `mesh.triangles`.

    Raises:
        BindingError: the passes can't be cut up; see `draw_groups`.
    """
    cut = cache.groups(mesh, limit)
    whole = cache.gradient(mesh)
    draw_calls: list[DrawCall] = [
        GroupDrawCall(group, draw_mesh, storage, _gradient_of_group(group, whole)) for group in cut.groups
    ]
    if cut.rest is not None:
        rest = cut.rest
        drawn = draw_mesh_of(rest, draw_mesh)
        gradient = _gradient_of_group(rest, whole)
        draw_calls.append(CpuDrawCall((rest.skinning,), rest.mesh, drawn, gradient, rest))
    return tuple(draw_calls)


def _gradient_of_group(group: DrawGroup, whole: WeightGradient | None) -> WeightGradient | None:
    """Cut a group's gradient out of the whole mesh's: faces beyond the group's border count too."""
    if whole is None:
        return None
    return WeightGradient(whole.tangents[group.vertices], (whole.weights[0][group.influences],), (None,))
