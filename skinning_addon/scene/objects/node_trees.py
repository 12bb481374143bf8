"""The contents of a Geometry Nodes modifier's node groups, including nested groups."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

STATEFUL_NODES = frozenset(
    {"GeometryNodeSimulationInput", "GeometryNodeSimulationOutput", "GeometryNodeBake"}
)
"""Nodes whose result is stored with the modifier or depends on earlier frames."""

GEOMETRY_KEEPING_NODES = frozenset({"GeometryNodeSetShadeSmooth"})
"""Nodes that keep a mesh's vertices and weights unchanged."""

_PLUMBING = frozenset({"NodeGroupInput", "NodeGroupOutput", "NodeReroute"})


def trees_of(group: bpy.types.NodeTree | None) -> tuple[bpy.types.NodeTree, ...]:
    """Return a node group and all groups nested in it, without repeats."""
    found: dict[bpy.types.NodeTree, None] = {}
    waiting = [group]
    while waiting:
        tree = waiting.pop()
        if tree is not None and tree not in found:
            found[tree] = None
            waiting += [getattr(node, "node_tree", None) for node in tree.nodes]
    return tuple(found)


def keeps_geometry(group: bpy.types.NodeTree | None) -> bool:
    """Tell whether a node group only changes its mesh's shading, like Blender's own Smooth by Angle."""
    for tree in trees_of(group):
        for node in tree.nodes:
            makes_geometry = any(one.bl_idname == "NodeSocketGeometry" for one in node.outputs)
            passes_on = node.bl_idname in _PLUMBING | GEOMETRY_KEEPING_NODES or hasattr(node, "node_tree")
            if (makes_geometry and not passes_on) or node.bl_idname in STATEFUL_NODES:
                return False
    return True


def has_state(group: bpy.types.NodeTree | None) -> bool:
    """Tell whether a node group's result depends on more than its inputs and the current frame."""
    return any(node.bl_idname in STATEFUL_NODES for tree in trees_of(group) for node in tree.nodes)


def texts_in(group: bpy.types.NodeTree | None) -> Iterator[str]:
    """Yield every string in a node group, such as the names of attributes that it reads."""
    for tree in trees_of(group):
        for node in tree.nodes:
            for socket in node.inputs:
                value = getattr(socket, "default_value", None)
                if isinstance(value, str):
                    yield value
            yield from (text for text in (getattr(node, "string", ""),) if isinstance(text, str) and text)
