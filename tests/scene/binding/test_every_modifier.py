"""Every modifier type of this Blender, before the armature: followed exactly, or named. Judged by Blender's own
mesh.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.text.errors import BindingError
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.armature_result import modifiers_after, read_armature_result
from skinning_addon.scene.objects.modifier_stack import COPIED_TYPES, SIMULATED_TYPES
from tests.scene.comparison import relative_deviation, relative_distance, skinned_positions
from tests.scene.modifier_settings import box
from tests.scene.stacked_character import add, character, modifier_types, play_to, positions_of

SIMULATIONS = {"CLOTH", "DYNAMIC_PAINT", "EXPLODE", "PARTICLE_INSTANCE", "SOFT_BODY"}
"""Simulations as `stacked_character` sets them up; a fluid's effector does nothing."""

NO_VERTICES = {"VOLUME_TO_MESH"}
"""Types that leave nothing of a mesh to skin."""


@pytest.mark.parametrize("kind", modifier_types())
def test_before_the_armature_it_is_followed_or_named(kind: str) -> None:
    skin = character(before=kind)
    play_to(5)
    if kind in NO_VERTICES:
        with pytest.raises(BindingError, match="has no vertices"):
            read_binding(skin, bpy.context.evaluated_depsgraph_get())
        return
    rules = {one.rule for one in read_binding(skin, bpy.context.evaluated_depsgraph_get()).reasons}
    if kind in SIMULATIONS:
        assert rules == {"simulation-before"}
    else:
        assert not rules
        assert relative_distance_of_all(skin) < 1e-5


@pytest.mark.parametrize("kind", [one for one in modifier_types() if one not in SIMULATIONS | NO_VERTICES])
def test_above_an_armature_with_multi_modifier_it_is_followed(kind: str) -> None:
    """Some hand their own input on to it, and others don't."""
    skin = character(before=kind)
    for modifier in skin.modifiers:
        if modifier.type == "ARMATURE":
            modifier.use_multi_modifier = True
    play_to(5)
    assert relative_distance_of_all(skin) < 1e-5
    assert read_binding(skin, bpy.context.evaluated_depsgraph_get()).exact


def relative_distance_of_all(skin: bpy.types.Object) -> float:
    skinned = skinned_positions(skin)
    assert len(skinned) == len(positions_of(skin))
    return relative_distance(skin, skinned)


@pytest.mark.parametrize("place", ["before", "between"])
@pytest.mark.parametrize("kind", [one for one in modifier_types() if one not in NO_VERTICES])
def test_a_stack_is_cut_behind_it_or_refused(kind: str, place: str) -> None:
    if kind in SIMULATIONS:
        skin = character(**{place: kind}, after="SUBSURF")
        play_to(5)
        with pytest.raises(BindingError, match=r"'(before|between)'.*earlier frames") as refused:
            read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), 1)
        assert refused.value.rule == "simulation-before"
        return
    if (kind, place) == ("LAPLACIANDEFORM", "between"):
        # It continues from its previous state, and its input moves.
        skin = character(between=kind, after="SUBSURF")
        play_to(5)
        with pytest.raises(BindingError, match="'between' is the likely cause"):
            read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), 1)
        return
    skin = character(**{place: kind})
    play_to(5)
    expected = positions_of(skin).copy()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    skin = character(**{place: kind}, after="SUBSURF")
    play_to(5)
    assert modifiers_after(skin) == ("after",)
    found = read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), len(expected))
    np.testing.assert_allclose(found.positions, expected, atol=2e-6)


@pytest.mark.parametrize("kind", ["VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "DATA_TRANSFER"])
def test_what_changes_weights_between_two_armatures_is_named(kind: str) -> None:
    skin = character(between=kind)
    play_to(5)
    assert relative_deviation(skin) > 1e-3
    reasons = read_binding(skin, bpy.context.evaluated_depsgraph_get()).reasons
    assert [one.rule for one in reasons] == ["modifier-between"]


def test_a_simulated_target_is_taken_as_it_is() -> None:
    """A mesh that sticks to a cloth: the target's copy has no cache, but the target has a mesh."""

    def on_cloth(**placed: str) -> bpy.types.Object:
        skin = character(**placed)
        cloth = box("Cloth", 2)
        add(cloth, "CLOTH", "Cloth")
        modifier = skin.modifiers.new("Sticks", "SHRINKWRAP")
        modifier.target = cloth
        skin.modifiers.move(len(skin.modifiers) - 1, 0)
        play_to(5)
        return skin

    skin = on_cloth()
    expected = positions_of(skin).copy()
    assert relative_deviation(skin) < 1e-5
    assert read_binding(skin, bpy.context.evaluated_depsgraph_get()).exact
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    skin = on_cloth(after="SUBSURF")
    found = read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), len(expected))
    np.testing.assert_array_equal(found.positions, expected)


def test_a_type_that_is_not_known_is_tried_and_named_if_its_copy_differs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a new Blender may bring: here a simulation that the tables don't know."""
    without_cloth = (COPIED_TYPES - {"CLOTH"}, SIMULATED_TYPES - {"CLOTH"})
    for name, types in zip(("COPIED_TYPES", "SIMULATED_TYPES"), without_cloth, strict=True):
        monkeypatch.setattr(f"skinning_addon.scene.objects.modifier_stack.{name}", types)
    skin = character(before="CLOTH")
    play_to(5)
    reasons = read_binding(skin, bpy.context.evaluated_depsgraph_get()).reasons
    assert [one.rule for one in reasons] == ["copy-differs"]
    assert "'before'" in reasons[0].message
    add(skin, "CAST", "after")
    play_to(6, first=6)
    with pytest.raises(BindingError, match="'before' is the likely cause") as refused:
        read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), 1)
    assert refused.value.rule == "copy-differs"


def test_a_type_that_is_not_known_is_exact_if_its_copy_does_not_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("skinning_addon.scene.objects.modifier_stack.COPIED_TYPES", COPIED_TYPES - {"CAST"})
    skin = character(before="CAST")
    play_to(5)
    assert read_binding(skin, bpy.context.evaluated_depsgraph_get()).exact
    assert relative_deviation(skin) < 1e-5


def test_a_copy_that_goes_wrong_is_not_compared_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is the matter with a copy, and however well its modifiers are known: it isn't what Blender
    shows.
    """
    monkeypatch.setattr("skinning_addon.scene.copies.copied_objects.restore", lambda *_: None)
    skin = character(before="HOOK", after="SUBSURF")
    play_to(5)
    with pytest.raises(BindingError, match="differs from the mesh that Blender shows") as refused:
        read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), 1)
    assert refused.value.rule == "copy-differs"
