"""Scenes of meshes that move without an armature: cloth, a lattice, shape keys, geometry nodes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import bpy
import numpy as np

FRAMES = 24


def _grid(name: str, across: int, size: float = 1.0) -> bpy.types.Object:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=across - 1, y_subdivisions=across - 1, size=size)
    bpy.context.object.name = bpy.context.object.data.name = name
    return bpy.context.object


def _played(frames: int) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.frame_set(1)


def cloth(across: int = 15, frames: int = FRAMES) -> bpy.types.Object:
    """A sheet that hangs from two corners and falls, while its object is moved."""
    sheet = _grid("Cloth", across)
    corners = [one.index for one in sheet.data.vertices if one.co.y > 0.49 and abs(one.co.x) > 0.49]
    sheet.vertex_groups.new(name="pinned").add(corners, 1.0, "REPLACE")
    modifier = sheet.modifiers.new("Cloth", "CLOTH")
    modifier.settings.vertex_group_mass = "pinned"
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames
    for frame, place in ((1, 0.0), (frames, 0.3)):
        sheet.location.x = place
        sheet.keyframe_insert("location", frame=frame)
    _played(frames)
    return sheet


def limb(frames: int = FRAMES) -> bpy.types.Object:
    """A cylinder in a lattice that bends and twists."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rings, sides = 31, 16
    angles = np.arange(sides) * (2 * np.pi / sides)
    ring = np.stack([0.1 * np.cos(angles), 0.1 * np.sin(angles), np.zeros(sides)], axis=1)
    points = np.concatenate([ring + np.array([0, 0, height]) for height in np.linspace(0, 1, rings)])
    numbers = np.arange(rings * sides).reshape(rings, sides)
    faces = [
        (a, b, c, d)
        for low, high in pairwise(numbers)
        for a, b, c, d in zip(low, np.roll(low, -1), np.roll(high, -1), high, strict=True)
    ]
    mesh = bpy.data.meshes.new("Limb")
    mesh.from_pydata(points.tolist(), [], [tuple(map(int, one)) for one in faces])
    limb = bpy.data.objects.new("Limb", mesh)
    data = bpy.data.lattices.new("Cage")
    data.points_u, data.points_v, data.points_w = 2, 2, 4
    cage = bpy.data.objects.new("Cage", data)
    cage.location, cage.scale = (0, 0, 0.5), (0.3, 0.3, 1.1)
    for one in (limb, cage):
        bpy.context.scene.collection.objects.link(one)
    cage.shape_key_add(name="Basis")
    bent = cage.shape_key_add(name="Bent")
    for point, at in zip(bent.data, data.points, strict=True):
        height = at.co.z + 0.5
        angle = 1.2 * height**2
        point.co.x = at.co.x * np.cos(angle) - at.co.y * np.sin(angle) + 1.5 * height**2
        point.co.y = at.co.x * np.sin(angle) + at.co.y * np.cos(angle)
    for frame, value in ((1, 0.0), (frames // 2, 1.0), (frames, -0.6)):
        bent.value = value
        bent.slider_min = -1
        bent.value = value
        bent.keyframe_insert("value", frame=frame)
    limb.modifiers.new("Lattice", "LATTICE").object = cage
    _played(frames)
    return limb


def face(frames: int = FRAMES) -> bpy.types.Object:
    """A sheet of eight shape keys that swell one after another, and one that is set and stands still."""
    sheet = _grid("Face", 21)
    sheet.shape_key_add(name="Basis")
    rest = np.array([one.co for one in sheet.data.vertices])
    for number in range(8):
        key = sheet.shape_key_add(name=f"Key {number}")
        angle = number * (np.pi / 4)
        centre = 0.3 * np.array([np.cos(angle), np.sin(angle)])
        swollen = np.exp(-np.square(rest[:, :2] - centre).sum(axis=1) / 0.02)
        moved = rest + swollen[:, None] * [0.05 * np.cos(3 * angle), 0.05 * np.sin(3 * angle), 0.1]
        key.data.foreach_set("co", moved.astype(np.float32).reshape(-1))
        for frame, value in ((1, 0.0), (2 + 2 * number, 1.0), (6 + 2 * number, 0.0)):
            key.value = value
            key.keyframe_insert("value", frame=frame)
    stays = sheet.shape_key_add(name="Stays")
    stays.data.foreach_set("co", (rest + [0, 0, 0.02] * (rest[:, :1] > 0)).astype(np.float32).reshape(-1))
    stays.value = 0.5
    _played(frames)
    return sheet


def nodes(frames: int = FRAMES) -> bpy.types.Object:
    """A plane of four vertices that geometry nodes make a grid of, and lift in a wave that runs with time."""
    plane = _grid("Nodes", 2)
    group = bpy.data.node_groups.new("Wave", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")

    def new(kind: str) -> bpy.types.Node:
        return group.nodes.new(kind)

    given, result = new("NodeGroupInput"), new("NodeGroupOutput")
    finer, moved = new("GeometryNodeSubdivideMesh"), new("GeometryNodeSetPosition")
    finer.inputs["Level"].default_value = 4
    position, time = new("GeometryNodeInputPosition"), new("GeometryNodeInputSceneTime")
    place, lift = new("ShaderNodeSeparateXYZ"), new("ShaderNodeCombineXYZ")
    steep, phase, wave, low = (new("ShaderNodeMath") for _ in range(4))
    steep.operation, phase.operation, wave.operation, low.operation = "MULTIPLY", "ADD", "SINE", "MULTIPLY"
    steep.inputs[1].default_value, low.inputs[1].default_value = 5.0, 0.1
    for one, other in (
        (given.outputs[0], finer.inputs["Mesh"]),
        (finer.outputs["Mesh"], moved.inputs["Geometry"]),
        (position.outputs[0], place.inputs[0]),
        (place.outputs["X"], steep.inputs[0]),
        (steep.outputs[0], phase.inputs[0]),
        (time.outputs["Seconds"], phase.inputs[1]),
        (phase.outputs[0], wave.inputs[0]),
        (wave.outputs[0], low.inputs[0]),
        (low.outputs[0], lift.inputs["Z"]),
        (lift.outputs[0], moved.inputs["Offset"]),
        (moved.outputs["Geometry"], result.inputs[0]),
    ):
        group.links.new(one, other)
    plane.modifiers.new("Wave", "NODES").node_group = group
    _played(frames)
    return plane


SCENES: dict[str, Callable[[], bpy.types.Object]] = {
    "cloth": cloth,
    "limb": limb,
    "face": face,
    "nodes": nodes,
}
