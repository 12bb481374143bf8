"""What the processes that this program starts find in their environment."""

from __future__ import annotations

import os
from pathlib import Path

USUAL = {"OPENBLAS_NUM_THREADS": "1"}
"""Unless the user's environment says otherwise. numpy's OpenBLAS spreads products over threads that then wait
for each other: with two of them, fitting a human with helper bones takes 1.2 times as long on two idle cores,
and 1.9 times the processor's time.
"""


def own_environment(folder: Path | None = None) -> dict[str, str]:
    """Return the environment. folder: where the process keeps its temporary files, and Blender its own: if it
    is killed, they stay behind there; the usual place if left out.
    """
    temporary = () if folder is None else ("TMPDIR", "TEMP", "TMP")
    return USUAL | os.environ | dict.fromkeys(temporary, str(folder))
