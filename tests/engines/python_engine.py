"""Engines that are Python packages, installed into an environment of their own instead of Blender's; capture.py
says how a capture script is called.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.engines.capture import HERE, Engine, missing

ENVIRONMENT = HERE / ".python-engines"
REQUIREMENTS = HERE / "python-engines.txt"
"""All packages with their versions; each engine installs those it needs."""


def _pinned() -> dict[str, str]:
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


@dataclass(frozen=True)
class PythonEngine(Engine):
    """packages: packages of the index, their versions pinned in python-engines.txt. script: the engine's
    capture script. before: what to put in front of the command, such as xvfb-run. arguments: of the script,
    before the usual ones.
    """

    packages: tuple[str, ...]
    script: str
    before: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    def install(self) -> None:
        if self.before and not shutil.which(self.before[0]):
            missing(f"{self.before[0]} is missing (apt-get install -y xvfb)")
        # Tests run in several processes, but pip must not run twice in one environment.
        with (HERE / ".python-engines.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._install_missing()

    @property
    def command(self) -> list[str | Path]:
        return [*self.before, ENVIRONMENT / "bin" / "python", HERE / self.script, *self.arguments]

    def _install_missing(self) -> None:
        pinned = _pinned()
        wanted = [f"{package}=={pinned[package]}" for package in self.packages]
        if all(map(_is_installed, wanted)):
            return
        python = ENVIRONMENT / "bin" / "python"
        if not python.exists():
            _run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], "Python's module venv")
        _run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", *wanted],
            ", ".join(wanted),
        )


def _is_installed(wanted: str) -> bool:
    package, version = wanted.split("==")
    name = package.replace("-", "_")
    return any(ENVIRONMENT.glob(f"lib/python*/site-packages/{name}-{version}.dist-info"))


def _run(command: list[str | Path], what: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        missing(f"{what} can't be installed; is the package index reachable?\n{result.stdout}{result.stderr}")
