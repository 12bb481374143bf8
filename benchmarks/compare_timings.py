"""Compares the time of a frame, a scan and software skinning between this checkout and another, in pairs.

    SKINSCOPE_RIGS=FOLDER .venv/bin/python benchmarks/compare_timings.py OTHER_CHECKOUT [--pairs N] [--only
    REGEX]

For a change that must not cost time. Each checkout runs its own benchmarks, in separate processes; no code from
either is imported here. The two take turns, and the order is reversed every second pair, so that a machine that
gets busier or warmer favors neither. What counts is the ratio of the two times in a pair. Blender's own time in
the same run, which benchmarks also print, doesn't count: it runs on all cores, so other work on the machine
affects it more than ours.

Each line has the median of these ratios, above 1 if this checkout is slower, and an interval that contains the
true median in 99 of 100 comparisons, whatever the distribution of the noise: it depends only on the ratios'
order, which takes at least 8 pairs. If the interval contains 1, the difference is within noise. Exit status: 0
nothing is slower, 1 something is, 2 a benchmark didn't run or didn't print the expected figures.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
FEWEST_PAIRS = 8
CONFIDENCE = 0.99


class BenchmarkError(Exception):
    """A benchmark didn't run, or its output contains no figures."""


@dataclass(frozen=True)
class Benchmark:
    """A script in both checkouts, and what to look for in its output.

    file: in SKINSCOPE_RIGS, or none. figures: an expression with the groups `time` and, if the output has
    several of them, `what`.
    """

    name: str
    script: str
    file: str
    arguments: tuple[str, ...]
    figures: str


FRAME = r"read \+ palette \+ upload: (?P<time>[\d.]+) ms"
SCAN = r"of (?P<what>processors' work): .* scan (?P<time>[\d.]+) s"
SKINNING = r"(?P<what>\w+ +\w+ +(?:linear|volume)) +[\d.]+ +(?P<time>[\d.]+) "

BENCHMARKS = (
    Benchmark("frame, 53,514 vertices", "frame_cost.py", "mpfb_game_engine_53k.blend", (), FRAME),
    Benchmark("frame, 930 bones", "frame_cost.py", "mpfb_rigify_plain.blend", (), FRAME),
    Benchmark("scan, 930 bones", "profile_scan.py", "mpfb_rigify_plain.blend", ("threejs", "100"), SCAN),
    Benchmark("software skinning", "software_skinning.py", "", ("100000",), SKINNING),
)

Times = dict[str, float]
"""Milliseconds or seconds, by the name of the timing."""


def run(benchmark: Benchmark, checkout: Path, rigs: Path) -> Times:
    """Run a checkout's own benchmark in a separate process.

    Raises: BenchmarkError if it fails or prints none of the figures.
    """
    script = checkout / "benchmarks" / benchmark.script
    file = [str(rigs / benchmark.file)] if benchmark.file else []
    done = subprocess.run(
        [sys.executable, str(script), *file, *benchmark.arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BenchmarkError(f"{script} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    figures: Times = {}
    for found in re.finditer(benchmark.figures, done.stdout):
        what = found.groupdict().get("what", "").split()
        figures[" ".join([benchmark.name, *what])] = float(found["time"])
    if not figures:
        raise BenchmarkError(f"{script} prints nothing of the form {benchmark.figures}:\n{done.stdout}")
    return figures


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return bounds of the median with a confidence of at least CONFIDENCE: the k-th smallest value and the
    k-th largest.

    Each value is below the true median as often as a coin lands heads, so both bounds are on the same side of
    it as often as fewer than k of the coins show one face. The only assumption needed is that the values are
    independent.
    """
    count = len(values)
    outside, k = 0.0, 0
    while k < count:
        outside += 2 * math.comb(count, k) / 2**count
        if outside > 1 - CONFIDENCE:
            break
        k += 1
    if k == 0:
        raise ValueError(f"{count} values are too few for a confidence of {CONFIDENCE}.")
    ordered = sorted(values)
    return ordered[k - 1], ordered[count - k]


def main() -> int:
    chosen = _arguments()
    if chosen.pairs < FEWEST_PAIRS:
        raise BenchmarkError(f"--pairs {chosen.pairs}: an interval takes {FEWEST_PAIRS} pairs at least.")
    other: Path = chosen.other.resolve()
    rigs = Path(chosen.rigs or os.environ.get("SKINSCOPE_RIGS") or ".")
    slower = 0
    print(f"{'milliseconds, a scan in seconds':44} {'there':>9} {'here':>9} {'quotient':>9}   99% interval")
    for benchmark in (one for one in BENCHMARKS if re.search(chosen.only, one.name)):
        there: list[Times] = []
        here: list[Times] = []
        for pair in range(chosen.pairs):
            turns = [(other, there), (HERE, here)]
            for checkout, runs in reversed(turns) if pair % 2 else turns:
                runs.append(run(benchmark, checkout, rigs))
        for what in there[0]:
            slower += report(what, [one[what] for one in there], [one[what] for one in here])
    return int(slower > 0)


def report(what: str, there: Sequence[float], here: Sequence[float]) -> bool:
    """Print a line; return whether this checkout is slower."""
    quotients = [after / before for before, after in zip(there, here, strict=True)]
    low, high = interval(quotients)
    verdict = "within noise" if low <= 1 <= high else "SLOWER" if low > 1 else "faster"
    print(
        f"{what:44} {statistics.median(there):9.3f} {statistics.median(here):9.3f} "
        f"{statistics.median(quotients):9.3f}   {low:.3f} to {high:.3f}  {verdict}",
        flush=True,
    )
    return low > 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "other", type=Path, metavar="OTHER_CHECKOUT", help="what this checkout is compared with"
    )
    parser.add_argument("--rigs", type=Path, metavar="FOLDER", help="files to time (default: SKINSCOPE_RIGS)")
    parser.add_argument("--pairs", type=int, default=16, metavar="N", help="turns of both (default: 16)")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="of the benchmarks, those in whose name it is"
    )
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchmarkError as error:
        print(f"compare_timings: {error}", file=sys.stderr)
        sys.exit(2)
