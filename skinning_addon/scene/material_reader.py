"""Materials of a mesh object -> colour and base-colour image, as far as a game's simplest shader would show them."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import cast

import bpy


@dataclass(frozen=True, eq=False)
class MaterialAppearance:
    """color: linear Rec.709. image: the base-colour texture, multiplied by it; None where there is none.

    Holds a Blender object: use it at once.
    """

    color: tuple[float, float, float]
    image: bpy.types.Image | None


def read_materials(mesh_object: bpy.types.Object) -> list[MaterialAppearance]:
    """Read the material of every slot: its viewport colour, or the image that feeds the base colour of its shader."""
    return [_appearance(slot.material) for slot in mesh_object.material_slots]


def _appearance(material: bpy.types.Material | None) -> MaterialAppearance:
    if material is None:
        return MaterialAppearance((0.8, 0.8, 0.8), None)
    image = _base_color_image(material)
    red, green, blue, _ = material.diffuse_color
    return MaterialAppearance((1.0, 1.0, 1.0) if image else (red, green, blue), image)


def _base_color_image(material: bpy.types.Material) -> bpy.types.Image | None:
    if material.node_tree is None:
        return None
    for node in material.node_tree.nodes:
        if not isinstance(node, bpy.types.ShaderNodeBsdfPrincipled):
            continue
        for link in cast("bpy.types.NodeInputs", node.inputs)["Base Color"].links or ():
            source = _texture_before(link)
            if source is not None and source.image and _loads(source.image):
                return source.image
    return None


def _texture_before(link: bpy.types.NodeLink) -> bpy.types.ShaderNodeTexImage | None:
    """Follow the first inputs of nodes back to a texture: importers put a mix there where vertex colours take part."""
    source, passed = link.from_node, set[str]()
    # Blender lets people link nodes in a circle, and shows that in red.
    while source is not None and source.name not in passed:
        if isinstance(source, bpy.types.ShaderNodeTexImage):
            return source
        passed.add(source.name)
        links = [each for socket in source.inputs for each in (socket.links or ())]
        source = links[0].from_node if links else None
    return None


def _loads(image: bpy.types.Image) -> bool:
    """Tell whether the image has pixels, loading them if need be: a missing file would be drawn in magenta."""
    return image.has_data or len(cast("Sized", image.pixels)) > 0
