"""Skinscope for other Python programs: `import skinscope` after `pip install skinscope`. docs/api.md has
examples, and how to find it in a desktop Blender.

Nothing here loads Blender into the caller's process: files are opened by processes of their own. Results are
dataclasses. A call that can't be met raises `SkinscopeError` with one sentence that says what to do.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .command_line.arguments.check_settings import settings_of
from .command_line.arguments.parser import parse_arguments
from .command_line.checking.judging import judged
from .command_line.checking.worker_process import WorkerProcess
from .command_line.checking.workers import Limits, Workers
from .command_line.diffing.bundle_files import read_bundle
from .command_line.diffing.diff import compared, configured_suppressions
from .command_line.diffing.diff_report import Diff
from .command_line.diffing.engine_positions import read_engine_positions
from .command_line.program.own_environment import own_environment
from .command_line.program.own_program import choose_blender, own_program
from .command_line.program.versions import skinscope_version
from .core.text.errors import SkinscopeError
from .core.verdicts.finding import Finding, Severity
from .core.verdicts.rules import rule_of
from .core.verdicts.suppression import this_day
from .core.verdicts.tolerance import EXACT, Tolerance
from .measurement.check.report import FileReport, MeshReport
from .measurement.frame.worst_frame import WorstFrame

__all__ = [
    "Diff",
    "Exported",
    "FileReport",
    "Finding",
    "MeshReport",
    "Refitted",
    "RefittedCharacter",
    "Severity",
    "SkinscopeError",
    "Tolerance",
    "WorstFrame",
    "check",
    "choose_blender",
    "diff",
    "export",
    "fix_operator",
    "refit",
    "skinscope_version",
]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Exported:
    """A bundle. folder: where it lies, see docs/export-format.md. complete: whether nothing of a character had
    to be left out. said: what the program says about it.
    """

    folder: Path
    complete: bool
    said: str


@dataclass(frozen=True)
class RefittedCharacter:
    """A game-ready copy.

    armature: the original's name. before, after: how far the engine is off without and with the copy, in
    metres. report: all figures, see docs/refit.md.
    """

    armature: str
    meshes: Sequence[str]
    clips: Sequence[str]
    before: float
    after: float
    report: Mapping[str, Any]


@dataclass(frozen=True)
class Refitted:
    """Game-ready copies. file: that holds them. said: what the program says about them."""

    file: Path
    characters: Sequence[RefittedCharacter]
    said: str


def check(
    *files: PathLike,
    profiles: Sequence[str] = (),
    clips: Sequence[str] = (),
    frames: str = "",
    tolerance: str = "",
    clips_from: PathLike | None = None,
    exclude: Sequence[str] = (),
    config: PathLike | None = None,
    device: str = "auto",
    strict: bool = False,
    jobs: int = 1,
    timeout: str = "10m",
) -> list[FileReport]:
    """Compare every skinned mesh of the files with Blender's own deformation, as `skinscope check` does.

    files: files, folders or patterns. The options are those of the command line, with its units ('1mm',
    '0:60:2'). Returns a report for each file, in order; one that can't be checked has an `error`.

    Raises:
        SkinscopeError: an option is wrong, or nothing can be checked at all.
    """
    options = [
        *(f"--profile={one}" for one in profiles),
        *([f"--clips={','.join(clips)}"] if clips else []),
        *([f"--frames={frames}"] if frames else []),
        *([f"--tolerance={tolerance}"] if tolerance else []),
        *([f"--clips-from={os.fspath(clips_from)}"] if clips_from else []),
        *(f"--exclude={one}" for one in exclude),
        *([f"--config={os.fspath(config)}"] if config else []),
        *(["--strict"] if strict else []),
        f"--device={device}",
        f"--jobs={jobs}",
        f"--timeout={timeout}",
    ]
    arguments = parse_arguments(["check", *options, "--", *(os.fspath(one) for one in files)])
    settings = settings_of(arguments, lambda _sentence: None)
    reports: dict[int, FileReport] = {}
    with Workers(arguments.jobs, Limits.of(arguments), WorkerProcess()) as workers:
        for index, answer in workers.answers(settings):
            reports[index] = judged(answer.report, settings[index], this_day())
    return [reports[index] for index in range(len(settings))]


def fix_operator(rule: str) -> str:
    """Return the sidebar's operator that fixes a finding, such as 'skinscope.fix_influences'; '' for none. It
    works on the active mesh, under the profile that the scene has chosen.
    """
    return rule_of(rule).operator


def export(
    file: PathLike,
    output: PathLike,
    *,
    profile: str = "",
    clips: Sequence[str] = (),
    frames: str = "",
    device: str = "auto",
) -> Exported:
    """Write skins, matrices and expected positions of a file to a folder, as `skinscope export` does.

    Raises:
        SkinscopeError: the file can't be read, or the folder can't be written to.
    """
    options = [
        *([f"--profile={profile}"] if profile else []),
        *([f"--clips={','.join(clips)}"] if clips else []),
        *([f"--frames={frames}"] if frames else []),
        f"--device={device}",
    ]
    status, said = _run("export", *options, f"--output={os.fspath(output)}", "--", os.fspath(file))
    return Exported(Path(output), status == 0, said)


def diff(bundle: PathLike, positions: PathLike, *, mesh: str = "", tolerance: str = "") -> Diff:
    """Compare an engine's own positions with an export, as `skinscope diff` does; needs no Blender.

    Raises:
        SkinscopeError: a file can't be read, or the two can't be compared.
    """
    exported = read_bundle(os.fspath(bundle))
    return compared(
        exported,
        read_engine_positions(os.fspath(positions)),
        mesh,
        os.fspath(positions),
        Tolerance.parse(tolerance) if tolerance else EXACT,
        configured=configured_suppressions(exported),
    )


def refit(
    file: PathLike,
    output: PathLike,
    *,
    profile: str,
    kind: str = "runtime",
    clips: Sequence[str] = (),
    helper_bones: int = 0,
    clip_bones: bool = False,
    tolerance: str = "",
) -> Refitted:
    """Write game-ready copies of a file's characters to `output` (.blend, .glb or .fbx), as `skinscope refit`
    does.

    Raises:
        SkinscopeError: the file can't be read, has no character or no clip, or the copies can't be written.
    """
    options = [
        f"--profile={profile}",
        f"--kind={kind}",
        f"--helper-bones={helper_bones}",
        *(["--clip-bones"] if clip_bones else []),
        *([f"--clips={','.join(clips)}"] if clips else []),
        *([f"--tolerance={tolerance}"] if tolerance else []),
    ]
    with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
        report = Path(folder) / "report.json"
        said = _run(
            "refit", *options, f"--output={os.fspath(output)}", f"--report={report}", "--", os.fspath(file)
        )[1]
        copies = json.loads(report.read_text(encoding="utf-8"))["copies"]
    characters = [
        RefittedCharacter(
            one["armature"], one["meshes"], one["clips"], one["before"], one["after"], report=one
        )
        for one in copies
    ]
    return Refitted(Path(output), characters, said)


def _run(*arguments: str) -> tuple[int, str]:
    """Run the program; return the exit status, 0 or 1, and what it printed.

    Raises:
        SkinscopeError: it could not do it; its own sentence.
    """
    parse_arguments(arguments)
    # Our own program: no shell reads the arguments.
    result = subprocess.run(  # noqa: S603
        [*own_program(), *arguments],
        env=own_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if result.returncode not in {0, 1}:
        complaint = result.stderr.decode("utf-8", errors="replace").strip().rpartition("skinscope: ")[2]
        raise SkinscopeError(complaint or f"Skinscope ended with status {result.returncode}.")
    return result.returncode, result.stdout.decode("utf-8", errors="replace")
