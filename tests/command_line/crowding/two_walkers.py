"""A file with two characters for crowds, one of which has a hat."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.command_line.crowding.walker_file import add_walker


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A walker with a hat, and another that is twice as tall."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    walker = add_walker()
    hat = bpy.data.objects.new("Hat", bpy.data.meshes.new("Hat"))
    hat.data.from_pydata(
        [(-0.3, -0.3, 1.9), (0.3, -0.3, 1.9), (0.3, 0.3, 1.9), (-0.3, 0.3, 1.9)], [], [(0, 1, 2, 3)]
    )
    bpy.context.scene.collection.objects.link(hat)
    hat.vertex_groups.new(name="head").add(range(4), 1.0, "REPLACE")
    hat.modifiers.new("Armature", "ARMATURE").object = walker
    others = set(bpy.data.objects)
    giant = add_walker(())
    giant.name = "Giant"
    # Its meshes are the armature's children, so that they grow along.
    for one in set(bpy.data.objects) - others - {giant}:
        one.parent = giant
    giant.scale = (2, 2, 2)
    giant.animation_data_create()
    giant.animation_data.action = bpy.data.actions["Walk"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    return tmp_path / "two.blend"
