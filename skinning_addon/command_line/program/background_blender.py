"""Work in a Blender of its own, so that the user's session plays and changes nothing.

The two processes share a folder: it holds the request, a line of progress, and a refusal or whatever the work
answers.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bpy

from ...core.text.errors import SkinscopeError, UsageError
from ...core.text.message_record import recorded, restored
from .own_environment import own_environment
from .progress import ProgressLine

REQUEST, PROGRESS, REFUSAL = "request.json", "progress.json", "refusal.json"

EXPRESSION = """\
import sys
sys.path.insert(0, {root})
import bpy
from {module} import answer_request
answer_request({folder})
"""


class BackgroundBlender:
    """Another Blender at work. End it with `close`, whether it is done or not, as `closing` does."""

    def __init__(self, folder: Path, module: str, request: Mapping[str, Any]) -> None:
        """Start it. folder: its own, for both processes. module: below `skinning_addon`; its `answer_request`
        does the work.

        Raises:
            UsageError: it can't be started.
        """
        self._folder = folder
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        root = str(Path(__file__).parents[3])
        code = EXPRESSION.format(
            root=ascii(root), module=f"skinning_addon.{module}", folder=ascii(str(folder))
        )
        try:
            with (folder / "printed.txt").open("wb") as printed:
                # This runs our own program without a shell; the user's paths are data in the request.
                self._process = subprocess.Popen(  # noqa: S603
                    [*_blender(), code],
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                    # What it leaves behind is deleted with the folder.
                    env=own_environment(folder),
                    start_new_session=True,
                )
        except OSError as error:
            raise UsageError(
                "Another Blender can't be started in the background ({reason}); check that '{program}' may be "
                "run.",
                reason=error.strerror or str(error),
                program=_blender()[0],
            ) from error

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    @property
    def progress(self) -> str:
        """The last line of progress, a message; '' if there is none yet."""
        with contextlib.suppress(OSError, ValueError):
            return restored(json.loads((self._folder / PROGRESS).read_text(encoding="utf-8")))
        return ""

    def status(self) -> int:
        """Wait until it has ended; return the exit status, not 0 if it ended early.

        Raises:
            SkinscopeError: the work was refused.
        """
        status = self._process.wait()
        refusal = self._folder / REFUSAL
        if refusal.is_file():
            raise SkinscopeError(restored(json.loads(refusal.read_text(encoding="utf-8"))))
        return status

    def close(self) -> None:
        """End the process and everything that it has started, at once."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()


def answered(folder: str, work: Callable[[Path, Any, ProgressLine], None]) -> None:
    """Do what a folder requests, and leave a refusal there if that fails; runs in the other process.

    work: takes the folder, the request and where to show progress, and writes the answer.
    """
    path = Path(folder)

    def show(line: str) -> None:
        staged = path / f"{PROGRESS}.new"
        staged.write_text(json.dumps(recorded(line)), encoding="utf-8")
        staged.replace(path / PROGRESS)

    try:
        work(path, json.loads((path / REQUEST).read_text(encoding="utf-8")), ProgressLine(show))
    except SkinscopeError as error:
        (path / REFUSAL).write_text(json.dumps(recorded(error.args[0])), encoding="utf-8")


def _blender() -> list[str]:
    """Return the command that starts a Blender and runs the Python code appended to it."""
    if bpy.app.binary_path:
        return [
            bpy.app.binary_path,
            "--background",
            "--python-exit-code",
            "1",
            "--python-expr",
        ]
    return [sys.executable, "-P", "-c"]
