"""Several game-ready copies of a character, and copies of several: at one place, only one can be looked at."""

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
def limb(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(seed=3, influences=9, scale="none"))
    key_poses(rig, FRAMES)
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return rig


def copied(mesh: bpy.types.Object) -> list[str]:
    """Copy a character; return the names of the copy's armature and mesh."""
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True, fit_weights=False) == {"FINISHED"}
    return [one.name for one in bpy.context.active_object.users_collection[0].objects]


def shown() -> list[str]:
    return sorted(one.name for one in bpy.context.scene.objects if one.visible_get())


def preview(which: str) -> None:
    assert bpy.ops.skinscope.game_ready_preview("EXEC_DEFAULT", True, which=which) == {"FINISHED"}


def texts() -> list[str]:
    return [one.text for one in recorded_tab()[PANEL].texts]


def test_of_all_copies_only_the_new_one_is_shown_and_undo_shows_the_former_again(limb, session, capfd):
    originals, name = sorted([limb.armature.name, limb.mesh.name]), limb.mesh.name
    first = copied(limb.mesh)
    before = session.checks.copies.of(bpy.context.scene.session_uid)
    assert "former copies" not in capfd.readouterr().out
    second = copied(bpy.data.objects[name])
    assert shown() == sorted(second)
    assert f"'{originals[0]}' and its former copies are hidden" in capfd.readouterr().out
    now = session.checks.copies.of(bpy.context.scene.session_uid)
    assert (now.before, now.after) == (before.before, before.after)
    bpy.ops.ed.undo()
    assert shown() == sorted(first)
    assert session.checks.copies.of(bpy.context.scene.session_uid).blocks == before.blocks
    for _ in ("choosing the original", "copying it"):
        bpy.ops.ed.undo()
    assert shown() == originals


def test_both_copies_can_be_switched_with_the_original(limb, session):
    originals, name = sorted([limb.armature.name, limb.mesh.name]), limb.mesh.name
    first = copied(limb.mesh)
    second = copied(bpy.data.objects[name])
    for own, other in ((second, first), (first, second)):
        bpy.context.view_layer.objects.active = bpy.data.objects[own[1]]
        preview("COPY")
        # The original's mesh is there to be compared with.
        assert shown() == sorted([*own, name])
        assert session.preview_of(bpy.data.objects[own[1]]) is not None
        assert session.preview_of(bpy.data.objects[other[1]]) is None
        preview("ORIGINAL")
        assert shown() == originals
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    preview("COPY")
    assert shown() == sorted([*second, name])


def test_the_panel_says_which_of_several_it_is_about(limb):
    name = limb.mesh.name
    first = copied(limb.mesh)
    assert first[0] not in texts()
    second = copied(bpy.data.objects[name])
    assert second[0] in texts()
    bpy.context.view_layer.objects.active = bpy.data.objects[first[1]]
    assert first[0] in texts()
    assert second[0] not in texts()


def test_copies_of_other_characters_stay_shown(limb):
    other_armature, other_mesh = limb.armature.copy(), limb.mesh.copy()
    for one in (other_armature, other_mesh):
        bpy.context.scene.collection.objects.link(one)
    other_mesh.parent = other_armature if other_mesh.parent else None
    for one in other_mesh.modifiers:
        if one.type == "ARMATURE":
            one.object = other_armature
    bpy.context.view_layer.update()
    other = other_mesh.name
    first = copied(limb.mesh)
    second = copied(bpy.data.objects[other])
    assert shown() == sorted([*first, *second])


def test_an_original_in_a_hidden_collection_says_which_one(limb):
    originals = [limb.armature, limb.mesh]
    hidden = bpy.data.collections.new("Hid")
    bpy.context.scene.collection.children.link(hidden)
    for one in originals:
        for collection in one.users_collection:
            collection.objects.unlink(one)
        hidden.objects.link(one)
    name = limb.mesh.name
    copy = copied(limb.mesh)
    bpy.context.view_layer.layer_collection.children["Hid"].hide_viewport = True
    with pytest.raises(
        RuntimeError, match=f"'{name}' is in the hidden collection 'Hid'; show that in the Outliner"
    ):
        preview("ORIGINAL")
    # The copy is still there to be looked at.
    assert set(copy) <= set(shown())
    bpy.context.view_layer.layer_collection.children["Hid"].hide_viewport = False
    preview("ORIGINAL")
    assert name in shown()
