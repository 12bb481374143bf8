"""Checks files in worker processes: a file that crashes Blender, or never finishes, costs only itself.

As many processes as there are jobs take one file after the other. If one dies over a file after having
checked others, those may be to blame: the file is retried in a fresh process. One that has checked many files,
or holds much memory, is replaced before the next.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType

from ...core.text.errors import OutputError
from ...core.text.printed_lines import is_chatter
from ...measurement.check.report import FileReport
from ..arguments.file_settings import FileSettings
from ..arguments.options import format_duration
from ..program.progress import ProgressLine
from ..program.streams import is_verbose, say
from .answers import Answer, read_answer
from .arrivals import Arrivals, Numbered, taken
from .shared_blocks import SharedFolder, blocks_left, lost_file
from .worker import Question
from .worker_process import WorkerDiedError, WorkerLateError, WorkerProcess

SECONDS_BETWEEN_LOOKS = 0.1
"""For blocks of a file that another job has."""


@dataclass(frozen=True)
class Limits:
    """Of a process: seconds for a file, files in all, and bytes of memory after a file."""

    seconds: float
    files: int
    memory: int

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Limits:
        """Return those of the command line."""
        return cls(arguments.timeout, arguments.worker_files, arguments.worker_memory)


class Workers:
    """Processes that check files; ended with the block, whatever they are doing.

    jobs: how many at most. first: a process that has been started already, if any.
    """

    def __init__(self, jobs: int, limits: Limits, first: WorkerProcess | None = None) -> None:
        self._jobs = jobs
        self._limits = limits
        self._spare = [first] if first is not None else []
        self._all = list(self._spare)
        self._lock = threading.Lock()
        self._ended = False
        self._unfinished = 0
        self._shared: dict[Path, FileSettings] = {}
        self._helpers = itertools.count(1)

    def answers(self, settings: Sequence[FileSettings]) -> Iterator[Numbered]:
        """Yield the answers as they come, each with its index in `settings`; see `taken` for signals."""
        left: SimpleQueue[tuple[int, FileSettings]] = SimpleQueue()
        for numbered in enumerate(settings):
            left.put(numbered)
        done: Arrivals = SimpleQueue()
        self._unfinished = len(settings)
        for _ in range(self._jobs if settings else 0):
            threading.Thread(target=self._job, args=(left, done.put), daemon=True).start()
        yield from taken(done, len(settings))

    def answer(self, one: FileSettings) -> Answer:
        """Return the answer about one file, by a process that is kept for the next."""
        started = time.monotonic()
        process, answer = self._asked(None, one)
        if process is not None:
            self._spare.append(process)
        return replace(answer, seconds=time.monotonic() - started)

    def _job(
        self,
        left: SimpleQueue[tuple[int, FileSettings]],
        put: Callable[[Numbered | BaseException], None],
    ) -> None:
        process = None
        try:
            while not self._ended:
                try:
                    index, one = left.get_nowait()
                except Empty:
                    if not self._unfinished:
                        self._keep(process)
                        return
                    process = self._helped(process)
                    continue
                started = time.monotonic()
                process, answer = self._answered(process, one)
                put((index, replace(answer, seconds=time.monotonic() - started)))
        except BaseException as error:  # noqa: BLE001
            # For the thread that waits.
            put(error)

    def _answered(
        self, process: WorkerProcess | None, one: FileSettings
    ) -> tuple[WorkerProcess | None, Answer]:
        """Return the answer about a file, and the process to use for the next; None for a fresh one. Jobs that
        have no file of their own any more take part.
        """
        try:
            if self._unfinished >= self._jobs:
                return self._asked(process, one)
            with tempfile.TemporaryDirectory(
                prefix="skinscope-shared-", ignore_cleanup_errors=True
            ) as folder:
                self._shared[Path(folder)] = one
                try:
                    return self._asked(process, one, SharedFolder(folder, "leader", self._jobs))
                finally:
                    self._shared.pop(Path(folder), None)
        finally:
            with self._lock:
                self._unfinished -= 1

    def _helped(self, process: WorkerProcess | None) -> WorkerProcess | None:
        """Take part in a file that another job has, or wait a moment; return the process to use again."""
        found = next(((path, one) for path, one in list(self._shared.items()) if blocks_left(path)), None)
        if found is None:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            return process
        path, one = found
        folder = SharedFolder(str(path), f"helper-{next(self._helpers)}", self._jobs)
        printed = _Printed(alone=False)
        try:
            process = process or self._taken()
            text = process.ask(
                Question(one, folder, helps=True), self._limits.seconds, printed.line, printed.progress
            )
            worn = read_answer(text).internal or self._is_worn(process)
        except (OutputError, WorkerLateError, WorkerDiedError):
            worn = True
        # Blocks that it took and did not leave are the leader's again.
        with suppress(OSError):
            lost_file(path, folder.who).touch()
        if worn or blocks_left(path):
            # Whatever kept it from helping would keep the next one too.
            self._shared.pop(path, None)
        if not worn:
            return process
        if process is not None:
            self._drop(process)
        return None

    def _asked(
        self, process: WorkerProcess | None, one: FileSettings, folder: SharedFolder | None = None
    ) -> tuple[WorkerProcess | None, Answer]:
        """Return the answer about a file, and the process to use for the next; None for a fresh one. folder:
        for other processes to take part, if any.
        """
        process = process or self._taken()
        fresh = not process.answered
        printed = _Printed(alone=self._jobs == 1)
        try:
            text = process.ask(Question(one, folder), self._limits.seconds, printed.line, printed.progress)
            answer = read_answer(text)
        except OutputError as error:
            answer = Answer(FileReport(one.file, error=str(error)))
        except WorkerLateError:
            limit = format_duration(self._limits.seconds)
            answer = _unchecked(
                one, f"it took more than {limit}; raise --timeout, or check fewer --frames or --clips."
            )
        except WorkerDiedError as error:
            answer = _unchecked(one, (f"Blender {error.cause} while checking it; {_remedy(error.cause)}."))
            if not (fresh or self._ended):
                self._drop(process)
                # Alone: the folder says of blocks that the process that died has them.
                return self._asked(None, one)
        else:
            if not (answer.internal or self._is_worn(process)):
                printed.done()
                return process, answer
        self._drop(process)
        printed.done()
        return None, answer

    def _is_worn(self, process: WorkerProcess) -> bool:
        return process.answered >= self._limits.files or process.memory > self._limits.memory

    def _keep(self, process: WorkerProcess | None) -> None:
        """Keep a process for the next files that are asked about."""
        with self._lock:
            if process is not None and not self._ended:
                self._spare.append(process)

    def _taken(self) -> WorkerProcess:
        with self._lock:
            if self._spare:
                return self._spare.pop()
        return self._started()

    def _started(self) -> WorkerProcess:
        with self._lock:
            if self._ended:
                raise WorkerDiedError("was ended")
            process = WorkerProcess()
            self._all.append(process)
            return process

    def _drop(self, process: WorkerProcess) -> None:
        with self._lock:
            if process not in self._all:
                # The block has ended, and so has this process.
                return
            self._all.remove(process)
        process.end()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended = True
            running, self._all = self._all, []
        for process in running:
            process.end()


class _Printed:
    """What a worker prints about one file, except chatter. alone: passed on as it comes; otherwise when the
    file is done, so that lines don't mix.
    """

    def __init__(self, *, alone: bool) -> None:
        self._alone = alone
        self._lines: list[str] = []
        self._progress = ProgressLine()

    def line(self, line: str) -> None:
        if is_chatter(line) and not is_verbose():
            return
        if self._alone:
            self._progress.clear()
            say(line)
        else:
            self._lines.append(line)

    def progress(self, line: str) -> None:
        if self._alone:
            self._progress.say(line)

    def done(self) -> None:
        self._progress.clear()
        if self._lines:
            say("\n".join(self._lines))


def _unchecked(one: FileSettings, why: str) -> Answer:
    return Answer(FileReport(one.file, error=f"'{one.file}' can't be checked: {why}"))


def _remedy(cause: str) -> str:
    if cause.endswith("SIGKILL"):
        return "the system may have run out of memory; check fewer files at once with --jobs"
    return "check that the file is complete, or export it again"
