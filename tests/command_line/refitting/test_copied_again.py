"""`refit` of clips whose names are longer than Blender's tracks take."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

CLEAN = RigOptions(seed=12, influences=3, scale="none")


def copied(skinscope: Program, source: Path, output: Path, *given: str) -> tuple[str, dict]:
    """Return what is printed, and the report's only copy."""
    report = output.with_suffix(".json")
    result = skinscope(
        "refit", source, "--profile", "threejs", "--output", output, "--report", report, *given
    )
    assert result.status == 0, result.complaints
    (copy,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    return result.output, copy


def test_clips_with_names_that_blender_cuts(tmp_path: Path, skinscope: Program):
    """Tracks take 63 bytes; with these, the names of two clips are the same."""

    def rename(rig: RandomRig) -> None:
        without_flaws(rig)
        action = rig.armature.animation_data.action
        other = action.copy()
        other.use_fake_user = True
        action.name, other.name = (f"{'x' * 200}{ending}" for ending in ("one", "two"))

    rig = rig_file(tmp_path / "rig.blend", CLEAN, rename)
    _, copy = copied(skinscope, rig, tmp_path / "copy.glb")
    assert copy["after"] < 1e-4
    assert len(set(copy["clips"])) == 2
    found = SkinnedGltf.read(tmp_path / "copy.glb").clips
    assert len(set(found)) == 2
