"""Results of checks under engine profiles, kept while the file is open and never saved with it."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.verdicts.finding import Finding
from ...measurement.profiles.profile_report import ProfileReport
from .dated_results import Dated, DatedResults


@dataclass(frozen=True, eq=False)
class Check(Dated):
    """A report about a scene under one profile. frame: what the scene showed meanwhile."""

    report: ProfileReport
    frame: float


class ProfileResults(DatedResults[Check]):
    """Checks by scene and profile.

    with_alone: scenes, by session_uid, whose previews may show a single cause: those where a user chose one
    since the file was opened.
    """

    def __init__(self) -> None:
        super().__init__()
        self.with_alone: set[int] = set()

    def keep(self, scene_uid: int, reports: tuple[ProfileReport, ...], frame: float) -> None:
        """Keep a scan's reports, replacing the scene's previous ones under these profiles. frame: what the
        scene showed when the scan began.
        """
        for report in reports:
            self.keep_result((scene_uid, report.profile.id), Check(report, frame))

    def check_of(self, scene_uid: int, profile_id: str) -> Check | None:
        """Return the last check of a scene under a profile, None if it was not checked."""
        return self.result((scene_uid, profile_id))

    def of(self, scene_uid: int, profile_id: str) -> ProfileReport | None:
        """Return the report of a scene under a profile, None if it was not checked."""
        check = self.check_of(scene_uid, profile_id)
        return None if check is None else check.report

    @property
    def most_findings(self) -> int:
        """The number of findings of the report that has most."""
        return max((len(one.report.findings) for one in self.every), default=0)

    def finding(self, scene_uid: int, profile_id: str, number: int) -> Finding | None:
        """Return a finding of a report by its index."""
        report = self.of(scene_uid, profile_id)
        if report is None or not 0 <= number < len(report.findings):
            return None
        return report.findings[number]

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        super().clear()
        self.with_alone.clear()
