"""Vertex numbers, stored in an attribute that is exported, to identify the vertices of the file.

This changes meshes: only for files that were opened for it and are never saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import bpy
import numpy as np

from ...core.gltf.primitives import SOURCE
from ..object_data import mesh_of

MODIFIER = "Skinscope Vertex Numbers"

MOST_NUMBERED = 2**24
"""Up to here, 32-bit floats hold whole numbers exactly."""


def number_vertices(meshes: Sequence[bpy.types.Object], *, after_modifiers: bool) -> None:
    """Number the vertices of meshes, each from 0. after_modifiers: number the evaluated vertices instead.

    Linked meshes can't be changed; their vertices are matched by rest position later.
    """
    for one in meshes:
        mesh = mesh_of(one)
        if mesh.library is not None or len(mesh.vertices) > MOST_NUMBERED:
            continue
        _number(mesh)
        others = any(held.show_viewport and held.type != "ARMATURE" for held in one.modifiers)
        if after_modifiers and others and one.library is None:
            modifier = cast("bpy.types.NodesModifier", one.modifiers.new(MODIFIER, "NODES"))
            modifier.node_group = _numbering_nodes()


def _number(mesh: bpy.types.Mesh) -> None:
    held = mesh.attributes.get(SOURCE)
    if held is not None:
        mesh.attributes.remove(held)
    attribute = cast("bpy.types.FloatAttribute", mesh.attributes.new(SOURCE, "FLOAT", "POINT"))
    attribute.data.foreach_set("value", np.arange(len(mesh.vertices), dtype=np.float32))


def _numbering_nodes() -> Any:
    """Return geometry nodes that store each vertex's index."""
    held = bpy.data.node_groups.get(MODIFIER)
    if held is not None:
        return held
    group: Any = bpy.data.node_groups.new(MODIFIER, "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    index, store = (
        group.nodes.new("GeometryNodeInputIndex"),
        group.nodes.new("GeometryNodeStoreNamedAttribute"),
    )
    store.data_type, store.domain = "FLOAT", "POINT"
    store.inputs["Name"].default_value = SOURCE
    group.links.new(start.outputs[0], store.inputs["Geometry"])
    value = next(one for one in store.inputs if one.name == "Value" and one.enabled)
    group.links.new(index.outputs[0], value)
    group.links.new(store.outputs["Geometry"], end.inputs[0])
    return group
