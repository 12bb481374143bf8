"""A kind that fails in every possible way, to test the lab with."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from tests.fuzz.outcome import BLENDER_ALONE, Outcome, enter_stage


def run_seed(seed: int, folder: Path) -> Outcome:
    print("noise that is no result")
    match seed:
        case 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        case 2:
            time.sleep(60)
        case 3:
            return Outcome("exact", wrong="It is one unit off.", script="print('here')\n")
        case 4:
            raise KeyError("no such bone")
        case 5:
            enter_stage(folder, BLENDER_ALONE)
            os.kill(os.getpid(), signal.SIGSEGV)
        case 6:
            witness = folder.parent / "crashed once"
            if not witness.exists():
                witness.touch()
                os.kill(os.getpid(), signal.SIGSEGV)
        case 7:
            return Outcome("named", cause="modifier-between")
        case _:
            pass
    return Outcome("exact")
