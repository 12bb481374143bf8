"""Captures what an engine computes from a file. Each engine has one small capture script beside this file, which
runs in a process of its own.

    <interpreter> <engine>_capture.<mjs|py> FILE TIMES.json OUT.json OUT.bin

TIMES.json: seconds. OUT.json: for each skinned mesh (in a file without skins: for each mesh, in three.js,
Babylon.js, PlayCanvas and VTK) its name, its number of vertices, and each vertex's original number: that in the
attribute _SOURCE, which the exporter wrote, or its own in files without it. Also the mesh and primitive in the
file, and positions, normals and uv before skinning, as far as the engine tells.
OUT.bin: float64, for each mesh, each instant, each vertex, x y z in world space, Y up.
"""

from __future__ import annotations

import json
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


@dataclass(frozen=True, eq=False)
class CapturedMesh:
    """positions: (F, N, 3), Y up. source: (N,) the original vertex of each. rest: position, normal and uv,
    (N, 3), (N, 3), (N, 2). mesh, primitive: indices in the file, None if the engine does not tell.
    """

    positions: np.ndarray
    source: np.ndarray
    rest: dict[str, np.ndarray] = field(default_factory=dict)
    name: str = ""
    mesh: int | None = None
    primitive: int | None = None


class CaptureFailedError(Exception):
    """The engine rejected a file, or its capture script failed; the message has all that it printed."""


class Engine(ABC):
    """An engine that runs here."""

    @abstractmethod
    def install(self) -> None:
        """Install the engine beside this file, once. If that can't be done the test is skipped, or fails if
        REQUIRE_ENGINES=1.
        """

    @property
    @abstractmethod
    def command(self) -> list[str | Path]:
        """The command that starts the engine's capture script, without arguments."""

    def capture(self, file: Path, times: Sequence[float], folder: Path) -> tuple[np.ndarray, np.ndarray]:
        """Load a file and return (F, N, 3) positions of its skinned vertices, Y up, and (N,) their original
        vertices.
        """
        meshes = self.capture_meshes(file, times, folder)
        return np.concatenate([one.positions for one in meshes], axis=1), np.concatenate(
            [one.source for one in meshes]
        )

    def capture_meshes(self, file: Path, times: Sequence[float], folder: Path) -> list[CapturedMesh]:
        """Load a file and return its skinned meshes. folder: for the engine's input and output.

        Raises:
            CaptureFailedError: the engine does not load it.
        """
        times_file, head_file, data_file = (folder / name for name in ("times.json", "head.json", "data.bin"))
        times_file.write_text(json.dumps(list(times)), encoding="utf-8")
        result = subprocess.run(
            [*self.command, file, times_file, head_file, data_file],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )
        if result.returncode:
            raise CaptureFailedError(f"{file}: status {result.returncode}\n{result.stdout}{result.stderr}")
        meshes = json.loads(head_file.read_text(encoding="utf-8"))["meshes"]
        if not meshes:
            return []
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
                mesh.get("name") or "",
                mesh.get("mesh"),
                mesh.get("primitive"),
            )
            for part, mesh in zip(parts, meshes, strict=True)
        ]


def missing(reason: str) -> None:
    """Skip the test, or fail it if REQUIRE_ENGINES=1. reason: the message, naming what is missing."""
    if os.environ.get("REQUIRE_ENGINES") == "1":
        pytest.fail(f"{reason}; REQUIRE_ENGINES=1", pytrace=False)
    pytest.skip(reason)
