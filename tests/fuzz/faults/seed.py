"""One seed of the lab: a command during which one operating system call fails.

Whatever fails, the right outcome is status 2 with a sentence, and no file torn or left over. Status 0 is only
right if every file is nevertheless complete and new. Seeds number the calls of each command in turn, so a range
of seeds from 0 covers them all.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import bpy  # noqa: F401 - loaded before anything that needs it
import numpy as np

from tests.fuzz.faults.failing_calls import Calls, failing
from tests.fuzz.files.gltf import document_of, random_rig, write
from tests.fuzz.inputs.bundle import whole_bundle
from tests.fuzz.outcome import Outcome
from tests.fuzz.program import Ran, run_program, what_is_wrong

OLD = b"what was there before"
OLD_BASELINE = json.dumps({"version": 1, "findings": []}).encode()

COMMANDS = {
    "check": ["check", "{rig}", "--device", "cpu", "--format", "json", "--output", "{out}/report.json"],
    "check, with a page": ["check", "{rig}", "--device", "cpu", "--output", "{out}/new/report.txt", "--summary", "{out}/page.html"],
    "check, with a baseline": ["check", "{rig}", "--device", "cpu", "--baseline", "{out}/known.json", "--write-baseline"],
    "check, with a cache": ["check", "{rig}", "--device", "cpu", "--format", "json", "--cache", "{out}/kept"],
    "diff": ["diff", "{bundle}", "{engine}", "--format", "json", "--output", "{out}/report.json"],
    "export": ["export", "{rig}", "--device", "cpu", "--output", "{out}/bundle"],
    "play": ["play", "{rig}", "--device", "cpu", "--output", "{out}/frames.npz", "--events", "{out}/events.json"],
}  # fmt: skip
CACHED = "check, with a cache"


def run_seed(seed: int, folder: Path) -> Outcome:
    """Run one seed. folder: empty, private to the seed."""
    command = list(COMMANDS)[seed % len(COMMANDS)]
    number = seed // len(COMMANDS) % calls_of(command) + 1
    ran, calls, wrong = tried(command, number, folder / "out")
    label = "refused" if ran.status == 2 else "done all the same"
    # The file name differs from run to run.
    cause = f"{command}: {calls.failed.split(' ', maxsplit=1)[0]}"
    script = f"# ./run fuzz --kind faults --seeds {seed}:{seed + 1}\n# {calls.failed}\n" if wrong else ""
    return Outcome(label, cause, f"{command}, {calls.failed}: {wrong}" if wrong else "", script)


@cache
def calls_of(command: str) -> int:
    """Return how many calls of a command can fail."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        _with_old_files(out, command)
        with failing(out, 0) as calls:
            _run(command, out)
        return calls.count


def tried(command: str, number: int, out: Path) -> tuple[Ran, Calls, str]:
    """Run a command with the call of this number failing; return the result, and what is wrong with it."""
    written, report = _written(command)
    old = _with_old_files(out, command)
    with failing(out, number) as calls:
        ran = _run(command, out)
    if wrong := what_is_wrong(ran):
        return ran, calls, wrong
    if not calls.failed:
        return ran, calls, f"No call has the number {number}."
    found = _content(out)
    if command == CACHED:
        return ran, calls, _wrong_with_cached(ran, report, found)
    if ran.status == 0:
        return ran, calls, "" if found == written else "Status 0, and not all files are as they should be."
    if ran.status != 2 or not ran.complaints[-1].endswith("."):
        return ran, calls, f"The exit status is {ran.status}: {ran.complaints}"
    if found.keys() != old.keys():
        return ran, calls, f"Left over or gone: {sorted(found.keys() ^ old.keys())}"
    torn = [name for name, content in found.items() if content not in (old[name], written[name])]
    return ran, calls, f"Torn: {torn}" if torn else ""


def _wrong_with_cached(ran: Ran, report: str, found: Mapping[str, bytes]) -> str:
    """Judge a run with kept results, which are a convenience: the report is the same without them or isn't
    begun, and whatever is kept is complete.
    """
    if not ran.complaints and ran.status != 0:
        return "Nothing says what failed."
    if (ran.status, ran.output) not in ((0, report), (2, "")):
        return f"The exit status is {ran.status}, or the report is another."
    torn = [
        name for name, content in found.items() if not name.endswith(".json") or not content.endswith(b"}")
    ]
    return f"Torn or left over: {torn}" if torn else ""


@cache
def _given() -> dict[str, str]:
    folder = Path(tempfile.mkdtemp())
    random = np.random.default_rng(5)
    rig = write(document_of(random_rig(random), random), folder, "glb")
    bundle, engine = whole_bundle(random).write(folder, "engine.npz")
    return {"rig": str(rig), "bundle": str(bundle), "engine": str(engine)}


@cache
def _written(command: str) -> tuple[Mapping[str, bytes], str]:
    """Return what a command writes if nothing fails, by name, and its report on standard output."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        ran = _run(command, out)
        assert ran.status == 0, ran.complaints
        return _content(out), ran.output


def _with_old_files(out: Path, command: str) -> dict[str, bytes]:
    """Put older files where a command will write, except for kept results, of which there are none yet."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    names = [] if command == CACHED else list(_written(command)[0])
    old = {name: OLD_BASELINE if name == "known.json" else OLD for name in names}
    for name, content in old.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
    return old


def _run(command: str, out: Path) -> Ran:
    return run_program([one.format(out=out, **_given()) for one in COMMANDS[command]])


def _content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
