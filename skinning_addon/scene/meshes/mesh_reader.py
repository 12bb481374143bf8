"""Mesh -> SourceMesh and DrawMesh, by bulk calls only."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skinning.mesh import DrawMesh, SourceMesh, draw_mesh


def read_positions(mesh: bpy.types.Mesh, into: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """Read (V, 3) float32 vertex positions, mesh space. into: memory for them, used if it is as long.

    The position attribute is a plain copy; `vertices.foreach_get("co")` takes thirty times as long.
    """
    count = len(mesh.vertices)
    positions = into if into is not None and len(into) == count else np.empty((count, 3), dtype=np.float32)
    if count:
        cast("bpy.types.FloatVectorAttribute", mesh.attributes["position"]).data.foreach_get(
            "vector", positions.reshape(-1)
        )
    return positions


def has_stray_corners(mesh: bpy.types.Mesh) -> bool:
    """Tell whether there are face corners after those of the last face, as in damaged glTF files.

    Blender considers such a mesh valid, but crashes when its normals or triangles are requested.
    """
    last = mesh.polygons[-1] if len(mesh.polygons) else None
    return len(mesh.loops) != (last.loop_start + last.loop_total if last is not None else 0)


def read_vertex_normals(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """Read (V, 3) float32 unit normals, which Blender computes from the faces around each vertex."""
    normals = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    if len(normals):
        mesh.vertex_normals.foreach_get("vector", normals.reshape(-1))
    return normals


def read_corner_vertices(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    """Read (C,) int32, the vertex of each face corner. A plain copy, like `read_positions`."""
    vertices = np.empty(len(mesh.loops), dtype=np.int32)
    if len(vertices):
        cast("bpy.types.IntAttribute", mesh.attributes[".corner_vert"]).data.foreach_get("value", vertices)
    return vertices


def read_corner_normals(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """Read (C, 3) float32 unit normals of the face corners: flat, smooth or custom."""
    normals = np.empty((len(mesh.loops), 3), dtype=np.float32)
    if len(normals):
        mesh.corner_normals.foreach_get("vector", normals.reshape(-1))
    return normals


def read_corner_tangents(mesh: bpy.types.Mesh) -> NDArray[np.float32] | None:
    """Read (C, 3) float32 unit tangents of the face corners, by the UV map that renders. None where Blender has
    none: without a UV map or faces, or if a face has more than four corners.
    """
    layer = next((one for one in mesh.uv_layers if one.active_render), None)
    if layer is None or not len(mesh.loops):
        return None
    try:
        mesh.calc_tangents(uvmap=layer.name)
    except RuntimeError:
        return None
    tangents = np.empty((len(mesh.loops), 3), dtype=np.float32)
    mesh.loops.foreach_get("tangent", tangents.reshape(-1))
    mesh.free_tangents()
    return tangents


def read_source_mesh(mesh: bpy.types.Mesh) -> SourceMesh:
    """Read a mesh's data for skinning: positions, normals, edges, triangles and their materials."""
    edges = np.empty((len(mesh.edges), 2), dtype=np.int32)
    if len(edges):
        mesh.edges.foreach_get("vertices", edges.reshape(-1))
    triangles = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    if len(triangles):
        mesh.loop_triangles.foreach_get("vertices", triangles.reshape(-1))
    return SourceMesh(
        read_positions(mesh), read_vertex_normals(mesh), edges, triangles, _read_triangle_material(mesh)
    )


def read_draw_mesh(mesh: bpy.types.Mesh) -> DrawMesh:
    """Read a mesh's data for drawing: corner normals (flat, smooth or custom) and the active render UV map."""
    triangle_corners = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    if len(triangle_corners):
        mesh.loop_triangles.foreach_get("loops", triangle_corners.reshape(-1))
    return draw_mesh(
        read_corner_vertices(mesh),
        read_corner_normals(mesh),
        _read_uv(mesh),
        triangle_corners,
        _read_triangle_material(mesh),
    )


def read_corner_mesh(mesh: bpy.types.Mesh) -> DrawMesh:
    """Read a mesh's data for drawing, with one drawn vertex per face corner, in order.

    Identical vertices are not merged: at another frame, their normals may differ.
    """
    triangles = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    if len(triangles):
        mesh.loop_triangles.foreach_get("loops", triangles.reshape(-1))
    uv = _read_uv(mesh)
    if uv is None:
        uv = np.zeros((len(mesh.loops), 2), dtype=np.float32)
    corners, normals = read_corner_vertices(mesh), read_corner_normals(mesh)
    return DrawMesh(corners, triangles, normals, uv, _read_triangle_material(mesh))


def _read_triangle_material(mesh: bpy.types.Mesh) -> NDArray[np.int32] | None:
    """Read (T,), the slot of each triangle's material; None if it is the first for all.

    Blender shows faces with a nonexistent slot, which scripts can set, with the first or the last one.
    """
    material = np.zeros(len(mesh.polygons), dtype=np.int32)
    if len(mesh.polygons):
        mesh.polygons.foreach_get("material_index", material)
    if not material.any():
        return None
    polygon = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", polygon)
    slots = np.clip(material, 0, max(len(mesh.materials) - 1, 0))[polygon]
    return slots if slots.any() else None


def _read_uv(mesh: bpy.types.Mesh) -> NDArray[np.float32] | None:
    layer = next((layer for layer in mesh.uv_layers if layer.active_render), None)
    if layer is None or len(layer.uv) != len(mesh.loops):
        return None
    uv = np.empty((len(mesh.loops), 2), dtype=np.float32)
    if len(uv):
        layer.uv.foreach_get("vector", uv.reshape(-1))
    return uv
