"""Files that other tools have written again: our reader reads them as three.js does, or says why it can't."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.core.gltf.container import read_gltf
from skinning_addon.core.gltf.posed_file import read_posable_file
from skinning_addon.core.text.errors import SourceFileError
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import HERE, Engine
from tests.engines.engine_check import SHARE_OF_DIAGONAL
from tests.engines.exported_rig import export_animated, number_vertices, seconds, start_clip
from tests.engines.node_engine import NodeEngine
from tests.engines.test_gltf_reader import largest_difference
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines

RECODER = NodeEngine(
    (
        "@gltf-transform/core",
        "@gltf-transform/extensions",
        "@gltf-transform/functions",
        "draco3dgltf",
        "meshoptimizer",
    ),
    "recode.mjs",
)


@pytest.fixture
def times(tmp_path: Path) -> list[float]:
    """A rig with shape keys, exported as rig.glb, and the times of its keys."""
    rig = animated_rig(RigOptions(seed=1, influences=4))
    rig.mesh.shape_key_add(name="Basis")
    bump = rig.mesh.shape_key_add(name="Bump")
    for index in range(0, len(bump.data), 7):
        bump.data[index].co.z += 0.2
    bump.value = 0.7
    meshes, _, frames = start_clip()
    number_vertices(meshes)
    export_animated(tmp_path / "rig.glb", meshes, frames)
    return [seconds(frame) for frame in frames]


def recoded(folder: Path, way: str) -> Path:
    RECODER.install()
    result = folder / f"{way}.glb"
    subprocess.run([*RECODER.command, folder / "rig.glb", way, result], check=True, cwd=HERE)
    return result


@pytest.mark.parametrize(
    ("way", "extension", "codec"),
    [
        ("draco", "KHR_draco_mesh_compression", "Draco"),
        ("meshopt", "EXT_meshopt_compression", "meshopt"),
    ],
)
def test_a_compressed_file_is_refused_in_a_sentence(
    tmp_path: Path,
    times: list[float],  # noqa: ARG001
    way: str,
    extension: str,
    codec: str,
):
    file = recoded(tmp_path, way)
    with pytest.raises(SourceFileError) as told:
        read_posable_file(file)
    assert str(told.value) == (
        f"'{file}' stores its geometry compressed by {codec} ({extension}), which can't be read here; export it "
        f"without compression."
    )


def test_sparse_accessors(tmp_path: Path, times: list[float], threejs: Engine):
    file = recoded(tmp_path, "sparse")
    held = [one for one in read_gltf(file).document["accessors"] if "sparse" in one]
    assert {one["type"] for one in held} >= {"VEC3", "VEC4"}
    before, after = read_posable_file(tmp_path / "rig.glb"), read_posable_file(file)
    for old, new in zip(before.primitives, after.primitives, strict=True):
        for name in ("positions", "morphs", "joints", "weights"):
            assert np.array_equal(getattr(old, name), getattr(new, name)), name
    captured = threejs.capture_meshes(file, times, tmp_path)
    assert largest_difference(after, captured, times) <= SHARE_OF_DIAGONAL
