"""What can't be bound is refused with a sentence that names the object and the remedy."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest

from skinning_addon.core.errors import BindingError
from skinning_addon.scene.binding_reader import read_binding
from skinning_addon.scene.deformed_meshes import deformed_meshes

from .comparison import relative_deviation
from .random_rig import RandomRig, RigOptions, random_rig


def _no_armature(rig: RandomRig) -> None:
    rig.mesh.modifiers[0].object = None


def _no_bones(rig: RandomRig) -> None:
    rig.armature.data = bpy.data.armatures.new("Empty")


def _no_vertices(rig: RandomRig) -> None:
    rig.mesh.data = bpy.data.meshes.new("Empty")


def _edit_mode(rig: RandomRig) -> None:
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.ops.object.mode_set(mode="EDIT")


def _zero_scaled_mesh(rig: RandomRig) -> None:
    rig.mesh.scale = (0, 1, 1)


def _zero_scaled_armature(rig: RandomRig) -> None:
    rig.armature.scale = (1, 0, 1)


REFUSED: dict[str, tuple[Callable[[RandomRig], None], str]] = {
    "no-armature": (_no_armature, "No armature deforms 'Random mesh'"),
    "no-bones": (_no_bones, "has no bones"),
    "no-vertices": (_no_vertices, "has no vertices"),
    "edit-mode": (_edit_mode, "is in Edit Mode"),
    "zero-scaled mesh": (_zero_scaled_mesh, "'Random mesh' is scaled to zero"),
    "zero-scaled armature": (_zero_scaled_armature, "'Random' is scaled to zero"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case: str) -> None:
    rig = random_rig(RigOptions())
    damage, words = REFUSED[case]
    damage(rig)
    bpy.context.view_layer.update()
    with pytest.raises(BindingError, match=words) as caught:
        read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert str(caught.value).endswith(".")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_an_object_that_is_no_mesh_is_refused() -> None:
    light = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(light)
    with pytest.raises(BindingError, match="'Lamp' is no mesh"):
        read_binding(light, bpy.context.evaluated_depsgraph_get())


def test_a_mesh_without_groups_stays_where_blender_leaves_it() -> None:
    rig = random_rig(RigOptions())
    rig.mesh.vertex_groups.clear()
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) == 0


def test_a_mesh_without_faces_is_skinned() -> None:
    rig = random_rig(RigOptions())
    data = bpy.data.meshes.new("Points")
    data.from_pydata([(0, 0, 0), (0.2, 0.1, 0.4)], [], [])
    rig.mesh.data = data
    rig.mesh.vertex_groups.new(name="bone 1").add([0], 1.0, "REPLACE")
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) <= 1e-5


def test_widgets_are_not_characters() -> None:
    rig = random_rig(RigOptions())
    widget = rig.mesh.copy()
    widget.name = "Handle"
    bpy.context.scene.collection.objects.link(widget)
    assert {one.name for one in deformed_meshes(bpy.context.scene)} == {"Random mesh", "Handle"}
    rig.armature.pose.bones[0].custom_shape = widget
    assert [one.name for one in deformed_meshes(bpy.context.scene)] == ["Random mesh"]
