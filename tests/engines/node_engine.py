"""Runs an engine on a glTF file, in Node. Each engine is one small capture script beside this file.

    node <engine>_capture.mjs FILE.glb TIMES.json OUT.json OUT.bin

TIMES.json: seconds. OUT.json: for each skinned mesh its name, number of vertices, and, as the exporter numbered
them in the attribute _SOURCE, which vertex each of them was; and their position, normal and uv before skinning.
OUT.bin: float64, for each mesh, each instant, each vertex, x y z in world space, Y up.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
PINNED: dict[str, str] = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]


@dataclass(frozen=True, eq=False)
class CapturedMesh:
    """positions: (F, N, 3), Y up. source: (N,) original vertex of each. rest: position, normal and uv, (N, 3),
    (N, 3), (N, 2).
    """

    positions: np.ndarray
    source: np.ndarray
    rest: dict[str, np.ndarray]


@dataclass(frozen=True)
class NodeEngine:
    """packages: npm packages, their versions pinned in package.json. script: the engine's capture script."""

    packages: tuple[str, ...]
    script: str

    def install(self) -> None:
        """Install the pinned packages beside this file, once. Without Node the test is skipped, or fails if
        REQUIRE_ENGINES=1.
        """
        if not (shutil.which("node") and shutil.which("npm")):
            _missing("Node is missing (apt-get install -y nodejs npm)")
        # Tests run in several processes, but npm must not run twice in one folder.
        with (HERE / ".node_modules.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._install_missing()

    def _install_missing(self) -> None:
        if all(_installed(package) == PINNED[package] for package in self.packages):
            return
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        result = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
        if result.returncode:
            names = ", ".join(f"{package} {PINNED[package]}" for package in self.packages)
            _missing(f"{names} can't be installed; is the package registry reachable?\n{result.stderr}")

    def capture(self, file: Path, times: Sequence[float], folder: Path) -> tuple[np.ndarray, np.ndarray]:
        """Load a file and return (F, N, 3) positions of its skinned vertices, Y up, and (N,) their original
        vertices.
        """
        meshes = self.capture_meshes(file, times, folder)
        return np.concatenate([one.positions for one in meshes], axis=1), np.concatenate(
            [one.source for one in meshes]
        )

    def capture_meshes(self, file: Path, times: Sequence[float], folder: Path) -> list[CapturedMesh]:
        """Load a file and return its skinned meshes. folder: for the engine's input and output."""
        times_file, head_file, data_file = (folder / name for name in ("times.json", "head.json", "data.bin"))
        times_file.write_text(json.dumps(list(times)), encoding="utf-8")
        subprocess.run(
            ["node", HERE / self.script, file, times_file, head_file, data_file],
            check=True,
            timeout=300,
        )
        meshes = json.loads(head_file.read_text(encoding="utf-8"))["meshes"]
        counts = [mesh["vertices"] for mesh in meshes]
        ends = np.cumsum(counts) * len(times) * 3
        parts = np.split(np.fromfile(data_file), ends[:-1])
        return [
            CapturedMesh(
                part.reshape(len(times), mesh["vertices"], 3),
                np.array(mesh["source"]).astype(int),
                {
                    name: np.array(values).reshape(mesh["vertices"], -1)
                    for name, values in mesh["rest"].items()
                },
            )
            for part, mesh in zip(parts, meshes, strict=True)
        ]


def _installed(package: str) -> str | None:
    path = HERE / "node_modules" / package / "package.json"
    return json.loads(path.read_text(encoding="utf-8"))["version"] if path.exists() else None


def _missing(reason: str) -> None:
    if os.environ.get("REQUIRE_ENGINES") == "1":
        pytest.fail(f"{reason}; REQUIRE_ENGINES=1", pytrace=False)
    pytest.skip(reason)


THREEJS = NodeEngine(("three",), "threejs_capture.mjs")
BABYLONJS = NodeEngine(("@babylonjs/core", "@babylonjs/loaders"), "babylonjs_capture.mjs")
