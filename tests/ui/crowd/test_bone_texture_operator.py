"""*Export Bone Texture* writes what the command line writes, and leaves the scene as it is."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import bpy
import pytest

from tests.command_line.conftest import Program
from tests.command_line.crowding.walker_file import walker_file
from tests.windowed.file_record import written_down

pytestmark = pytest.mark.usefixtures("session")


def everything() -> dict[str, list[str]]:
    with warnings.catch_warnings():
        # Some of Blender's own properties are deprecated.
        warnings.simplefilter("ignore")
        return written_down()


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    file = walker_file(tmp_path / "walker.blend")
    bpy.context.view_layer.objects.active = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    return file


OPTIONS = {
    "as it comes": ({}, ()),
    "halves relative to parents": (
        {"pixel_format": "half", "space": "parent"},
        ("--format", "half", "--relative-to", "parent"),
    ),
    "a picture": ({"storing": "exr", "tolerance": 0.1}, ("--pixels", "exr", "--tolerance", "0.1")),
    "for Unreal": ({"layout_for": "animtotexture"}, ("--layout", "animtotexture")),
    # Which has no choice of these.
    "for Unreal, whatever was chosen before": (
        {"layout_for": "animtotexture", "pixel_format": "unorm16", "storing": "exr"},
        ("--layout", "animtotexture"),
    ),
}


@pytest.mark.parametrize("what", OPTIONS)
def test_it_writes_what_the_command_line_writes(walker, tmp_path, skinscope: Program, what):
    settings, arguments = OPTIONS[what]
    before = everything()
    assert bpy.ops.skinscope.bone_texture(directory=str(tmp_path / "panel"), **settings) == {"FINISHED"}
    assert everything() == before
    assert skinscope("bone-texture", walker, "--output", tmp_path / "line", *arguments).status == 0
    written, expected = (
        {one.name: one.read_bytes() for one in (tmp_path / name).iterdir()} for name in ("panel", "line")
    )
    assert written.keys() == expected.keys()
    for name, content in expected.items():
        if name.endswith(".json"):
            assert json.loads(written[name]) == json.loads(content)
        elif not name.endswith(".exr"):
            # OpenEXR's files have a time of writing.
            assert written[name] == content


@pytest.mark.usefixtures("walker")
def test_what_does_not_go_together_is_said(tmp_path):
    with pytest.raises(RuntimeError, match="16-bit quaternions are movements from the rest pose"):
        bpy.ops.skinscope.bone_texture(
            directory=str(tmp_path / "panel"), pixel_format="unorm16", space="parent"
        )
    assert not (tmp_path / "panel").exists()


@pytest.mark.usefixtures("walker")
def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="can't be written"):
        bpy.ops.skinscope.bone_texture(directory=str(tmp_path / "file"))


@pytest.mark.usefixtures("walker")
def test_it_needs_an_armature():
    bpy.ops.object.camera_add()
    assert not bpy.ops.skinscope.bone_texture.poll()
