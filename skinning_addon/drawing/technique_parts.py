"""The parts that each technique draws a mesh in."""

from __future__ import annotations

from ..core.groups.draw_groups import draw_mesh_of, shared_draw_groups
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.skinning.passes import Pass
from .draw_call import DrawCall, GroupPart, Part
from .normal_policy import NormalPolicy, best_policy, share_gradient_of_group
from .processor_part import ProcessorPart
from .storage import AUTOMATIC_STORAGE, Storage


def whole_part(
    passes: tuple[Pass, ...], mesh: SourceMesh, draw_mesh: DrawMesh, storage: Storage = AUTOMATIC_STORAGE
) -> tuple[Part, ...]:
    """Draw all of the mesh at once."""
    return (DrawCall(passes, mesh, draw_mesh, storage=storage),)


def software_part(passes: tuple[Pass, ...], mesh: SourceMesh, draw_mesh: DrawMesh) -> tuple[Part, ...]:
    """Skin the whole mesh on the processor."""
    return (ProcessorPart(passes, mesh, draw_mesh),)


def group_parts(
    passes: tuple[Pass, ...], mesh: SourceMesh, draw_mesh: DrawMesh, limit: int, storage: Storage
) -> tuple[Part, ...]:
    """Draw the mesh in groups of at most `limit` joints. The processor skins the rest.

    draw_mesh: its triangles in the order of `mesh.triangles`.

    Raises:
        BindingError: the passes can't be cut up; see `draw_groups`.
    """
    cut = shared_draw_groups(passes, mesh, limit)
    normals = best_policy(passes)
    groups = (*cut.groups, *(() if cut.rest is None else (cut.rest,)))
    if normals is NormalPolicy.WEIGHT_GRADIENT:
        for group in groups:
            share_gradient_of_group(group, passes, mesh)
    parts: list[Part] = [GroupPart(group, draw_mesh, normals, storage) for group in cut.groups]
    if cut.rest is not None:
        rest = cut.rest
        drawn = draw_mesh_of(rest, draw_mesh)
        parts.append(ProcessorPart((rest.skinning,), rest.mesh, drawn, normals, rest))
    return tuple(parts)
