"""What the tests of the texts' own formulas measured, for the table in docs/concepts.md.

With SKINSCOPE_EVIDENCE naming a file, every test appends one line of JSON to it; docs/write_evidence.py makes
the table.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def log_evidence(system: str, test: str, cases: str, figure: float) -> None:
    """Note how far apart a text's formula and the program lie at most, over all cases.

    system: a row of docs/write_evidence.py, which names the text and its formula. test: the test's name. cases:
    what was compared, in words.
    """
    path = os.environ.get("SKINSCOPE_EVIDENCE")
    if path:
        entry = {"system": system, "test": test, "cases": cases, "figure": figure}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
