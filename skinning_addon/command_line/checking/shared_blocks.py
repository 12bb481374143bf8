"""One file checked by several processes, through a folder in which each claims the next free block of frames.

The process that was asked about the file, the *leader*, publishes how many blocks there are once it knows that
they take long. Others that have nothing to do open the file too, and leave what came of their blocks in the
folder. A block whose process has died is measured by the leader.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...measurement.check.block_measuring import BlockMeasuring
    from ...measurement.check.frame_blocks import Block
    from ...measurement.check.scan_state import ScanState

PLAN = "plan.json"

WORTH_SHARING = 4.0
"""Seconds left after the leader's first block: starting a Blender and opening the file takes half of that."""

SECONDS_BETWEEN_LOOKS = 0.02

BLOCKS_PER_PROCESS = 4
"""Enough that no process waits long for the last block."""


class HelpedError(Exception):
    """Not an error: a process has helped with all that was left, and has no use for the rest of the check."""


@dataclass(frozen=True)
class SharedFolder:
    """path: of the folder. who: a word for this process. processes: how many may take part."""

    path: str
    who: str
    processes: int

    def publish(self, blocks: Sequence[Block]) -> None:
        """Tell others of the blocks."""
        self._write(PLAN, json.dumps(_plan_of(blocks)).encode())

    def is_planned(self, blocks: Sequence[Block]) -> bool:
        """Whether the plan is about just these blocks."""
        return json.loads((Path(self.path) / PLAN).read_text(encoding="utf-8")) == _plan_of(blocks)

    def take(self, number: int) -> bool:
        """Take a block, unless somebody has it."""
        try:
            taken = os.open(self._file(f"{number}.taken"), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return False
        os.write(taken, self.who.encode("ascii"))
        os.close(taken)
        return True

    def leave(self, number: int, state: ScanState) -> None:
        """Leave what came of a block."""
        self._write(f"{number}.state", pickle.dumps(state))

    def found(self, number: int) -> ScanState | None:
        """Return what another process has left of a block; None if it has not yet.

        Raises:
            ProcessLookupError: it never will.
        """
        with suppress(FileNotFoundError):
            # Only our own processes write here, for the user who runs them all.
            return pickle.loads(self._file(f"{number}.state").read_bytes())  # noqa: S301
        who = self._file(f"{number}.taken").read_text(encoding="ascii")
        # The name is written a moment after the block is taken.
        if who and lost_file(Path(self.path), who).exists():
            raise ProcessLookupError
        return None

    def _write(self, name: str, content: bytes) -> None:
        staged = self._file(f"{name}-{self.who}")
        staged.write_bytes(content)
        staged.replace(self._file(name))

    def _file(self, name: str) -> Path:
        return Path(self.path) / name


def lost_file(folder: Path, who: str) -> Path:
    """Return the file that says that a process takes no part any more."""
    return folder / f"{who}.lost"


def blocks_left(folder: Path) -> bool:
    """Whether any block is still free, apart from the last, which is the leader's."""
    try:
        count = json.loads((folder / PLAN).read_text(encoding="utf-8"))["blocks"]
    except FileNotFoundError:
        return False
    return any(not (folder / f"{number}.taken").exists() for number in range(count - 1))


def _plan_of(blocks: Sequence[Block]) -> dict[str, object]:
    told = [[(playback.name, frames) for playback, frames in one.parts] for one in blocks]
    return {"blocks": len(blocks), "content": hashlib.sha256(repr(told).encode()).hexdigest()}


class Leading:
    """The leader's way of sharing."""

    def __init__(self, folder: SharedFolder) -> None:
        self._folder = folder
        self.most = BLOCKS_PER_PROCESS * folder.processes

    def run(self, blocks: Sequence[Block], measuring: BlockMeasuring) -> list[ScanState]:
        """Measure blocks, the last one last, and take what others have left of the rest."""
        last = len(blocks) - 1
        states: dict[int, ScanState] = {}
        started = time.monotonic()
        shared = False
        for number in range(last):
            if shared and not self._folder.take(number):
                continue
            states[number] = measuring.state(number)
            taken = (time.monotonic() - started) / (number + 1)
            if not shared and taken * (last - number) > WORTH_SHARING:
                for done in range(number + 1):
                    self._folder.take(done)
                self._folder.publish(blocks)
                shared = True
        states[last] = measuring.state(last)
        for number in range(last):
            if number not in states:
                states[number] = self._waited_for(number, measuring)
        return [states[number] for number in range(last + 1)]

    def _waited_for(self, number: int, measuring: BlockMeasuring) -> ScanState:
        while True:
            try:
                state = self._folder.found(number)
            except ProcessLookupError:
                return measuring.state(number)
            if state is not None:
                return state
            time.sleep(SECONDS_BETWEEN_LOOKS)


class Helping:
    """A helper's way of sharing: it measures free blocks and leaves the results for the leader."""

    def __init__(self, folder: SharedFolder) -> None:
        self._folder = folder
        self.most = BLOCKS_PER_PROCESS * folder.processes

    def run(self, blocks: Sequence[Block], measuring: BlockMeasuring) -> list[ScanState]:
        """Measure blocks as long as there are any.

        Raises:
            HelpedError: always.
        """
        if self._folder.is_planned(blocks):
            for number in range(len(blocks) - 1):
                if self._folder.take(number):
                    state = measuring.state(number)
                    self._folder.leave(number, replace(state, losses=measuring.losses(number)))
        raise HelpedError
