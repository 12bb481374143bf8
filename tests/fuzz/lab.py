"""`./run fuzz`: runs seeds of a kind in worker processes, and reports the outcomes.

A worker that crashes or hangs is replaced and its seed named; each failure is kept as a script.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.kinds import KINDS, Kind
from tests.fuzz.outcome import Outcome
from tests.fuzz.tally import Tally, raised_rates, store_rates, tables, write_section
from tests.fuzz.worker_process import CHECKOUT, Worker

RELIABILITY = CHECKOUT / "docs" / "reliability.md"
RATES = Path(__file__).with_name("rates.json")
WHEELS = {"5.2": ".venv", "4.2": ".venv-4.2"}
"""The environments that have Blender as a module; see `run`."""

PROGRESS_SECONDS = 10.0


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    python = CHECKOUT / WHEELS[options.blender] / "bin" / "python"
    status = 0
    for name in options.kind or ["rigs"]:
        kind = KINDS[name]
        with tempfile.TemporaryDirectory(prefix="skinscope-fuzz-") as folder:
            tally = run_seeds(
                kind, options.seeds, options.jobs, python, Path(folder), keep=Path(options.keep)
            )
        print(f"{kind.title}: {tally.total:,} seeds, {tally.seconds / max(tally.total, 1):.2f} s each\n")
        print(tables(tally))
        for seed, outcome in sorted(tally.wrong.items()):
            print(f"seed {seed}: {outcome.wrong}")
        for seed, outcome in sorted(tally.lost.items()):
            print(f"seed {seed}: {outcome.label}, {outcome.cause}")
        raised = list(raised_rates(kind, tally, RATES))
        for sentence in raised:
            print(sentence)
        if options.write_docs:
            write_section(RELIABILITY, kind, _section(kind, options, python, tally))
            store_rates(kind, tally, RATES)
        if tally.wrong or raised:
            status = 1
    return status


def run_seeds(
    kind: Kind, seeds: range, jobs: int, python: Path, folder: Path, *, keep: Path | None = None
) -> Tally:
    """Run seeds in `jobs` processes.

    folder: an empty one for the workers. keep: where failures are kept, each as KIND-SEED.py.
    """
    tally = Tally()
    left = iter(seeds)
    lock = threading.Lock()
    failed: list[BaseException] = []
    shown = time.monotonic()

    def work(index: int) -> None:
        nonlocal shown
        own = folder / f"worker-{index}"
        own.mkdir(parents=True)
        worker = Worker(kind, python, own)
        try:
            for seed in _taken(left, lock):
                if failed:
                    break
                outcome, seconds = worker.run(seed)
                with lock:
                    tally.add(seed, outcome, seconds)
                    if outcome.wrong:
                        _keep(kind, seed, outcome, keep)
                    if time.monotonic() - shown > PROGRESS_SECONDS:
                        shown = time.monotonic()
                        print(f"{tally.total:,} of {len(seeds):,}, {len(tally.wrong)} wrong", file=sys.stderr)
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that asked
            failed.append(error)
        finally:
            worker.close()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(jobs)]
    for one in threads:
        one.start()
    try:
        for one in threads:
            one.join()
    except KeyboardInterrupt as error:
        failed.append(error)
        for one in threads:
            one.join()
    if failed:
        raise failed[0]
    return tally


def _taken(left: Iterator[int], lock: threading.Lock) -> Iterator[int]:
    while True:
        with lock:
            seed = next(left, None)
        if seed is None:
            return
        yield seed


def _keep(kind: Kind, seed: int, outcome: Outcome, keep: Path | None) -> None:
    if keep is None:
        return
    keep.mkdir(parents=True, exist_ok=True)
    (keep / f"{kind.name}-{seed}.py").write_text(f"# {outcome.wrong}\n{outcome.script}")
    print(f"seed {seed}: {outcome.wrong} Kept in {keep}.", file=sys.stderr)


def _section(kind: Kind, options: argparse.Namespace, python: Path, tally: Tally) -> str:
    versions = "import bpy; print('\\n' + bpy.app.version_string)"
    told = subprocess.run([python, "-c", versions], capture_output=True, text=True, check=True).stdout
    command = f"./run fuzz --kind {kind.name} --seeds {options.seeds.start}:{options.seeds.stop}"
    blender = told.splitlines()[-1]
    return f"`{command}`, Blender {blender}, {tally.total:,} seeds:\n\n{tables(tally)}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./run fuzz", description=__doc__)
    parser.add_argument("--kind", action="append", choices=KINDS, help="what is fuzzed; once for each (rigs)")
    parser.add_argument(
        "--seeds", type=_seeds, required=True, metavar="A:B", help="from A up to, not including, B"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="worker processes (1)")
    parser.add_argument(
        "--blender", choices=WHEELS, default="5.2", help="Blender's module to run them on (5.2)"
    )
    parser.add_argument("--keep", default="fuzz-failures", metavar="FOLDER", help="where failures are kept")
    parser.add_argument("--write-docs", action="store_true", help="write the table to docs/reliability.md")
    return parser


def _seeds(text: str) -> range:
    first, colon, end = text.partition(":")
    if not (first.isdecimal() and (not colon or end.isdecimal())):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form A:B, such as 0:100")
    seeds = range(int(first), int(end) if colon else int(first) + 1)
    if not seeds:
        raise argparse.ArgumentTypeError(f"there are no seeds in {text}")
    return seeds


if __name__ == "__main__":
    sys.exit(main())
