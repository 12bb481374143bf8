"""Runs a checkout's program on a file in a separate process, and keeps its output for later comparisons.

Nothing is imported from the checkout: only its package's location and its commands are known.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMATS = ("json", "sarif", "junit", "text")


class ProgramError(Exception):
    """One of the two programs ended in a way that it never should."""


@dataclass(frozen=True)
class Program:
    """A checkout, whose results are kept under the digest of everything it ships."""

    root: Path
    digest: str

    @classmethod
    def of(cls, root: Path) -> Program:
        files = sorted(
            path
            for folder in ("skinning_addon", "gpu_shaders")
            for path in (root / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        )
        if not files:
            raise ProgramError(f"{root} is no checkout of Skinscope: it has no skinning_addon.")
        content = hashlib.sha256(os.path.realpath(sys.prefix).encode())
        for path in files:
            content.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
        return cls(root, content.hexdigest()[:16])

    def profiles(self) -> list[str]:
        """Return the ids of all profiles: each except Blender's own is a TOML file in the package."""
        return ["blender", *sorted(path.stem for path in (self.root / "skinning_addon").rglob("*.toml"))]

    def run(self, *arguments: str) -> dict[str, Any]:
        """Run the program and return its own output, without the timestamped logs of Blender and importers."""
        path = os.pathsep.join(filter(None, (str(self.root), os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            [sys.executable, "-P", "-m", "skinning_addon", *arguments],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1, 2):
            raise ProgramError(
                f"{self.root}: {' '.join(arguments)}: status {done.returncode}\n{done.stderr[-2000:]}"
            )
        complaints = [line for line in done.stderr.splitlines() if line.startswith("skinscope:")]
        return {"status": done.returncode, "printed": done.stdout, "complaints": complaints}


@dataclass(frozen=True)
class Task:
    """One file, checked under several profiles or exported under one, by either program."""

    file: Path
    command: str
    profiles: tuple[str, ...]
    clips: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file.name} {self.command}" + (
            f" {self.profiles[0]}" if self.command == "export" else ""
        )

    def result_of(self, program: Program, kept: Path) -> dict[str, Any]:
        """Return the program's entire output as one document; arrays are in the folder `kept`, by digest."""
        asked = [self.command, *self.profiles, *self.clips, _digest(self.file.read_bytes())]
        path = kept / program.digest / f"{self.file.name}.{_digest(json.dumps(asked).encode())[:16]}.json"
        if path.exists():
            return json.loads(path.read_text("utf-8"))
        arguments = [str(self.file), *self.clips]
        for profile in self.profiles:
            arguments += "--profile", profile
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if self.command == "check":
                result = _checked(program, arguments, folder)
            else:
                result = _exported(program, arguments, folder, kept / "arrays")
            text = json.dumps(result).replace(name, "(folder)").replace(str(program.root), "(checkout)")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(text, "utf-8")
        part.replace(path)
        print(f"{self}: {program.root}: {time.monotonic() - start:.0f} s", file=sys.stderr)
        return json.loads(text)


def _checked(program: Program, arguments: Sequence[str], folder: Path) -> dict[str, Any]:
    """Check a file once; the other formats are written from the results kept by the first run."""
    said: dict[str, Any] = {}
    for form in FORMATS:
        output = folder / f"report.{form}"
        own = ("--format", form, "--output", str(output), "--cache", str(folder / "cache"))
        said[form] = program.run("check", *arguments, *own, "--no-baseline", "--timeout", "12h")
        if not output.exists():
            raise ProgramError(f"{program.root}: check wrote no report: {' '.join(said[form]['complaints'])}")
        report = output.read_text("utf-8")
        if form == "junit":
            said[form]["report"] = _plain(ET.fromstring(report))  # noqa: S314  (our own)
        elif form == "text":
            said[form]["text"] = report.splitlines()
        else:
            said[form]["report"] = json.loads(report)
    return said


def _plain(element: ET.Element) -> dict[str, Any]:
    return {
        "tag": element.tag,
        **element.attrib,
        "text": (element.text or "").strip(),
        "children": [_plain(one) for one in element],
    }


def _exported(program: Program, arguments: Sequence[str], folder: Path, arrays: Path) -> dict[str, Any]:
    output = folder / "bundle"
    said = program.run("export", *arguments, "--output", str(output))
    arrays.mkdir(parents=True, exist_ok=True)
    files = said["files"] = {}
    for path in sorted(output.rglob("*")):
        name = path.relative_to(output).as_posix()
        if path.suffix == ".npz":
            with zipfile.ZipFile(path) as archive:
                files[name] = {member: _put_by(archive.read(member), arrays) for member in archive.namelist()}
        elif path.suffix == ".json":
            files[name] = json.loads(path.read_text("utf-8"))
        elif path.is_file():
            files[name] = _digest(path.read_bytes())
    return said


def _put_by(content: bytes, arrays: Path) -> dict[str, str]:
    """Store an array; most are the same in both programs, and many under all profiles."""
    digest = _digest(content)
    path = arrays / f"{digest}.npy"
    if not path.exists():
        part = arrays / f"{digest}.{time.monotonic_ns()}.part"
        part.write_bytes(content)
        part.replace(path)
    return {"array": digest}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
