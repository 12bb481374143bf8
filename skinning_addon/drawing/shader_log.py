"""Parses Blender's report of a shader that does not compile.

Blender parses the driver's log and prints it in its own format, which has changed over time:

    4.2 to 4.5   '  177 |   foo = 1;' (the row in the whole source, Blender's part included), then 'Error:
    message'
    5.0 on       '|   334 |   foo = 1;' or nothing, then '| python_shader.glsl:4:3: Error: message' (the row in
    our part)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SHOWN_ROW = re.compile(r"(?:^|\|)\s*(\d+) \| (.*)")
_MESSAGE = re.compile(r"(?:(\w+\.glsl)[:(](\d+)[:)\d\s]*)?((?:preprocessor )?error\b[^:]*:.*)", re.IGNORECASE)
_STAGE = re.compile(r"pyGPU_Shader\s+(\w+?)(?:Shader)?:", re.IGNORECASE)

OUR_PART = "python_shader.glsl"
"""Blender 5's name for a source given by a script."""


@dataclass(frozen=True)
class CompilerMessage:
    """One error. stage: 'vertex', 'fragment' or 'linking'.

    row: in our source, if Blender gives it. shown_row, shown: a row of Blender's complete source that it
    printed with the error, and what stands there. Rows count from 1; None and '' where unknown.
    """

    stage: str
    text: str
    row: int | None
    shown_row: int | None
    shown: str


def read_log(log: str) -> list[CompilerMessage]:
    """Find the errors in Blender's output, in order, each once."""
    messages: dict[CompilerMessage, None] = {}
    stage, told = "linking", False
    shown_row, shown = None, ""
    for line in log.splitlines():
        if found := _STAGE.search(line):
            name = found[1].lower()
            stage = (
                "vertex" if name.startswith("vert") else "fragment" if name.startswith("frag") else "linking"
            )
            shown_row, shown = None, ""
        elif found := _SHOWN_ROW.search(line):
            shown_row, shown, told = int(found[1]), found[2].strip(), False
        elif found := _MESSAGE.search(line):
            row = int(found[2]) if found[1] == OUR_PART else None
            # Blender 5 names the file. If it is not ours, the row is not ours either.
            own_row = None if found[1] else shown_row
            messages[CompilerMessage(stage, found[3].strip(), row, own_row, shown)] = None
            told = True
        elif told and not line.strip(" |"):
            # An empty line ends the report on a row. (One before any message is where a caret would stand.)
            shown_row, shown = None, ""
    return list(messages)
