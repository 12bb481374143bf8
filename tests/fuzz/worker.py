"""A worker process of the lab: reads seeds from standard input, one per line, and writes one JSON line for
each.

Anything else that Blender or the code under test prints goes to standard error.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.fuzz.kinds import Kind, RunSeed
from tests.fuzz.outcome import Outcome


def main() -> None:
    kind = Kind(**json.loads(sys.argv[1]))
    folder = Path(sys.argv[2])
    os.nice(10)
    # Neither read nor write the preferences of whoever runs the lab; set before Blender loads.
    os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(dir=folder))
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    run_seed = kind.run_seed()
    results.write("ready\n")
    results.flush()
    for line in sys.stdin:
        seed = int(line)
        seed_folder = folder / f"seed-{seed}"
        seed_folder.mkdir()
        start = time.perf_counter()
        outcome = _outcome(run_seed, seed, seed_folder)
        answer = {"seconds": time.perf_counter() - start, **dataclasses.asdict(outcome)}
        results.write(json.dumps(answer) + "\n")
        results.flush()
    # Blender 4.2 as a module crashes when Python tears it down.
    os._exit(0)


def _outcome(run_seed: RunSeed, seed: int, folder: Path) -> Outcome:
    try:
        return run_seed(seed, folder)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this seed's failure; the lab reports it
        return Outcome(
            "traceback", type(error).__name__, wrong=f"{error!r} was raised.", script=traceback.format_exc()
        )


if __name__ == "__main__":
    main()
