"""Previews of meshes being painted, for which Blender skips some modifiers. Judged by Blender's
evaluated mesh.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.scene.objects.modifier_stack import LEFT_OUT_WHILE_PAINTED
from tests.fuzz.edits.start_scene import add_character
from tests.scene.random_rig import RandomRig, RigOptions
from tests.viewport.character.following import catch_up, skinned_by

STAYING = ("ARRAY", "EDGE_SPLIT", "MASK", "MIRROR", "SOLIDIFY", "SUBSURF", "WELD")


@pytest.fixture
def rig() -> RandomRig:
    mesh, armature = add_character("Body", "Rig")
    armature.pose.bones["lower"].location.x = 0.4
    bpy.context.view_layer.objects.active = mesh
    return RandomRig(mesh, armature, np.random.default_rng(1), RigOptions())


def add(rig: RandomRig, kind: str) -> None:
    """Add a modifier with settings by which it changes how many vertices or faces there are."""
    modifier = rig.mesh.modifiers.new("Added", kind)
    if kind in {"VOLUME_TO_MESH", "BOOLEAN"}:
        volume = bpy.data.volumes.new("Other") if kind == "VOLUME_TO_MESH" else rig.mesh.data.copy()
        modifier.object = bpy.data.objects.new("Other", volume)
        modifier.object.location.x = 0.1
        bpy.context.collection.objects.link(modifier.object)
    for name, value in (
        ("ratio", 0.4),
        ("vertex_group", "lower"),
        ("merge_threshold", 0.3),
        ("frame_start", -50),
        ("steps", 4),
        ("spatial_size", 3),
        ("resolution", 2),
    ):
        if hasattr(modifier, name):
            setattr(modifier, name, value)


def size_of_blenders(rig: RandomRig) -> tuple[int, int]:
    shown = rig.mesh.evaluated_get(bpy.context.view_layer.depsgraph).data
    return len(shown.vertices), len(shown.polygons)


@pytest.mark.parametrize("kind", [*sorted(LEFT_OUT_WHILE_PAINTED - {"EXPLODE"}), *STAYING])
def test_modifiers_before_the_armature_are_shown_as_blender_shows_them_while_painting(session, rig, kind):
    add(rig, kind)
    rig.mesh.modifiers.move(1, 0)
    rig.mesh.data.use_paint_mask = True
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    sizes = {}
    for mode in ("OBJECT", "VERTEX_PAINT", "TEXTURE_PAINT", "OBJECT", "WEIGHT_PAINT"):
        bpy.ops.object.mode_set(mode=mode)
        live = catch_up(preview, rig)
        sizes[mode] = count, _ = size_of_blenders(rig)
        if not count:
            assert "has no vertices" in preview.paused, mode
            continue
        assert preview.paused == "", mode
        assert live.binding.reasons == (), mode
        mesh = live.binding.mesh
        assert mesh.vertex_count == count, mode
        blender = read_blender_positions(rig.mesh, bpy.context.view_layer.depsgraph, count)
        assert np.abs(skinned_by(live) - blender).max() < 1e-5 * mesh.diagonal, mode
    painted = {sizes[mode] for mode in ("WEIGHT_PAINT", "VERTEX_PAINT", "TEXTURE_PAINT")}
    assert len(painted) == 1
    assert (painted != {sizes["OBJECT"]}) == (kind in LEFT_OUT_WHILE_PAINTED)


def test_without_masked_faces_nothing_is_left_out_while_textures_are_painted(session, rig):
    add(rig, "WIREFRAME")
    rig.mesh.modifiers.move(1, 0)
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    bpy.ops.object.mode_set(mode="TEXTURE_PAINT")
    live = catch_up(preview, rig)
    assert live.binding.mesh.vertex_count == size_of_blenders(rig)[0] > len(rig.mesh.data.vertices)


@pytest.mark.parametrize(
    "kinds", [("WIREFRAME",), ("SUBSURF",), ("WIREFRAME", "SUBSURF"), ("SUBSURF", "SKIN")]
)
def test_what_stands_behind_the_armature_leaves_a_painted_mesh_to_be_compared(session, rig, kinds):
    expected = read_blender_positions(
        rig.mesh, bpy.context.evaluated_depsgraph_get(), len(rig.mesh.data.vertices)
    )
    for kind in kinds:
        add(rig, kind)
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    live = catch_up(preview, rig)
    reference, depsgraph = live._reference, bpy.context.view_layer.depsgraph
    reference.follow(live._frame_revision, live._frame, rig.mesh, depsgraph)
    if reference.wanted:
        reference.read_shadow(live._frame_revision, live._frame, rig.mesh, depsgraph)
    np.testing.assert_allclose(reference.positions, expected, atol=1e-5)  # pyright: ignore[reportCallIssue]
    np.testing.assert_allclose(skinned_by(live), expected, atol=1e-5)
