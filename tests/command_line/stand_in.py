"""The program with a stand-in for Blender, whose files do what their names say. Started as the program is, and
as its workers.

good NAME       is within tolerance, with a mesh called NAME
crash           takes the process down
crash-later     does so in a process that has checked another file before
odd             raises what nothing foresees
hang            never ends, and starts a process that doesn't, either
process N       is within tolerance, with a mesh called as the number of its process
wait N          takes a moment, and is within tolerance
print TEXT      prints TEXT as Blender would
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

from skinning_addon.command_line.checking import worker_process
from skinning_addon.command_line.checking.answers import Answer
from skinning_addon.command_line.checking.worker import COMMAND
from skinning_addon.command_line.main import main
from skinning_addon.command_line.program.unexpected import internal_error
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.worst_frame import WorstFrame

_checked: list[str] = []


def _odd() -> None:
    raise ZeroDivisionError("of all things")


def answer_to(settings, _progress, tracebacks=None, _folder=None) -> Answer:
    """Stand in for the function of that name in `file_check`."""
    word, _, rest = Path(settings.file).stem.partition(" ")
    _checked.append(word)
    if word == "crash" or (word == "crash-later" and len(_checked) > 1):
        os.kill(os.getpid(), signal.SIGSEGV)
    if word == "odd":
        try:
            _odd()
        except ZeroDivisionError as error:
            message = internal_error(error, f"checking '{settings.file}'", tracebacks)
            return Answer(FileReport(settings.file, error=message), "5", internal=True)
    if word == "hang":
        child = subprocess.Popen(["sleep", "1000"])
        Path(settings.file).with_suffix(".pids").write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
        time.sleep(1000)
    if word == "wait":
        time.sleep(0.3)
    if word == "print":
        os.write(2, f"{rest}\n".encode())
    if word == "process":
        rest = str(os.getpid())
    worst = WorstFrame(1e-7, 1e-8, 1e-7, 1e-7, 1, "(scene)", 1.0, 1)
    mesh = MeshReport(rest or "Body", ("Rig",), 9, 2, True, (), "cpu", "software", "blender", worst, Tolerance(1e-5, relative=True))  # fmt: skip
    return Answer(FileReport(settings.file, (mesh,)), "5.2.3")


if __name__ == "__main__":
    worker_process.own_program = lambda: [sys.executable, __file__]
    if sys.argv[1] == COMMAND:
        stand_in = ModuleType("skinning_addon.command_line.checking.file_check")
        stand_in.answer_to = answer_to
        sys.modules[stand_in.__name__] = stand_in
    status = main(sys.argv[1:])
    # The reporting process has no Blender that could crash.
    assert "bpy" not in sys.modules
    sys.exit(status)
