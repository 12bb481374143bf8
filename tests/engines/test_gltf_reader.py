"""Our own reader of glTF files poses what Blender exports as three.js does, which shares no code with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skinning_addon.core.gltf.posed_file import PosableFile, read_posable_file
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import CapturedMesh
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import export_animated, number_vertices, seconds, start_clip
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs")]

BETWEEN_KEYS = 0.4
"""Tolerance in frames."""


def largest_difference(file: PosableFile, captured: list[CapturedMesh], times: list[float]) -> float:
    """Return the largest distance of a vertex, as a share of the diagonal."""
    ours = [one for one in file.primitives if one.skin is not None]
    positions = file.positions(file.animations, times, ours)
    assert sum(len(one.positions) for one in ours) == sum(len(one.source) for one in captured)
    by_source = {one.source.tobytes(): own for one, own in zip(ours, positions, strict=True)}
    assert len(by_source) == len(captured)
    pairs = [(by_source[one.source.astype(np.int64).tobytes()], one.positions) for one in captured]
    every = np.concatenate([theirs[0] for _, theirs in pairs])
    diagonal = float(np.linalg.norm(np.ptp(every, axis=0)))
    return max(float(np.linalg.norm(a - b, axis=2).max()) for a, b in pairs) / diagonal


def check_reader(folder: Path, **options: object) -> None:
    meshes, _, frames = start_clip()
    number_vertices(meshes)
    export_animated(folder / "rig.glb", meshes, frames, **options)
    # In order, and none beyond the end: three.js stops a clip for good there, and then starts over.
    instants = sorted({*frames, frames[-1] - BETWEEN_KEYS})
    times = [seconds(frame) for frame in instants]
    captured = ENGINES["threejs"].capture_meshes(folder / "rig.glb", times, folder)
    difference = largest_difference(read_posable_file(folder / "rig.glb"), captured, times)
    print(f"{difference:.2g} of the diagonal")
    assert difference <= SHARE_OF_DIAGONAL


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, rig: str):
    open_rig(rigs_folder / rig)
    check_reader(tmp_path)


@pytest.mark.rigs
@pytest.mark.parametrize("rig", ["mpfb_rigify_plain.blend", "m2m_bird.blend"])
def test_flattened(rigs_folder: Path, tmp_path: Path, rig: str):
    open_rig(rigs_folder / rig)
    check_reader(tmp_path, export_def_bones=True, export_hierarchy_flatten_bones=True)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_random_rig(tmp_path: Path, seed: int):
    animated_rig(RigOptions(seed=seed, transformed=True))
    check_reader(tmp_path)
