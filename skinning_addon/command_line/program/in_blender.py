"""Runs this program in another process: in a desktop Blender that lacks the extension, or with Blender as a
Python module.

    blender --background --python in_blender.py -- PACKAGE ARGUMENTS
    python in_blender.py -- PACKAGE ARGUMENTS

PACKAGE is the package's name in the process that asks. A desktop Blender prints before this begins, so standard
output is whatever SKINSCOPE_REPORT names: the number of an open descriptor, or a file. Left out, it stays what
it is.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

STANDARD_OUTPUT = 1


def stand_in_for_parents(package: str, folder: str) -> None:
    """Make the package importable by its whole name, and nothing else in the folders around it: those may
    hold modules of another Python, such as its numpy.
    """
    *parents, _own = package.split(".")
    for number in range(len(parents)):
        parent = ModuleType(".".join(parents[: number + 1]))
        parent.__path__ = [folder] if number + 1 == len(parents) else []
        sys.modules[parent.__name__] = parent
    if not parents:
        sys.path.insert(0, folder)


if __name__ == "__main__":
    package, *arguments = sys.argv[sys.argv.index("--") + 1 :]
    stand_in_for_parents(package, str(Path(__file__).parents[3]))
    report = os.environ.pop("SKINSCOPE_REPORT", "")
    if report:
        # What Blender has printed so far is not part of the report.
        importlib.import_module(f"{package}.drawing.native_output").flush_streams()
        descriptor = int(report) if report.isdigit() else os.open(report, os.O_WRONLY | os.O_TRUNC)
        os.dup2(descriptor, STANDARD_OUTPUT)
    program = importlib.import_module(f"{package}.command_line.main")
    ending = importlib.import_module(f"{package}.command_line.program.ending")
    ending.end_process(program.main(arguments))
