"""Compares the bones found for moving meshes with those that Dem Bones finds for the same frames, in one run.

    python benchmarks/dem_bones.py PYTHON [--bones 10,20] [--influences 4] [--threads 1] [--large]

PYTHON: an interpreter for which `py-dem-bones` has wheels; it gets an environment of its own. The scenes are
those of the tests; --large takes a cloth of 2,025 vertices and 60 frames. Prints a table for docs/refit.md:
root mean square of the distances, in thousandths of the mesh's diagonal, and seconds of CPU. Dem Bones turns
and moves bones, so there is a column of ours that does not scale them either.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.scene.clips.playback import set_frame
from skinning_addon.scene.meshes.mesh_reader import read_corner_vertices
from skinning_addon.scene.object_data import mesh_of
from tests.measurement.refit.moving_scenes import cloth, face, limb
from tests.scene.refit.evaluated import rest_positions, world_positions

PACKAGE = "py-dem-bones==0.13.1"

THEIRS = """\
import json, sys, time
import numpy as np
import py_dem_bones
given = np.load(sys.argv[1])
found = py_dem_bones.DemBonesWrapper()
found.max_influences = int(sys.argv[3])
if sys.argv[4] == "rough":
    found.weight_smoothness = 0.0
found.set_mesh_sequence(
    given["rest"], given["positions"], bone_count=int(sys.argv[2]), faces=given["faces"].tolist()
)
start = time.process_time()
found.compute()
seconds = time.process_time() - start
result = found.get_skinning_result()
weights, transforms = np.asarray(result.weights), np.asarray(result.transforms)
assert (weights > 0).sum(axis=0).max() <= int(sys.argv[3])
"""
"""Column vectors; weights (B, V)."""

OURS = """\
import json, sys, time
import numpy as np
from skinning_addon.core.refit.decomposition import decompose
from skinning_addon.core.refit.wanted import Wanted
given = np.load(sys.argv[1])
rest, frames = given["rest"], len(given["positions"])
still = np.tile(np.eye(4), (frames, 1, 1, 1))
wanted = Wanted(rest, given["positions"].astype(np.float32), still, np.zeros(frames, dtype=int), ("clip",))
start = time.process_time()
found = decompose(wanted, int(sys.argv[2]), int(sys.argv[3]), scale=sys.argv[4] == "scaled")
seconds = time.process_time() - start
skin = found.skin
weights = np.zeros((found.finals.shape[1], len(rest)))
np.add.at(weights, (skin.joints, skin.vertex_of_influence), skin.weights)
transforms = found.finals.transpose(0, 1, 3, 2)
"""

JUDGED = """\
each = np.einsum("fbij,vj->fbvi", transforms, np.c_[given["rest"], np.ones(len(given["rest"]))])[..., :3]
off = np.einsum("bv,fbvi->fvi", weights, each) - given["positions"]
print(json.dumps([float(np.sqrt(np.square(off).sum(axis=2).mean())), seconds]))
"""
"""The same judge for both: the sum over bones, written out."""


def main() -> None:
    """Make the environment, find bones both ways, print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--bones", default="10,20")
    parser.add_argument("--influences", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        theirs = _environment(chosen.python, Path(folder))
        print("| mesh | bones | Dem Bones | without smoothing | ours | ours, scaled |")
        print("|---|---|---|---|---|---|")
        for name, path, diagonal in _written(Path(folder), large=chosen.large):
            for bones in chosen.bones.split(","):
                cells = []
                for python, script, how in (
                    (theirs, THEIRS, "smooth"),
                    (theirs, THEIRS, "rough"),
                    (sys.executable, OURS, "rigid"),
                    (sys.executable, OURS, "scaled"),
                ):
                    given = [str(path), bones, str(chosen.influences), how]
                    off, seconds = _run(python, script + JUDGED, given, chosen.threads)
                    cells.append(f"{1000 * off / diagonal:.2f} ({seconds:.0f} s)")
                print(f"| {name} | {bones} | {' | '.join(cells)} |", flush=True)


def _environment(python: str, folder: Path) -> str:
    subprocess.run([python, "-m", "venv", folder / "environment"], check=True)
    inside = str(folder / "environment" / "bin" / "python")
    subprocess.run([inside, "-m", "pip", "install", "-q", "--only-binary", ":all:", PACKAGE], check=True)
    return inside


def _written(folder: Path, *, large: bool) -> list[tuple[str, Path, float]]:
    """Play the scenes; return each one's name, its file of arrays, and its diagonal."""
    frames = 60 if large else 24
    written = []
    for name, build in (
        ("cloth", lambda: cloth(45 if large else 15, frames)),
        ("limb in a lattice", lambda: limb(frames)),
        ("face of 8 shape keys", lambda: face(frames)),
    ):
        mesh = build()
        positions = []
        for frame in range(1, frames + 1):
            set_frame(bpy.context.scene, frame)
            positions.append(world_positions(mesh))
        rest = rest_positions(mesh).astype(np.float64)
        path = folder / f"{len(written)}.npz"
        faces = read_corner_vertices(mesh_of(mesh)).reshape(-1, 4)
        np.savez(path, rest=rest, positions=np.array(positions, dtype=np.float64), faces=faces)
        title = f"{name}, {len(rest):,} vertices, {frames} frames"
        written.append((title, path, float(np.linalg.norm(np.ptp(rest, axis=0)))))
    return written


def _run(python: str, script: str, given: list[str], threads: int) -> tuple[float, float]:
    pinned = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    result = subprocess.run(
        [python, "-c", script, *given],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, **pinned},
    )
    off, seconds = json.loads(result.stdout.splitlines()[-1])
    return off, seconds


if __name__ == "__main__":
    main()
