"""What `refit` says of the file that it writes: what that lacks, and where its clips are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from skinning_addon.scene.clips.actions import fcurves
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

CLEAN = RigOptions(seed=12, influences=3, scale="none")


def refitted(
    folder: Path, skinscope: Program, change: Callable[[RandomRig], object], extension: str = ".glb"
) -> tuple[str, list[str]]:
    """Return what is printed, and the report's notes about the file, rig.glb."""
    rig = rig_file(folder / "rig.blend", CLEAN, change)
    report = folder / "report.json"
    output = ("--output", folder / f"rig{extension}", "--report", report)
    result = skinscope("refit", rig, "--profile", "threejs", *output)
    assert result.status == 0, result.complaints
    return result.output, json.loads(report.read_text(encoding="utf-8"))["file_notes"]


def moved_by(frames: float) -> Callable[[RandomRig], object]:
    """Return a change that begins the clip later."""

    def change(rig: RandomRig) -> None:
        without_flaws(rig)
        for curve in fcurves(rig.armature.animation_data.action):
            for key in curve.keyframe_points:
                key.co_ui.x += frames

    return change


@pytest.mark.parametrize(("frames", "second"), [(0, 1 / 24), (23, 1.0), (-1, None)])
def test_clips_that_begin_later_than_at_zero(
    tmp_path: Path, skinscope: Program, frames: int, second: float | None
):
    output, notes = refitted(tmp_path, skinscope, moved_by(frames))
    begins, _ = SkinnedGltf.read(tmp_path / "rig.glb").seconds("Sway")
    assert begins == pytest.approx(second or 0.0, abs=1e-6)
    said = [f"Clips begin in the file where they do in Blender: 'Sway' at {second:.4g} s; "] if second else []
    assert len(notes) == len(said)
    assert all(note.startswith(one) and note in output for note, one in zip(notes, said, strict=True))


def test_a_clip_that_ends_between_frames(tmp_path: Path, skinscope: Program):
    output, notes = refitted(tmp_path, skinscope, moved_by(0.25))
    (cut,) = (one for one in notes if "whole frames" in one)
    assert cut.startswith("'Sway' ends at frame 9.25, in the file at 9, ")
    assert cut in output
    _, ends = SkinnedGltf.read(tmp_path / "rig.glb").seconds("Sway")
    assert ends * 24 == pytest.approx(9, abs=1e-4)


def test_frames_per_second_that_are_no_whole_number(tmp_path: Path, skinscope: Program):
    """Blender's exporter takes 24.024 for 23.976; the file is right all the same."""

    def slower(rig: RandomRig) -> None:
        without_flaws(rig)
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1.001

    refitted(tmp_path, skinscope, slower)
    times = SkinnedGltf.read(tmp_path / "rig.glb").seconds("Sway")
    assert times == pytest.approx((1.001 / 24, 9 * 1.001 / 24), rel=1e-6)
    checked = skinscope("check-file", tmp_path / "rig.glb", "--against", tmp_path / "rig.blend")
    assert checked.status == 0, checked.output


@pytest.mark.parametrize(("extension", "told"), [(".glb", True), (".fbx", False)])
def test_a_file_without_subdivision_is_told(tmp_path: Path, skinscope: Program, extension: str, told: bool):
    def subdivided(rig: RandomRig) -> None:
        without_flaws(rig)
        rig.mesh.modifiers.new("Subdivision", "SUBSURF").levels = 1

    output, notes = refitted(tmp_path, skinscope, subdivided, extension)
    said = "'Random mesh' is written without its Subdivision; apply that first, or subdivide"
    assert (said in output) == told
    assert any(one.startswith(said) for one in notes) == told


def test_a_mesh_without_weights(tmp_path: Path, skinscope: Program):
    def weightless(rig: RandomRig) -> None:
        without_flaws(rig)
        for group in rig.mesh.vertex_groups:
            group.add(range(len(rig.mesh.data.vertices)), 0.0, "REPLACE")

    output, notes = refitted(tmp_path, skinscope, weightless)
    said = "No vertex of 'Random mesh' has a weight for a bone, so no bone moves it"
    assert said in output
    assert any(one.startswith(said) for one in notes)
