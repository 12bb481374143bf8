"""Leftovers from earlier runs: baselines and kept results, intact or damaged."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from skinning_addon.command_line.arguments.check_settings import settings_of
from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.command_line.checking.baseline import read_baseline
from skinning_addon.command_line.checking.result_cache import entry_path, find_result, keep_result
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.core.verdicts.tolerance import EXACT
from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.body_parts import PartDeviation
from skinning_addon.measurement.frame.worst_frame import NormalDeviation, WorstFrame
from tests.fuzz.bytes_damage import damaged_bytes
from tests.fuzz.inputs.case import Case, must_be_refused, refused_or
from tests.fuzz.inputs.settings_cases import run_until_files
from tests.fuzz.inputs.text_damage import JSON_DAMAGE, with_one_wrong_value
from tests.fuzz.program import Ran, what_is_wrong

Random = np.random.Generator

WHOLE = {
    "version": 1,
    "findings": [
        {"file": "arm.blend", "rule": "no-weights", "object": "Arm", "profile": "", "deviation": None},
        {"file": "arm.blend", "rule": "tolerance", "object": "Arm", "profile": "threejs", "deviation": 0.25},
    ],
}
WRONG_VALUES: dict[str, list[Any]] = {
    "version": [None, "1", 2, True, [], {}, 1.5],
    "findings": [None, 5, "x", "", {}, {"a": 1}, [5], ["x"], [None], [[]], [{}]],
    "file": [None, 5, True, [], {}],
    "rule": [None, 5, True, [], {}],
    "object": [None, 5, True, [], {}],
    "profile": [5, True, [], {}],
    "deviation": ["1.5", "x", True, [], {}, math.nan, -1.0, -math.inf],
}


def baseline_case(random: Random, folder: Path) -> Case:
    """Write a baseline, intact or wrong in one place."""
    path = folder / "known.json"
    argv = ["check", str(folder / "missing.blend"), "--baseline", str(path)]
    choice = random.random()
    if choice < 0.25:
        kind = str(random.choice(list(JSON_DAMAGE)))
        path.write_bytes(JSON_DAMAGE[kind])
        return Case(f"baseline: {kind}", argv, must_be_refused(str(path)), run_until_files)
    text = json.dumps(WHOLE)
    if choice < 0.4:
        path.write_bytes(damaged_bytes(text.encode(), random))
        return Case("baseline: bytes", argv, refused_or(str(path), what_is_wrong), run_until_files)
    if choice < 0.45:
        path.write_text(text, encoding="utf-8")
        return Case(
            "baseline: whole", argv, lambda ran: what_is_wrong(ran) or _as_written(path), run_until_files
        )
    document: Any = json.loads(text)
    key = str(random.choice(list(WRONG_VALUES)))
    inside = document if key in document else document["findings"][random.integers(2)]
    values = WRONG_VALUES[key]
    index = int(random.integers(len(values) + 1))
    if index == len(values):
        del inside[key]
    else:
        inside[key] = values[index]
    path.write_text(json.dumps(document), encoding="utf-8")
    return Case(f"baseline: {key}, wrong", argv, must_be_refused(str(path)), run_until_files)


def _as_written(path: Path) -> str:
    found = sorted(
        deviation for deviations in read_baseline(path).entries.values() for deviation in deviations
    )
    return "" if found == [0.25, math.inf] else f"The baseline is read as {found}."


def _report(file: str) -> FileReport:
    worst = WorstFrame(
        max=0.25, rms=0.1, p99=0.2, relative=0.01, worst_vertex=7, clip="Walk", frame=3.5, frames=9, bone="upper",
        surface=0.5, along_normal=0.2, tangential=0.1, run=2, pop=0.05, level=Level.FAIL,
        parts=(PartDeviation("upper", 0.25, 0.5),),
        normals=NormalDeviation(3.0, 2.0, 1.0, 0.5, "Walk", 2.0),
    )  # fmt: skip
    mesh = MeshReport("Arm", ("Rig",), 12, 3, True, ("a reason",), "cpu", "software", "threejs", worst, EXACT)
    finding = Finding(
        "no-weights", Severity.WARNING, "Arm", "A sentence.", "Mend it.", (1, 2), 2, 0.25, "Walk", 2.0
    )
    return FileReport(file, (mesh,), (finding,))


def cache_case(random: Random, folder: Path) -> Case:
    """Keep a result, damage it, and look it up: it must be found unchanged, or count as missing."""
    file, cache = folder / "arm.glb", folder / "cache"
    file.write_bytes(random.bytes(64))
    cache.mkdir()
    settings = settings_of(parse_arguments(["check", str(file), "--cache", str(cache)]), print)[0]
    report = _report(str(file))
    path = entry_path(settings, "5.2")
    assert path is not None
    keep_result(path, settings, report, [])
    (entry,) = cache.iterdir()
    choice = random.random()
    same = False
    if choice < 0.2:
        kind = str(random.choice(list(JSON_DAMAGE)))
        entry.write_bytes(JSON_DAMAGE[kind])
    elif choice < 0.35:
        kind = "half"
        content = entry.read_bytes()
        entry.write_bytes(content[: random.integers(len(content))])
    elif choice < 0.4:
        kind, same = "whole", True
    elif choice < 0.45:
        kind = "a folder"
        entry.unlink()
        entry.mkdir()
    else:
        document, kind = with_one_wrong_value(json.loads(entry.read_text(encoding="utf-8")), random)
        entry.write_text(json.dumps(document), encoding="utf-8")

    def find(_: Any) -> Ran:
        try:
            found = find_result(settings, "5.2")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the seed is there to find
            return Ran(-1, "", (), "", f"{type(error).__name__}: {str(error)[:300]}")
        return Ran(0, "" if found is None else "same" if found == report else repr(found), (), "")

    def right(ran: Ran) -> str:
        if ran.raised:
            return f"{kind}: {ran.raised} was raised."
        if ran.output not in ("", "same"):
            return f"{kind}, and the result was used: {ran.output[:600]}"
        return "A kept result was not found." if same and not ran.output else ""

    return Case("cache: a wrong value" if " is " in kind else f"cache: {kind}", ["check"], right, find)
