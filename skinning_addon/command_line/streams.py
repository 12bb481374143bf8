"""Who prints where: reports own standard output, Blender and its importers go to standard error.

Blender prints on the level of C, where Python's streams don't reach, so the file descriptors themselves are moved.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


def claim_standard_output() -> TextIO:
    """Return standard output for the caller alone; from here on, what others print there goes to standard error.

    There is no way back: Blender prints until the process ends.
    """
    sys.stdout.flush()
    own = os.dup(STANDARD_OUTPUT)
    os.dup2(STANDARD_ERROR, STANDARD_OUTPUT)
    return os.fdopen(own, "w", encoding="utf-8", errors="backslashreplace")


def complain(message: str) -> None:
    """Write one line on standard error."""
    print(f"skinscope: {' '.join(message.split())}", file=sys.stderr, flush=True)
