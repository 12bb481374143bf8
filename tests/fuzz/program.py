"""Runs Skinscope inside a worker of the lab, and checks what must hold of any run, whatever its input."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TextIO

from skinning_addon.command_line.main import run

LONGEST_SENTENCE = 1500
"""Maximum characters of a complaint; anything longer is a dump of the input."""

PREFIX = "skinscope: "
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


@dataclass(frozen=True)
class Ran:
    """The result of a run. complaints: the program's own lines on standard error. raised: the exception, '' if
    none.
    """

    status: int
    output: str
    complaints: tuple[str, ...]
    errors: str
    raised: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.output, parse_constant=_no_constant)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def run_program(argv: Sequence[str]) -> Ran:
    """Run the program as its command line does, but in this process."""
    output = io.StringIO()
    raised, status = "", -1
    with _standard_error() as errors:
        try:
            status = run(list(argv), output)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the seed is there to find
            raised = f"{type(error).__name__}: {str(error)[:300]}"
    text = "".join(errors)
    lines = (line for line in text.splitlines() if PREFIX in line)
    return Ran(status, output.getvalue(), tuple(line.partition(PREFIX)[2] for line in lines), text, raised)


@cache
def _stream() -> TextIO:
    """Return a stream on standard error that stays open: importers that log keep the first one they found."""
    return open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


@contextlib.contextmanager
def _standard_error() -> Iterator[list[str]]:
    """Collect what is written to standard error, by C as well as Python; the text is available at the end."""
    texts: list[str] = []
    own = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            with contextlib.redirect_stderr(_stream()):
                yield texts
        finally:
            os.dup2(own, 2)
            os.close(own)
        file.seek(0)
        texts.append(file.read().decode("utf-8", errors="replace"))


def what_is_wrong(ran: Ran) -> str:
    """Report anything that no run may do; '' if there is nothing."""
    if ran.raised:
        return f"{ran.raised} was raised."
    if "Traceback (most recent call last)" in ran.errors or "Traceback" in ran.output:
        return f"A traceback was printed: {ran.errors[-300:]}"
    if ran.status not in (0, 1, 2):
        return f"The exit status is {ran.status}: {ran.complaints[-1:]}"
    if RAW.search(ran.errors.replace("\x1b[K", "").replace("\r", "")) or RAW.search(ran.output):
        return "Control characters reach the terminal."
    if ran.status == 2 and not ran.complaints:
        return "The exit status is 2 and nothing says why."
    for one in ran.complaints:
        if len(one) > LONGEST_SENTENCE:
            return f"A complaint is {len(one)} characters long: {one[:80]}..."
    return ""


def refused(ran: Ran, names: str) -> str:
    """Check a run that must be refused with a sentence that mentions `names`; return what is wrong, or ''."""
    if wrong := what_is_wrong(ran):
        return wrong
    if ran.status != 2:
        return f"Accepted (exit status {ran.status}): {ran.output[:200]!r}"
    if ran.output:
        return f"Refused, but a report was written: {ran.output[:100]!r}"
    if len(ran.complaints) != 1:
        return f"Refused in {len(ran.complaints)} lines: {ran.complaints[:3]}"
    sentence = ran.complaints[0]
    if not sentence.rstrip().endswith((".", "?", "--help'.")):
        return f"What it says is no sentence: {sentence}"
    if names not in sentence:
        return f"The sentence does not name {names}: {sentence}"
    return ""
