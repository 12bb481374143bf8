"""ufbx reads and evaluates FBX files: one C file, built where the tests run (`ufbx_capture.c` drives it)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.engines.capture import missing

HERE = Path(__file__).parent

VARIABLE = "SKINSCOPE_JUDGES"
"""The environment variable that names a folder with ufbx/ufbx.c and ufbx/ufbx.h."""


@dataclass(frozen=True, eq=False)
class FbxCapture:
    """A file evaluated at F instants.

    positions: (F, V, 3) of each skinned mesh by its object's name, in world space, in meters, Z up. bones,
    parents: names, and the index of each one's parent or -1. translation, rotation, scale: (F, B, 3),
    (F, B, 4) as x y z w, and (F, B, 3), each bone relative to its parent, as the file has it. stacks: names of
    the file's animations.
    """

    positions: dict[str, np.ndarray]
    bones: tuple[str, ...]
    parents: tuple[int, ...]
    translation: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    stacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ufbx:
    """program: the built capture program."""

    program: Path

    def capture(self, file: Path, times: Sequence[float], folder: Path, stack: str = "") -> FbxCapture:
        """Evaluate a file's animation at some times, in seconds. stack: its name; empty for the first one."""
        data_file = folder / "ufbx.bin"
        result = subprocess.run(
            [self.program, file, stack, data_file, *(repr(float(time)) for time in times)],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=300,
        )
        lines = [line.split(" ", 2) for line in result.stdout.splitlines()]
        meshes = [(name, int(count)) for kind, count, name in lines if kind == "mesh"]
        bones = [(name, int(parent)) for kind, parent, name in lines if kind == "bone"]
        vertices = sum(count for _, count in meshes) * 3
        values = np.fromfile(data_file).reshape(len(times), vertices + len(bones) * 10)
        ends = np.cumsum([count for _, count in meshes])[:-1] * 3
        of_meshes = np.split(values[:, :vertices], ends, axis=1)
        local = values[:, vertices:].reshape(len(times), len(bones), 10)
        return FbxCapture(
            {
                name: each.reshape(len(times), -1, 3)
                for (name, _), each in zip(meshes, of_meshes, strict=True)
            },
            tuple(name for name, _ in bones),
            tuple(parent for _, parent in bones),
            local[..., :3],
            local[..., 3:7],
            local[..., 7:],
            tuple(name for kind, _, name in lines if kind == "stack"),
        )

    def stacks(self, file: Path) -> tuple[str, ...]:
        """Return the names of a file's animations."""
        with tempfile.TemporaryDirectory() as folder:
            return self.capture(file, [0.0], Path(folder)).stacks


def build_ufbx(folder: Path) -> Ufbx:
    """Build the capture program in a folder. Without ufbx or a compiler the test is skipped, or fails if
    REQUIRE_ENGINES=1.
    """
    if VARIABLE not in os.environ:
        missing(f"{VARIABLE} names no folder with ufbx")
    sources = Path(os.environ[VARIABLE]).absolute() / "ufbx"
    if not (sources / "ufbx.c").exists():
        raise FileNotFoundError(f"{VARIABLE}={os.environ[VARIABLE]} has no ufbx/ufbx.c")
    if not shutil.which("cc"):
        missing("A C compiler is missing (apt-get install -y gcc libc6-dev)")
    program = folder / "ufbx_capture"
    command = ["cc", "-O1", "-I", sources, HERE / "ufbx_capture.c", sources / "ufbx.c", "-lm", "-o", program]
    subprocess.run(command, check=True)
    return Ufbx(program)
