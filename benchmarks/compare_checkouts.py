"""Compares the output of `check` and `export` on the same files, bit for bit, in this checkout and another.

    .venv/bin/python benchmarks/compare_checkouts.py OTHER_CHECKOUT [--rigs FOLDER] [--keep FOLDER] [--jobs N]

For a change that must not affect results: OTHER_CHECKOUT is a checkout of the commit before it (`git worktree
add`). Each checkout runs its own program, in separate processes, on the Blender of the Python that runs this
script; no code from either is imported here. Every file is checked under every profile over all of its clips,
reported in every format, and exported: all clips under Blender's profile, and what the scene plays under each
other profile. Every number, word and array counts, and each difference is one line: the file, the location, the
value in OTHER_CHECKOUT and the value here.

Nothing is omitted by default. `--without-texts` omits sentences, `--allow REGEX` the lines that contain a match
of the expression; the number of matches is printed, and an expression without any is an error.

`--keep FOLDER` keeps results by the content of the program and of the file, so that only what has changed since
runs again. Exit status: 0 the same, 1 different, 2 nothing was compared or a program failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
from checkout_results import Program, ProgramError, Task

HERE = Path(__file__).resolve().parents[1]
ENDINGS = (".blend", ".fbx", ".glb", ".gltf", ".usd", ".usda", ".usdc", ".usdz", ".vrm")
SENTENCES = {"message", "fix", "reason", "reasons", "error", "text", "printed", "complaints"}
"""Keys of text for people to read; if the value isn't text, as in SARIF, its contents still count."""
TWIN_LABELS = ("object", "profile", "rule", "ruleId", "name", "id")
"""Keys that identify the entries of a list to a reader."""


@dataclass
class Comparison:
    """Lists the differences of two documents, and counts what it has compared."""

    arrays: Path
    with_texts: bool
    values: int = 0
    texts: int = 0
    numbers: int = 0

    def differences(self, before: Any, after: Any, path: str = "") -> Iterator[str]:
        """Yield a line for each value that is in only one document, or differs between them."""
        if isinstance(before, dict) and isinstance(after, dict):
            if before.keys() == after.keys() == {"array"}:
                yield from self._arrays(before["array"], after["array"], path)
                return
            for key in [*before, *(key for key in after if key not in before)]:
                where = f"{path}.{key}" if path else key
                if key not in before or key not in after:
                    yield f"{where}: only {'here' if key in after else 'in the other'}"
                elif key in SENTENCES and _is_text(before[key]) and _is_text(after[key]):
                    self.texts += self.with_texts
                    if self.with_texts or not _as_many(key, before[key], after[key]):
                        yield from _unlike_texts(where, before[key], after[key])
                else:
                    yield from self.differences(before[key], after[key], where)
        elif isinstance(before, list) and isinstance(after, list):
            if len(before) != len(after):
                yield f"{path}: {len(before)} entries -> {len(after)}"
            for index, (one, other) in enumerate(zip(before, after, strict=False)):
                yield from self.differences(one, other, f"{path}[{_label(index, one)}]")
        else:
            self.values += 1
            # Not ==, since Python considers 1, 1.0 and True equal, as well as 0.0 and -0.0.
            if repr(before) != repr(after):
                yield _unlike(path, before, after)

    def _arrays(self, before: str, after: str, path: str) -> Iterator[str]:
        old = np.atleast_1d(np.load(self.arrays / f"{before}.npy", mmap_mode="r"))
        self.numbers += old.size
        if before == after:
            return
        new = np.atleast_1d(np.load(self.arrays / f"{after}.npy", mmap_mode="r"))
        if (old.shape, old.dtype) != (new.shape, new.dtype):
            yield f"{path}: {old.dtype}{list(old.shape)} -> {new.dtype}{list(new.shape)}"
            return
        bits = (np.ascontiguousarray(one)[..., None].view(np.uint8) for one in (old, new))
        unlike = np.any(np.not_equal(*bits), axis=-1)
        if not unlike.any():
            yield f"{path}: the same values, stored otherwise"
            return
        first = tuple(np.argwhere(unlike)[0].tolist())
        apart = ""
        if old.dtype.kind in "iuf":
            apart = (
                f", at most {np.abs(old[unlike].astype(float) - new[unlike].astype(float)).max():.3g} apart"
            )
        yield (
            f"{path}: {unlike.sum()} of {unlike.size} values{apart}; "
            f"the first at {list(first)}: {old[first].item()!r} -> {new[first].item()!r}"
        )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _as_many(key: str, before: str | list[str], after: str | list[str]) -> bool:
    """Return whether both or neither say something; reasons are counted; lines may break differently."""
    return len(before) == len(after) if key == "reasons" else bool(before) == bool(after)


def _unlike(path: str, before: Any, after: Any) -> str:
    return f"{path}: {json.dumps(before, ensure_ascii=False)} -> {json.dumps(after, ensure_ascii=False)}"


def _unlike_texts(path: str, before: str | list[str], after: str | list[str]) -> Iterator[str]:
    """Yield a line for each place where two texts, or lists of lines, differ."""
    if isinstance(before, str) or isinstance(after, str):
        if before != after:
            yield _unlike(path, before, after)
        return
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind != "equal":
            yield _unlike(f"{path}[{start}:{end}]", before[start:end], after[new_start:new_end])


def _label(index: int, entry: Any) -> str:
    known_by = [entry.get(key) for key in TWIN_LABELS] if isinstance(entry, dict) else []
    return " ".join([str(index), *(one for one in known_by if isinstance(one, str))])


def main() -> int:
    chosen = _arguments()
    folder = Path(chosen.rigs or os.environ.get("SKINSCOPE_RIGS") or ".")
    files = sorted(path.resolve() for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    other, here = (Program.of(root.resolve()) for root in (chosen.other, HERE))
    profiles = chosen.profile or other.profiles()
    if not chosen.profile and here.profiles() != profiles:
        raise ProgramError("The checkouts differ in profiles: name those to compare with --profile.")
    tasks = [task for task in _tasks(files, profiles) if re.search(chosen.only, str(task))]
    if not tasks:
        raise ProgramError(f"{folder}: nothing to check; name a folder with --rigs, or change --only.")
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(chosen.jobs) as pool:
        kept = chosen.keep or Path(name)
        comparison = Comparison(kept / "arrays", with_texts=not chosen.without_texts)

        def results(task: Task) -> list[dict[str, Any]]:
            try:
                return [task.result_of(program, kept) for program in (other, here)]
            except ProgramError as error:
                failures.append(f"{task}: {error}")
                return [{}, {}]

        lines = (
            f"{task}: {line}"
            for task, (before, after) in zip(tasks, pool.map(results, tasks), strict=True)
            for line in comparison.differences(before, after)
        )
        unlike = report(lines, chosen.allow)
    print(
        f"{len({task.file for task in tasks})} files, {len(profiles)} profiles: {comparison.values} "
        f"values, {comparison.texts} texts and "
        f"{comparison.numbers} numbers of arrays compared, {unlike} differences not allowed for."
    )
    if failures:
        raise ProgramError("not compared:\n" + "\n".join(failures))
    return int(unlike > 0)


def _tasks(files: Sequence[Path], profiles: Sequence[str]) -> Iterator[Task]:
    every_clip = ("--clips", "all")
    for file in files:
        yield Task(file, "check", tuple(profiles), every_clip)
        for profile in profiles:
            yield Task(file, "export", (profile,), every_clip if profile == profiles[0] else ())


def report(lines: Iterator[str], allowed: Sequence[str]) -> int:
    """Print the lines that aren't allowed, and each expression's match count; return how many were printed."""
    unlike, found = 0, dict.fromkeys(allowed, 0)
    for line in lines:
        by = next((expression for expression in allowed if re.search(expression, line)), None)
        if by is None:
            print(line, flush=True)
            unlike += 1
        else:
            found[by] += 1
    for expression, count in found.items():
        print(f"allowed by {expression!r}: {count}")
        if not count:
            raise ProgramError(f"--allow {expression!r} found nothing: leave it out.")
    return unlike


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "other", type=Path, metavar="OTHER_CHECKOUT", help="what this checkout is compared with"
    )
    parser.add_argument(
        "--rigs", type=Path, metavar="FOLDER", help="files to check (default: SKINSCOPE_RIGS)"
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="REGEX",
        help="of all there is to do, what it is found in: 'Fox', ' check', 'export unreal'",
    )
    parser.add_argument(
        "--profile", action="append", metavar="P", help="may be given several times (default: all)"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where results are kept")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="files at the same time (default: 1)"
    )
    parser.add_argument(
        "--without-texts", action="store_true", help="leave out sentences and the text report"
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="REGEX", help="differences that are meant"
    )
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ProgramError as error:
        print(f"compare_checkouts: {error}", file=sys.stderr)
        sys.exit(2)
