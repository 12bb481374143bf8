"""Judges whether an engine's positions are one of a model's acceptable outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from tests.engines.capture import CapturedMesh

Entry = Mapping[str, Any]
"""A model's part of the manifest."""

REFUSED = "refused"


@dataclass(frozen=True)
class Verdict:
    """outcome: the acceptable outcome that was found; None if the engine is wrong. deviation: from it, or from
    the nearest, in meters; None if there are no positions. reason: what else is wrong.
    """

    model: str
    outcome: str | None
    deviation: float | None = None
    reason: str = ""

    @property
    def right(self) -> bool:
        return self.outcome is not None


def judged(folder: Path, entry: Entry, captured: Sequence[CapturedMesh]) -> Verdict:
    """Compare what an engine captured. folder: of the manifest."""
    name = entry["name"]
    if problem := _incomplete(entry, captured):
        return Verdict(name, None, None, problem)
    deviations = {
        outcome["name"]: _deviation(entry, expected_positions(folder, entry, outcome), captured)
        for outcome in entry["outcomes"]
        if outcome["positions"]
    }
    nearest = min(deviations, key=lambda one: deviations[one])
    right = deviations[nearest] <= entry["tolerance"]
    if np.isinf(deviations[nearest]):
        return Verdict(name, None, None, "vertices that are nowhere (their positions are NaN)")
    return Verdict(name, nearest if right else None, deviations[nearest])


def refusal(entry: Entry, message: str) -> Verdict:
    """Judge an engine that doesn't load a file."""
    allowed = any(outcome["name"] == REFUSED for outcome in entry["outcomes"])
    return Verdict(entry["name"], REFUSED if allowed else None, None, message)


def expected_positions(folder: Path, entry: Entry, outcome: Mapping[str, Any]) -> list[np.ndarray]:
    """Return (F, V, 3) positions of each part, as the manifest's README describes the file."""
    counts = [part["vertices"] for part in entry["parts"]]
    instants = np.fromfile(folder / outcome["positions"], "<f4").astype(np.float64)
    whole = instants.reshape(len(entry["times"]), sum(counts), 3)
    return np.split(whole, np.cumsum(counts)[:-1], axis=1)


def _incomplete(entry: Entry, captured: Sequence[CapturedMesh]) -> str:
    """Return what a capture lacks; empty if it is complete."""
    if len(captured) != len(entry["parts"]):
        return f"{len(captured)} skinned meshes instead of {len(entry['parts'])}"
    wanted = sorted({(part["first"], part["vertices"]) for part in entry["parts"]})
    for first, count in wanted:
        parts = [one for one in entry["parts"] if one["first"] == first]
        found = [one for one in captured if _is_of(one, first, count)]
        if len(found) != len(parts):
            return f"{len(found)} captures of vertices {first} to {first + count - 1} instead of {len(parts)}"
    return ""


def _is_of(captured: CapturedMesh, first: int, count: int) -> bool:
    return np.array_equal(np.unique(captured.source), np.arange(first, first + count))


def _deviation(entry: Entry, expected: list[np.ndarray], captured: Sequence[CapturedMesh]) -> float:
    """Return the largest distance. Captures don't say which node they are of: nodes that show the same mesh are
    told apart by what fits best.
    """
    worst = 0.0
    for group in _of_one_mesh(entry):
        first, count = entry["parts"][group[0]]["first"], entry["parts"][group[0]]["vertices"]
        found = [one for one in captured if _is_of(one, first, count)]
        worst = max(
            worst,
            min(
                max(_distance(expected[part], one, first) for part, one in zip(group, order, strict=True))
                for order in permutations(found)
            ),
        )
    return worst


def _of_one_mesh(entry: Entry) -> Iterator[list[int]]:
    firsts = [part["first"] for part in entry["parts"]]
    for first in sorted(set(firsts)):
        yield [number for number, one in enumerate(firsts) if one == first]


def _distance(expected: np.ndarray, captured: CapturedMesh, first: int) -> float:
    wanted = expected[:, captured.source - first]
    there = np.isfinite(captured.positions).all(axis=2)
    if not np.array_equal(there, np.isfinite(wanted).all(axis=2)):
        return float("inf")
    return float(np.linalg.norm((captured.positions - wanted)[there], axis=1).max(initial=0.0))
