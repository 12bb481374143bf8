"""The rig that features are added to: a chain of bones in a tube of some sixty vertices, and the objects around
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import bmesh
import bpy
import numpy as np
from mathutils import Euler, Quaternion, Vector

SIDES, RINGS = 6, 9
BONES = 4
FRAMES = (1.0, 2.0, 3.0)


@dataclass
class Rig:
    """A rig under construction.

    folder: for files that it needs. random: the current random generator. frames: those to compare.
    """

    seed: int
    folder: Path
    mesh: bpy.types.Object = field(init=False)
    armature: bpy.types.Object = field(init=False)
    frames: tuple[float, ...] = FRAMES
    things: dict[str, bpy.types.ID] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def thing(self, kind: str) -> bpy.types.ID:
        """Return one of the surrounding objects (see `THINGS`), created on first use, and always identical
        regardless of what was created before.
        """
        if kind not in self.things:
            drawn_from, self.random = (
                self.random,
                np.random.default_rng([self.seed, list(THINGS).index(kind)]),
            )
            self.things[kind] = THINGS[kind](self)
            self.random = drawn_from
        # Anything that reads its location gets the same, whether it was just created or existed before.
        bpy.context.view_layer.update()
        return self.things[kind]


def plain_rig(seed: int, folder: Path) -> Rig:
    """Build the rig in an empty scene. Its bones are keyed over its frames."""
    rig = Rig(seed, folder)
    rig.armature = make_armature("Rig", rig.random)
    rig.mesh = _tube(rig)
    key_pose(rig.armature, rig.random, FRAMES)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = int(FRAMES[0]), int(FRAMES[-1])
    return rig


def linked(one: bpy.types.Object) -> bpy.types.Object:
    bpy.context.scene.collection.objects.link(one)
    return one


def make_armature(name: str, random: np.random.Generator) -> bpy.types.Object:
    """Make a chain of bones with a branch, upwards from the origin."""
    data = bpy.data.armatures.new(name)
    armature = linked(bpy.data.objects.new(name, data))
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for index in range(BONES):
        bone = data.edit_bones.new(f"bone {index}")
        bone.parent = parent
        bone.head = parent.tail if parent else (0, 0, 0)
        bone.use_connect = index > 0 and random.random() < 0.5
        bone.tail = bone.head + Vector((*random.normal(size=2) * 0.15, random.uniform(0.6, 0.9)))
        bone.roll = random.uniform(-3, 3)
        bone.head_radius, bone.tail_radius = random.uniform(0.1, 0.4, 2)
        bone.envelope_distance = random.uniform(0.1, 0.5)
        parent = bone
    branch = data.edit_bones.new("branch")
    branch.parent = data.edit_bones["bone 1"]
    branch.head, branch.tail = (0.4, 0, 1), (1, 0, 1.2)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def key_pose(armature: bpy.types.Object, random: np.random.Generator, frames: tuple[float, ...]) -> None:
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        for frame in frames:
            bone.rotation_quaternion = Quaternion(random.normal(size=3), random.uniform(0.1, 1))
            bone.location = random.normal(size=3) * 0.1
            bone.scale = random.uniform(0.8, 1.25, 3)
            for path in ("rotation_quaternion", "location", "scale"):
                bone.keyframe_insert(path, frame=frame)


def _tube(rig: Rig) -> bpy.types.Object:
    height = np.repeat(np.linspace(-0.1, 3, RINGS), SIDES)
    angle = np.tile(np.linspace(0, 2 * np.pi, SIDES, endpoint=False), RINGS)
    radius = rig.random.uniform(0.25, 0.5, RINGS * SIDES)
    positions = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
    faces = [
        (ring * SIDES + side, ring * SIDES + after, (ring + 1) * SIDES + after, (ring + 1) * SIDES + side)
        for ring in range(RINGS - 1)
        for side, after in ((side, (side + 1) % SIDES) for side in range(SIDES))
    ]
    data = bpy.data.meshes.new("Body")
    data.from_pydata(positions, [], faces)
    uv = data.uv_layers.new(name="UVMap")
    uv.data.foreach_set("uv", rig.random.random(2 * len(data.loops)))
    mesh = linked(bpy.data.objects.new("Body", data))
    _weigh(mesh, rig, positions)
    modifier = mesh.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig.armature
    return mesh


def _weigh(mesh: bpy.types.Object, rig: Rig, positions: np.ndarray) -> None:
    bones = list(rig.armature.data.bones)
    middles = np.array([(bone.head_local + bone.tail_local) / 2 for bone in bones])
    distance = np.linalg.norm(positions[:, None] - middles, axis=2)
    weights = 1 / (0.1 + distance) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    for index in rig.random.permutation(len(bones)):
        group = mesh.vertex_groups.new(name=bones[index].name)
        for vertex in np.flatnonzero(weights[:, index] > 0.08):
            group.add([int(vertex)], float(weights[vertex, index]), "REPLACE")
    half = mesh.vertex_groups.new(name="half")
    for vertex in range(0, len(positions), 2):
        half.add([vertex], float(rig.random.random()), "REPLACE")


def _empty(rig: Rig) -> bpy.types.ID:
    one = linked(bpy.data.objects.new("Place", None))
    _stand_somewhere(one, rig)
    return one


def _ball(rig: Rig) -> bpy.types.ID:
    data = bpy.data.meshes.new("Ball")
    _box_into(data, 0.8)
    one = linked(bpy.data.objects.new("Ball", data))
    _stand_somewhere(one, rig)
    return one


def _cage(_rig: Rig) -> bpy.types.ID:
    """Make a closed box around the rig with faces pointing outwards: binding to any other never ends in
    Blender.
    """
    data = bpy.data.meshes.new("Cage")
    _box_into(data, 4)
    edited = bmesh.new()
    edited.from_mesh(data)
    bmesh.ops.recalc_face_normals(edited, faces=edited.faces)
    bmesh.ops.subdivide_edges(edited, edges=edited.edges, cuts=1, use_grid_fill=True)
    edited.to_mesh(data)
    edited.free()
    for vertex in data.vertices:
        vertex.co.x *= 1 + 0.1 * vertex.co.z
    return linked(bpy.data.objects.new("Cage", data))


def _box_into(data: bpy.types.Mesh, size: float) -> None:
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    data.from_pydata([tuple(size * c for c in corner) for corner in corners], [], quads)


def _path(rig: Rig) -> bpy.types.ID:
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(2)
    for index, point in enumerate(spline.bezier_points):
        point.co = Vector((*rig.random.normal(size=2) * 0.4, 1.5 * index))
        point.handle_left_type = point.handle_right_type = "AUTO"
    return linked(bpy.data.objects.new("Path", data))


def _lattice(rig: Rig) -> bpy.types.ID:
    data = bpy.data.lattices.new("Lattice")
    data.points_u = data.points_v = data.points_w = 3
    one = linked(bpy.data.objects.new("Lattice", data))
    one.location, one.scale = (0, 0, 1.5), (2, 2, 4)
    for point in data.points:
        point.co_deform += Vector(rig.random.normal(size=3) * 0.1)
    return one


def _second(rig: Rig) -> bpy.types.ID:
    armature = make_armature("Second", rig.random)
    key_pose(armature, rig.random, FRAMES)
    _stand_somewhere(armature, rig)
    return armature


def _camera(_rig: Rig) -> bpy.types.ID:
    one = linked(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    one.location = (0, -6, 2)
    return one


def _texture(_rig: Rig) -> bpy.types.ID:
    texture = bpy.data.textures.new("Clouds", "CLOUDS")
    texture.noise_scale = 0.7
    return texture


def _collection(rig: Rig) -> bpy.types.ID:
    collection = bpy.data.collections.new("Things")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig.thing("MESH"))
    return collection


def _stand_somewhere(one: bpy.types.Object, rig: Rig) -> None:
    one.location = rig.random.normal(size=3) * 0.5 + (0, 0, 1.5)
    one.rotation_euler = Euler(rig.random.uniform(-1, 1, 3))
    one.scale = rig.random.uniform(0.7, 1.4, 3)


THINGS: dict[str, Callable[[Rig], bpy.types.ID]] = {
    "EMPTY": _empty,
    "DRIVING": lambda _rig: linked(bpy.data.objects.new("Driving", None)),
    "MESH": _ball,
    "CAGE": _cage,
    "CURVE": _path,
    "LATTICE": _lattice,
    "ARMATURE": _second,
    "CAMERA": _camera,
    "TEXTURE": _texture,
    "COLLECTION": _collection,
    "HOOKED": _empty,
    "CAGE BEHIND": _cage,
}
"""Objects that modifiers and constraints may refer to, by kind."""
