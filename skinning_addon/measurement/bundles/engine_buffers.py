"""The arrays `export` writes for an engine's own buffers, by name: packed weights and indices, and draw
calls.

docs/export-format.md describes the keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.packing import bone_combinations, packed_skin
from ...core.profiles.profile import Profile, ShaderNormalise
from ...core.skinning.mesh import DrawMesh, SourceMesh
from ...core.skinning.palette import Palette
from ...core.skinning.passes import Blend, Pass
from ...core.skinning.skin import Skin
from ...scene.binding.binding_reader import read_binding
from ...scene.meshes.mesh_reader import read_draw_mesh
from ...scene.meshes.stack_input import input_mesh

Arrays = dict[str, NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class EngineBuffers:
    """stored: the passes with weights as the engine stores them. drawn: the vertices as drawn."""

    stored: tuple[Pass, ...]
    drawn: DrawMesh


def read_engine_buffers(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, profile: Profile
) -> EngineBuffers:
    """Read a mesh object at the current frame.

    Raises:
        BindingError: it can't be skinned.
    """
    # Not normalised yet: the shader does that division itself.
    undivided = replace(profile, shader=replace(profile.shader, normalise=ShaderNormalise.NEVER))
    stored = read_binding(mesh_object, depsgraph, profile=undivided).passes
    with input_mesh(mesh_object, depsgraph) as mesh:
        return EngineBuffers(stored, read_draw_mesh(mesh))


def drawn_arrays(drawn: DrawMesh) -> Arrays:
    """Return the drawn vertices, one per distinct vertex, normal and uv, and each triangle's material."""
    material = np.zeros(len(drawn.triangles), dtype=np.int32) if drawn.material is None else drawn.material
    return {
        "drawn_vertex": drawn.source_vertex,
        "drawn_normals": drawn.normals,
        "drawn_uv": drawn.uv,
        "drawn_triangles": drawn.triangles,
        "triangle_materials": material,
    }


def packed_arrays(one: Pass, stored: Pass, profile: Profile, mesh: SourceMesh) -> Arrays:
    """Return the buffers of one pass. one: as it skins; stored: with its weights as stored."""
    skin = one.skin.normalised() if profile.is_blender else _over_joints_of(one, stored)
    packed = packed_skin(skin, profile)
    arrays: Arrays = {"packed_joints": packed.joints, "packed_weights": packed.weights}
    if profile.palette.split_at is None or one.blend is not Blend.LINEAR or one.amount is not None:
        return arrays
    table = bone_combinations(skin, packed, mesh, profile)
    return arrays | {
        "call_materials": table.materials,
        "call_slot_joints": table.slot_joints,
        "call_vertices": table.vertices,
        "call_vertex_starts": table.vertex_starts,
        "call_triangles": table.triangles,
        "call_triangle_starts": table.triangle_starts,
        "call_corners": table.corners,
        "call_packed_joints": table.slots,
        "oversized_triangles": table.oversized,
    }


def packed_palette(palette: Palette, profile: Profile) -> NDArray[np.float32]:
    """Return a palette as the engine's buffer holds it: (J, 3, 4) rows, or (J, 4, 4) matrices."""
    return palette.rows() if profile.palette.rows == 3 else palette.final


def _over_joints_of(one: Pass, stored: Pass) -> Skin:
    """Return the stored weights over the joints of the pass that skins; the pull to the origin isn't
    stored.
    """
    index_of = {key: joint for joint, key in reversed(list(enumerate(_keys(one))))}
    number = np.array([index_of.get(key, 0) for key in _keys(stored)], dtype=np.int32)
    skin = stored.skin
    bone = stored.joints.bone[skin.joints]
    kept = bone >= 0
    return Skin.from_entries(
        skin.vertex_of_influence[kept], number[skin.joints[kept]], skin.weights[kept], skin.vertex_count
    )


def _keys(one: Pass) -> list[tuple[int, int]]:
    return list(zip(one.joints.bone.tolist(), one.joints.segment.tolist(), strict=True))
