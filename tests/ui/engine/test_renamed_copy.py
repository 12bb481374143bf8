"""A game-ready copy and its original, found again once they are renamed, and what is said once they are gone."""

from __future__ import annotations

import bpy
import pytest

from tests.command_line.rig_files import animated_rig
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.random_rig import RigOptions
from tests.ui.recorded_tab import recorded_tab

FRAMES = 4
PANEL = "SKINSCOPE_PT_game_ready"


@pytest.fixture
def copied(session) -> list[str]:  # noqa: ARG001 - registers the operators
    """The armature and the mesh of a character, and their copies, by name."""
    rig = animated_rig(RigOptions(seed=3, influences=9, scale="none"))
    key_poses(rig, FRAMES)
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    names = [rig.armature.name, rig.mesh.name]
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True, fit_weights=False)
    return [*names, *(f"{one} game-ready" for one in names)]


def shown() -> set[str]:
    return {one.name for one in bpy.context.scene.objects if one.visible_get()}


def preview(which: str) -> set[str]:
    return bpy.ops.skinscope.game_ready_preview("EXEC_DEFAULT", True, which=which)


def renamed(names: list[str]) -> list[str]:
    """Rename them, in an undo step of its own."""
    new = [f"My {one}" for one in names]
    for one, name in zip(names, new, strict=True):
        bpy.data.objects[one].name = name
    bpy.ops.ed.undo_push(message="rename")
    return new


def test_both_are_found_by_other_names(copied, session):
    *original, armature, mesh = renamed(copied)
    assert shown() == {armature, mesh}
    assert preview("ORIGINAL") == {"FINISHED"}
    assert shown() == set(original)
    assert session.preview_of(bpy.data.objects[original[1]]) is not None
    assert preview("COPY") == {"FINISHED"}
    # The original's mesh is there to be compared with; its armature isn't needed.
    assert shown() == {armature, mesh, original[1]}
    assert session.preview_of(bpy.data.objects[mesh]).authored.object == bpy.data.objects[original[1]]


def test_undo_and_redo_lose_neither(copied, session):
    *original, armature, mesh = renamed(copied)
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert shown() == set(copied[:2])
    assert PANEL not in recorded_tab()
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert shown() == {armature, mesh}
    assert PANEL in recorded_tab()
    assert preview("ORIGINAL") == {"FINISHED"}
    assert shown() == set(original)
    assert preview("COPY") == {"FINISHED"}
    assert session.preview_of(bpy.data.objects[mesh]).authored.object == bpy.data.objects[original[1]]


@pytest.mark.parametrize("gone", [[0], [1], [0, 1]], ids=["armature", "mesh", "both"])
def test_without_the_original_a_sentence_says_so_and_nothing_is_hidden(copied, gone):
    for one in gone:
        bpy.data.objects.remove(bpy.data.objects[copied[one]])
    before = shown()
    assert before == set(copied[2:])
    with pytest.raises(
        RuntimeError, match=f"The original '{copied[gone[0]]}' is gone, so only its copy can be shown"
    ):
        preview("ORIGINAL")
    assert shown() == before


def test_a_copy_without_its_original_is_compared_with_nothing(copied, session, capfd):
    bpy.data.objects.remove(bpy.data.objects[copied[1]])
    assert preview("COPY") == {"FINISHED"}
    sentence = f"The original '{copied[1]}' is gone, so its copy is compared with nothing."
    assert f"Warning: {sentence}" in capfd.readouterr().out
    copy = bpy.data.objects[copied[3]]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    layer = (bpy.context.scene.session_uid, bpy.context.view_layer.name)
    live = session.preview_of(copy).follow(copy, depsgraph, layer)
    live._reference.follow(1, live.frame, copy, depsgraph)
    assert live._reference.positions is None
    assert live._reference.problem == sentence


@pytest.mark.parametrize("gone", [2, 3], ids=["armature", "mesh"])
def test_a_copy_that_is_not_whole_is_not_shown_for_the_original(copied, gone):
    bpy.data.objects.remove(bpy.data.objects[copied[gone]])
    for one in bpy.data.objects:
        one.hide_set(False)
    before = shown()
    with pytest.raises(RuntimeError, match="The copy is no longer whole; make it again"):
        preview("COPY")
    assert shown() == before > set(copied[:2])


def test_an_original_outside_of_the_view_layer_is_not_shown_for_the_copy(copied):
    apart = bpy.data.collections.new("Apart")
    bpy.context.scene.collection.children.link(apart)
    armature = bpy.data.objects[copied[0]]
    for collection in armature.users_collection:
        collection.objects.unlink(armature)
    apart.objects.link(armature)
    bpy.context.view_layer.layer_collection.children["Apart"].exclude = True
    before = shown()
    with pytest.raises(
        RuntimeError, match=f"'{copied[0]}' is not in this view layer; include its collection there"
    ):
        preview("ORIGINAL")
    assert shown() == before == set(copied[2:])


def test_the_panel_goes_with_the_collection_and_not_with_its_name(copied, session):
    of = session.checks.copies.of
    uid = bpy.context.scene.session_uid
    collection = of(uid).collection
    name = collection.name
    collection.name = "Export"
    assert PANEL in recorded_tab()
    other = bpy.data.collections.new(name)
    assert PANEL in recorded_tab()
    assert of(uid).collection == collection
    assert preview("ORIGINAL") == {"FINISHED"}
    assert shown() == set(copied[:2])
    bpy.data.collections.remove(collection)
    assert other.name == name
    assert PANEL not in recorded_tab()
