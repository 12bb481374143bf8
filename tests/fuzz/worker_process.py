"""The lab's side of a worker: starts it, sends it seeds, and names the seed that crashed or hung it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

from tests.fuzz.kinds import Kind
from tests.fuzz.outcome import BLENDER_ALONE, OF_BLENDER, STAGE_FILE, Outcome

CHECKOUT = Path(__file__).parents[2]
START_SECONDS = 120.0
"""How long a worker may take to load Blender."""

SEEDS_PER_PROCESS = 400
"""Replace a worker after this many seeds: this bounds Blender's leaks, and what one seed leaves to a later
one."""


class WorkerLost(Exception):  # noqa: N818 - not an error of the lab
    """The process ended, or was killed because it took too long. what: 'crash' or 'hang'."""

    def __init__(self, what: str, detail: str) -> None:
        super().__init__(detail)
        self.what = what


class Worker:
    """Runs seeds one after another, in as many processes as that takes. Use it from one thread; `close` it."""

    def __init__(self, kind: Kind, python: Path, folder: Path) -> None:
        """python: the interpreter, with Blender as a module. folder: the worker's own."""
        self._kind, self._python, self._folder = kind, python, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._left = 0

    def run(self, seed: int) -> tuple[Outcome, float]:
        """Return a seed's outcome and its duration in seconds.

        A crash or a hang is retried once by a fresh process: what counts is whether the seed causes it on its
        own.
        """
        try:
            return self._tried(seed, self._kind.seconds)
        except WorkerLost:
            pass
        try:
            return self._tried(seed, 2 * self._kind.seconds)
        except WorkerLost as lost:
            stage = self._folder / f"seed-{seed}" / STAGE_FILE
            if stage.exists() and stage.read_text() == BLENDER_ALONE:
                return Outcome(lost.what + OF_BLENDER, cause=str(lost)), 0.0
            script = f"# ./run fuzz --kind {self._kind.name} --seeds {seed}:{seed + 1}\n{self.log()}"
            wrong = f"The seed ends in a {lost.what}: {lost}."
            return Outcome(lost.what, cause=str(lost), wrong=wrong, script=script), 0.0

    def log(self) -> str:
        """Return the end of the last process's output, as comments for a script."""
        path = self._folder / "log"
        lines = path.read_text(errors="replace").splitlines()[-40:] if path.exists() else []
        return "".join(f"# {line}\n" for line in lines)

    def close(self) -> None:
        """Let the process exit on its own, which it does once its input is closed."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            _kill(process)
        _close_pipes(process)

    def _tried(self, seed: int, seconds: float) -> tuple[Outcome, float]:
        seed_folder = self._folder / f"seed-{seed}"
        shutil.rmtree(seed_folder, ignore_errors=True)
        process = self._started()
        assert process.stdin is not None
        # If the process has ended since, there is no line to read either.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{seed}\n".encode())
        answer = json.loads(self._line(process, seconds))
        took = answer.pop("seconds")
        shutil.rmtree(seed_folder, ignore_errors=True)
        self._left -= 1
        if self._left <= 0:
            self.close()
        return Outcome(**answer), took

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            arguments = json.dumps(dataclasses.asdict(self._kind))
            with (self._folder / "log").open("wb") as log:
                self._process = subprocess.Popen(
                    [str(self._python), "-m", "tests.fuzz.worker", arguments, str(self._folder)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    bufsize=0,
                    cwd=CHECKOUT,
                    start_new_session=True,
                )
            self._left = SEEDS_PER_PROCESS
            try:
                self._line(self._process, START_SECONDS)
            except WorkerLost as lost:
                raise RuntimeError(f"No worker starts ({lost}):\n{self.log()}") from lost
        return self._process

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        assert process.stdout is not None
        if not select.select([process.stdout], [], [], seconds)[0]:
            _kill(process)
            self._forget(process)
            raise WorkerLost("hang", f"no answer within {seconds:g} seconds")
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            status = process.wait()
            self._forget(process)
            raise WorkerLost("crash", signal.Signals(-status).name if status < 0 else f"exit status {status}")
        return line

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        _close_pipes(process)
        self._process = None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker and its child processes: it leads its own session."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
