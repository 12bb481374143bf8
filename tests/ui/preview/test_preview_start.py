from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.preview.preview_start import PreviewStart
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def meshes():
    """Three meshes on one armature."""
    rig = random_rig(RigOptions(scale="none"))
    others = [rig.mesh.copy() for _ in range(2)]
    for one in others:
        bpy.context.scene.collection.objects.link(one)
    bpy.context.view_layer.update()
    return [rig.mesh, *others]


def bind_all(start):
    while start.next_name:
        start.bind_next(bpy.context.evaluated_depsgraph_get())


def test_nothing_is_shown_before_all_are_bound(session, meshes):
    start = PreviewStart(session, meshes)
    assert (start.done, start.count, start.next_name) == (0, 3, meshes[0].name)
    start.bind_next(bpy.context.evaluated_depsgraph_get())
    assert (start.done, start.next_name) == (1, meshes[1].name)
    assert session.previews == ()
    bind_all(start)
    assert session.previews == ()
    assert start.finish() == meshes
    assert [one.name for one in session.previews] == [one.name for one in meshes]


def test_dropped_half_way_it_leaves_what_was_running(session, meshes):
    running = session.start(meshes[0], bpy.context.evaluated_depsgraph_get())
    start = PreviewStart(session, meshes)
    start.bind_next(bpy.context.evaluated_depsgraph_get())
    del start
    assert session.previews == (running,)


def test_what_is_deleted_meanwhile_is_passed_over(session, meshes):
    start = PreviewStart(session, meshes)
    names = [one.name for one in meshes]
    start.bind_next(bpy.context.evaluated_depsgraph_get())
    bpy.data.objects.remove(meshes[0])
    bpy.data.objects.remove(meshes[1])
    bind_all(start)
    assert [one.name for one in start.finish()] == [names[2]]


def test_a_mesh_that_is_refused_keeps_none_of_the_others_back(session, meshes):
    meshes[1].modifiers.clear()
    start = PreviewStart(session, meshes)
    bind_all(start)
    assert start.finish() == [meshes[0], meshes[2]]
    assert start.refused == [
        f"'{meshes[1].name}' has no armature; add an Armature modifier and choose the armature as its Object."
    ]
