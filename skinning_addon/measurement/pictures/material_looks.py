"""Materials read from the scene, for the drawing layer."""

from __future__ import annotations

import bpy
import gpu

from ...drawing.materials import MaterialLook
from ...scene.meshes.material_reader import read_materials


def material_looks(mesh_object: bpy.types.Object) -> list[MaterialLook]:
    """Return how each material slot of an object looks. Blender keeps the textures on the GPU; needs a GPU."""
    return [
        MaterialLook(one.color, gpu.texture.from_image(one.image) if one.image else None)
        for one in read_materials(mesh_object)
    ]
