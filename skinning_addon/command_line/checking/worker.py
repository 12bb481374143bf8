"""The worker process, which checks files for the process that reports: `skinscope check-worker FOLDER`.

Requests arrive on standard input, one pickled `Question` after the other, and it exits when that closes:
whatever happens to its parent, no Blender stays behind. Answers are files in FOLDER. Their names, and
progress, are sent on standard error in between Blender's own output, in lines that begin with a word that
only the two processes know.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO

from ..program.streams import STANDARD_ERROR, STANDARD_INPUT, claim_standard_output, tell_everything

if TYPE_CHECKING:
    from ..arguments.file_settings import FileSettings
    from ..program.progress import ProgressLine
    from .answers import Answer
    from .shared_blocks import SharedFolder

COMMAND = "check-worker"

PROGRESS, DONE, FAILED = "progress", "done", "failed"
"""Kinds of line: the progress text, the name of the answer's file and the bytes of memory in use, or why it
can't be written.
"""


@dataclass(frozen=True)
class Question:
    """What a worker is asked. folder: for other processes to take part, if any. helps: whether this one is
    such a process, and not the one that answers.
    """

    settings: FileSettings
    folder: SharedFolder | None = None
    helps: bool = False


@dataclass(frozen=True)
class Greeting:
    """The first message to a worker. word: what its own lines begin with. progress: whether progress is shown
    to anyone.

    verbose: whether everything Blender prints is passed on. tracebacks: folder for those of unexpected
    exceptions.
    """

    word: str
    progress: bool
    verbose: bool
    tracebacks: str


def work(folder: str) -> int:
    """Answer requests until standard input ends; does not return."""
    claim_standard_output()
    # A private copy, so that no process Blender starts can read it.
    questions = os.fdopen(os.dup(STANDARD_INPUT), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), STANDARD_INPUT)
    # Only our own parent writes to it.
    greeting: Greeting = pickle.load(questions)  # noqa: S301
    tell_everything(verbose=greeting.verbose)
    asked: SimpleQueue[Question] = SimpleQueue()
    # Blender is loaded while the other process still reads its configuration.
    from ...core.text.errors import OutputError
    from ...drawing.native_output import flush_streams
    from ..program.output_files import write_file
    from ..program.own_memory import resident_bytes
    from ..program.progress import ProgressLine
    from ..program.unexpected import lack_of_room
    from .answers import answer_text
    from .file_check import answer_to

    threading.Thread(target=_listen, args=(questions, asked.put, folder), daemon=True).start()

    def tell(kind: str, *told: str | int) -> None:
        line = f"{greeting.word} {kind} {json.dumps(told)}\n"
        os.write(STANDARD_ERROR, line.encode("ascii"))

    def show(line: str) -> None:
        if greeting.progress:
            tell(PROGRESS, line)

    number = 0
    while True:
        question = asked.get()
        progress = ProgressLine(show)
        if question.helps and question.folder is not None:
            answer = _help(question.settings, progress, question.folder)
        else:
            answer = answer_to(question.settings, progress, greeting.tracebacks, question.folder)
        number += 1
        path = Path(folder) / f"{number}.json"
        try:
            write_file(path, answer_text(answer))
        except OutputError as error:
            tell(FAILED, (error.__cause__ and lack_of_room(error.__cause__)) or str(error))
            continue
        flush_streams()
        tell(DONE, path.name, resident_bytes())


def _help(settings: FileSettings, progress: ProgressLine, folder: SharedFolder) -> Answer:
    from ...measurement.check.report import FileReport
    from .answers import Answer
    from .file_check import help_with

    return Answer(FileReport(settings.file), internal=not help_with(settings, progress, folder))


def _listen(questions: BinaryIO, ask: Callable[[Question], None], folder: str) -> None:
    while True:
        try:
            ask(pickle.load(questions))  # noqa: S301
        except EOFError:
            # Skips Blender's own shutdown, which frees a scene that is no longer needed, and crashes in 4.2.
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
