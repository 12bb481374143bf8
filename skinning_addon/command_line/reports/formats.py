"""A report in each format that `check` and `report` write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...measurement.check.report import FileReport
from .report_html import Told, write_html
from .report_json import write_json
from .report_junit import write_junit
from .report_sarif import write_sarif
from .report_text import write_text
from .run import Run


@dataclass(frozen=True)
class Circumstances:
    """What a report says besides its files: the versions of Skinscope and Blender, and the run that it is of,
    if any.

    rule_pages: where the pages about rules are; if empty, those that go with the program. told: what a page
    says besides.
    """

    skinscope: str
    blender: str = ""
    run: Run | None = None
    rule_pages: str = ""
    told: Told = field(default_factory=Told)


def report_in(report_format: str, reports: Sequence[FileReport], of: Circumstances) -> str:
    """Return the report in 'text', 'json', 'junit', 'sarif' or 'html'."""
    return _WRITERS[report_format](reports, of)


_WRITERS: dict[str, Callable[[Sequence[FileReport], Circumstances], str]] = {
    "text": lambda reports, _of: write_text(reports, with_errors=True),
    "json": lambda reports, of: write_json(reports, of.skinscope, of.blender, of.run),
    "junit": lambda reports, of: write_junit(reports, of.skinscope, of.blender),
    "sarif": lambda reports, of: write_sarif(reports, of.skinscope, of.blender, of.rule_pages),
    "html": lambda reports, of: write_html(reports, of.skinscope, of.blender, of.told),
}
