"""Fixes change what they say and nothing else, report the engine's deviation before and after, and can be
undone.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.verdicts.rules import RULES
from skinning_addon.scene.meshes.vertex_group_reader import read_memberships
from skinning_addon.scene.object_data import mesh_of
from skinning_addon.ui.engine.game_ready_operator import SKINSCOPE_OT_game_ready_copy
from skinning_addon.ui.engine.mesh_fix import MeshFix
from skinning_addon.ui.registration import CLASSES
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions


@pytest.fixture
def cast(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return rig


def weights(mesh_object) -> tuple:
    members = read_memberships(mesh_of(mesh_object))
    return members.vertices.tolist(), members.groups.tolist(), members.weights.tolist()


def blender(mesh_object, frame=6) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty((len(evaluated.data.vertices), 3), dtype=np.float32)
    evaluated.data.vertices.foreach_get("co", positions.reshape(-1))
    world = np.array(evaluated.matrix_world.transposed())
    return positions @ world[:3, :3] + world[3, :3]


def bone_weights(mesh_object) -> np.ndarray:
    """(V, G), of the groups that are called after deforming bones."""
    members = read_memberships(mesh_of(mesh_object))
    table = np.zeros((len(mesh_object.data.vertices), len(mesh_object.vertex_groups)))
    table[members.vertices, members.groups] = members.weights
    bones = mesh_object.modifiers[0].object.data.bones
    names = [one.name for one in mesh_object.vertex_groups]
    return table[:, [name in bones and bones[name].use_deform for name in names]]


def influences(mesh_object) -> int:
    return int((bone_weights(mesh_object) > 0).sum(axis=1).max())


def test_least_squares_keep_the_shape_better_than_the_largest(cast):
    name, before = cast.mesh.name, blender(cast.mesh)
    off = {}
    for method in ("LARGEST", "SQUARES"):
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.skinscope.fix_influences("EXEC_DEFAULT", True, method=method)
        mesh = bpy.data.objects[name]
        assert influences(mesh) == 4
        off[method] = np.sqrt(((blender(mesh) - before) ** 2).mean())
        bpy.ops.ed.undo()
        assert blender(bpy.data.objects[name]) == pytest.approx(before, abs=1e-6)
    assert 0 < off["SQUARES"] < off["LARGEST"]


@pytest.mark.parametrize("method", ["LARGEST", "SQUARES"])
def test_limiting_leaves_a_vertex_in_place_whose_weights_are_too_small_to_move_it(cast, method):
    """Blender moves a vertex only if its weights add up to more than 1e-4."""
    for group in cast.mesh.vertex_groups:
        group.remove([9])
    deforming = [one.name for one in cast.armature.data.bones if one.use_deform]
    bones = [one for one in cast.mesh.vertex_groups if one.name in deforming][-5:]
    for group in bones:
        group.add([9], 1e-5, "REPLACE")
    before = blender(cast.mesh)[9]
    bpy.ops.skinscope.fix_influences(method=method, influences=4)
    members = cast.mesh.data.vertices[9].groups
    assert [one.group for one in members] == [one.index for one in bones[:4]]
    assert [one.weight for one in members] == pytest.approx([1e-5] * 4)
    assert blender(cast.mesh)[9] == pytest.approx(before, abs=1e-6)


def test_the_report_tells_before_and_after(cast, capfd):
    bpy.ops.skinscope.fix_influences(method="LARGEST", influences=4)
    assert "from the authored shape" in capfd.readouterr().out
    assert cast.mesh is not None


def test_normalising_changes_nothing_in_blender(cast):
    before = blender(cast.mesh)
    for group in cast.mesh.vertex_groups:
        for vertex in range(0, 300, 3):
            try:
                group.add([vertex], group.weight(vertex) * 0.9, "REPLACE")
            except RuntimeError:
                continue
    bpy.ops.skinscope.fix_normalise()
    sums = bone_weights(cast.mesh).sum(axis=1)
    assert sums[sums > 1.1e-4] == pytest.approx(1, abs=1e-5)
    assert blender(cast.mesh) == pytest.approx(before, abs=1e-5)


def test_stray_vertices_go_to_the_nearest_bone(cast):
    bone = cast.armature.data.bones[4]
    middle = cast.armature.matrix_world @ ((bone.head_local + bone.tail_local) / 2)
    cast.mesh.data.vertices[9].co = cast.mesh.matrix_world.inverted() @ middle
    for group in cast.mesh.vertex_groups:
        group.remove([9])
    bpy.ops.skinscope.fix_stray()
    (member,) = cast.mesh.data.vertices[9].groups
    assert cast.mesh.vertex_groups[member.group].name == bone.name
    assert member.weight == 1


def test_groups_without_bones_go_and_others_stay(cast):
    cast.mesh.vertex_groups.new(name="left over").add([1], 1.0, "REPLACE")
    cast.mesh.vertex_groups.new(name="smoothed")
    cast.mesh.modifiers.new("Smooth", "SMOOTH").vertex_group = "smoothed"
    names = [one.name for one in cast.mesh.vertex_groups]
    bpy.ops.skinscope.fix_groups()
    assert [one.name for one in cast.mesh.vertex_groups] == [
        one for one in names if one not in {"left over", "no bone of this name", "mask"}
    ]


@pytest.mark.parametrize("scale", [(0.01, 0.01, 0.01), (1, 2, 3), (-1, 1, 1)])
def test_applying_the_scale_of_a_mesh_moves_nothing(cast, scale):
    cast.mesh.scale = scale
    bpy.context.view_layer.update()
    before = blender(cast.mesh)
    bpy.ops.skinscope.fix_scale()
    assert tuple(cast.mesh.scale) == pytest.approx((1, 1, 1))
    assert tuple(cast.mesh.matrix_world.to_scale()) == pytest.approx((1, 1, 1), abs=1e-5)
    assert blender(cast.mesh) == pytest.approx(before, abs=1e-4)


@pytest.mark.parametrize(
    "fix", ["fix_influences", "fix_normalise", "fix_stray", "fix_groups", "fix_scale", "finding_select"]
)
def test_linked_data_is_refused_and_left_alone(session, tmp_path, fix):  # noqa: ARG001
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    name, path = rig.mesh.name, str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.objects = [name]
    mesh = linked.objects[0]
    bpy.context.scene.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    before = weights(mesh)
    bpy.ops.ed.undo_push(message="before")
    with pytest.raises(RuntimeError, match="poll"):
        getattr(bpy.ops.skinscope, fix)()
    assert weights(mesh) == before


@pytest.mark.parametrize("fix", ["fix_normalise", "fix_groups", "fix_scale"])
def test_nothing_to_do_is_one_sentence(cast, fix):
    cast.armature.scale = cast.mesh.scale = (1, 1, 1)
    if fix != "fix_scale":
        getattr(bpy.ops.skinscope, fix)()
    before = weights(cast.mesh)
    with pytest.raises(RuntimeError, match=r"Error: .*\.$"):
        getattr(bpy.ops.skinscope, fix)()
    assert weights(cast.mesh) == before


def test_every_fix_is_offered_for_a_rule_and_every_rule_offers_one_that_is_there(cast):  # noqa: ARG001 - registers them
    fixes = {one.bl_idname for one in CLASSES if issubclass(one, MeshFix)}
    assert len(fixes) >= 5
    offered = {rule.operator for rule in RULES.values() if rule.operator}
    assert offered - {SKINSCOPE_OT_game_ready_copy.bl_idname} == fixes
