"""Previews start again with their file if its scene says so, and otherwise nothing starts."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.ui.preview import coming_back
from skinning_addon.ui.preview.coming_back import ComingBack, previewed_meshes
from skinning_addon.ui.settings.properties import scene_settings
from skinning_addon.ui.undone import follow_undo
from skinning_addon.viewport.layers import layer_key
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions, random_rig


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
    """Do what the first drawing of each scene has done; return the previewed meshes."""
    again = ComingBack()
    for scene in bpy.data.scenes:
        scene.view_layers[0].update()
        again.begin(layer_key(scene, scene.view_layers[0]))
    while any(one.session_uid in again for one in bpy.data.scenes):
        again.bind_next()
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
    assert bpy.context.scene.session_uid not in session.first_draws


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


@pytest.fixture
def two_scenes(path: Path) -> Path:
    """A second scene with a character of its own, both with previews."""
    first, scene = bpy.context.scene, bpy.data.scenes.new("Second")
    bpy.context.window.scene = scene
    other = random_rig(RigOptions(seed=5))
    other.mesh.name = "Other mesh"
    scene_settings(scene).start_with_file = True
    bpy.context.view_layer.objects.active = other.mesh
    other.mesh.select_set(True)
    bpy.ops.skinscope.preview_start()
    bpy.context.window.scene = first
    return path


def noted() -> dict[str, list[str]]:
    return {one.name: scene_settings(one).previewed.keys() for one in bpy.data.scenes}


def test_each_scene_wants_its_own_meshes_back(two_scenes: Path, session):
    reopened(two_scenes)
    assert noted() == {"Scene": ["Random mesh"], "Second": ["Other mesh"]}
    assert begin(session) == ["Random mesh", "Other mesh"]
    assert session.error == ""


def test_a_scene_that_was_not_shown_still_wants_its_previews_after_saving(two_scenes: Path, session):
    reopened(two_scenes)
    before = noted()
    # As in a window, in which the second scene is not shown.
    first, second = bpy.data.scenes
    session.first_draws.wait_for([first.session_uid, second.session_uid], lambda _layer: None)
    session.first_draws.note(layer_key(first, first.view_layers[0]))
    session.first_draws._act()
    coming_back.write_down_previews()
    assert noted() == {"Scene": [], "Second": before["Second"]}


def test_what_runs_is_written_down_for_files_that_blender_saves_by_itself(path: Path, session):  # noqa: ARG001
    """Autosave and the last session are files of the last undo step; nothing is called before they are saved."""
    bpy.ops.ed.undo_push(message="Start")
    assert noted() == {"Scene": []}
    coming_back._write_later._fire()
    assert noted() == {"Scene": ["Random mesh"]}
    bpy.ops.ed.undo_push(message="Something")
    bpy.ops.ed.undo()
    assert noted() == {"Scene": []}
    follow_undo()
    assert noted() == {"Scene": ["Random mesh"]}
    bpy.ops.skinscope.preview_stop()
    coming_back._write_later._fire()
    assert noted() == {"Scene": []}
