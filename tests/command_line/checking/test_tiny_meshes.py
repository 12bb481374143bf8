"""Meshes that are flat or tiny next to their character: judged by the character's size, which determines their
rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.skinning.deviation import EXACT_RELATIVE
from tests.command_line.conftest import Program

HEIGHT = 1.7


def lash(size: float, *, flat: bool = False) -> bpy.types.Object:
    """A mesh of four vertices at the height of the eyes, on a head that turns by a hundredth of a degree, with
    its armature.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    spine = data.edit_bones.new("spine")
    spine.head, spine.tail = (0, 0, 0), (0, 0.1, 1.5)
    head = data.edit_bones.new("head")
    head.head, head.tail, head.parent = (0, 0.1, 1.5), (0.02, 0.13, 1.8), spine
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new("Lash")
    corners = [(0, 0, 0), (1, 0.1, 0), (0.9, 1, 0), (0.1, 0.8, 0 if flat else 1)]
    mesh.from_pydata(
        [(0.031 + size * x, -0.087 + size * y, HEIGHT + size * z) for x, y, z in corners],
        [],
        [(0, 1, 2, 3)],
    )
    one = bpy.data.objects.new("Lash", mesh)
    scene.collection.objects.link(one)
    for bone, weight in (("spine", 0.3), ("head", 0.7)):
        one.vertex_groups.new(name=bone).add(range(4), weight, "REPLACE")
    one.modifiers.new("Armature", "ARMATURE").object = armature
    bone = armature.pose.bones["head"]
    bone.rotation_mode = "XYZ"
    for frame in range(1, 10):
        bone.rotation_euler = (1.7e-4 * frame, 1.1e-4 * frame, 0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_start, scene.frame_end = 1, 9
    return one


def saved(
    path: Path, change: Callable[[bpy.types.Object], object] | None, size: float, *, flat: bool
) -> Path:
    one = lash(size, flat=flat)
    if change is not None:
        change(one)
    bpy.context.view_layer.update()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("size", [0.007, 7e-5, 7e-8, 0.0])
def test_a_tiny_mesh_is_exact(tmp_path: Path, skinscope: Program, size: float, flat: bool):
    path = saved(tmp_path / "rig.blend", None, size, flat=flat)
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    (mesh,) = result.json["files"][0]["meshes"]
    assert mesh["deviation"]["max"] < 5e-7, "a few steps of a 32-bit number at 1.7 m"
    assert (mesh["deviation"]["passed"], result.status) == (True, 0)


def bulged_between(one: bpy.types.Object) -> None:
    """Have something that can't be reproduced move every vertex by a tenth of a millimeter."""
    displace = one.modifiers.new("Displace", "DISPLACE")
    displace.direction, displace.strength, displace.mid_level = "X", 1e-4, 0.0
    again = one.modifiers.new("Again", "ARMATURE")
    again.object = one.modifiers["Armature"].object


def test_a_tenth_of_a_millimetre_still_fails(tmp_path: Path, skinscope: Program):
    path = saved(tmp_path / "rig.blend", bulged_between, 0.007, flat=False)
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    (mesh,) = result.json["files"][0]["meshes"]
    assert result.status == 1
    assert mesh["deviation"]["max"] == pytest.approx(1e-4, rel=0.05)
    assert mesh["deviation"]["relative"] > EXACT_RELATIVE


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_size_of_a_character_goes_by_where_it_stands(tmp_path: Path, skinscope: Program, scale: float):
    def both_scaled(one: bpy.types.Object) -> None:
        bulged_between(one)
        for scaled in (one, one.modifiers["Armature"].object):
            scaled.scale = (scale,) * 3

    path = saved(tmp_path / "rig.blend", both_scaled, 0.007, flat=False)
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    (mesh,) = result.json["files"][0]["meshes"]
    # A tenth of a millimeter, with bones 1.8 m high in total.
    assert mesh["deviation"]["relative"] == pytest.approx(1e-4 / 1.8, rel=0.1)
