"""What has changed since a former report of the same files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...core.text.length import format_length
from ...measurement.check.report import FileReport, MeshReport


@dataclass(frozen=True)
class ChangesSince:
    """A former report, to compare with. Files are the same if they are called the same."""

    former: Sequence[FileReport]

    @cached_property
    def _files(self) -> dict[str, FileReport]:
        return {one.file: one for one in self.former}

    @cached_property
    def _meshes(self) -> dict[tuple[str, str, str], MeshReport]:
        return {
            (report.file, one.object, one.profile): one for report in self.former for one in report.meshes
        }

    def of_file(self, report: FileReport) -> str:
        """Say how a file changed: "newly failing", "fixed", "new"; empty for no change that counts."""
        before = self._files.get(report.file)
        if before is None:
            return "new"
        if before.passed == report.passed:
            return ""
        return "fixed" if report.passed else "newly failing"

    def of_mesh(self, file: str, mesh: MeshReport) -> str:
        """Say how far a mesh was off before; empty if it was not measured."""
        before = self._meshes.get((file, mesh.object, mesh.profile))
        return format_length(before.worst.max) if before is not None else ""

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
