"""The script that says what copies leave of every rig of a folder: no rig is left out."""

from __future__ import annotations

from pathlib import Path

from docs import write_refit_rigs as rigs
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RigOptions


def test_every_rig_has_a_row(tmp_path: Path):
    folder, reports = tmp_path / "rigs", tmp_path / "reports"
    folder.mkdir()
    reports.mkdir()
    rig_file(folder / "clean.blend", RigOptions(seed=12, influences=3, scale="none"), without_flaws)
    rig_file(folder / "fitted.blend", RigOptions(seed=12, influences=8, scale="none"), without_flaws)
    (folder / "LICENSE.txt").write_text("free", encoding="utf-8")
    found = {one.name: rigs.report_of(one, reports) for one in rigs.rigs_of(folder)}
    assert list(found) == ["clean.blend", "fitted.blend"]
    _, _, clean, fitted = rigs.table(found)
    assert clean.startswith("| `clean.blend` | 1 | none of 300 | ")
    assert fitted.startswith("| `fitted.blend` | 1 | ")
    assert " of 300 | " in fitted
    assert "none of" not in fitted
    before, after = (float(one) for one in fitted.split(" | ")[3:5])
    assert 0 < after < before
    told = reports / "fitted.json"
    written = told.stat().st_mtime_ns
    rigs.report_of(folder / "fitted.blend", reports)
    assert told.stat().st_mtime_ns == written, "reports that are there are not made again"
