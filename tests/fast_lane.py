"""Selects what `--fast` runs: every test that needs only Python and Blender's data, with some of its cases.

A rule rather than a list, so new tests are included automatically.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from unittest import mock

# Imported here because numpy 1 starts a process on first import.
import numpy.testing  # noqa: F401
import pytest

SLOW_MARKERS = ("engines", "gpu", "processes", "rigs", "windowed")
SLOW_FIXTURES = ("demo_file",)
"""Fixtures that take seconds to set up: a human built by Rigify."""

MOST_CASES = 2
"""Cases to run of a parametrized test: its first and its last."""


def chosen(items: Sequence[pytest.Function]) -> list[pytest.Function]:
    """Return the tests that the fast lane runs, in order."""
    quick = [
        item
        for item in items
        if not any(item.get_closest_marker(marker) for marker in SLOW_MARKERS)
        and not any(fixture in item.fixturenames for fixture in SLOW_FIXTURES)
    ]
    cases: dict[str, list[pytest.Function]] = {}
    for item in quick:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for each in cases.values() for item in _spread(each)}
    return [item for item in quick if item in kept]


def _spread(cases: list[pytest.Function]) -> list[pytest.Function]:
    if len(cases) <= MOST_CASES:
        return cases
    return [cases[0], cases[-1]]


@contextlib.contextmanager
def no_processes() -> Iterator[None]:
    """Fail a test, once it is done, if it started a process without declaring so."""
    started: list[object] = []
    start = subprocess.Popen.__init__

    def noting(process: subprocess.Popen[bytes], command: object, *others: object, **options: object) -> None:
        started.append(command)
        start(process, command, *others, **options)  # pyright: ignore[reportArgumentType, reportCallIssue]

    with mock.patch.object(subprocess.Popen, "__init__", noting):
        yield
    if started:
        pytest.fail(f"starts a process, {started[0]}: mark it `processes`", pytrace=False)
