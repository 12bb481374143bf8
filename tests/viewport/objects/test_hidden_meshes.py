"""Blender's own mesh is excluded from drawing, without changing any user data."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest

from skinning_addon.viewport.choices.settings import BlenderMesh, PreviewSettings
from skinning_addon.viewport.event_handlers import hide_meshes
from skinning_addon.viewport.objects.hidden_meshes import NOT_EVEN_BOUNDS
from tests.scene.random_rig import RigOptions, random_rig

HIDDEN = PreviewSettings(blender_mesh=BlenderMesh.HIDDEN)
pytestmark = pytest.mark.usefixtures("settings")

OWN = ("display_type", "visible_camera", "visible_shadow", "hide_viewport")


@pytest.fixture
def settings(session, monkeypatch):
    """What scenes have set, by name; the others show Blender's meshes."""
    by_scene = {bpy.context.scene.name: HIDDEN}

    def of(scene):
        return by_scene.get(scene.name, PreviewSettings())

    monkeypatch.setattr(session, "settings_of", of)
    monkeypatch.setattr(session, "hides_in", lambda scene: of(scene).hides_blenders_mesh)
    return by_scene


@pytest.fixture
def meshes():
    rig = random_rig(RigOptions())
    other = rig.mesh.copy()
    bpy.context.scene.collection.objects.link(other)
    return rig.mesh, other


def is_drawn(mesh_object, view_layer=None) -> bool:
    """Whether the engines find the object among what they draw; asking for the type itself warns of an unknown
    one.
    """
    view_layer = view_layer or bpy.context.view_layer
    view_layer.update()
    copies = view_layer.depsgraph.view_layer_eval.objects
    index = [one.original for one in copies].index(mesh_object)
    kinds = np.empty(len(copies), dtype=np.int32)
    copies.foreach_get("display_type", kinds)
    copy = copies[index]
    drawn = {bool(kinds[index] != NOT_EVEN_BOUNDS), copy.visible_camera, copy.visible_shadow}
    assert len(drawn) == 1, "some engines would draw it and others not"
    return drawn.pop()


def drawn_as(meshes) -> list[tuple[int, bool, bool]]:
    """Return how Blender draws them: the number of the display type, whether cameras and shadows show them."""
    copies = bpy.context.view_layer.depsgraph.view_layer_eval.objects
    kinds = np.empty(len(copies), dtype=np.int32)
    copies.foreach_get("display_type", kinds)
    where = [[one.original for one in copies].index(mesh) for mesh in meshes]
    return [
        (int(kinds[index]), copies[index].visible_camera, copies[index].visible_shadow) for index in where
    ]


def start(session, mesh_object):
    return session.start(mesh_object, bpy.context.evaluated_depsgraph_get())


def test_only_what_is_previewed_is_hidden_and_it_stays_so_while_things_change(session, meshes):
    before = [[getattr(one, name) for name in OWN] for one in meshes]
    start(session, meshes[0])
    assert [is_drawn(one) for one in meshes] == [False, True]
    for change in (
        lambda: bpy.context.scene.frame_set(5),
        lambda: setattr(meshes[0], "location", (1, 2, 3)),
        lambda: meshes[0].vertex_groups[0].add([0], 0.5, "REPLACE"),
        meshes[0].data.update,
        lambda: setattr(meshes[0], "name", "Renamed"),
        lambda: bpy.data.objects.remove(bpy.data.objects.new("comes and goes", None)),
        lambda: meshes[0].select_set(True),
    ):
        change()
        assert [is_drawn(one) for one in meshes] == [False, True]
    assert [[getattr(one, name) for name in OWN] for one in meshes] == before


def test_it_is_still_evaluated(session, meshes):
    start(session, meshes[0])
    mesh_object = meshes[0]
    rest = np.array([vertex.co for vertex in mesh_object.data.vertices])
    armature = mesh_object.modifiers[0].object
    armature.pose.bones[0].location.x += 1
    assert not is_drawn(mesh_object)
    evaluated = mesh_object.evaluated_get(bpy.context.view_layer.depsgraph)
    posed = np.array([vertex.co for vertex in evaluated.data.vertices])
    assert np.abs(posed - rest).max() > 0.1


def test_what_stops_is_drawn_again_and_the_others_are_not(session, meshes):
    for one in meshes:
        start(session, one)
    assert [is_drawn(one) for one in meshes] == [False, False]
    session.stop((meshes[0].session_uid,))
    assert [is_drawn(one) for one in meshes] == [True, False]
    session.stop_all()
    assert [is_drawn(one) for one in meshes] == [True, True]


def test_it_follows_the_setting(session, settings, meshes):
    start(session, meshes[0])
    assert not is_drawn(meshes[0])
    for setting, drawn in (
        (PreviewSettings(), True),
        (PreviewSettings(blender_mesh=BlenderMesh.GHOST), False),
        (PreviewSettings(), True),
        (PreviewSettings(split=0.5), False),
    ):
        settings[bpy.context.scene.name] = setting
        session.update_meshes()
        assert is_drawn(meshes[0]) == drawn


def test_pictures_that_blender_makes_itself_show_it(session, meshes):
    start(session, meshes[0])
    meshes[0].visible_shadow = False
    bpy.context.view_layer.update()
    assert bpy.context.window_manager.windows
    for begin, end in (
        (session.pictures.begin, session.pictures.end),
        (
            lambda: [one("") for one in bpy.app.handlers.save_pre],  # pyright: ignore[reportCallIssue]
            lambda: [one("") for one in bpy.app.handlers.save_post],  # pyright: ignore[reportCallIssue]
        ),
    ):
        begin()
        meshes_drawn = [(kind, *rays) for kind, *rays in drawn_as(meshes)]
        assert meshes_drawn == [(5, True, False), (5, True, True)]
        bpy.context.scene.frame_set(7)
        assert [one[0] for one in drawn_as(meshes)] == [5, 5]
        end()
        assert [one[0] for one in drawn_as(meshes)] == [NOT_EVEN_BOUNDS, 5]


@pytest.mark.parametrize("mode", ["EDIT", "WEIGHT_PAINT", "SCULPT"])
def test_where_its_vertices_are_worked_on_it_is_drawn(session, meshes, mode):
    start(session, meshes[0])
    assert not is_drawn(meshes[0])
    bpy.context.view_layer.objects.active = meshes[0]
    bpy.ops.object.mode_set(mode=mode)
    meshes[0].update_tag()
    assert is_drawn(meshes[0])
    bpy.ops.object.mode_set(mode="OBJECT")
    meshes[0].update_tag()
    assert not is_drawn(meshes[0])


@pytest.mark.parametrize("how", ["switched off", "paused"])
def test_where_nothing_is_drawn_for_it_it_is_drawn(session, meshes, how):
    preview = start(session, meshes[0])
    assert not is_drawn(meshes[0])
    if how == "switched off":
        preview.switch_off("for a test")
    else:
        preview.paused = "for a test"
    session.settle_meshes()
    assert is_drawn(meshes[0])
    preview.error = preview.paused = ""
    session.settle_meshes()
    assert not is_drawn(meshes[0])


def test_undo_and_redo_keep_it_hidden_and_change_nothing(session, meshes):
    bpy.ops.ed.undo_push(message="before")
    start(session, meshes[0])
    uid = meshes[0].session_uid
    name = meshes[0].name
    assert not is_drawn(meshes[0])
    bpy.data.objects[name].location.x = 1
    bpy.ops.ed.undo_push(message="moved")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        step()
        mesh_object = session.objects.find(uid)
        assert not is_drawn(mesh_object)
        assert mesh_object.display_type == "TEXTURED"
        assert mesh_object.visible_camera
    session.stop_all()
    assert is_drawn(session.objects.find(uid))


def test_of_two_scenes_only_the_one_that_hides_it_does(session, settings, meshes):
    other = bpy.data.scenes.new("Other")
    for one in bpy.context.scene.objects:
        other.collection.objects.link(one)
    start(session, meshes[0])
    assert not is_drawn(meshes[0])
    assert is_drawn(meshes[0], other.view_layers[0])
    settings["Other"] = replace(HIDDEN)
    session.update_meshes()
    assert not is_drawn(meshes[0], other.view_layers[0])


def test_an_object_that_rays_never_saw_is_given_back_as_it_was(session, meshes):
    meshes[0].visible_camera = meshes[0].visible_shadow = False
    meshes[0].display_type = "WIRE"
    start(session, meshes[0])
    assert not is_drawn(meshes[0])
    session.stop_all()
    bpy.context.view_layer.update()
    copy = meshes[0].evaluated_get(bpy.context.view_layer.depsgraph)
    assert (copy.display_type, copy.visible_camera) == ("WIRE", False)


def test_what_is_linked_is_drawn_and_what_only_has_its_name_is_hidden(session, meshes, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {meshes[0]})
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = [meshes[0].name]
    linked = into.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    assert linked.name == meshes[0].name
    start(session, linked)
    assert [is_drawn(one) for one in (linked, meshes[0])] == [True, True]
    start(session, meshes[0])
    assert [is_drawn(one) for one in (linked, meshes[0])] == [True, False]


def test_a_library_override_can_be_hidden(session, meshes, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {meshes[0]})
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = [meshes[0].name]
    override = into.objects[0].override_create(remap_local_usages=True)
    bpy.context.scene.collection.objects.link(override)
    bpy.context.view_layer.update()
    start(session, override)
    assert not is_drawn(override)
    session.stop_all()
    assert is_drawn(override)


def test_what_is_rendered_is_left_alone(session, meshes):
    start(session, meshes[0])

    class RenderDepsgraph:
        mode = "RENDER"

        @property
        def view_layer_eval(self):
            raise AssertionError("it was looked at")

    hide_meshes(bpy.context.scene, RenderDepsgraph())
