"""Compares a mesh skinned by Skinscope with Blender's own evaluated mesh."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader


def relative_deviation(mesh_object: bpy.types.Object, *, by_hierarchy: bool = False) -> float:
    """Skin `mesh_object` at the current frame; return the largest distance to Blender's mesh / (diagonal +
    displacement).

    Blender's side is read vertex by vertex and the figure computed here, so that no reader judges itself.
    """
    return relative_distance(mesh_object, skinned_positions(mesh_object, by_hierarchy=by_hierarchy))


def skinned_positions(mesh_object: bpy.types.Object, *, by_hierarchy: bool = False) -> np.ndarray:
    """Skin `mesh_object` at the current frame, (V, 3) float64."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(mesh_object, depsgraph)
    frame = FrameReader(binding).read(mesh_object, depsgraph, by_hierarchy=by_hierarchy)
    return SoftwareSkinner(frame.chain, binding.mesh).skin(frame.palettes).positions.astype(np.float64)


def relative_distance(mesh_object: bpy.types.Object, skinned: np.ndarray) -> float:
    """Compare (V, 3) positions with the first V vertices of Blender's evaluated mesh.

    Modifiers such as Edge Split add vertices at the end.
    """
    return compare(mesh_object, skinned).relative


@dataclass(frozen=True)
class Comparison:
    """distance: the largest, mesh space. diagonal: of the rest mesh. moved: the largest displacement in
    Blender's result.
    """

    distance: float
    diagonal: float
    moved: float

    @property
    def relative(self) -> float:
        return self.distance / (self.diagonal + self.moved)


def compare(mesh_object: bpy.types.Object, skinned: np.ndarray) -> Comparison:
    """Compare (V, 3) positions as `relative_distance` does, reading each mesh only once, since reading by
    vertex is slow.
    """
    rest, blender = rest_positions(mesh_object), blender_positions(mesh_object)
    distance = float(np.linalg.norm(skinned - blender[: len(skinned)], axis=1).max())
    return Comparison(distance, *_diagonal_and_displacement(rest, blender))


def size_of_motion(mesh_object: bpy.types.Object) -> float:
    """Return the diagonal of the rest mesh + the largest displacement in Blender's result, mesh space."""
    return sum(_diagonal_and_displacement(rest_positions(mesh_object), blender_positions(mesh_object)))


def _diagonal_and_displacement(rest: np.ndarray, blender: np.ndarray) -> tuple[float, float]:
    # Modifiers before the armature may have changed the topology; the size of their input will do as well.
    moved = np.linalg.norm(blender - rest, axis=1).max() if len(blender) == len(rest) else 0.0
    return float(np.linalg.norm(np.ptp(rest, axis=0))), float(moved)


def rest_positions(mesh_object: bpy.types.Object) -> np.ndarray:
    return np.array([vertex.co.to_tuple() for vertex in mesh_object.data.vertices], dtype=np.float64)


def blender_positions(mesh_object: bpy.types.Object) -> np.ndarray:
    evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co.to_tuple() for vertex in evaluated.vertices], dtype=np.float64)
