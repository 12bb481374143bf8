"""Runs inside Blender: a bar on two bones that bends from frame 1 to frame 20, alone in a front view.

Reads nothing, so that window tests stand in a clone without any rigs. Its corners are at x = +-0.2 m and z = 0 to 2 m.
"""

import bmesh
import bpy
from mathutils import Matrix, Quaternion

from skinning_addon.viewport.session import current_session, layer_key


def make_bar(name: str = "Bar") -> bpy.types.Object:
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    scene = bpy.context.scene
    armature = bpy.data.objects.new(f"{name} Rig", bpy.data.armatures.new(f"{name} Rig"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    lower = armature.data.edit_bones.new("lower")
    lower.tail = (0, 0, 1)
    upper = armature.data.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
    bpy.ops.object.mode_set(mode="OBJECT")

    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1, matrix=Matrix.Diagonal((0.4, 0.4, 2, 1)))
    bmesh.ops.translate(shape, verts=shape.verts, vec=(0, 0, 1))
    bmesh.ops.subdivide_edges(shape, edges=shape.edges, cuts=9, use_grid_fill=True)
    shape.to_mesh(mesh)
    shape.free()
    bar = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(bar)
    groups = [bar.vertex_groups.new(name=bone) for bone in ("lower", "upper")]
    for vertex in mesh.vertices:
        share = min(max(vertex.co.z - 0.5, 0.0), 1.0)
        groups[0].add([vertex.index], 1 - share, "REPLACE")
        groups[1].add([vertex.index], share, "REPLACE")
    bar.modifiers.new("Armature", "ARMATURE").object = armature

    bone = armature.pose.bones["upper"]
    for frame, angle in ((1, 0.0), (20, 1.2)):
        bone.rotation_quaternion = Quaternion((0, 0, 1), angle)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_start, scene.frame_end = 1, 20
    scene.frame_set(1)
    return bar


def select_only(one: bpy.types.Object) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == one)
    bpy.context.view_layer.objects.active = one


bar = make_bar()
select_only(bar)
with view3d() as area:  # noqa: F821 - the driver's  # pyright: ignore[reportUndefinedVariable]
    # Nothing else that is blue.
    space = area.spaces.active
    space.show_gizmo = space.show_region_toolbar = False
    for name in (
        "bones",
        "outline_selected",
        "floor",
        "ortho_grid",
        "axis_x",
        "axis_y",
        "axis_z",
        "cursor",
        "text",
        "object_origins",
    ):
        setattr(space.overlay, f"show_{name}", False)
    bpy.ops.view3d.view_axis(type="FRONT")
    area.spaces.active.region_3d.view_location = (1, 0, 1)
    area.spaces.active.region_3d.view_distance = 6


def figures(number: int = 0) -> dict:
    """What was measured last of the preview with this number, and at which frame."""
    preview = session.previews[number]
    live = preview.live_mesh(layer_key(bpy.context.scene, bpy.context.view_layer))
    measured = live.figures if live else None
    deviation = measured.deviation if measured else None
    return {
        "frame": measured.frame if measured else None,
        "settled": not preview.wanted_in
        and live is not None
        and live.figures_due is None
        and live.shadow_due is None,
        "before": measured.before if measured else None,
        "relative": deviation.relative if deviation else None,
        "max": deviation.max if deviation else None,
    }


session = current_session()
session.stop_all()
settings = bpy.context.scene.skinscope
for name in ("display", "placement", "distance", "threshold", "wireframe"):
    settings.property_unset(name)
settings.show_figures = False
rig, bone = bpy.data.objects["Bar Rig"], bpy.data.objects["Bar Rig"].pose.bones["upper"]
