"""Builds the wheels, and environments that have nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.installed_package import CHECKOUT


def uv(*arguments: object) -> None:
    """Run uv: the one that `./run` uses."""
    own = CHECKOUT / ".uv" / "bin" / "uv"
    program = str(own) if own.exists() else shutil.which("uv")
    assert program, "./run fetches uv"
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def built_wheels(folder: Path) -> Path:
    """Build both wheels as `./run build` does; return their folder."""
    for project in (CHECKOUT / "wheels" / "core", CHECKOUT):
        uv("build", "--quiet", "--wheel", project, "--out-dir", folder)
    return folder


def bare_environment(folder: Path) -> Path:
    """Make an environment by Python's own venv; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def outside(*arguments: object, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder from which nothing of the checkout can be imported."""
    usual = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SKINSCOPE"))
    }
    return subprocess.run(
        [*map(str, arguments)], cwd=folder, env=usual | variables, capture_output=True, text=True, check=False
    )
