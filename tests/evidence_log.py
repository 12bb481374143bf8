"""Records what the formula tests measured, for the table in docs/concepts.md.

If SKINSCOPE_EVIDENCE names a file, every test appends one line of JSON to it; docs/write_evidence.py builds the
table.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def log_evidence(system: str, test: str, cases: str, figure: float) -> None:
    """Log the largest difference between a text's formula and the program, over all cases.

    system: a row of docs/write_evidence.py, which names the text and its formula. test: the test's name. cases:
    what was compared, in words.
    """
    path = os.environ.get("SKINSCOPE_EVIDENCE")
    if path:
        entry = {"system": system, "test": test, "cases": cases, "figure": figure}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
