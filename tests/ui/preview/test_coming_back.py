"""Previews start again with their file if its scene says so, and otherwise nothing starts."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.ui.preview import coming_back
from skinning_addon.ui.preview.coming_back import ComingBack, previewed_meshes
from skinning_addon.ui.settings.properties import scene_settings
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions


@pytest.fixture
def path(session, tmp_path: Path) -> Path:  # noqa: ARG001 - registers the operators
    """A rig whose preview runs, under an engine and a display of its own; where to save it."""
    rig = animated_rig(RigOptions(scale="none"))
    settings = scene_settings(bpy.context.scene)
    settings.profiles.profile, settings.display, settings.start_with_file = "threejs", "DEVIATION", True
    bpy.context.view_layer.objects.active = rig.mesh
    rig.mesh.select_set(True)
    bpy.ops.skinscope.preview_start()
    return tmp_path / "rig.blend"


def reopened(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


def begin(session) -> list[str]:
    """Do what the first drawing of a 3D view has done; return the previewed meshes."""
    again = ComingBack()
    again.begin_in(bpy.context.scene, bpy.context.view_layer)
    while again._start is not None:
        again._bind_next()
    again.cancel()
    return [one.name for one in session.previews]


def test_a_preview_comes_back_with_its_engine_and_display(path: Path, session):
    threshold = scene_settings(bpy.context.scene).threshold
    reopened(path)
    assert session.previews == ()
    assert begin(session) == ["Random mesh"]
    (preview,) = session.previews
    settings = scene_settings(bpy.context.scene)
    assert (preview.profile.id, settings.display) == ("threejs", "DEVIATION")
    assert settings.threshold == threshold
    assert preview.binding.armatures


def test_it_is_the_mesh_that_was_previewed_whatever_it_is_called_by_then(path: Path, session):
    bpy.context.active_object.name = "Body"
    other = bpy.context.active_object.copy()
    bpy.context.scene.collection.objects.link(other)
    reopened(path)
    assert begin(session) == ["Body"]


@pytest.mark.parametrize("how", ["no setting", "stopped", "setting taken back"])
def test_otherwise_nothing_starts(path: Path, session, how: str):
    if how == "no setting":
        scene_settings(bpy.context.scene).start_with_file = False
    elif how == "stopped":
        bpy.ops.skinscope.preview_stop()
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        scene_settings(bpy.context.scene).start_with_file = False
    reopened(path)
    assert begin(session) == []


def test_in_the_background_nothing_waits_for_a_drawing(path: Path, session):
    reopened(path)
    assert bpy.app.background
    assert session.on_first_draw is None


def test_a_linked_scene_starts_nothing_and_is_not_written_to(path: Path, session):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.scenes = ["Scene"]
    (linked,) = (one for one in bpy.data.scenes if one.library)
    assert scene_settings(linked).start_with_file
    assert previewed_meshes(linked) == []
    coming_back.write_down_previews()
    assert scene_settings(linked).previewed.keys() == ["Random mesh"]
    assert session.previews == ()


def test_a_linked_character_comes_back(path: Path, session):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.objects = ["Random mesh", "Random"]
    for one in bpy.data.objects:
        bpy.context.scene.collection.objects.link(one)
    own = bpy.data.objects.new("Random mesh", bpy.data.meshes.new("Own"))
    bpy.context.scene.collection.objects.link(own)
    bpy.data.objects["Random mesh", bpy.data.libraries[0].filepath].select_set(True)
    scene_settings(bpy.context.scene).start_with_file = True
    bpy.ops.skinscope.preview_start()
    reopened(path.with_name("shot.blend"))
    begin(session)
    (preview,) = session.previews
    assert session.objects.find(preview.uid).library is not None


def test_a_mesh_that_can_no_longer_be_skinned_is_named(path: Path, session):
    bpy.context.active_object.modifiers.clear()
    bpy.context.active_object.parent = None
    reopened(path)
    assert begin(session) == []
    assert session.error.startswith("Of the previews in this file, 1 could not start again: 'Random mesh'")


def test_undo_past_the_start_ends_no_preview(path: Path, session):
    reopened(path)
    bpy.ops.ed.undo_push(message="Opened")
    begin(session)
    bpy.context.scene.frame_set(2)
    bpy.ops.ed.undo_push(message="Frame")
    bpy.ops.ed.undo()
    (preview,) = session.previews
    assert preview.name == "Random mesh"
    assert session.running
