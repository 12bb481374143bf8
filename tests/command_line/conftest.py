"""The program, run inside the test's own process: Blender takes a second or two to start."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from skinning_addon.command_line.main import run


@dataclass(frozen=True)
class Result:
    """What a run of the program left: exit status, standard output, and its own lines on standard error."""

    status: int
    output: str
    complaints: tuple[str, ...]

    @property
    def json(self) -> Any:
        return json.loads(self.output)


Program = Callable[..., Result]


@pytest.fixture
def skinscope(capfd: pytest.CaptureFixture[str]) -> Program:
    """Run the program with these arguments, each turned into text."""

    def run_program(*arguments: object) -> Result:
        capfd.readouterr()
        output = io.StringIO()
        status = run([str(argument) for argument in arguments], output)
        errors = capfd.readouterr().err
        # Importers log to a stream of the test before, and complain that it is closed: that is none of ours.
        assert "Traceback" not in errors or "--- Logging error ---" in errors
        prefix = "skinscope: "
        # Not only at the start: what Blender itself prints is buffered, and may end in the middle of a line.
        lines = (line for line in errors.splitlines() if prefix in line)
        return Result(status, output.getvalue(), tuple(line.partition(prefix)[2] for line in lines))

    return run_program
