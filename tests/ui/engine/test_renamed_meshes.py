"""Findings about a mesh that is called otherwise by now, while another mesh has its name."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.engine.finding_operators import finding_in_focus
from skinning_addon.ui.engine.mesh_fix import mesh_to_fix
from skinning_addon.ui.engine.verdict_operators import finding_to_fix
from skinning_addon.ui.settings.profile_settings import finding_rows
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions


@pytest.fixture
def renamed(session) -> bpy.types.Object:  # noqa: ARG001 - registers the operators
    """A checked mesh; it has given its name to another one of the same armature."""
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 4
    scene.skinscope.profiles.profile = "threejs"
    bpy.context.view_layer.objects.active = rig.mesh
    rig.mesh.select_set(True)
    bpy.ops.skinscope.profile_check()
    name = rig.mesh.name
    rig.mesh.name = "Renamed"
    other = rig.mesh.copy()
    other.data = rig.mesh.data.copy()
    other.name = name
    scene.collection.objects.link(other)
    assert other.name == name
    return rig.mesh


def test_the_renamed_one_is_selected_and_fixed(renamed: bpy.types.Object):
    rows = finding_rows(bpy.context)
    rows.active = next(
        number
        for number in range(len(rows.rows))
        if chosen(number) and bpy.ops.skinscope.finding_select.poll()
    )
    assert mesh_to_fix(bpy.context) == renamed
    assert finding_to_fix(bpy.context) is not None
    bpy.ops.skinscope.finding_select()
    assert (bpy.context.active_object, renamed.mode) == (renamed, "EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_it_is_gone_only_if_no_mesh_is_either(renamed: bpy.types.Object):
    rows = finding_rows(bpy.context)
    rows.active = next(number for number in range(len(rows.rows)) if chosen(number))
    bpy.data.objects.remove(bpy.data.objects[finding_in_focus(bpy.context).object])
    assert mesh_to_fix(bpy.context) == renamed
    bpy.data.objects.remove(renamed)
    with pytest.raises(RuntimeError, match="no longer exists; check the scene again"):
        bpy.ops.skinscope.finding_show()


def chosen(number: int) -> bool:
    """Make a finding active; return whether it is about a mesh."""
    finding_rows(bpy.context).active = number
    finding = finding_in_focus(bpy.context)
    return finding is not None and finding.object in bpy.data.objects and bool(finding.vertices)
