"""Pictures of checked characters: what they show, and when there is none."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.pictures import read_picture
from tests.command_line.rig_files import rig_file
from tests.scene.random_rig import RigOptions


@pytest.mark.gpu
@pytest.mark.parametrize("gone", [False, True])
def test_a_picture_shows_blenders_mesh_and_where_the_engine_is_off(
    tmp_path: Path, skinscope: Program, gone: bool
):
    """The heat map has warm colours where a mesh is far off, and Blender's side has no colours at all."""
    path = rig_file(tmp_path / "hero.blend", RigOptions(influences=7, scale="none"))
    arguments = (
        "check",
        path,
        "--profile",
        "unity-1",
        "--pictures",
        tmp_path / "pictures",
        "--format",
        "json",
    )
    arguments += ("--cache", tmp_path / "cache", "--summary", tmp_path / "page.html")
    result = skinscope(*arguments)
    (named,) = (one["picture"] for one in result.json["files"])
    (picture,) = (tmp_path / "pictures").iterdir()
    assert named == str(picture)
    assert picture.name.startswith("hero-")
    pixels = read_picture(picture)
    assert pixels.shape == (400, 640, 3)
    # But for the dark background's tint, and JPEG's own noise.
    saturation = np.ptp(pixels, axis=2)
    red, blue = pixels[..., 0] - pixels[..., 2], pixels[..., 2] - pixels[..., 0]
    assert saturation[:, :320].max() < 0.25
    assert np.count_nonzero(red[:, 320:560] > 0.3) > 200
    assert np.count_nonzero(blue[:, :320] > 0.3) == 0
    assert "data:image/jpeg;base64," in (tmp_path / "page.html").read_text(encoding="utf-8")
    before = picture.stat().st_mtime_ns
    if gone:
        picture.unlink()
    again = skinscope(*arguments)
    assert again.json == result.json
    assert picture.exists()
    assert (picture.stat().st_mtime_ns == before) is not gone


@pytest.mark.gpu
def test_a_file_without_meshes_has_no_picture(tmp_path: Path, skinscope: Program):
    path = tmp_path / "empty.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    result = skinscope("check", path, "--pictures", tmp_path / "pictures", "--format", "json")
    assert result.json["files"][0]["picture"] is None
    assert not list((tmp_path / "pictures").iterdir())


def test_without_a_gpu_the_report_is_there_and_why_there_is_no_picture(
    tmp_path: Path, skinscope: Program, monkeypatch: pytest.MonkeyPatch
):
    from skinning_addon.command_line.checking import pictures
    from skinning_addon.core.text.errors import DeviceError

    def refuse(_device: str) -> str:
        raise DeviceError("There is none.")

    monkeypatch.setattr(pictures, "started_device", refuse)
    path = rig_file(tmp_path / "hero.blend")
    arguments = ("--device", "cpu", "--pictures", tmp_path / "pictures", "--format", "json")
    result = skinscope("check", path, *arguments)
    assert result.json["files"][0]["meshes"]
    assert result.json["files"][0]["picture"] is None
    assert f"There is no picture of '{path}': There is none." in result.complaints
