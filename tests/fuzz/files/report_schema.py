"""Holds reports to the published schema of the JSON report."""

from __future__ import annotations

from typing import Any

from tests.command_line.schemas import validator

_VALIDATOR = validator("report")


def wrong_with_report(report: Any) -> str:
    """Say what is wrong with a report; '' if nothing is."""
    error = next(iter(_VALIDATOR.iter_errors(report)), None)
    return "" if error is None else f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
