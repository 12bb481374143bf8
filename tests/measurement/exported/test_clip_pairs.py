"""A file's times and a clip's frames, as exporters write them."""

from __future__ import annotations

import pytest

from skinning_addon.measurement.exported.clip_pairs import pair_clip, shift_of
from skinning_addon.measurement.exported.exported_file import FileClip
from skinning_addon.scene.clips.playback import ScenePlayback


@pytest.mark.parametrize(
    ("clip", "file", "shift"),
    [
        ((1, 9), (1, 9), 0),
        ((1, 9), (0, 8), 1),
        ((0.999999, 48), (0, 48), 0),
        ((0.999999, 48), (0, 47), 0.999999),
        ((0, 27.8), (0, 27), 0),
        ((0.8, 5.8), (0, 5), 0),
        ((-5, 9), (0, 14), -5),
        ((-5, 9), (0, 9), 0),
        ((1, 9), (1, 6), 0),
        ((20, 60), (30, 40), 0),
        ((20, 60), (0, 10), 20),
    ],
    ids=(
        "own",
        "at zero",
        "first frame rounded down",
        "that at zero",
        "last frame whole",
        "both rounded down",
        "moved up",
        "cut off",
        "cut",
        "middle",
        "cut and at zero",
    ),
)
def test_where_a_clip_lies_in_its_file(clip: tuple[float, float], file: tuple[float, float], shift: float):
    assert shift_of(clip, *file) == pytest.approx(shift)


def test_clips_are_found_by_name_whatever_stands_around_it():
    clips = [FileClip("Armature|Walk", 0, 1), FileClip("Walk.001", 0, 1), FileClip("Run", 0, 1)]
    walk = pair_clip(ScenePlayback(0, 24, "Walk"), clips, 24)
    assert walk is not None
    assert (walk.clips, walk.first, walk.last) == ((0,), 0, 24)
    late = pair_clip(ScenePlayback(0.8, 24.8, "Walk"), clips, 24)
    assert late is not None
    assert late.shift == pytest.approx(0.8)
    assert pair_clip(ScenePlayback(0, 24, "Jump"), clips, 24) is None


@pytest.mark.parametrize(
    ("name", "file", "first", "shift"),
    [
        ("Armature|Walk", (0, 9), 3, 1),
        ("Walk", (0, 3), 3, 3),
        ("Walk", (1, 10), 3, 0),
        ("Walk", (0, 9), 3, 1),
    ],
    ids=("the action in FBX", "the strip in FBX", "the action in glTF", "that at zero"),
)
def test_a_part_of_an_action_may_be_in_a_file_whole(
    name: str, file: tuple[float, float], first: float, shift: float
):
    clips = [FileClip(name, file[0] / 24, file[1] / 24)]
    pair = pair_clip(ScenePlayback(3, 6, "Walk"), clips, 24, actions=(1, 10))
    assert pair is not None
    assert (pair.first, pair.shift) == pytest.approx((first, shift))


def test_clips_that_are_named_as_fbx_files_name_them():
    """Actions that were imported from FBX are, and are exported with the armature's name before that."""
    clips = [FileClip("Armature|Armature|Walk", 0, 1), FileClip("Armature|Armature|Run|Base", 0, 1)]
    for number, name in enumerate(("Armature|Walk", "Armature|Run")):
        found = pair_clip(ScenePlayback(0, 24, name), clips, 24)
        assert found is not None
        assert found.clips == (number,)
    assert pair_clip(ScenePlayback(0, 24, "mature|Walk"), clips, 24) is None
