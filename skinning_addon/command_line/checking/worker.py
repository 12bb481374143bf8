"""The process that checks files for another one, which reports: `skinscope check-worker FOLDER`.

It is asked through standard input, one pickled `FileSettings` after the other, and ends with it: whatever happens to who asked,
no Blender stays behind. An answer is a file of FOLDER. That there is one, and how far the work is, is told between what Blender
prints on standard error, in lines that begin with a word that only the two processes know.
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

COMMAND = "check-worker"

PROGRESS, DONE, FAILED = "progress", "done", "failed"
"""What is told: the line that shows how far the work is, the name of the file that has the answer, or why it can't be written."""


@dataclass(frozen=True)
class Greeting:
    """What a worker is told first. word: what its own lines begin with. progress: whether anyone sees how far it is.

    verbose: whether all that Blender prints is passed on. tracebacks: folder for those of exceptions that nothing foresaw.
    """

    word: str
    progress: bool
    verbose: bool
    tracebacks: str


def work(folder: str) -> int:
    """Answer until standard input ends; does not return."""
    claim_standard_output()
    # A copy of its own: nothing that Blender starts is to read it.
    questions = os.fdopen(os.dup(STANDARD_INPUT), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), STANDARD_INPUT)
    # What comes through it is our own parent's, and nobody else's.
    greeting: Greeting = pickle.load(questions)  # noqa: S301
    tell_everything(verbose=greeting.verbose)
    asked: SimpleQueue[FileSettings] = SimpleQueue()
    # Blender is loaded while the other process still reads its configuration.
    from ...core.text.errors import OutputError
    from ...drawing.native_output import flush_streams
    from ..program.output_files import write_file
    from ..program.progress import ProgressLine
    from ..program.unexpected import lack_of_room
    from .answers import answer_text
    from .file_check import answer_to

    threading.Thread(target=_listen, args=(questions, asked.put, folder), daemon=True).start()

    def tell(kind: str, text: str) -> None:
        line = f"{greeting.word} {kind} {json.dumps(text)}\n"
        os.write(STANDARD_ERROR, line.encode("ascii"))

    def show(line: str) -> None:
        if greeting.progress:
            tell(PROGRESS, line)

    number = 0
    while True:
        settings = asked.get()
        answer = answer_to(settings, ProgressLine(show), greeting.tracebacks)
        number += 1
        path = Path(folder) / f"{number}.json"
        try:
            write_file(path, answer_text(answer))
        except OutputError as error:
            tell(FAILED, (error.__cause__ and lack_of_room(error.__cause__)) or str(error))
            continue
        flush_streams()
        tell(DONE, path.name)


def _listen(questions: BinaryIO, ask: Callable[[FileSettings], None], folder: str) -> None:
    while True:
        try:
            ask(pickle.load(questions))  # noqa: S301
        except EOFError:
            # Not by way of Blender's own end, which frees a scene that nobody needs, and crashes in 4.2.
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
