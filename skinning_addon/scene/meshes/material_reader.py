"""A mesh object's materials -> color and base-color image, as a game's simplest shader would show them."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass
from typing import cast

import bpy

from ..identification import identity, seen_from_file


@dataclass(frozen=True, eq=False)
class MaterialAppearance:
    """color: linear Rec.709. image: the base-color texture, multiplied by it, or None.

    Holds a Blender object: use it immediately.
    """

    color: tuple[float, float, float]
    image: bpy.types.Image | None


@dataclass(frozen=True)
class MaterialEntry:
    """An entry in a list of material slots.

    name, library: of the material; None if the slot is empty or the material is local, respectively. color: the
    viewport's, linear Rec.709.
    image, image_file: the base-color texture, and its file relative to the open one; None if there is no
    texture, or for a packed or generated image, no file.
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
    """Read every slot's material: its viewport color, or the image connected to its shader's base color."""
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
    """Follow nodes' first inputs back to a texture: importers insert a mix node if there are vertex colors."""
    source, passed = link.from_node, set[str]()
    # Blender allows circular links between nodes, and shows them in red.
    while source is not None and source.name not in passed:
        if isinstance(source, bpy.types.ShaderNodeTexImage):
            return source
        passed.add(source.name)
        links = [each for socket in source.inputs for each in (socket.links or ())]
        source = links[0].from_node if links else None
    return None


def _loads(image: bpy.types.Image) -> bool:
    """Tell whether the image has pixels, loading them if needed: a missing file would be drawn in magenta."""
    return image.has_data or len(cast("Sized", image.pixels)) > 0
