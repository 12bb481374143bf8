"""The report's formula for helper bones, evaluated as an engine would, by code of its own."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RigOptions

__all__ = ["skinscope"]

FRAMES = (1.0, 3.0, 6.5, 9.0)


def mean_of_matrices(drivers: list[dict], to_root: dict[str, np.ndarray]) -> np.ndarray:
    return sum(
        one["share"] * np.linalg.inv(np.array(one["rest_to_root"])) @ to_root[one["bone"]] for one in drivers
    )


def rigid(turn: np.ndarray, move: np.ndarray) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[3, :3] = turn, move
    return result


def mean_of_dual_quaternions(drivers: list[dict], to_root: dict[str, np.ndarray]) -> np.ndarray:
    left, real, dual = np.zeros((4, 4)), Quaternion((0, 0, 0, 0)), Quaternion((0, 0, 0, 0))
    for one in drivers:
        rest, posed, share = np.array(one["rest_to_root"]), to_root[one["bone"]], one["share"]
        axes = posed[:3, :3] / np.linalg.norm(posed[:3, :3], axis=1, keepdims=True)
        turn = rest[:3, :3].T @ axes
        move = posed[3, :3] - rest[3, :3] @ turn
        left += share * np.linalg.inv(rest) @ posed @ np.linalg.inv(rigid(turn, move))
        turned = Matrix(turn.T.tolist()).to_quaternion()
        side = -share if real.dot(turned) < 0 else share
        real = real + side * turned
        dual = dual + side * (0.5 * (Quaternion((0, *move)) @ turned))
    length = real.magnitude
    real, dual = real * (1 / length), dual * (1 / length)
    move = 2 * np.array((dual @ real.conjugated())[1:])
    return left @ rigid(np.array(real.to_matrix()).T, move)


BLENDS = {"matrices": mean_of_matrices, "dual quaternions": mean_of_dual_quaternions}


def by_formula(helper: dict, to_root: dict[str, np.ndarray]) -> np.ndarray:
    """docs/refit.md, *Helper bones*, row vectors: to_root (4, 4) of a helper from those of its drivers."""
    moved = BLENDS[helper["blend"]](helper["drivers"], to_root)
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


@pytest.mark.parametrize("more", [(), ("--clip-bones",)], ids=["alone", "with clip bones"])
@pytest.mark.parametrize(
    ("preserve_volume", "blend"), [(False, "matrices"), (True, "dual quaternions")], ids=["linear", "volume"]
)
def test_an_engine_moves_helpers_as_the_clip_does(
    tmp_path: Path, skinscope: Program, preserve_volume: bool, blend: str, more: tuple[str, ...]
):
    options = RigOptions(seed=12, influences=9, scale="none", preserve_volume=preserve_volume)
    rig = rig_file(tmp_path / "rig.blend", options, without_flaws)
    copy, report = tmp_path / "copy.blend", tmp_path / "report.json"
    result = skinscope(
        "refit",
        rig,
        "--profile",
        "threejs",
        "--helper-bones",
        "4",
        *more,
        "--output",
        copy,
        "--report",
        report,
    )
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert 1 <= len(told["helpers"]) <= 4
    assert {one["blend"] for one in told["helpers"]} == {blend}
    assert any(one["clip_bone"] for one in told["helpers"]) == bool(more)
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
