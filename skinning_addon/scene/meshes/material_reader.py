"""Materials of a mesh object -> colour and base-colour image, as far as a game's simplest shader would show
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass
from typing import cast

import bpy

from ..identification import identity, seen_from_file


@dataclass(frozen=True, eq=False)
class MaterialAppearance:
    """color: linear Rec.709. image: the base-colour texture, multiplied by it; None where there is none.

    Holds a Blender object: use it at once.
    """

    color: tuple[float, float, float]
    image: bpy.types.Image | None


@dataclass(frozen=True)
class MaterialEntry:
    """A material slot as a list names it.

    name, library: of the material; None where the slot is empty, or the material local. color: linear Rec.709,
    the viewport's.
    image, image_file: the base-colour texture, and the file that it lies in as seen from the open one; None
    where there is none, or it is packed or made by Blender.
    """

    name: str | None
    library: str | None
    color: tuple[float, float, float]
    image: str | None
    image_file: str | None


def list_materials(mesh_object: bpy.types.Object) -> list[MaterialEntry]:
    """List the material of every slot; no image is loaded."""
    return [_entry(slot.material) for slot in mesh_object.material_slots]


def _entry(material: bpy.types.Material | None) -> MaterialEntry:
    if material is None:
        return MaterialEntry(None, None, (0.8, 0.8, 0.8), None, None)
    which = identity(material)
    image = next(_base_color_images(material), None)
    red, green, blue, _ = material.diffuse_color
    in_file = image is not None and image.source != "GENERATED" and image.packed_file is None
    return MaterialEntry(
        which.name,
        which.library,
        (red, green, blue),
        None if image is None else image.name,
        seen_from_file(image.filepath) if image is not None and in_file else None,
    )


def read_materials(mesh_object: bpy.types.Object) -> list[MaterialAppearance]:
    """Read the material of every slot: its viewport colour, or the image that feeds the base colour of its
    shader.
    """
    return [_appearance(slot.material) for slot in mesh_object.material_slots]


def _appearance(material: bpy.types.Material | None) -> MaterialAppearance:
    if material is None:
        return MaterialAppearance((0.8, 0.8, 0.8), None)
    image = next(filter(_loads, _base_color_images(material)), None)
    red, green, blue, _ = material.diffuse_color
    return MaterialAppearance((1.0, 1.0, 1.0) if image else (red, green, blue), image)


def _base_color_images(material: bpy.types.Material) -> Iterator[bpy.types.Image]:
    if material.node_tree is None:
        return
    for node in material.node_tree.nodes:
        if not isinstance(node, bpy.types.ShaderNodeBsdfPrincipled):
            continue
        for link in cast("bpy.types.NodeInputs", node.inputs)["Base Color"].links or ():
            source = _texture_before(link)
            if source is not None and source.image:
                yield source.image


def _texture_before(link: bpy.types.NodeLink) -> bpy.types.ShaderNodeTexImage | None:
    """Follow the first inputs of nodes back to a texture: importers put a mix there where vertex colours take
    part.
    """
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
