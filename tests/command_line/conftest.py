"""Runs the program inside the test's own process, since Blender takes a second or two to start."""

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
    """The result of one run: exit status, standard output, and the program's own lines on standard error."""

    status: int
    output: str
    complaints: tuple[str, ...]

    @property
    def json(self) -> Any:
        assert self.output, self.complaints
        return json.loads(self.output)


Program = Callable[..., Result]


@pytest.fixture
def skinscope(capfd: pytest.CaptureFixture[str]) -> Program:
    """Run the program with these arguments, each converted to text."""

    def run_program(*arguments: object) -> Result:
        capfd.readouterr()
        output = io.StringIO()
        status = run([str(argument) for argument in arguments], output)
        errors = capfd.readouterr().err
        # Importers log to an earlier test's stream and complain that it is closed. Not our output.
        assert "Traceback" not in errors or "--- Logging error ---" in errors
        prefix = "skinscope: "
        # Not only at the start of a line: Blender's own output is buffered and may end mid-line.
        lines = (line for line in errors.splitlines() if prefix in line)
        return Result(status, output.getvalue(), tuple(line.partition(prefix)[2] for line in lines))

    return run_program
