"""The output of `diff`: as text, as JSON, and in `check`'s formats for programs that read those."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.foreign.engine_axes import METRES_OF_UNITS, EngineAxes
from ...core.foreign.engine_comparison import EngineComparison
from ...core.text.length import format_length
from ...core.text.printable import printable_lines
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.suppression import Suppression
from ...core.verdicts.tolerance import Tolerance
from ...measurement.check.report import FileReport, MeshReport
from ...measurement.check.suppressed import with_suppressed
from ...measurement.frame.worst_frame import WorstFrame
from ..program.versions import skinscope_version
from ..reports.printable_report import printable_report
from ..reports.report_json import suppressed_entry, worst_entry, written
from ..reports.report_junit import write_junit
from ..reports.report_sarif import write_sarif
from ..reports.report_text import write_findings

VERSION = 1

MOST_LISTED = 100

UNMATCHED = "unmatched-vertices"


@dataclass(frozen=True, eq=False)
class Diff:
    """An engine's positions beside a bundle.

    vertices: of the mesh; drawn: how many of them a face uses. predicted, blender: how far the engine lies
    from the bundle's prediction, and from Blender, each at its worst frame. expected_axes: (3, 3), the
    profile's; None if it names none. expected_unit: the profile's, in metres; None if it names none.
    suppressions: of the mesh, and of the configuration. today: the day on which they count.
    """

    bundle: str
    file: str
    mesh: str
    armature: str
    profile: str
    comparison: EngineComparison
    vertices: int
    drawn: int
    joints: int
    predicted: WorstFrame
    blender: WorstFrame
    tolerance: Tolerance
    expected_axes: NDArray[np.float64] | None
    expected_unit: float | None
    suppressions: tuple[Suppression, ...]
    today: date

    @property
    def unmatched(self) -> NDArray[np.intp]:
        """Vertices of the engine that the bundle does not have."""
        return np.flatnonzero(self.comparison.source < 0)

    @property
    def found(self) -> int:
        """How many of the bundle's vertices the engine has."""
        source = self.comparison.source
        return len(np.unique(source[source >= 0]))

    @property
    def within(self) -> bool:
        """Whether all matched vertices are within tolerance."""
        measured = self.predicted.relative if self.tolerance.relative else self.predicted.max
        return measured <= self.tolerance.value

    @property
    def passed(self) -> bool:
        """Whether the engine computes the prediction, for the same vertices, apart from what is suppressed."""
        unmatched = any(one.rule == UNMATCHED and one.suppressed is None for one in self.report.findings)
        return (self.within or self.report.meshes[0].suppressed is not None) and not unmatched

    @cached_property
    def report(self) -> FileReport:
        """The comparison as `check` reports it, with what is suppressed marked."""
        mesh = MeshReport(
            object=self.mesh,
            armatures=(self.armature,),
            vertices=self.vertices,
            joints=self.joints,
            exact=True,
            reasons=(),
            device="engine",
            technique="engine",
            profile=self.profile,
            worst=self.predicted,
            tolerance=self.tolerance,
        )
        report = FileReport(self.file, (mesh,), tuple(self._findings()))
        return with_suppressed(report, self.suppressions, self.today)

    def _findings(self) -> Iterator[Finding]:
        """Yield findings worth knowing besides the distance."""
        if len(self.unmatched):
            yield self._finding(
                UNMATCHED,
                f"{len(self.unmatched):,} of the engine's {len(self.comparison.source):,} vertices "
                f"match no vertex of '{self.mesh}' at rest.",
                vertices=tuple(self.unmatched[:MOST_LISTED].tolist()),
                count=len(self.unmatched),
            )
        if self.found < self.drawn:
            yield self._finding(
                "missing-vertices",
                f"The engine has only {self.found:,} of the {self.drawn:,} vertices in faces of "
                f"'{self.mesh}'.",
                count=self.drawn - self.found,
            )
        if self.expected_axes is not None and not np.array_equal(
            self.expected_axes, self.comparison.axes.axes
        ):
            expected = EngineAxes(self.expected_axes)
            yield self._finding(
                "other-axes",
                f"The engine's axes are {_axes(self.comparison.axes)}; the profile {self.profile} "
                f"expects {_axes(expected)}.",
            )
        if self.comparison.unit and self.expected_unit is not None:
            metres = METRES_OF_UNITS[self.comparison.unit]
            if not math.isclose(metres, self.expected_unit, rel_tol=1e-6):
                yield self._finding(
                    "other-unit",
                    f"The engine's positions are in {self.comparison.unit}; the profile "
                    f"{self.profile} expects {_unit(self.expected_unit)}.",
                )
        if not self.comparison.unit:
            yield self._finding(
                "unknown-unit",
                f"The engine's positions are {self.comparison.axes.scale:.4g} times ours, which is "
                "not the ratio of any known unit.",
            )

    def _finding(self, rule: str, message: str, vertices: tuple[int, ...] = (), count: int = 0) -> Finding:
        finding = RULES[rule].finding(self.mesh, message)
        return replace(finding, vertices=vertices, count=count, profile=self.profile)


def write_diff(diff: Diff, report_format: str) -> str:
    """Write a comparison as 'text', 'json', 'junit' or 'sarif'."""
    if report_format == "text":
        return printable_lines("\n".join(_text(printable_report(diff))) + "\n")
    if report_format == "json":
        return written(_json(diff))
    write = {"junit": write_junit, "sarif": write_sarif}[report_format]
    return write([diff.report], skinscope_version(), "")


def _text(diff: Diff) -> Iterator[str]:
    comparison, worst = diff.comparison, diff.predicted
    bone = f" (bone '{worst.bone}')" if worst.bone else ""
    agrees = diff.within and not len(diff.unmatched)
    verdict = "agrees" if agrees else "differs, which is accepted" if diff.passed else "differs"
    yield (
        f"{diff.file}: {verdict}. The engine's '{diff.mesh}' deviates by up to "
        f"{format_length(worst.max)} from the prediction of the profile {diff.profile}, at vertex "
        f"{worst.worst_vertex}{bone}, frame {worst.frame:g} of '{worst.clip}'."
    )
    yield ""
    for name, one in (("predicted", diff.predicted), ("Blender", diff.blender)):
        yield (
            f"  from {name + ':':<11} largest {format_length(one.max)}, rms {format_length(one.rms)}, "
            f"relative {one.relative:.1e}, frame {one.frame:g} of '{one.clip}'"
        )
    yield ""
    unit = f"in {comparison.unit}" if comparison.unit else f"{comparison.axes.scale:.4g} times ours"
    yield f"  axes {_axes(comparison.axes)}; {unit}; {comparison.space} space."
    how = "in order" if comparison.matched == "order" else "by rest position, normal and uv"
    alike = (
        f", {comparison.ambiguous:,} of them by pose, since they look alike at rest"
        if comparison.ambiguous
        else ""
    )
    yield (
        f"  {len(comparison.source) - len(diff.unmatched):,} vertices matched {how} to {diff.found:,} of "
        f"{diff.vertices:,}"
        f"{alike}; {worst.frames} frame{'s' * (worst.frames != 1)}; tolerance {diff.tolerance}"
        f"{' of size and movement' * diff.tolerance.relative}."
    )
    if not diff.within and (accepted := diff.report.meshes[0].suppressed) is not None:
        yield f"  The deviation is {accepted}"
    yield from write_findings(diff.report.findings)


def _unit(metres: float) -> str:
    known = (name for name, length in METRES_OF_UNITS.items() if math.isclose(length, metres, rel_tol=1e-6))
    return next(known, f"units of {metres:g} m")


def _axes(axes: EngineAxes) -> str:
    x, y, z = axes.letters
    return f"X = {x}, Y = {y}, Z = {z}{' (left-handed)' * axes.mirrored}"


def _json(diff: Diff) -> dict[str, object]:
    comparison = diff.comparison
    x, y, z = comparison.axes.letters
    return {
        "version": VERSION,
        "skinscope": skinscope_version(),
        "bundle": diff.bundle,
        "positions": diff.file,
        "object": diff.mesh,
        "profile": diff.profile,
        "space": comparison.space,
        "axes": {"x": x, "y": y, "z": z, "handedness": "left" if comparison.axes.mirrored else "right"},
        "unit": comparison.unit or None,
        "scale": comparison.axes.scale,
        "vertices": len(comparison.source),
        "matched_by": comparison.matched,
        "unmatched": diff.unmatched[:MOST_LISTED].tolist(),
        "unmatched_count": len(diff.unmatched),
        "ambiguous": comparison.ambiguous,
        "found": diff.found,
        "deviation": _worst(diff.predicted)
        | _tolerance(diff.tolerance)
        | {"passed": diff.within, "suppressed": suppressed_entry(diff.report.meshes[0].suppressed)},
        "deviation_from_blender": _worst(diff.blender),
        "findings": [
            {
                "rule": one.rule,
                "severity": one.severity.value,
                "message": one.message,
                "count": one.count,
                "suppressed": suppressed_entry(one.suppressed),
            }
            for one in diff.report.findings
        ],
        "passed": diff.passed,
    }


def _worst(worst: WorstFrame) -> dict[str, object]:
    """Return a worst frame's entry as in `check`, without numbers for what is not measured here."""
    return worst_entry(worst) | dict.fromkeys(_NOT_MEASURED)


_NOT_MEASURED = ("surface", "along_normal", "tangential", "run", "pop", "verdict", "parts", "normals")


def _tolerance(tolerance: Tolerance) -> dict[str, object]:
    return {
        "tolerance": tolerance.value,
        "tolerance_unit": "relative" if tolerance.relative else "m",
    }
