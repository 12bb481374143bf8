"""Writes the numbers of docs/tutorial.md and docs/ko/tutorial.md: each block that begins with a command gets
its output.

    .venv/bin/python docs/write_tutorial.py

The words around the blocks are written by hand. tests/command_line/learning/test_tutorial.py holds the blocks
to what is printed.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from pathlib import Path

import bpy  # noqa: F401 - before all that needs it

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from skinning_addon.command_line.main import run  # noqa: E402

PAGES = ("tutorial.md", "ko/tutorial.md")
BLOCK = re.compile(r"^```text\n\$ \./run skinscope (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)


SCRIPT = re.compile(r"^```toml\n# (\S+)\n((?:(?!```).*\n)*)```$", re.MULTILINE)


def printed(command: str) -> str:
    """What a command of a block prints."""
    output = io.StringIO()
    if run(command.split(), output) != 0:
        raise SystemExit(f"'{command}' failed")
    return output.getvalue()


def main() -> None:
    for page in PAGES:
        path = CHECKOUT / "docs" / page
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for name, script in SCRIPT.findall(text):
                Path(name).write_text(script, encoding="utf-8")
            written = BLOCK.sub(
                lambda block: f"```text\n$ ./run skinscope {block[1]}\n{printed(block[1])}```", text
            )
            os.chdir(CHECKOUT)
        path.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
