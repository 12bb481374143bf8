"""Software skinning equals Blender's own evaluated mesh, and says so if it can't."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy
import pytest

from skinning_addon.scene.binding.binding_reader import read_binding

from .comparison import relative_deviation
from .random_rig import INHERIT_SCALE_MODES, RandomRig, RigOptions, random_rig

EXACT = 1e-5
POSES = 3

LINEAR = {
    "plain": RigOptions(),
    "no scale": RigOptions(scale="none"),
    "negative scale": RigOptions(scale="negative"),
    "objects moved, turned and scaled": RigOptions(transformed=True),
    "constraints": RigOptions(constraints=True),
    **{f"inherit scale {mode}": RigOptions(inherit_scale=mode) for mode in INHERIT_SCALE_MODES},
    "mask": RigOptions(mask=True),
    "inverted mask": RigOptions(mask=True, invert_mask=True),
    "two modifiers": RigOptions(modifiers=2, mask=True),
    "multi modifier run": RigOptions(modifiers=3, multi_modifier=True, mask=True),
    "many influences": RigOptions(bones=24, influences=15),
}
COMPLETE = {
    "preserve volume": RigOptions(preserve_volume=True),
    "preserve volume, mirrored bones": RigOptions(preserve_volume=True, scale="negative"),
    "preserve volume, masked": RigOptions(preserve_volume=True, mask=True),
    "preserve volume, objects turned and scaled": RigOptions(preserve_volume=True, transformed=True),
    "envelopes": RigOptions(envelopes=True),
    "envelopes alone": RigOptions(envelopes=True, groups=False),
    "weights multiplied by envelopes": RigOptions(envelope_multiply=True),
    "parent type Armature": RigOptions(parent_armature=True, modifiers=0),
    "parent type Armature and a modifier": RigOptions(parent_armature=True),
    **{
        f"bendy bones, handles {handles}": RigOptions(bendy=4, handles=handles)
        for handles in ("AUTO", "ABSOLUTE", "RELATIVE", "TANGENT", "MIXED")
    },
    "bendy bones along the curve": RigOptions(bendy=4, bendy_mapping="CURVED"),
    "envelopes after another armature": RigOptions(parent_armature=True, envelopes=True, groups=False),
    "bendy bones after another armature": RigOptions(bendy=4, modifiers=3, multi_modifier=False, mask=True),
    "a run that starts after another armature": RigOptions(
        bendy=4, modifiers=3, multi_modifier=True, parent_armature=True
    ),
    "bendy bones with volume": RigOptions(bendy=8, preserve_volume=True),
}


@pytest.mark.parametrize("options", [*LINEAR.values(), *COMPLETE.values()], ids=[*LINEAR, *COMPLETE])
@pytest.mark.parametrize("seed", range(3))
def test_skinning_equals_blenders_evaluated_mesh(options: RigOptions, seed: int) -> None:
    rig = random_rig(_seeded(options, seed))
    for _ in range(POSES):
        rig.pose()
        assert relative_deviation(rig.mesh) <= EXACT
        assert relative_deviation(rig.mesh, by_hierarchy=True) <= EXACT
    assert not _rules(rig)


def test_a_bone_scaled_to_zero_leaves_the_rest_of_the_character_right() -> None:
    rig = random_rig(RigOptions(scale="none"))
    rig.armature.pose.bones[1].scale = (0, 0, 0)
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) <= EXACT
    assert relative_deviation(rig.mesh, by_hierarchy=True) <= EXACT


def test_an_animated_mesh_object_is_followed() -> None:
    rig = random_rig(RigOptions(transformed=True))
    for frame, x in ((1, 0.0), (10, 3.0)):
        rig.mesh.location.x = x
        rig.mesh.keyframe_insert("location", frame=frame)
    for frame in (1, 5, 10):
        bpy.context.scene.frame_set(frame)
        assert relative_deviation(rig.mesh) <= EXACT


def test_rest_position_moves_nothing() -> None:
    rig = random_rig(RigOptions())
    rig.armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) <= EXACT


def _shape_key(rig: RandomRig) -> None:
    rig.mesh.shape_key_add(name="Basis")
    smile = rig.mesh.shape_key_add(name="Smile")
    for point in smile.data:
        point.co.x += 0.2 * rig.random.random()
    smile.value = 0.5


def _modifier_before(kind: str) -> Callable[[RandomRig], None]:
    def add(rig: RandomRig) -> None:
        rig.mesh.modifiers.new("Before", kind)
        rig.mesh.modifiers.move(1, 0)

    return add


def _weights_before(rig: RandomRig) -> None:
    _modifier_before("VERTEX_WEIGHT_EDIT")(rig)
    edit = rig.mesh.modifiers["Before"]
    edit.vertex_group, edit.use_add, edit.add_threshold, edit.default_weight = "bone 1", True, 0.0, 0.5


BEFORE = {
    "shape keys": _shape_key,
    "subdivision": _modifier_before("SUBSURF"),
    "a modifier that moves vertices": _modifier_before("CAST"),
    "a modifier that changes weights": _weights_before,
}


@pytest.mark.parametrize("case", BEFORE)
@pytest.mark.parametrize("options", [RigOptions(), RigOptions(envelopes=True, bendy=4, transformed=True)])
def test_what_changes_the_mesh_before_the_armature_is_followed(case: str, options: RigOptions) -> None:
    rig = random_rig(options)
    data_blocks = len(bpy.data.objects), len(bpy.data.scenes), len(bpy.data.meshes)
    BEFORE[case](rig)
    bpy.context.view_layer.update()
    assert relative_deviation(rig.mesh) <= EXACT
    assert not _rules(rig)
    assert (len(bpy.data.objects), len(bpy.data.scenes), len(bpy.data.meshes)) == data_blocks


def _lattice_right_above(rig: RandomRig, *, multi_modifier: bool = True) -> None:
    """A lattice hands its own input on to armature modifiers with Multi Modifier right below it, as an armature
    does.
    """
    lattice = bpy.data.objects.new("Lattice", bpy.data.lattices.new("Lattice"))
    bpy.context.scene.collection.objects.link(lattice)
    lattice.scale = (20, 20, 20)
    for point in lattice.data.points:
        point.co_deform.x += 0.1 + 0.2 * point.co_deform.y
    rig.mesh.modifiers.new("Lattice", "LATTICE").object = lattice
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)
    for modifier in rig.mesh.modifiers[1:]:
        modifier.use_multi_modifier = multi_modifier


def _lattice_above_one_that_is_off(rig: RandomRig) -> None:
    _lattice_right_above(rig)
    off = rig.mesh.modifiers.new("Off", "ARMATURE")
    off.object, off.use_multi_modifier, off.show_viewport = rig.armature, True, False
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 1)


def _lattice_as_parent(rig: RandomRig) -> None:
    _lattice_right_above(rig)
    rig.mesh.parent = rig.mesh.modifiers["Lattice"].object
    rig.mesh.parent_type = "LATTICE"
    rig.mesh.matrix_parent_inverse = rig.mesh.parent.matrix_basis.inverted()
    rig.mesh.modifiers.remove(rig.mesh.modifiers["Lattice"])


def _lattice_further_above(rig: RandomRig) -> None:
    _lattice_right_above(rig)
    rig.mesh.modifiers.new("Off", "SMOOTH").show_viewport = False
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 1)


def _lattice_without_multi_modifier(rig: RandomRig) -> None:
    _lattice_right_above(rig, multi_modifier=False)


LATTICES = {
    "right above": (_lattice_right_above, True),
    "above one that is off": (_lattice_above_one_that_is_off, True),
    "as parent": (_lattice_as_parent, True),
    "further above": (_lattice_further_above, False),
    "without Multi Modifier": (_lattice_without_multi_modifier, False),
}


@pytest.mark.parametrize("case", LATTICES)
@pytest.mark.parametrize("modifiers", [1, 2])
def test_a_lattice_that_the_armature_passes_over_does_not_count(case: str, modifiers: int) -> None:
    rig = random_rig(RigOptions(modifiers=modifiers))
    rig.pose()
    alone = [tuple(one.co) for one in _evaluated_vertices(rig)] if modifiers == 1 else None
    add, passed_over = LATTICES[case]
    add(rig)
    bpy.context.view_layer.update()
    if alone is not None:
        assert ([tuple(one.co) for one in _evaluated_vertices(rig)] == alone) == passed_over
    assert relative_deviation(rig.mesh) <= EXACT
    assert not _rules(rig)


def _evaluated_vertices(rig: RandomRig) -> bpy.types.MeshVertices:
    return rig.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices


def _lattice_passed_over_in_part(rig: RandomRig) -> None:
    _lattice_right_above(rig)
    group = rig.mesh.vertex_groups.new(name="half")
    group.add(range(len(rig.mesh.data.vertices)), 0.5, "REPLACE")
    rig.mesh.modifiers[1].vertex_group = "half"


def _between(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Bulge", "CAST")
    rig.mesh.modifiers.new("Armature", "ARMATURE").object = rig.armature


NOT_EXACT = {
    "modifier-between": _between,
    "modifier-passed-over": _lattice_passed_over_in_part,
}


@pytest.mark.parametrize("rule", NOT_EXACT)
def test_what_cannot_be_reproduced_is_named(rule: str) -> None:
    rig = random_rig(RigOptions())
    NOT_EXACT[rule](rig)
    bpy.context.view_layer.update()
    assert rule in _rules(rig)


@pytest.mark.parametrize("kind", ["WEIGHTED_NORMAL", "TRIANGULATE", "EDGE_SPLIT", "NORMAL_EDIT"])
def test_modifiers_that_keep_positions_do_not_count(kind: str) -> None:
    rig = random_rig(RigOptions())
    rig.mesh.modifiers.new("After", kind)
    bpy.context.view_layer.update()
    assert not _rules(rig)
    assert relative_deviation(rig.mesh) <= EXACT


def _rules(rig: RandomRig) -> set[str]:
    binding = read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert binding.exact == (not binding.reasons)
    assert all(reason.message.endswith(".") and "'" in reason.message for reason in binding.reasons)
    return {reason.rule for reason in binding.reasons}


def _seeded(options: RigOptions, seed: int) -> RigOptions:
    return replace(options, seed=seed)
