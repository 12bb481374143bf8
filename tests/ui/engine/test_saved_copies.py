"""Game-ready copies in a saved file: the panel, its figures and its switches are there once it is opened again."""

from __future__ import annotations

import json
import time
from pathlib import Path

import bpy
import pytest

from skinning_addon.viewport.choices import copy_records
from tests.command_line.rig_files import animated_rig
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.random_rig import RigOptions
from tests.ui.recorded_tab import recorded_tab

FRAMES = 4
PANEL = "SKINSCOPE_PT_game_ready"
OTHER = "Another"


@pytest.fixture
def copied(session) -> list[str]:  # noqa: ARG001 - registers the operators
    """The armature and the mesh of a character, and their copies, by name."""
    rig = animated_rig(RigOptions(seed=3, influences=9, scale="none"))
    key_poses(rig, FRAMES)
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    names = [rig.armature.name, rig.mesh.name]
    return [*names, *copy_of(rig.mesh)]


def copy_of(mesh: bpy.types.Object) -> list[str]:
    bpy.context.view_layer.objects.active = mesh
    assert bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", fit_weights=False) == {"FINISHED"}
    return [one.name for one in bpy.context.active_object.users_collection[0].objects]


def opened_again(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert PANEL not in recorded_tab()
    bpy.ops.wm.open_mainfile(filepath=str(path))


def texts() -> list[str]:
    return [one.text for one in recorded_tab()[PANEL].texts]


def shown() -> set[str]:
    return {one.name for one in bpy.context.scene.objects if one.visible_get()}


def preview(which: str) -> set[str]:
    return bpy.ops.skinscope.game_ready_preview("EXEC_DEFAULT", True, which=which)


def age() -> str:
    """What the panel says about when its figures are from, once a view and its timer have looked."""
    return next((one for one in texts() if "easured when" in one), "")


def looked(session) -> None:
    bpy.context.view_layer.update()
    while session.checks.rigs.due:
        session.checks.compare()


@pytest.mark.usefixtures("copied")
def test_figures_come_back_with_their_day(session, tmp_path):
    before = session.checks.copies.of(bpy.context.scene.session_uid)
    told = texts()
    opened_again(tmp_path / "limb.blend")
    after = session.checks.copies.of(bpy.context.scene.session_uid)
    assert (after.engine, after.before, after.after, after.parts) == (
        "three.js", before.before, before.after, before.parts,
    )  # fmt: skip
    assert after.seconds == before.seconds
    assert f"Measured when it was made, {time.strftime('%Y-%m-%d')}" in " ".join(texts())
    assert texts() == told


def test_both_are_found_by_the_names_that_they_were_saved_under(copied, session, tmp_path):
    *originals, armature, mesh = (f"My {one}" for one in copied)
    for one in copied:
        bpy.data.objects[one].name = f"My {one}"
    session.checks.copies.of(bpy.context.scene.session_uid).collection.name = "Export"
    opened_again(tmp_path / "limb.blend")
    assert preview("ORIGINAL") == {"FINISHED"}
    assert shown() == set(originals)
    assert session.preview_of(bpy.data.objects[originals[1]]) is not None
    assert preview("COPY") == {"FINISHED"}
    assert shown() == {armature, mesh, originals[1]}
    assert session.preview_of(bpy.data.objects[mesh]).authored.object == bpy.data.objects[originals[1]]


def test_of_several_copies_each_comes_back(copied, tmp_path):
    second = copy_of(bpy.data.objects[copied[1]])
    opened_again(tmp_path / "limb.blend")
    bpy.context.view_layer.objects.active = bpy.data.objects[copied[1]]
    assert second[0] in texts()
    bpy.context.view_layer.objects.active = bpy.data.objects[copied[3]]
    assert preview("COPY") == {"FINISHED"}
    assert shown() == {*copied[1:]}


def test_a_copy_that_was_undone_before_saving_does_not_come_back(copied, tmp_path):
    bpy.ops.ed.undo_push(message="before")
    bpy.context.view_layer.objects.active = bpy.data.objects[copied[1]]
    bpy.ops.ed.undo_push(message="chosen")
    bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True, fit_weights=False)
    bpy.ops.ed.undo()
    opened_again(tmp_path / "limb.blend")
    assert copied[2] not in texts()
    assert preview("COPY") == {"FINISHED"}
    assert shown() == {*copied[1:]}


def test_without_the_original_figures_stay_and_a_sentence_says_that_it_is_gone(copied, tmp_path):
    bpy.data.objects.remove(bpy.data.objects[copied[1]])
    # Another one of its name is another character's.
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(OTHER, bpy.data.meshes.new(OTHER)))
    opened_again(tmp_path / "limb.blend")
    bpy.data.objects[OTHER].name = copied[1]
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "limb.blend"))
    assert "Off in three.js:" in texts()
    with pytest.raises(RuntimeError, match=f"The original '{copied[1]}' is gone, so only its copy"):
        preview("ORIGINAL")


def test_a_duplicate_of_the_collection_is_no_copy_of_its_own(copied, session, tmp_path):
    collection = session.checks.copies.of(bpy.context.scene.session_uid).collection
    duplicate = collection.copy()
    for one in collection.objects:
        duplicate.objects.unlink(one)
        duplicate.objects.link(one.copy())
    bpy.context.scene.collection.children.link(duplicate)
    opened_again(tmp_path / "limb.blend")
    found = session.checks.copies.there(bpy.context.scene.session_uid)
    assert [one.collection.name for one in found] == [copied[2]]


@pytest.mark.parametrize("broken", ["", "no JSON", "[]", "{}", '{"copies": 3}', 7])
@pytest.mark.usefixtures("copied")
def test_what_is_no_record_is_left_alone(session, tmp_path, broken):
    collection = session.checks.copies.of(bpy.context.scene.session_uid).collection
    name = collection.name
    session.checks.copies.clear()
    session.checks.copies._is_read = True
    collection[copy_records.RECORD] = broken
    opened_again(tmp_path / "limb.blend")
    assert PANEL not in recorded_tab()
    assert bpy.data.collections[name][copy_records.RECORD] == broken


@pytest.mark.usefixtures("copied")
def test_each_value_of_another_kind_is_no_record(session):
    collection = session.checks.copies.of(bpy.context.scene.session_uid).collection
    held = json.loads(collection[copy_records.RECORD])
    for name in held:
        for wrong in ({}, "wrong", 3.5, [[[]]]):
            collection[copy_records.RECORD] = json.dumps({**held, name: wrong})
            session.checks.copies.clear()
            recorded_tab()
        collection[copy_records.RECORD] = json.dumps({one: held[one] for one in held if one != name})
        session.checks.copies.clear()
        assert PANEL not in recorded_tab()


def move_a_vertex(mesh: bpy.types.Object) -> None:
    mesh.data.vertices[0].co.x += 0.5
    mesh.data.update()


@pytest.mark.parametrize("which", [1, 3], ids=["original", "copy"])
def test_figures_are_old_once_either_has_changed_also_after_loading(copied, session, tmp_path, which):
    looked(session)
    assert age() == "Measured when it was made,"
    for one in (*copied,):
        bpy.data.objects[one].name += " renamed"
    preview("ORIGINAL")
    preview("COPY")
    looked(session)
    assert age() == "Measured when it was made,"
    move_a_vertex(bpy.data.objects[f"{copied[which]} renamed"])
    looked(session)
    assert age().startswith("Old: measured when it was made")
    opened_again(tmp_path / "limb.blend")
    session.checks.watch_saved_copies()
    looked(session)
    assert age().startswith("Old: measured when it was made")


def test_figures_from_a_file_are_old_once_the_original_changes(copied, session, tmp_path):
    opened_again(tmp_path / "limb.blend")
    session.checks.watch_saved_copies()
    looked(session)
    assert age().startswith("Measured when")
    move_a_vertex(bpy.data.objects[copied[1]])
    looked(session)
    assert age().startswith("Old: ")
