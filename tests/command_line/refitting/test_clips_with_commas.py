"""`--clips` with a clip whose name has a comma, of the character itself and of another file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

CLEAN = RigOptions(seed=12, influences=3, scale="none")


def with_more_clips(rig: RandomRig) -> None:
    without_flaws(rig)
    action = rig.armature.animation_data.action
    for name in ("Twist, left", "Twist"):
        more = action.copy()
        more.name = name
        more.use_fake_user = True


def test_a_copy_of_such_a_clip(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, with_more_clips)
    report = tmp_path / "report.json"
    output = ("--output", tmp_path / "copy.blend", "--report", report)
    result = skinscope("refit", rig, "--profile", "threejs", "--clips", "Sway,Twist, left", *output)
    assert result.status == 0, result.complaints
    (copy,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert copy["clips"] == ["Sway", "Twist, left"]
    result = skinscope("refit", rig, "--profile", "threejs", "--clips", "Twist, right", *output)
    assert result.status == 2
    assert "There is no clip 'right'" in result.complaints[-1]


def test_such_a_clip_of_another_file(tmp_path: Path, skinscope: Program):
    other = rig_file(tmp_path / "other.blend", CLEAN, with_more_clips)
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    given = ("--clips-from", other, "--device", "cpu", "--format", "json")
    result = skinscope("check", rig, "--clips", "Twist, left,Sway", *given)
    (file,) = result.json["files"]
    assert file["error"] is None, file
    (mesh,) = file["meshes"]
    assert mesh["deviation"]["frames"] == 2 * 9
    assert mesh["deviation"]["clip"] == "Twist, left"
