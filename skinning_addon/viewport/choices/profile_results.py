"""Results of checks under engine profiles, kept while the file is open and never saved with it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...core.verdicts.finding import Finding
from ...measurement.profiles.profile_report import ProfileReport

CheckKey = tuple[int, str]
"""session_uid of a scene, and the id of the profile that it was checked under."""


@dataclass(frozen=True, eq=False)
class Check:
    """A report, when it was made (seconds since 1970), and whether a rig has changed since."""

    report: ProfileReport
    seconds: float
    outdated: bool = False

    @property
    def clock(self) -> str:
        """The time of day, as '14:32'."""
        return time.strftime("%H:%M", time.localtime(self.seconds))


class ProfileResults:
    """Checks by scene and profile.

    with_alone: scenes, by session_uid, whose previews may show a single cause: those where a user chose one
    since the file was opened.
    """

    def __init__(self) -> None:
        self.with_alone: set[int] = set()
        self._checks: dict[CheckKey, Check] = {}

    def keep(self, scene_uid: int, reports: tuple[ProfileReport, ...]) -> None:
        """Keep a scan's reports, replacing the scene's previous ones under these profiles."""
        now = time.time()
        for report in reports:
            self._checks[scene_uid, report.profile.id] = Check(report, now)

    def check_of(self, scene_uid: int, profile_id: str) -> Check | None:
        """Return the last check of a scene under a profile, None if it was not checked."""
        return self._checks.get((scene_uid, profile_id))

    def of(self, scene_uid: int, profile_id: str) -> ProfileReport | None:
        """Return the report of a scene under a profile, None if it was not checked."""
        check = self.check_of(scene_uid, profile_id)
        return None if check is None else check.report

    @property
    def any(self) -> bool:
        """Whether any scene was checked."""
        return bool(self._checks)

    @property
    def most_findings(self) -> int:
        """The number of findings of the report that has most."""
        return max((len(one.report.findings) for one in self._checks.values()), default=0)

    @property
    def outdated(self) -> bool:
        """Whether a rig has changed since it was last checked."""
        return any(one.outdated for one in self._checks.values())

    def mark_outdated(self, keys: Iterable[CheckKey] | None = None, *, outdated: bool = True) -> bool:
        """Note that rigs have changed since these checks, by default all, or that they are as they were then;
        return whether that is news.
        """
        changed = False
        for key in tuple(self._checks) if keys is None else keys:
            one = self._checks.get(key)
            if one is not None and one.outdated != outdated:
                self._checks[key] = replace(one, outdated=outdated)
                changed = True
        return changed

    def finding(self, scene_uid: int, profile_id: str, number: int) -> Finding | None:
        """Return a finding of a report by its index."""
        report = self.of(scene_uid, profile_id)
        if report is None or not 0 <= number < len(report.findings):
            return None
        return report.findings[number]

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._checks.clear()
        self.with_alone.clear()
