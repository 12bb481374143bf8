"""Random Geometry Nodes groups: ones that move points, ones that read other objects and collections, and Smooth
by Angle.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import bpy

from tests.fuzz.rigs.plain_rig import Rig


def node_group(rig: Rig, kind: str) -> bpy.types.GeometryNodeTree:
    """Make a group of a kind; see `GROUPS`."""
    group = bpy.data.node_groups.new(kind, "GeometryNodeTree")
    group.is_modifier = True
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    GROUPS[kind](rig, group, first, last)
    return group


Build = Callable[[Rig, bpy.types.GeometryNodeTree, bpy.types.Node, bpy.types.Node], None]


def _moves(rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node) -> None:
    """Move all points by a vector that is an input of the group."""
    socket = group.interface.new_socket("Offset", in_out="INPUT", socket_type="NodeSocketVector")
    socket.default_value = rig.random.normal(size=3) * 0.2
    moves = group.nodes.new("GeometryNodeSetPosition")
    group.links.new(first.outputs["Offset"], moves.inputs["Offset"])
    _chain(group, first, moves, last)


def _attribute(
    rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    """Move points by the weights of a vertex group."""
    named = group.nodes.new("GeometryNodeInputNamedAttribute")
    named.inputs["Name"].default_value = "half"
    scale = group.nodes.new("ShaderNodeVectorMath")
    scale.operation = "SCALE"
    scale.inputs[0].default_value = rig.random.normal(size=3) * 0.3
    output = next(
        one for one in named.outputs if one.name == "Attribute" and one.type == "VALUE" and one.enabled
    )
    group.links.new(output, scale.inputs["Scale"])
    moves = group.nodes.new("GeometryNodeSetPosition")
    group.links.new(scale.outputs[0], moves.inputs["Offset"])
    _chain(group, first, moves, last)


def _object_inside(
    rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    """Move points by the location of an object that the group itself names."""
    info = group.nodes.new("GeometryNodeObjectInfo")
    info.inputs["Object"].default_value = rig.thing("EMPTY")
    info.transform_space = str(rig.random.choice(["ORIGINAL", "RELATIVE"]))
    _offset_by(group, info.outputs["Location"], first, last)


def _object_input(
    rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    """Move points by the location of an object that is an input of the group."""
    socket = group.interface.new_socket("Object", in_out="INPUT", socket_type="NodeSocketObject")
    socket.default_value = rig.thing("EMPTY")
    info = group.nodes.new("GeometryNodeObjectInfo")
    info.transform_space = "RELATIVE"
    group.links.new(first.outputs["Object"], info.inputs["Object"])
    _offset_by(group, info.outputs["Location"], first, last)


def _collection_joined(
    rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    """Join the contents of a collection that is an input of the group."""
    socket = group.interface.new_socket("Collection", in_out="INPUT", socket_type="NodeSocketCollection")
    socket.default_value = rig.thing("COLLECTION")
    info = group.nodes.new("GeometryNodeCollectionInfo")
    group.links.new(first.outputs["Collection"], info.inputs["Collection"])
    realised = group.nodes.new("GeometryNodeRealizeInstances")
    group.links.new(info.outputs["Instances"], realised.inputs["Geometry"])
    join = group.nodes.new("GeometryNodeJoinGeometry")
    group.links.new(realised.outputs["Geometry"], join.inputs["Geometry"])
    group.links.new(first.outputs["Geometry"], join.inputs["Geometry"])
    group.links.new(join.outputs["Geometry"], last.inputs["Geometry"])


def _self_object(
    _rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    """Move points by the location of the object that has the modifier."""
    itself = group.nodes.new("GeometryNodeSelfObject")
    info = group.nodes.new("GeometryNodeObjectInfo")
    group.links.new(itself.outputs[0], info.inputs["Object"])
    _offset_by(group, info.outputs["Location"], first, last)


def _time(_rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node) -> None:
    """Move points by the scene's time."""
    time = group.nodes.new("GeometryNodeInputSceneTime")
    _offset_by(group, time.outputs["Seconds"], first, last)


def _subdivides(
    _rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    _chain(group, first, group.nodes.new("GeometryNodeSubdivideMesh"), last)


def _smooth_by_angle(
    _rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node
) -> None:
    """Change only normals, like Shade Auto Smooth."""
    group.name = "Smooth by Angle"
    angle = group.interface.new_socket("Angle", in_out="INPUT", socket_type="NodeSocketFloat")
    angle.default_value = 0.5
    _chain(group, first, group.nodes.new("GeometryNodeSetShadeSmooth"), last)


def _nested(rig: Rig, group: bpy.types.GeometryNodeTree, first: bpy.types.Node, last: bpy.types.Node) -> None:
    """Nest a group that names an object."""
    inner = group.nodes.new("GeometryNodeGroup")
    inner.node_tree = node_group(rig, "object inside")
    _chain(group, first, inner, last)


def _chain(group: bpy.types.GeometryNodeTree, *nodes: bpy.types.Node) -> None:
    for one, after in pairwise(nodes):
        source = next(socket for socket in one.outputs if socket.type == "GEOMETRY")
        target = next(socket for socket in after.inputs if socket.type == "GEOMETRY")
        group.links.new(source, target)


def _offset_by(
    group: bpy.types.GeometryNodeTree,
    value: bpy.types.NodeSocket,
    first: bpy.types.Node,
    last: bpy.types.Node,
) -> None:
    moves = group.nodes.new("GeometryNodeSetPosition")
    group.links.new(value, moves.inputs["Offset"])
    _chain(group, first, moves, last)


GROUPS: dict[str, Build] = {
    "moves": _moves,
    "attribute": _attribute,
    "object inside": _object_inside,
    "object input": _object_input,
    "collection joined": _collection_joined,
    "self object": _self_object,
    "time": _time,
    "subdivides": _subdivides,
    "smooth by angle": _smooth_by_angle,
    "nested": _nested,
}
