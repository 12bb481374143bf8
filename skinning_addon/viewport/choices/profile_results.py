"""Results of checks under engine profiles, kept while the file is open and never saved with it."""

from __future__ import annotations

from ...core.verdicts.finding import Finding
from ...measurement.profiles.profile_report import ProfileReport


class ProfileResults:
    """Reports by scene and profile.

    alone: the rule of the single cause that previews show, '' for the whole profile. outdated: whether a fix
    has changed a rig since.
    """

    def __init__(self) -> None:
        self.alone = ""
        self.outdated = False
        self._reports: dict[tuple[int, str], ProfileReport] = {}

    def keep(self, scene_uid: int, reports: tuple[ProfileReport, ...]) -> None:
        """Keep a scan's reports, replacing the scene's previous ones under these profiles."""
        for report in reports:
            self._reports[scene_uid, report.profile.id] = report
        self.outdated = False

    def of(self, scene_uid: int, profile_id: str) -> ProfileReport | None:
        """Return the report of a scene under a profile, None if it was not checked."""
        return self._reports.get((scene_uid, profile_id))

    def finding(self, scene_uid: int, profile_id: str, number: int) -> Finding | None:
        """Return a finding of a report by its index."""
        report = self.of(scene_uid, profile_id)
        if report is None or not 0 <= number < len(report.findings):
            return None
        return report.findings[number]

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._reports.clear()
        self.alone = ""
        self.outdated = False
