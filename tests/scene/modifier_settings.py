"""Every type of modifier on a skin, set up as an artist would."""

from __future__ import annotations

import math
import struct
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bmesh
import bpy
import numpy as np


def stand(name: str, data: bpy.types.ID | None, location: Sequence[float] = (0, 0, 0)) -> bpy.types.Object:
    """Add an object at a location, slightly rotated."""
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    made.location, made.rotation_euler = location, (0.1, 0.2, 0.3)
    return made


def box(name: str, size: float, location: Sequence[float] = (0, 0, 1.5)) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=size)
    bmesh.ops.subdivide_edges(shape, edges=shape.edges, cuts=3, use_grid_fill=True)
    shape.to_mesh(mesh)
    shape.free()
    return stand(name, mesh, location)


def bind(skin: bpy.types.Object, operator: Callable[..., set[str]], modifier: bpy.types.Modifier) -> None:
    bpy.context.view_layer.update()
    with bpy.context.temp_override(object=skin, active_object=skin):
        assert operator(modifier=modifier.name) == {"FINISHED"}


def leave(_: bpy.types.Object, __: Any) -> None:
    pass


def _half(skin: bpy.types.Object) -> str:
    if "half" not in skin.vertex_groups:
        group = skin.vertex_groups.new(name="half")
        group.add([one.index for one in skin.data.vertices if one.co.z > 1.6], 0.7, "REPLACE")
    return "half"


def _hook(skin: bpy.types.Object, modifier: Any) -> None:
    target = stand("Hooked", None, (0.4, 0.1, 2.5))
    modifier.object, modifier.vertex_group, modifier.strength = target, _half(skin), 1.0
    bpy.context.view_layer.update()
    modifier.matrix_inverse = (skin.matrix_world.inverted() @ target.matrix_world).inverted()
    target.location = (1.2, 0.3, 2.9)


def _lattice(_: bpy.types.Object, modifier: Any) -> None:
    modifier.object = deformed_lattice()


def deformed_lattice() -> bpy.types.Object:
    lattice = bpy.data.lattices.new("Cage")
    lattice.points_u = lattice.points_v = lattice.points_w = 3
    made = stand("Cage", lattice, (0, 0, 1.5))
    made.scale = (2, 2, 4)
    for number, point in enumerate(lattice.points):
        point.co_deform.x += 0.9 * math.sin(number)
    return made


def bent_curve() -> bpy.types.Object:
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(4)
    for number, point in enumerate(spline.points):
        point.co = (number * 1.0, 0.3 * number * number, 0.1 * number, 1)
    return stand("Path", curve)


def _curve(_: bpy.types.Object, modifier: Any) -> None:
    modifier.object = bent_curve()


def _mesh_deform(skin: bpy.types.Object, modifier: Any) -> None:
    modifier.object = cage = box("Around", 5)
    modifier.precision = 3
    bind(skin, bpy.ops.object.meshdeform_bind, modifier)
    for vertex in cage.data.vertices:
        vertex.co.x += 0.3 * vertex.co.z


def _surface_deform(skin: bpy.types.Object, modifier: Any) -> None:
    modifier.target = near = box("Near", 2)
    bind(skin, bpy.ops.object.surfacedeform_bind, modifier)
    for vertex in near.data.vertices:
        vertex.co.x += 0.3 * vertex.co.z


def _laplacian_deform(skin: bpy.types.Object, modifier: Any) -> None:
    modifier.vertex_group = _half(skin)
    bind(skin, bpy.ops.object.laplaciandeform_bind, modifier)


def _corrective(skin: bpy.types.Object, modifier: Any) -> None:
    modifier.rest_source = "BIND"
    bind(skin, bpy.ops.object.correctivesmooth_bind, modifier)


def _wave(_: bpy.types.Object, modifier: Any) -> None:
    modifier.use_x, modifier.use_y, modifier.height = True, False, 0.4
    modifier.start_position_object = stand("Source", None, (0.2, 0, 0))


def _mesh_cache(skin: bpy.types.Object, modifier: Any) -> None:
    rest = np.array([one.co for one in skin.data.vertices], dtype=np.float32)
    frames = 13
    path = Path(tempfile.mkdtemp(prefix="skinscope-tests-")) / "cache.pc2"
    with path.open("wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(rest), 0.0, 1.0, frames))
        for frame in range(frames):
            file.write((rest + np.float32(0.05 * frame)).astype("<f4").tobytes())
    modifier.cache_format, modifier.filepath = "PC2", str(path)


def _named_group(_: bpy.types.Object, modifier: bpy.types.Modifier) -> None:
    modifier.vertex_group = "b0"
    if hasattr(modifier, "use_add"):
        modifier.use_add, modifier.add_threshold, modifier.default_weight = True, 0.0, 0.5


def _mixed_groups(skin: bpy.types.Object, modifier: Any) -> None:
    modifier.vertex_group_a, modifier.vertex_group_b = "b0", _half(skin)
    modifier.mix_mode, modifier.mix_set = "ADD", "ALL"


def _proximity(_: bpy.types.Object, modifier: Any) -> None:
    modifier.vertex_group, modifier.target = "b0", box("Closeby", 1, (1, 0, 1))
    modifier.max_dist = 3.0


def _transfer(_: bpy.types.Object, modifier: Any) -> None:
    modifier.object = source = box("Weighted", 2)
    group = source.vertex_groups.new(name="b0")
    group.add(range(len(source.data.vertices)), 0.4, "REPLACE")
    modifier.use_vert_data, modifier.data_types_verts = True, {"VGROUP_WEIGHTS"}
    modifier.vert_mapping = "NEAREST"


def _boolean(_: bpy.types.Object, modifier: Any) -> None:
    cutters = bpy.data.collections.new("Cutters")
    bpy.context.scene.collection.children.link(cutters)
    cutters.objects.link(box("Cutter", 1, (0.5, 0, 3)))
    modifier.operand_type, modifier.collection = "COLLECTION", cutters


def _cast(_: bpy.types.Object, modifier: Any) -> None:
    modifier.object = stand("Centre", None, (0.5, 0, 0))


def _displace(_: bpy.types.Object, modifier: Any) -> None:
    modifier.texture = bpy.data.textures.new("Clouds", "CLOUDS")
    modifier.texture_coords, modifier.texture_coords_object = (
        "OBJECT",
        stand("Coordinates", None, (0.3, 0, 0)),
    )
    modifier.strength = 0.3


def _mirror(_: bpy.types.Object, modifier: Any) -> None:
    modifier.mirror_object = stand("Mirror", None, (2, 0, 0))


def _array(_: bpy.types.Object, modifier: Any) -> None:
    modifier.use_object_offset, modifier.offset_object = True, stand("Step", None, (2, 0, 0))


def _shrinkwrap(_: bpy.types.Object, modifier: Any) -> None:
    modifier.target = box("Wrapped", 2)


def _warp(_: bpy.types.Object, modifier: Any) -> None:
    modifier.object_from, modifier.object_to = stand("From", None, (0, 0, 1)), stand("To", None, (1, 0, 2))


def _simple(_: bpy.types.Object, modifier: Any) -> None:
    modifier.origin = stand("Origin", None, (0.2, 0.1, 0.5))


def _smooth(_: bpy.types.Object, modifier: bpy.types.Modifier) -> None:
    modifier.iterations = 3


def _multires(skin: bpy.types.Object, modifier: Any) -> None:
    with bpy.context.temp_override(object=skin, active_object=skin):
        bpy.ops.object.multires_subdivide(modifier=modifier.name, mode="CATMULL_CLARK")


def _mask(_: bpy.types.Object, modifier: Any) -> None:
    modifier.vertex_group = "b0"


def _build(_: bpy.types.Object, modifier: Any) -> None:
    modifier.frame_start, modifier.frame_duration = 1, 20


def _screw(_: bpy.types.Object, modifier: Any) -> None:
    modifier.steps = modifier.render_steps = 3


def _particles(_: bpy.types.Object, modifier: Any) -> None:
    settings = modifier.particle_system.settings
    settings.count, settings.frame_start, settings.frame_end = 30, 1, 3


def _explode(skin: bpy.types.Object, modifier: Any) -> None:
    name = modifier.name
    _particles(skin, skin.modifiers.new("Particles", "PARTICLE_SYSTEM"))
    index = skin.modifiers.find(name)
    skin.modifiers.move(len(skin.modifiers) - 1, index)


def _particle_instance(_: bpy.types.Object, modifier: Any) -> None:
    emitter = box("Emitter", 2)
    _particles(emitter, emitter.modifiers.new("Particles", "PARTICLE_SYSTEM"))
    modifier.object = emitter


def _dynamic_paint(skin: bpy.types.Object, modifier: Any) -> None:
    modifier.ui_type = "CANVAS"
    with bpy.context.temp_override(object=skin, active_object=skin):
        bpy.ops.dpaint.type_toggle(type="CANVAS")
    surface = modifier.canvas_settings.canvas_surfaces[0]
    surface.surface_type, surface.use_dissolve = "DISPLACE", False
    brush = box("Brush", 1.2, (0.4, 0, 1.5))
    painting = brush.modifiers.new("Brush", "DYNAMIC_PAINT")
    painting.ui_type = "BRUSH"
    with bpy.context.temp_override(object=brush, active_object=brush):
        bpy.ops.dpaint.type_toggle(type="BRUSH")


def _cloth(_: bpy.types.Object, modifier: Any) -> None:
    modifier.settings.quality = 3
    modifier.settings.effector_weights.gravity = 1.0


def _ocean(_: bpy.types.Object, modifier: Any) -> None:
    modifier.geometry_mode, modifier.resolution, modifier.viewport_resolution = "DISPLACE", 4, 4
    for name, value in (("spatial_size", 5), ("wave_scale", 2.0)):
        setattr(modifier, name, value)
    # Time is keyed; otherwise an ocean stands still.
    modifier.time = 1.0
    modifier.keyframe_insert("time", frame=1)
    modifier.time = 4.0
    modifier.keyframe_insert("time", frame=12)


def _nodes(_: bpy.types.Object, modifier: Any) -> None:
    modifier.node_group = moving_nodes(stand("Nodes target", None, (0.4, 0.2, 0.1)))


def moving_nodes(named: bpy.types.Object) -> bpy.types.NodeTree:
    """Build nodes that move the geometry by the location of an object that the tree itself names."""
    group = bpy.data.node_groups.new("Moves", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    into, out = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    move, info = group.nodes.new("GeometryNodeSetPosition"), group.nodes.new("GeometryNodeObjectInfo")
    info.transform_space, info.inputs["Object"].default_value = "RELATIVE", named
    group.links.new(into.outputs[0], move.inputs["Geometry"])
    group.links.new(info.outputs["Location"], move.inputs["Offset"])
    group.links.new(move.outputs[0], out.inputs[0])
    return group


SETTINGS: dict[str, Callable[[bpy.types.Object, Any], None]] = {
    "ARRAY": _array,
    "BOOLEAN": _boolean,
    "BUILD": _build,
    "CAST": _cast,
    "CLOTH": _cloth,
    "CORRECTIVE_SMOOTH": _corrective,
    "CURVE": _curve,
    "DATA_TRANSFER": _transfer,
    "DISPLACE": _displace,
    "DYNAMIC_PAINT": _dynamic_paint,
    "EXPLODE": _explode,
    "HOOK": _hook,
    "LAPLACIANDEFORM": _laplacian_deform,
    "LATTICE": _lattice,
    "MASK": _mask,
    "MESH_CACHE": _mesh_cache,
    "MESH_DEFORM": _mesh_deform,
    "MIRROR": _mirror,
    "MULTIRES": _multires,
    "NODES": _nodes,
    "OCEAN": _ocean,
    "PARTICLE_INSTANCE": _particle_instance,
    "PARTICLE_SYSTEM": _particles,
    "SCREW": _screw,
    "SHRINKWRAP": _shrinkwrap,
    "SIMPLE_DEFORM": _simple,
    "SMOOTH": _smooth,
    "SURFACE_DEFORM": _surface_deform,
    "VERTEX_WEIGHT_EDIT": _named_group,
    "VERTEX_WEIGHT_MIX": _mixed_groups,
    "VERTEX_WEIGHT_PROXIMITY": _proximity,
    "WARP": _warp,
    "WAVE": _wave,
}
