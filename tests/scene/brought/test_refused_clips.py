"""Clips from another file that are refused, or leave nothing behind; clips whose names are taken."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.text.errors import ClipError
from skinning_addon.scene.brought import brought_clips
from skinning_addon.scene.brought.clip_package import pack_clips
from skinning_addon.scene.files import open_file
from tests.scene.brought.bringing import bring, everything, figure_here, new_file
from tests.scene.walking_figure import (
    add_figure,
    edit_bones,
    key_walk,
    save,
)


def test_nothing_but_the_clips_comes_along_and_nothing_at_all_where_no_bone_is_shared(
    walk: Path, tmp_path: Path
):
    new_file()
    figure = add_figure()
    edit_bones(figure, "for one in bones: one.name = 'other ' + one.name")
    before = everything()
    with pytest.raises(ClipError, match=r"'walk.blend' has no bone names in common .* 'hips'.* 'other hips'"):
        bring(walk, tmp_path, figure)
    assert everything() == before
    new_file()
    figure = add_figure()
    before = everything()
    bring(walk, tmp_path, figure)
    assert everything() == sorted([*before, ("Action", "Walk")])


def test_what_was_made_is_taken_back_where_a_later_clip_fails(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    open_file(walk)
    second = bpy.data.actions["Walk"].copy()
    second.name, second.use_fake_user = "Z", True
    save(walk)
    new_file()
    figure = add_figure()
    save(tmp_path / "kept.blend")
    before = everything()
    lay, laid = brought_clips.free_name, []

    def fail_at_the_second(name: str, file: str, taken: set[str]) -> str:
        if laid:
            raise ClipError("The disk is gone.")
        laid.append(name)
        return lay(name, file, taken)

    monkeypatch.setattr(brought_clips, "free_name", fail_at_the_second)
    with pytest.raises(ClipError, match="disk"):
        bring(walk, tmp_path, figure)
    assert laid == ["Walk"]
    assert everything() == before
    assert figure_here().animation_data is None


def test_an_armature_of_a_library_is_refused_by_name(walk: Path, tmp_path: Path):
    new_file()
    add_figure()
    library = save(tmp_path / "library.blend")
    new_file()
    with bpy.data.libraries.load(str(library), link=True) as (_, here):
        here.objects = ["Figure"]
    bpy.context.scene.collection.objects.link(here.objects[0])
    with pytest.raises(ClipError, match="'Figure' is linked from a library"):
        bring(walk, tmp_path, here.objects[0])


def test_a_clip_of_a_name_that_is_taken_is_told_apart(walk: Path, tmp_path: Path):
    new_file()
    figure = add_figure()
    key_walk(figure)
    brought = bring(walk, tmp_path, figure)
    assert brought.names == ("Walk (walk.blend)",)
    (told,) = brought.told
    assert "the one from 'walk.blend' is called 'Walk (walk.blend)'" in told.message
    assert [one.name for one in figure_here().animation_data.nla_tracks] == ["Walk (walk.blend)"]
    assert "Walk" in bpy.data.actions


def test_a_clip_there_that_moves_nothing_here_is_refused_and_not_one_of_the_name_here(
    walk: Path, tmp_path: Path
):
    open_file(walk)
    data = bpy.data.armatures.new("Door")
    door = bpy.data.objects.new("Door", data)
    bpy.context.scene.collection.objects.link(door)
    edit_bones(door, "bones.new('hinge').tail = (0, 0, 1)")
    hinge = door.pose.bones["hinge"]
    for frame in (1, 5):
        hinge.location = (0, frame, 0)
        hinge.keyframe_insert("location", frame=frame)
    door.animation_data.action.name = "Open"
    two = save(tmp_path / "two.blend")
    new_file()
    figure = add_figure()
    key_walk(figure, "Open")
    brought = bring(two, tmp_path, figure)
    assert brought.names == ("Walk",)
    assert brought.named("Walk") == "Walk"
    with pytest.raises(ClipError, match=r"'Open' of 'two\.blend' does not move any bone"):
        brought.named("Open")


def test_a_file_without_clips_is_refused(tmp_path: Path):
    add_figure()
    path = save(tmp_path / "still.blend")
    with pytest.raises(ClipError, match=r"'still\.blend' has no clips"):
        pack_clips(path, tmp_path)
