"""The reporting process's handle on a worker: starts it, asks it, and ends it with everything it may have
started.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, cast

from ...core.text.errors import OutputError
from ..program.own_environment import own_environment
from ..program.own_program import own_program
from ..program.progress import is_shown
from ..program.streams import is_verbose
from .worker import COMMAND, DONE, FAILED, Greeting

LONGEST_LINE = 65536

SECONDS_BETWEEN_LOOKS = 0.2
"""Seconds. A worker may be gone without its pipe closing, if a process it has started holds the pipe."""


class WorkerDiedError(Exception):
    """The process ended before it answered. cause: what happened, in words that follow 'Blender'."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class WorkerLateError(Exception):
    """No answer came in time."""


class WorkerProcess:
    """A process that answers questions, one after the other. Has a folder of its own, which `end` removes.

    answered: how many questions so far. memory: bytes that it had in use after the last one.
    """

    def __init__(self) -> None:
        self.answered = self.memory = 0
        self._word = f"\x1e{secrets.token_hex(16)}"
        tracebacks = tempfile.gettempdir()
        self._folder = Path(tempfile.mkdtemp(prefix="skinscope-check-"))
        # Our own program: no user input is among its arguments, and no shell reads them.
        self._process = subprocess.Popen(  # noqa: S603
            [*own_program(), COMMAND, str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=own_environment(self._folder),
            # Ctrl-C in a terminal reaches only the reporting process, which then ends this one and all that it
            # started.
            start_new_session=True,
        )
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._printed = cast("IO[bytes]", self._process.stdout)
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._send(Greeting(self._word, is_shown(), is_verbose(), tracebacks))

    def ask(
        self,
        question: object,
        seconds: float,
        chatter: Callable[[str], None],
        progress: Callable[[str], None],
    ) -> str:
        """Return the answer, as text. chatter: receives what Blender prints meanwhile, line by line.

        Raises:
            WorkerDiedError, WorkerLateError: there is none; the process can't be used any more.
            OutputError: the process can't write the answer.
        """
        deadline = time.monotonic() + seconds
        self._send(question)
        while True:
            line = self._next_line(deadline)
            printed, mark, told = line.decode("utf-8", errors="backslashreplace").partition(self._word)
            if printed.rstrip("\n") or not mark:
                chatter(printed.rstrip("\n"))
            if not mark:
                continue
            kind, text = told.split(maxsplit=1)
            said, *rest = json.loads(text)
            if kind == FAILED:
                raise OutputError(said)
            if kind == DONE:
                self.answered += 1
                (self.memory,) = rest
                return (self._folder / said).read_text(encoding="utf-8")
            progress(said)

    def end(self) -> None:
        """End the process and everything it has started, at once."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _next_line(self, deadline: float) -> bytes:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkerLateError
            try:
                line = self._lines.get(timeout=min(left, SECONDS_BETWEEN_LOOKS))
            except Empty:
                if self._process.poll() is None:
                    continue
                line = b""
            if not line:
                raise WorkerDiedError(_cause_of_death(self._process.wait()))
            return line

    def _send(self, question: object) -> None:
        # If the process is gone already, the caller waiting for the answer learns how.
        with contextlib.suppress(BrokenPipeError):
            pickle.dump(question, self._questions)
            self._questions.flush()

    def _read(self) -> None:
        for line in iter(lambda: self._printed.readline(LONGEST_LINE), b""):
            self._lines.put(line)
        self._lines.put(b"")


def _cause_of_death(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    return f"died of {signal.Signals(-status).name}"
