"""Checks files on the machines of a cluster: a scheduler of Dask, whose workers each drive a Blender."""

from __future__ import annotations

import json
import logging
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any

from ...core.text.errors import UsageError
from ...measurement.check.report import FileReport
from ..arguments.file_settings import FileSettings
from ..arguments.settings_text import settings_text
from ..checking.answers import Answer, read_answer
from ..checking.arrivals import Arrivals, Numbered, taken
from ..checking.workers import Limits
from ..program.streams import complain
from ..program.versions import program_digest, skinscope_version
from . import cluster_task

SECONDS_FOR_A_SCHEDULER = 10
SECONDS_FOR_A_WORKER = 60
"""Batch systems take their time, but somebody waits here."""

NAMED = 5
"""How many of many workers are named."""


class Cluster:
    """A scheduler and its workers, while a check lasts.

    address: such as tcp://HOST:8786. limits: of the processes that have Blender. sends: whether files are sent
    along, instead of being read where they lie.
    """

    def __init__(self, address: str, limits: Limits, *, sends: bool) -> None:
        self._limits, self._sends = limits, sends
        self._client = _connected(address)
        self._workers = self._right_workers(address)

    def answers(self, settings: Sequence[FileSettings]) -> Iterator[Numbered]:
        """Yield the answers as they come, each with its index in `settings`; see `taken` for signals."""
        arrivals: Arrivals = SimpleQueue()

        def put_all() -> None:
            try:
                for numbered in self._arriving(settings):
                    arrivals.put(numbered)
            except BaseException as error:  # noqa: BLE001
                # For the thread that waits.
                arrivals.put(error)

        threading.Thread(target=put_all, daemon=True).start()
        yield from taken(arrivals, len(settings))

    def _arriving(self, settings: Sequence[FileSettings]) -> Iterator[Numbered]:
        from distributed import as_completed

        index_of: dict[Any, int] = {}
        for index, one in enumerate(settings):
            try:
                index_of[self._asked(one)] = index
            except OSError as error:
                yield index, _unchecked(one, f"{error.filename or one.file}: {error.strerror}")
        done = as_completed(list(index_of), loop=self._client.loop)
        for future in done:
            index = index_of[future]
            one = settings[index]
            found = self._answer(future, one)
            if found is None:
                again = self._asked(one)
                index_of[again] = index
                done.add(again)
            else:
                yield index, found

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Dask cancels work once nothing holds its result.
        with suppress(Exception):
            self._client.close(timeout=SECONDS_FOR_A_SCHEDULER)

    def _asked(self, one: FileSettings) -> Any:
        """Put a file on the scheduler's list.

        Raises:
            OSError: it can't be read, to be sent.
        """
        content = Path(one.file).read_bytes() if self._sends else None
        return self._client.submit(
            cluster_task.check,
            question(one, self._limits),
            content,
            pure=False,
            workers=self._workers,
        )

    def _answer(self, future: Any, one: FileSettings) -> Answer | None:
        """Return what came of a file; None if its worker has another version, and is not asked any more."""
        if future.status == "finished":
            told = json.loads(future.result())
            if "answer" in told:
                return replace(read_answer(told["answer"]), seconds=told["seconds"])
            complain(_refusal({told["other"]["host"]: told["other"]}))
            self._workers = self._right_workers("")
            return None
        error = future.exception() if future.status == "error" else None
        cause = type(error).__name__ if error is not None else "its scheduler is gone"
        return _unchecked(one, f"the cluster could not check it ({cause}: {error})" if error else cause)

    def _right_workers(self, address: str) -> list[str] | None:
        """Return the workers to ask; None for all, those that join later included.

        Raises:
            UsageError: there are none, or all have another version.
        """
        if address:
            try:
                self._client.wait_for_workers(1, timeout=SECONDS_FOR_A_WORKER)
            except TimeoutError as error:
                raise UsageError(
                    f"The scheduler at '{address}' has no workers; start one on each machine with "
                    f"'dask worker {address} --nthreads 1'."
                ) from error
        found: Mapping[str, object] = self._client.run(cluster_task.versions, on_error="return")
        read = {name: json.loads(told) if isinstance(told, str) else {} for name, told in found.items()}
        right = [name for name, one in read.items() if one.get("program") == program_digest()]
        others = {name: one for name, one in read.items() if name not in right}
        if not right:
            raise UsageError(_refusal(others))
        if address and others:
            complain(_refusal(others))
        return right if others else None


def question(one: FileSettings, limits: Limits) -> str:
    """Return what a worker is asked, as text.

    Raises:
        OSError: a profile of the user's own can't be read any more.
    """
    return json.dumps(
        {
            "program": program_digest(),
            "named": one.file,
            "file": str(Path(one.file).absolute()),
            "settings": asdict(settings_text(one)),
            "limits": asdict(limits),
        }
    )


def _connected(address: str) -> Any:
    """Return a client of the scheduler.

    Raises:
        UsageError: Dask is not installed, or nothing answers there.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise UsageError(
            "--cluster needs Dask, which is not installed; run 'pip install \"skinscope[cluster]\"'."
        ) from error
    # What it logs of a scheduler that isn't there is said below, in a sentence.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="distributed")
    found: list[Any] = []

    def connect() -> None:
        with suppress(OSError, ValueError, TypeError):
            found.append(Client(address, timeout=SECONDS_FOR_A_SCHEDULER, set_as_default=False))

    # Something else that listens there, such as a web server, would keep it waiting for ever.
    connecting = threading.Thread(target=connect, daemon=True)
    connecting.start()
    connecting.join(2 * SECONDS_FOR_A_SCHEDULER)
    if not found:
        raise UsageError(
            f"No scheduler of Dask answers at '{address}'; start one with 'dask scheduler', and name the "
            "address that it prints, such as tcp://HOST:8786."
        )
    return found[0]


def _refusal(others: Mapping[str, Mapping[str, str]]) -> str:
    """Name workers that are not asked, and why."""
    told = [
        f"'{name}' has {one['skinscope']}{' of other code' * (one['skinscope'] == skinscope_version())}"
        if one
        else f"'{name}' has none"
        for name, one in others.items()
    ]
    more = f" and {len(told) - NAMED} more" if len(told) > NAMED else ""
    return (
        f"This is Skinscope {skinscope_version()}, and workers of the cluster that have another are not asked: "
        f"{', '.join(told[:NAMED])}{more}; install the same everywhere."
    )


def _unchecked(one: FileSettings, why: str) -> Answer:
    return Answer(FileReport(one.file, error=f"'{one.file}' can't be checked: {why}."))
