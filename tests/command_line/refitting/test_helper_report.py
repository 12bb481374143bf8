"""The report's formula for helper bones, evaluated as an engine would, by code of its own."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RigOptions

__all__ = ["skinscope"]

FRAMES = (1.0, 3.0, 6.5, 9.0)


def by_formula(helper: dict, to_root: dict[str, np.ndarray]) -> np.ndarray:
    """docs/refit.md, *Helper bones*, row vectors: to_root (4, 4) of a helper from those of its drivers."""
    moved = sum(
        one["share"] * np.linalg.inv(np.array(one["rest_to_root"])) @ to_root[one["bone"]]
        for one in helper["drivers"]
    )
    rest = np.array(helper["rest_to_root"])
    under = np.linalg.inv(np.array(helper["parent_rest_to_root"])) @ to_root[helper["parent"]]
    channels = rest @ moved @ np.linalg.inv(under) @ np.linalg.inv(rest)
    x, y, z = channels[:3, :3]
    x, z = (one - y * (one @ y) / (y @ y) for one in (x, z))
    pair = np.stack([x / np.linalg.norm(x), z / np.linalg.norm(z)])
    # The two directions at right angles that are nearest to both.
    left, _, right = np.linalg.svd(pair, full_matrices=False)
    sine = np.linalg.norm(np.cross(*pair))
    lengths = np.linalg.norm([x, z], axis=1) * np.sqrt(sine)
    channels[[0, 2], :3] = lengths[:, None] * (left @ right)
    return channels @ rest @ under


def test_an_engine_moves_helpers_as_the_clip_does(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=12, influences=9, scale="none"), without_flaws)
    copy, report = tmp_path / "copy.blend", tmp_path / "report.json"
    result = skinscope(
        "refit", rig, "--profile", "threejs", "--helper-bones", "4", "--output", copy, "--report", report
    )
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert 1 <= len(told["helpers"]) <= 4
    open_file(copy)
    armature = next(
        one for one in bpy.context.scene.objects if one.type == "ARMATURE" and "game-ready" in one.name
    )
    track = armature.animation_data.nla_tracks[0]
    track.mute = False
    names = [one["name"] for one in told["helpers"]]
    for name in names:
        for constraint in armature.pose.bones[name].constraints:
            constraint.mute = True
    for frame in FRAMES:
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        to_root = {bone.name: np.array(bone.matrix).T for bone in armature.pose.bones}
        # Between keys, channels are interpolated; at them the formula holds.
        within = 1e-4 if frame == int(frame) else 0.05
        for helper in told["helpers"]:
            found = by_formula(helper, to_root)
            assert found == pytest.approx(to_root[helper["name"]], abs=within)


@pytest.mark.parametrize("number", ["-1", "two", "129"])
def test_a_wrong_number_of_helpers_is_a_sentence(tmp_path: Path, skinscope: Program, number: str):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=12), without_flaws)
    result = skinscope(
        "refit", rig, "--profile", "threejs", f"--helper-bones={number}", "--output", tmp_path / "copy.glb"
    )
    assert result.status == 2
    assert "is not a number of helper bones" in result.complaints[-1]
