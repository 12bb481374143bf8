"""What Blender shows of originals and copies."""

from __future__ import annotations

import bpy
import numpy as np

from skinning_addon.scene.clips.clips import SceneClip
from skinning_addon.scene.clips.playback import play_part, stop_animation


def world_positions(mesh: bpy.types.Object) -> np.ndarray:
    """(V, 3) of Blender's evaluated mesh, in the world."""
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty(3 * len(evaluated.data.vertices), dtype=np.float32)
    evaluated.data.vertices.foreach_get("co", positions)
    to_world = np.array(evaluated.matrix_world)
    return positions.reshape(-1, 3) @ to_world[:3, :3].T + to_world[:3, 3]


def rest_positions(mesh: bpy.types.Object) -> np.ndarray:
    """(V, 3) float32 of the mesh itself."""
    positions = np.empty(3 * len(mesh.data.vertices), dtype=np.float32)
    mesh.data.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3)


def rest_matrices(armature: bpy.types.Object) -> dict[str, np.ndarray]:
    """By bone, (4, 4) float32, as Blender writes them."""
    return {bone.name: np.array(bone.matrix_local, dtype=np.float32) for bone in armature.data.bones}


def weights(mesh: bpy.types.Object) -> list[dict[str, float]]:
    """Of each vertex, its weights by group; those of 0 left out."""
    names = [group.name for group in mesh.vertex_groups]
    return [
        {names[one.group]: one.weight for one in vertex.groups if one.weight > 0}
        for vertex in mesh.data.vertices
    ]


def play(armature: bpy.types.Object, clip: SceneClip) -> None:
    """Play a clip on one armature."""
    stop_animation(armature)
    (part,) = (one for one in clip.parts if one.armature == armature.name)
    play_part(armature, part)
