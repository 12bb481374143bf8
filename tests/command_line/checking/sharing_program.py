"""The program, with files shared as soon as there is another process, and a list of the blocks that it has left.
Started as the program is, and as its workers.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skinning_addon.command_line.checking import shared_blocks, worker_process
from skinning_addon.command_line.main import main

if TYPE_CHECKING:
    # Blender is not to start before the program has taken its output.
    from skinning_addon.measurement.check.frame_blocks import Block

_leave, _publish = shared_blocks.SharedFolder.leave, shared_blocks.SharedFolder.publish

LONGEST_WAIT = 300.0
"""Seconds for another Blender to start and open the file, on a machine that has other work."""


def _published(self: shared_blocks.SharedFolder, blocks: Sequence[Block]) -> None:
    """Wait for the other process, which a quick leader would leave nothing."""
    before = len(list(Path(self.path).glob("*.taken")))
    _publish(self, blocks)
    until = time.monotonic() + LONGEST_WAIT
    while len(list(Path(self.path).glob("*.taken"))) == before:
        if time.monotonic() > until:
            sys.exit("No other process took a block.")
        time.sleep(0.05)


def _left(self: shared_blocks.SharedFolder, number: int, state: object) -> None:
    with Path(os.environ["LEFT_BLOCKS"]).open("a", encoding="utf-8") as file:
        file.write(f"{self.who} {number}\n")
    if os.environ.get("DIES"):
        # Without a trace, after it has taken a block.
        os._exit(7)
    _leave(self, number, state)


if __name__ == "__main__":
    worker_process.own_program = lambda: [sys.executable, __file__]
    shared_blocks.WORTH_SHARING = -1.0
    shared_blocks.SharedFolder.leave = _left
    shared_blocks.SharedFolder.publish = _published
    sys.exit(main(sys.argv[1:]))
