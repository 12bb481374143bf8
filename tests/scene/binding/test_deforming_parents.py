"""A mesh deformed by a parent lattice or curve, before any of its modifiers."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.armature_result import read_armature_result
from tests.scene.comparison import relative_deviation
from tests.scene.modifier_settings import bent_curve, deformed_lattice
from tests.scene.stacked_character import character, play_to, positions_of

PARENTS = ("LATTICE", "CURVE")


def deformed_by_parent(kind: str, **placed: str) -> bpy.types.Object:
    skin = character(**placed)
    if kind == "LATTICE":
        skin.parent = deformed_lattice()
        skin.parent_type = "LATTICE"
    else:
        # RNA takes no such type for a curve; it stays when the parent changes.
        skin.parent, skin.parent_type = bpy.data.objects["Arm"], "ARMATURE"
        skin.parent = bent_curve()
        skin.parent.data.use_path = True
    skin.matrix_parent_inverse = skin.parent.matrix_basis.inverted()
    play_to(5)
    return skin


@pytest.mark.parametrize("kind", PARENTS)
def test_it_is_skinned_as_blender_does(kind: str) -> None:
    skin = deformed_by_parent(kind)
    with_parent = positions_of(skin)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    alone = character()
    play_to(5)
    assert np.abs(with_parent - positions_of(alone)).max() > 0.05, "the parent deforms"
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    skin = deformed_by_parent(kind)
    assert relative_deviation(skin) < 1e-5
    assert read_binding(skin, bpy.context.evaluated_depsgraph_get()).exact


@pytest.mark.parametrize("kind", PARENTS)
def test_what_the_armature_makes_of_it_is_read_with_the_parent(kind: str) -> None:
    expected = positions_of(deformed_by_parent(kind)).copy()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    skin = deformed_by_parent(kind, after="CAST")
    found = read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), len(skin.data.vertices))
    np.testing.assert_array_equal(found.positions, expected)


def test_a_curve_without_a_path_deforms_nothing() -> None:
    skin = deformed_by_parent("CURVE")
    skin.parent.data.use_path = False
    play_to(5)
    assert relative_deviation(skin) < 1e-5


@pytest.mark.parametrize("kind", ["CLAMP_TO", "FOLLOW_PATH", "SPLINE_IK"])
def test_a_curve_deforms_once_anything_follows_its_path(kind: str) -> None:
    skin = deformed_by_parent("CURVE")
    skin.parent.data.use_path = False
    constraint = bpy.data.objects["Arm"].pose.bones["b2"].constraints.new(kind)
    constraint.target, constraint.influence = skin.parent, 0.0
    bpy.context.view_layer.update()
    play_to(5)
    assert relative_deviation(skin) < 1e-5


def test_a_parent_curve_that_deforms_from_elsewhere_than_the_mesh_stands_is_named() -> None:
    """Blender may evaluate the deformation before constraints have placed the mesh; no copy does."""
    skin = deformed_by_parent("CURVE")
    skin.constraints.new("CLAMP_TO").target = skin.parent
    bpy.context.view_layer.update()
    play_to(5)
    rules = {one.rule for one in read_binding(skin, bpy.context.evaluated_depsgraph_get()).reasons}
    assert relative_deviation(skin) < 1e-5 or rules == {"copy-differs"}
