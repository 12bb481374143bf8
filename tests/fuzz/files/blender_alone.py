"""Opens a file with Blender and nothing else, and reads the resulting meshes: the judge of what is said about a
file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np

LEAST_WEIGHT = 1e-4
"""Vertices with no more weight than this stay in place, as can be seen in any Blender."""

GLTF_ADD_ON = "io_scene_gltf2"


@dataclass
class Deformed:
    """A mesh with an Armature modifier. positions: (V, 3) of Blender's evaluated mesh by frame, in the world.

    expected: the same by the definition of linear blend skinning, from the pose's matrices, in float64; only if
    nothing else happens to the mesh.
    """

    name: str
    positions: dict[float, np.ndarray] = field(default_factory=dict)
    expected: dict[float, np.ndarray] = field(default_factory=dict)


def opened(path: Path) -> bool:
    """Open a file as Skinscope does, with Blender's own operators; tell whether Blender reports success."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    name = str(path)
    try:
        if path.suffix == ".blend":
            result = bpy.ops.wm.open_mainfile(filepath=name, load_ui=False, use_scripts=False)
        elif path.suffix in (".glb", ".gltf"):
            if "gltf" not in dir(bpy.ops.import_scene):
                bpy.ops.preferences.addon_enable(module=GLTF_ADD_ON)
            result = bpy.ops.import_scene.gltf(filepath=name)
        elif path.suffix == ".fbx":
            result = _fbx_importer()(filepath=name)
        else:
            result = bpy.ops.wm.usd_import(filepath=name)
    except RuntimeError:
        return False
    return "FINISHED" in result


def _fbx_importer() -> Callable[..., set[str]]:
    """Return Blender's own importer, introduced in 4.5, or else the add-on's."""
    if "fbx_import" in dir(bpy.ops.wm):
        return bpy.ops.wm.fbx_import
    if "fbx" not in dir(bpy.ops.import_scene):
        bpy.ops.preferences.addon_enable(module="io_scene_fbx")
    return bpy.ops.import_scene.fbx


def deformed_meshes() -> list[Deformed]:
    """List the open scene's armature-deformed meshes, without their positions."""
    return [
        Deformed(one.name)
        for one in bpy.context.scene.objects
        if one.type == "MESH"
        and any(modifier.type == "ARMATURE" and modifier.object is not None for modifier in one.modifiers)
    ]


def read_frame(meshes: list[Deformed], frame: float) -> None:
    """Set a frame and read the meshes."""
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for one in meshes:
        original = bpy.context.scene.objects[one.name]
        evaluated = original.evaluated_get(depsgraph)
        to_world = np.array(evaluated.matrix_world)
        one.positions[frame] = _transformed(_coordinates(evaluated.data), to_world)
        if (skinned := _skinned(original, evaluated, depsgraph)) is not None:
            one.expected[frame] = _transformed(skinned, to_world)


def _coordinates(mesh: bpy.types.Mesh) -> np.ndarray:
    positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", positions.reshape(-1))
    return positions.astype(np.float64)


def _transformed(positions: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return positions @ matrix[:3, :3].T + matrix[:3, 3]


def _skinned(
    original: bpy.types.Object, evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> np.ndarray | None:
    """Skin by the definition, vertex by vertex; None if anything but one plain Armature modifier changes the
    mesh.
    """
    modifier = original.modifiers[0]
    armature = modifier.object
    if len(original.modifiers) != 1 or original.data.shape_keys is not None or armature.type != "ARMATURE":
        return None
    if modifier.use_bone_envelopes or modifier.use_deform_preserve_volume or modifier.vertex_group:
        return None
    if any(bone.bone.bbone_segments > 1 for bone in armature.pose.bones):
        return None
    posed = armature.evaluated_get(depsgraph)
    try:
        to_armature = np.linalg.inv(np.array(posed.matrix_world)) @ np.array(evaluated.matrix_world)
        final = {
            bone.name: np.linalg.inv(to_armature)
            @ np.array(bone.matrix)
            @ np.linalg.inv(np.array(bone.bone.matrix_local))
            @ to_armature
            for bone in posed.pose.bones
            if bone.bone.use_deform
        }
    except np.linalg.LinAlgError:
        return None
    names = {group.index: group.name for group in original.vertex_groups}
    skinned = _coordinates(original.data)
    for vertex in original.data.vertices:
        pairs = [
            (final[names[one.group]], one.weight) for one in vertex.groups if names.get(one.group) in final
        ]
        total = sum(weight for _, weight in pairs)
        if total > LEAST_WEIGHT:
            blended = sum(weight * matrix for matrix, weight in pairs) / total
            skinned[vertex.index] = (blended @ np.append(skinned[vertex.index], 1))[:3]
    return skinned
