"""Small rigs as saved and exported by Blender itself, made once per process, for damaging their bytes."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import bpy
import numpy as np

FORMATS = ("plain.blend", "packed.blend", "rig.fbx", "rig.usdc", "rig.usda", "rig.glb", "rig.gltf")
LAST_FRAME = 5


@cache
def exported(name: str) -> bytes:
    """Return the content of one of `FORMATS`."""
    _build()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if path.suffix == ".blend":
            bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=name.startswith("packed"), copy=True)
        elif path.suffix == ".fbx":
            bpy.ops.preferences.addon_enable(module="io_scene_fbx")
            bpy.ops.export_scene.fbx(filepath=str(path))
        elif path.suffix in (".glb", ".gltf"):
            if "gltf" not in dir(bpy.ops.export_scene):
                bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
            kind = "GLB" if path.suffix == ".glb" else "GLTF_SEPARATE"
            bpy.ops.export_scene.gltf(filepath=str(path), export_format=kind)
        else:
            bpy.ops.wm.usd_export(filepath=str(path), export_animation=True)
        return path.read_bytes()


def _build() -> None:
    """Build a limb of three bones in a tube of twelve rings, bent at the last frame."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(3):
        bone = armature.data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
        bone.parent = armature.data.edit_bones[number - 1] if number else None
    bpy.ops.object.mode_set(mode="OBJECT")
    angles = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    rings = [(0.3 * np.cos(a), 0.3 * np.sin(a), z) for z in np.linspace(0, 3, 12) for a in angles]
    faces = [
        (6 * ring + side, 6 * ring + (side + 1) % 6, 6 * ring + 6 + (side + 1) % 6, 6 * ring + 6 + side)
        for ring in range(11)
        for side in range(6)
    ]
    data = bpy.data.meshes.new("Tube")
    data.from_pydata(rings, [], faces)
    tube = bpy.data.objects.new("Tube", data)
    scene.collection.objects.link(tube)
    tube.parent = armature
    tube.modifiers.new("Armature", "ARMATURE").object = armature
    groups = [tube.vertex_groups.new(name=f"bone {number}") for number in range(3)]
    for vertex, (_, _, z) in enumerate(rings):
        for number, group in enumerate(groups):
            weight = max(0.0, 1 - abs(z - number - 0.5))
            if weight > 0:
                group.add([vertex], weight, "REPLACE")
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
        for frame, angle in ((1, 0.0), (LAST_FRAME, 0.4)):
            bone.rotation_euler = (angle, 0.1 * angle, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()
