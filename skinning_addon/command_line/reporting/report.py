"""`skinscope report`: merges what several checks have written, and writes it in any format."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TextIO

from ...core.text.errors import UsageError
from ..arguments.options import LINES
from ..program.output_files import Outputs, prepared_file
from ..program.streams import complain
from ..program.unexpected import INTERNAL_ERROR
from ..reports.exit_status import UNREADABLE, exit_status
from ..reports.formats import report_in
from .page_options import told_on_page
from .parts import merged, read_part


def report(arguments: argparse.Namespace, output: TextIO) -> int:
    """Merge the reports and write the result; return the exit status that one check of all files would have.

    Raises:
        SkinscopeError: a report can't be read or written, or the reports don't belong together.
    """
    files = [(arguments.format, arguments.output, "--output")] if arguments.output else []
    files += [(report_format, path, "--report") for report_format, path in arguments.report or []]
    files += [("html", arguments.summary, "--summary")] if arguments.summary else []
    if LINES in {arguments.format, *(report_format for report_format, _, _ in files)}:
        raise UsageError("JSON lines are written by 'check' alone; merge into another format, such as json.")
    prepared = [
        (report_format, prepared_file(path, option=option, inputs=arguments.parts))
        for report_format, path, option in files
    ]
    whole = merged([read_part(path) for path in arguments.parts], mixed=arguments.mixed)
    told = replace(told_on_page(arguments), missing=whole.missing)
    circumstances = replace(whole.circumstances, rule_pages=arguments.rule_pages or "", told=told)
    with Outputs() as outputs:
        for report_format, path in prepared:
            outputs.text(path, report_in(report_format, whole.reports, circumstances))
    if not arguments.output:
        output.write(report_in(arguments.format, whole.reports, circumstances))
    for sentence in whole.missing:
        complain(sentence)
    if whole.internal:
        return INTERNAL_ERROR
    return UNREADABLE if whole.missing else exit_status(whole.reports)
