"""Blender's own deformation of a mesh: the reference that skinning is measured against."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import BindingError
from ..identification import find_object, identity
from ..object_data import mesh_of
from .mesh_reader import read_positions, read_vertex_normals


@dataclass(frozen=True, eq=False)
class BlenderResult:
    """positions, normals: (V, 3) float32, mesh space, at the end of the modifier stack or of its armatures."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


def read_blender_result(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, vertex_count: int
) -> BlenderResult:
    """Read the result of Blender's whole modifier stack for `mesh_object` at the current frame.

    vertex_count: of the bound mesh, see `evaluated_mesh_of`.

    Raises:
        BindingError: see `read_blender_positions`.
    """
    return result_of_mesh(evaluated_mesh(mesh_object, depsgraph), identity(mesh_object), vertex_count)


def read_blender_positions(
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    vertex_count: int,
    into: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Read only the positions of `read_blender_result`: Blender computes normals only on request.

    into: see `read_positions`.

    Raises:
        BindingError: Blender's result has fewer vertices, or contains NaN.
    """
    mesh = evaluated_mesh(mesh_object, depsgraph)
    return _positions_of_mesh(mesh, identity(mesh_object), vertex_count, into)


def result_of_mesh(mesh: bpy.types.Mesh, mesh_object: str, vertex_count: int) -> BlenderResult:
    """Read an evaluated mesh; mesh_object is the name of its object.

    Raises:
        BindingError: see `read_blender_positions`.
    """
    positions = _positions_of_mesh(mesh, mesh_object, vertex_count)
    return BlenderResult(positions, read_vertex_normals(mesh)[:vertex_count])


def _positions_of_mesh(
    mesh: bpy.types.Mesh, mesh_object: str, vertex_count: int, into: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    positions = read_positions(_with_vertices(mesh, mesh_object, vertex_count), into)
    if len(positions) != vertex_count:
        positions = positions[:vertex_count]
    if not _is_finite(positions):
        raise not_finite(mesh_object)
    return positions


def not_finite(mesh_object: str) -> BindingError:
    """Say that Blender's result of a mesh has positions that are no numbers, and which of its own vertices has
    such coordinates, if one does. mesh_object: identity.
    """
    found = find_object(mesh_object)
    if found is not None:
        mesh = mesh_of(found)
        for number in _not_numbers(read_positions(mesh)):
            return BindingError(
                "Vertex {vertex} of '{mesh}' has coordinates that are infinite or not a number; give it "
                "others, or delete it.",
                rule="blender-not-finite",
                mesh=mesh_object,
                vertex=number,
            )
        for key in mesh.shape_keys.key_blocks if mesh.shape_keys else ():
            positions = np.empty((len(key.data), 3), dtype=np.float32)
            key.data.foreach_get("co", positions.reshape(-1))
            for number in _not_numbers(positions):
                return BindingError(
                    "The shape key '{key}' of '{mesh}' puts vertex {vertex} where coordinates are infinite or "
                    "not a number; move that vertex in it, or delete the key.",
                    rule="blender-not-finite",
                    mesh=mesh_object,
                    key=key.name,
                    vertex=number,
                )
    return BindingError(
        "Blender's own result for '{mesh}' contains invalid numbers, for example from a bendy bone "
        "scaled to length 0; change the pose.",
        rule="blender-not-finite",
        mesh=mesh_object,
    )


def _not_numbers(positions: NDArray[np.float32]) -> list[int]:
    """Return which of (V, 3) positions are infinite or not a number."""
    return np.flatnonzero(~np.isfinite(positions).all(axis=1)).tolist()


def _is_finite(positions: NDArray[np.float32]) -> bool:
    """Whether all positions are finite. The largest and the smallest number tell, since NaN counts as both:
    heat maps ask at every frame.
    """
    with np.errstate(invalid="ignore"):
        return not positions.size or bool(np.isfinite(positions.max()) and np.isfinite(positions.min()))


def evaluated_mesh_of(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, vertex_count: int
) -> bpy.types.Mesh:
    """Return the mesh at the end of the modifier stack, if its vertices match the bound mesh's.

    A modifier that adds vertices at the end (Edge Split) keeps the first `vertex_count` in place.

    Raises:
        BindingError: Blender's result has fewer vertices, so they can't be matched one to one.
    """
    return _with_vertices(evaluated_mesh(mesh_object, depsgraph), identity(mesh_object), vertex_count)


def _with_vertices(mesh: bpy.types.Mesh, mesh_object: str, vertex_count: int) -> bpy.types.Mesh:
    if len(mesh.vertices) < vertex_count:
        raise BindingError(
            "Blender's result for '{mesh}' has {found} vertices instead of {expected}; leave Edit Mode, "
            "show the object, and switch off modifiers that remove vertices.",
            rule="vertices-differ",
            mesh=mesh_object,
            found=len(mesh.vertices),
            expected=vertex_count,
        )
    return mesh


def evaluated_mesh(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Mesh:
    """Return the mesh at the end of the modifier stack; owned by the depsgraph, and valid until that
    changes.
    """
    return mesh_of(mesh_object.evaluated_get(depsgraph))
