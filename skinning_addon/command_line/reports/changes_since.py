"""What has changed since a former report of the same files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.text.length import format_length
from ...measurement.check.report import FileReport, MeshReport


@dataclass(frozen=True)
class ChangesSince:
    """A former report, to compare with. Files are the same if they are called the same."""

    former: Sequence[FileReport]

    def of_file(self, report: FileReport) -> str:
        """Say how a file changed: "newly failing", "fixed", "new"; empty for no change that counts."""
        before = next((one for one in self.former if one.file == report.file), None)
        if before is None:
            return "new"
        if before.passed == report.passed:
            return ""
        return "fixed" if report.passed else "newly failing"

    def of_mesh(self, file: str, mesh: MeshReport) -> str:
        """Say how far a mesh was off before; empty if it was not measured."""
        for report in self.former:
            for one in report.meshes:
                if (report.file, one.object, one.profile) == (file, mesh.object, mesh.profile):
                    return format_length(one.worst.max)
        return ""

    def sentences(self, reports: Sequence[FileReport]) -> Iterator[str]:
        """Yield what to say about all files together."""
        told = [self.of_file(one) for one in reports]
        counts = [f"{told.count(one)} {one}" for one in ("newly failing", "fixed", "new") if one in told]
        changed = ", ".join(counts) or "no file that passed fails, or the other way round"
        yield f"Since the former report: {changed}."
        now = {one.file for one in reports}
        gone = [one.file for one in self.former if one.file not in now]
        if gone:
            yield f"No longer checked: {', '.join(gone)}."
