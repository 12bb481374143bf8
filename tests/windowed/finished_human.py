"""Runs inside Blender, after bar_character.py: a human finished as an artist would, using the same operators.

Rigify's own human, skinned with automatic weights and Preserve Volume; a biceps that a driver swells when the
elbow bends; a Hook on the belly, moved before the armature so that the belly breathes wherever it goes; then
Subdivision, and Shade Auto Smooth on top.
"""

from math import radians
from typing import TYPE_CHECKING

import bpy
import numpy as np

from skinning_addon.scene.characters.demo_character import build_demo_character

if TYPE_CHECKING:
    from tests.windowed.bar_character import select_only
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.

FRAMES = (20, 44)
"""Frames of the demo's animation: from the stretch into the step, where the elbows bend."""


def vertices_near(body: bpy.types.Object, point: tuple[float, float, float], radius: float) -> list[int]:
    positions = np.array([vertex.co for vertex in body.data.vertices])
    return np.flatnonzero(np.linalg.norm(positions - point, axis=1) < radius).tolist()


def add_driven_biceps(rig: bpy.types.Object, body: bpy.types.Object) -> None:
    """Swell the left upper arm as the elbow bends: a shape key with a scriptless driver."""
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="Biceps.L", from_mix=False)
    # The driving value is an angle in radians.
    key.slider_max = 3.0
    bone = rig.data.bones["DEF-upper_arm.L"]
    middle = (bone.head_local + rig.data.bones["DEF-forearm.L"].head_local) / 2
    for vertex in vertices_near(body, middle, 0.12):
        point = key.data[vertex]
        point.co = point.co + 0.01 * body.data.vertices[vertex].normal
    driver = key.driver_add("value").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "ROTATION_DIFF"
    for target, name in zip(variable.targets, ("DEF-upper_arm.L", "DEF-forearm.L"), strict=True):
        target.id, target.bone_target = rig, name


def hook_belly(body: bpy.types.Object) -> bpy.types.Object:
    """Hook the belly to a new empty, as Ctrl H does, and animate its breathing."""
    select_only(body)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for vertex in vertices_near(body, (0, -0.1, 1.08), 0.12):
        body.data.vertices[vertex].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.hook_add_newob()
    bpy.ops.object.mode_set(mode="OBJECT")
    hook = next(modifier for modifier in body.modifiers if modifier.type == "HOOK")
    hook.name, hook.object.name = "Breath", "Breath"
    bpy.ops.object.modifier_move_to_index(modifier="Breath", index=0)
    for frame, depth in ((FRAMES[0], 0.0), (sum(FRAMES) // 2, -0.03), (FRAMES[1], 0.0)):
        hook.object.delta_location.y = depth
        hook.object.keyframe_insert("delta_location", frame=frame)
    return hook.object


def shade_auto_smooth(body: bpy.types.Object) -> None:
    """Apply Shade Auto Smooth, as Object > Shade does. Debian's Blender 4.3 lacks the asset, so its nodes are
    built by hand there.
    """
    try:
        bpy.ops.object.shade_auto_smooth()
        return
    except RuntimeError as error:
        if "No asset found" not in str(error):
            raise
    nodes = bpy.data.node_groups.new("Smooth by Angle", "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        nodes.interface.new_socket("Mesh", in_out=in_out, socket_type="NodeSocketGeometry")
    source, angle, below, smooth, result = (
        nodes.nodes.new(kind)
        for kind in (
            "NodeGroupInput",
            "GeometryNodeInputMeshEdgeAngle",
            "FunctionNodeCompare",
            "GeometryNodeSetShadeSmooth",
            "NodeGroupOutput",
        )
    )
    below.operation, smooth.domain = "LESS_EQUAL", "EDGE"
    below.inputs["B"].default_value = radians(30)
    for left, right in (
        (source.outputs[0], smooth.inputs["Geometry"]),
        (angle.outputs["Unsigned Angle"], below.inputs["A"]),
        (below.outputs[0], smooth.inputs["Shade Smooth"]),
        (smooth.outputs[0], result.inputs[0]),
    ):
        nodes.links.new(left, right)
    modifier = body.modifiers.new("Smooth by Angle", "NODES")
    modifier.node_group = nodes
    bpy.ops.object.shade_smooth()


for one in list(bpy.data.objects):
    bpy.data.objects.remove(one)
with view3d():
    rig, body = build_demo_character()
    add_driven_biceps(rig, body)
    hook_belly(body)
    select_only(body)
    bpy.ops.object.modifier_add(type="SUBSURF")
    body.modifiers[-1].levels = 1
    shade_auto_smooth(body)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES
    bpy.context.scene.frame_set(FRAMES[0])
