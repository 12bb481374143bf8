"""Engines that run on Node; capture.py says how a capture script is called."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.engines.capture import HERE, Engine, missing

PINNED: dict[str, str] = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]


@dataclass(frozen=True)
class NodeEngine(Engine):
    """packages: npm packages, their versions pinned in package.json. script: the engine's capture script."""

    packages: tuple[str, ...]
    script: str

    def install(self) -> None:
        if not (shutil.which("node") and shutil.which("npm")):
            missing("Node is missing (apt-get install -y nodejs npm)")
        # Tests run in several processes, but npm must not run twice in one folder.
        with (HERE / ".node_modules.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._install_missing()

    @property
    def command(self) -> list[str | Path]:
        return ["node", HERE / self.script]

    def _install_missing(self) -> None:
        if all(_installed(package) == PINNED[package] for package in self.packages):
            return
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        result = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
        if result.returncode:
            names = ", ".join(f"{package} {PINNED[package]}" for package in self.packages)
            missing(f"{names} can't be installed; is the package registry reachable?\n{result.stderr}")


def _installed(package: str) -> str | None:
    path = HERE / "node_modules" / package / "package.json"
    return json.loads(path.read_text(encoding="utf-8"))["version"] if path.exists() else None
