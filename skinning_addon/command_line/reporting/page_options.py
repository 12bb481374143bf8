"""What the page about many files says besides: when it was written, of what commit, and a former report."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, datetime

from ..reports.report_html import Told
from .parts import read_part

COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT")
"""Variables in which GitHub, GitLab and Jenkins tell the commit."""


def told_on_page(arguments: argparse.Namespace) -> Told:
    """Return what the page says, by the options of `check` and `report`.

    Raises:
        SourceFileError: the former report can't be read, or is none.
    """
    now = datetime.now(tz=UTC).astimezone()
    former = None
    if arguments.before is not None:
        former = [report for _, report in read_part(arguments.before).files]
    commit = arguments.commit or next((told for one in COMMITS if (told := os.environ.get(one))), "")
    return Told(when=f"{now:%Y-%m-%d %H:%M %Z}", commit=commit, former=former)
