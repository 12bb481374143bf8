"""What bones alone can't repeat is kept as vertices: Blender's own, with its normals."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.meshes.blender_result import evaluated_mesh
from skinning_addon.scene.meshes.mesh_reader import read_corner_normals, read_corner_vertices
from skinning_addon.viewport.cached.moving_mesh import MovingMesh
from skinning_addon.viewport.cached.posed_mesh import PosedMesh
from tests.viewport.cached.recorded import FRAMES, assert_known_frames_are_blenders

NORMALS_WITHIN = 1e-3
"""Half precision of a unit vector."""


def key_a_shape(body: bpy.types.Object) -> None:
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="Wide")
    for point in key.data:
        point.co.x *= 1.5
    for frame, value in ((1, 0.0), (FRAMES, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def add(kind: str, **settings):
    def change(body: bpy.types.Object) -> None:
        modifier = body.modifiers.new(kind.title(), kind)
        for name, value in settings.items():
            setattr(modifier, name, value)

    return change


def wave_before(body: bpy.types.Object) -> None:
    body.modifiers.new("Wave", "WAVE").height = 0.3
    with bpy.context.temp_override(object=body):
        bpy.ops.object.modifier_move_to_index(modifier="Wave", index=0)


def flatten(body: bpy.types.Object) -> None:
    key_a_shape(body)
    body.data.polygons.foreach_set("use_smooth", [False] * len(body.data.polygons))


def sharpen(body: bpy.types.Object) -> None:
    key_a_shape(body)
    body.data.polygons.foreach_set("use_smooth", [number % 3 > 0 for number in range(58)])


CHANGES = {
    "shape key": key_a_shape,
    "flat": flatten,
    "partly flat": sharpen,
    "subdivision": add("SUBSURF", levels=2),
    "solidify": add("SOLIDIFY", thickness=0.1),
    "smooth": add("SMOOTH", iterations=4),
    "displace": add("DISPLACE", strength=0.2),
    "wave before": wave_before,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_vertices_and_normals_are_blenders(mode, rig, change):
    _, body = rig
    change(body)
    bpy.context.view_layer.update()
    mode.record()
    (group,) = mode.cached.cache.groups
    (mesh,) = mode.cached.cache.meshes_of(group)
    assert isinstance(mesh, MovingMesh)
    assert mesh.reason
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES
    normals = []
    for frame, kept in mesh.frames.items():
        bpy.context.scene.frame_set(int(frame))
        blenders = evaluated_mesh(body, bpy.context.evaluated_depsgraph_get())
        corners, expected = read_corner_vertices(blenders), read_corner_normals(blenders)
        drawn, source = mesh.drawn_normals(kept), mesh.draw_mesh.source_vertex
        # Without UVs, a vertex whose corners share its normal is drawn once.
        if len(source) != len(corners):
            drawn = drawn[np.argsort(source)][corners]
        else:
            assert np.array_equal(source, corners)
        normals.append(expected)
        assert np.abs(drawn - expected).max() <= NORMALS_WITHIN
    assert np.abs(normals[0] - normals[-1]).max() > 0.1


def test_poses_are_kept_where_they_do(mode, rig):
    mode.record()
    (group,) = mode.cached.cache.groups
    (mesh,) = mode.cached.cache.meshes_of(group)
    assert isinstance(mesh, PosedMesh)
    assert mode.cached.cache.by_vertices == ()
    vertices = 12 * len(rig[1].data.vertices) * FRAMES
    assert mode.cached.cache.byte_count < vertices


@pytest.mark.parametrize(
    "edit",
    [
        lambda body: setattr(body.modifiers["Subsurf"], "levels", 1),
        lambda body: setattr(body.data.shape_keys.key_blocks["Wide"], "slider_min", -1.0),
        lambda body: setattr(body.data.shape_keys.key_blocks["Basis"].data[0], "co", (1, 2, 3)),
    ],
    ids=["levels", "range", "shape"],
)
def test_edits_make_vertices_unknown(mode, rig, edit):
    _, body = rig
    key_a_shape(body)
    add("SUBSURF", levels=2)(body)
    bpy.context.view_layer.update()
    mode.record()
    assert mode.known == FRAMES
    edit(body)
    bpy.context.view_layer.update()
    mode.record()
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES


def test_the_memory_limit_counts_vertices(mode, rig):
    _, body = rig
    add("SUBSURF", levels=2)(body)
    mode.megabytes = 0.05
    bpy.context.view_layer.update()
    mode.record()
    assert mode.cached.cache.is_full
    assert 0 < mode.known < FRAMES


def test_poses_are_tried_again_after_an_edit(mode, rig):
    _, body = rig
    add("SUBSURF", levels=2)(body)
    bpy.context.view_layer.update()
    mode.record()
    assert mode.cached.cache.by_vertices
    body.modifiers.remove(body.modifiers["Subsurf"])
    bpy.context.view_layer.update()
    mode.record()
    assert mode.cached.cache.by_vertices == ()
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES
