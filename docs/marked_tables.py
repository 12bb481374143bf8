"""Tables that scripts write into pages, between two lines that mark their place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).resolve().parent


def with_lines(text: str, begin: str, end: str, lines: Iterable[str]) -> str:
    """Return a page with these lines between its two marks, and an empty line around them.

    Raises:
        SystemExit: a mark is missing.
    """
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"The page has no place for a table: add the lines {begin} and {end}.")
    return "\n".join((before + begin, "", *lines, "", end + after))


def write_table(page: str, name: str, script: str, lines: Iterable[str]) -> None:
    """Write a table into docs/`page`. name: the table's. script: that writes it, in docs.

    Raises:
        SystemExit: the page has no place for it.
    """
    path = DOCS / page
    begin, end = f"<!-- {name}: by docs/{script} -->", f"<!-- end of {name} -->"
    path.write_text(with_lines(path.read_text(encoding="utf-8"), begin, end, lines), encoding="utf-8")
