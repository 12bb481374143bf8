"""What Check My Export reports agrees with other programs; docs/export-checks.md has every rig."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.engines.capture import Engine
from tests.engines.checked_export import SETTINGS, ExportSetting, Judges, judged_export
from tests.engines.engine_check import SHARE_OF_DIAGONAL
from tests.engines.ufbx_judge import Ufbx
from tests.scene.opened_rigs import open_rig

pytestmark = [pytest.mark.engines, pytest.mark.rigs]

DEFAULTS, _, FLATTENED, FBX, FBX_EVERY_KEY = SETTINGS


def check(rig: Path, setting: ExportSetting, judges: Judges, folder: Path, least: float) -> None:
    open_rig(rig)
    saved = folder / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved), copy=True)
    judged = judged_export(saved, setting, judges, folder)
    print(f"{rig.name}: {setting.told}: {judged.reported:.6g} m, {judged.judge} {judged.found:.6g} m")
    assert judged.reported >= least
    assert judged.difference <= SHARE_OF_DIAGONAL


@pytest.mark.parametrize(
    ("rig", "setting", "least"),
    [("m2m_bird.blend", DEFAULTS, 0.03), ("m2m_bird.blend", FLATTENED, 0), ("Fox.glb", DEFAULTS, 1e-5)],
    ids=("few influences", "flattened", "clean"),
)
def test_gltf(
    rigs_folder: Path,
    tmp_path: Path,
    threejs: Engine,
    babylonjs: Engine,
    *,
    rig: str,
    setting: ExportSetting,
    least: float,
):
    check(rigs_folder / rig, setting, Judges(threejs, babylonjs), tmp_path, least)


@pytest.mark.parametrize(
    ("rig", "setting", "least"),
    [
        ("m2m_bird.blend", FBX, 1e-4),
        ("assimp_animation_with_skeleton.fbx", FBX_EVERY_KEY, 0),
        ("mannequiny.glb", FBX_EVERY_KEY, 0),
    ],
    ids=("simplified", "clips named as in FBX", "clips that begin between frames"),
)
def test_fbx(
    rigs_folder: Path, tmp_path: Path, ufbx: Ufbx, *, rig: str, setting: ExportSetting, least: float
):
    check(rigs_folder / rig, setting, Judges(fbx=ufbx), tmp_path, least)
