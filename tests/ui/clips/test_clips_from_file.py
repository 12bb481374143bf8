"""Clips from File: what it adds, that it can be undone, and that nothing is left if it fails."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.text.errors import SourceFileError
from skinning_addon.scene.brought import clip_package_process
from skinning_addon.ui.settings.animation_settings import loops
from skinning_addon.ui.settings.clip_lists import clip_names, selected_clip
from skinning_addon.ui.undone import follow_undo
from tests.scene.brought.bringing import OTHER_REST, everything
from tests.scene.walking_figure import (
    BONES,
    FRAMES,
    add_figure,
    blenders_pose,
    edit_bones,
    key_walk,
    play_track,
    save,
    turns,
)

pytestmark = pytest.mark.usefixtures("session")

EVERY = tuple(float(frame) for frame in range(1, FRAMES + 1))


@pytest.fixture
def walk(tmp_path: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """A file with the figure's walk, every pose in it, and how far its bones are turned there."""
    figure = add_figure()
    key_walk(figure)
    poses = blenders_pose(figure, EVERY)
    turned = turns(figure, poses, list(BONES))
    path = save(tmp_path / "walk.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path, poses, turned


@pytest.mark.processes
def test_clips_are_added_to_the_list_and_undo_takes_them_back(walk) -> None:
    path, poses, _ = walk
    figure = add_figure()
    own = key_walk(figure, "Wave")
    bpy.ops.skinscope.clips_refresh()
    bpy.ops.skinscope.clip_loop(clip="Wave")
    before = everything()
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.skinscope.clips_from_file("EXEC_DEFAULT", True, filepath=str(path)) == {"FINISHED"}
    assert clip_names(figure) == ["Walk", "Wave"]
    assert [loops(figure, one) for one in clip_names(figure)] == [True, False]
    assert selected_clip(figure) == "Walk"
    assert everything() == sorted([*before, ("Action", "Walk")])
    # What the scene plays stays what it was.
    assert figure.animation_data.action == own
    assert figure.animation_data.nla_tracks["Walk"].mute
    play_track(figure, "Walk")
    assert np.array_equal(blenders_pose(figure, EVERY), poses)
    bpy.ops.ed.undo()
    figure = bpy.data.objects["Figure"]
    assert everything() == before
    follow_undo()
    assert clip_names(figure) == ["Wave"]
    assert not figure.animation_data.nla_tracks


@pytest.mark.processes
def test_retargeted_every_bone_turns_as_in_the_file(walk) -> None:
    path, _, turned = walk
    figure = add_figure()
    edit_bones(figure, OTHER_REST)
    bpy.ops.skinscope.clips_from_file(filepath=str(path), retarget=True)
    play_track(figure, "Walk")
    assert np.abs(turns(figure, blenders_pose(figure, EVERY), list(BONES)) - turned).max() < 2e-6


@pytest.mark.processes
@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("", "No file is chosen"),
        ("broken.glb", "can't be imported"),
        ("foreign.blend", "'foreign.blend' has no bone names in common"),
        ("open.blend", "'open.blend' is the open file"),
    ],
)
def test_what_has_no_clips_for_the_armature_changes_nothing(walk, named: str, sentence: str) -> None:
    folder = walk[0].parent
    (folder / "broken.glb").write_bytes(b"glTF\2\0\0\0 and then nothing of the kind")
    foreign = add_figure()
    key_walk(foreign)
    edit_bones(foreign, "for one in bones: one.name = 'x' + one.name")
    save(folder / "foreign.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    figure = add_figure()
    save(folder / "open.blend")
    before = everything()
    with pytest.raises(RuntimeError, match=sentence.replace(".", r"\.")):
        bpy.ops.skinscope.clips_from_file(filepath=str(folder / named) if named else "")
    assert everything() == before
    assert clip_names(figure) == []
    assert figure.animation_data is None


@pytest.mark.processes
def test_a_blender_that_dies_over_the_file_is_told(walk, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _, _ = walk
    monkeypatch.setattr(clip_package_process, "EXPRESSION", "import os; os.abort()  # {root} {file} {folder}")
    with (
        pytest.raises(SourceFileError, match=r"Blender exited with status .* while reading"),
        clip_package_process.packed_elsewhere(path),
    ):
        pass


def test_in_edit_mode_it_waits(walk) -> None:
    add_figure()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.skinscope.clips_from_file(filepath=str(walk[0]))
