"""Write docs/export-checks.md: what Check My Export reports of each rig, next to what an independent program
finds in the same file.

    .venv/bin/python docs/write_export_checks.py FOLDER [--rigs Fox.glb,...]

FOLDER: of the rigged characters (SKINSCOPE_RIGS). SKINSCOPE_JUDGES names the folder with ufbx. Every rig and
every setting has a cell; one without a figure says why.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402
import pytest  # noqa: E402

from skinning_addon.core.text.errors import SkinscopeError  # noqa: E402
from skinning_addon.core.text.length import format_length  # noqa: E402
from skinning_addon.core.text.printable import printable_lines  # noqa: E402
from tests.engines.capture import CaptureFailedError  # noqa: E402
from tests.engines.checked_export import SETTINGS, ExportSetting, Judges, judged_export  # noqa: E402
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL  # noqa: E402
from tests.engines.engine_table import ENGINES  # noqa: E402
from tests.engines.ufbx_judge import build_ufbx  # noqa: E402
from tests.scene.opened_rigs import open_rig  # noqa: E402

PAGE = CHECKOUT / "docs" / "export-checks.md"

TOP = """# Check My Export, judged

`docs/write_export_checks.py` writes this page; don't edit it by hand. Blender {blender} exports each rig with
each of five settings, and `check-export` (*Check My Export* in the sidebar) reads the file back and reports the
largest distance from Blender over every frame of the first clip. Another program, which shares no code with it,
poses the same file at the same frames: three.js, or Babylon.js, which reads eight influences, where all
influences are exported; Blender's own importer where a vertex has more than eight; ufbx for FBX. Its distance
from Blender's own evaluated mesh is computed from the vertices' numbers alone.

Each cell: the reported distance, and how far the judge's is from it, as a share of the diagonal of the meshes
({limit:g} at most; a larger one is **bold**).
"""


def cell(rig: Path, setting: ExportSetting, judges: Judges) -> str:
    """Return what one export of one rig comes to."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            judged = judged_export(rig, setting, judges, Path(folder))
        except (SkinscopeError, CaptureFailedError, AssertionError) as error:
            reason = printable_lines(str(error)).splitlines()[0]
            return f"no figure: {reason}"
    text = (
        f"{format_length(judged.reported)}, {judged.difference:.1e} ({judged.judge}, {judged.frames} frames)"
    )
    return text if judged.difference <= SHARE_OF_DIAGONAL else f"**{text}**"


def rows_kept(settings: Sequence[ExportSetting]) -> dict[str, str]:
    """Return the page's lines by rig, if its columns are these settings."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    if heading(settings) not in lines:
        return {}
    rows = [line for line in lines if line.startswith("| ") and line != heading(settings)]
    return {line.split(" | ")[0].removeprefix("| "): line for line in rows}


def heading(settings: Sequence[ExportSetting]) -> str:
    return "| rig | " + " | ".join(one.told for one in settings) + " |"


def row(rig: Path, judges: Judges, folder: Path) -> str:
    """Return the line of a rig."""
    saved = folder / f"{rig.stem}.blend"
    open_rig(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(saved), copy=True)
    cells: list[str] = []
    for setting in SETTINGS:
        start = time.perf_counter()
        cells.append(cell(saved, setting, judges))
        took = time.perf_counter() - start
        print(f"{rig.name}: {setting.told}: {cells[-1]} [{took:.0f} s]", file=sys.stderr, flush=True)
    return f"| {rig.name} | " + " | ".join(cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--rigs", default=",".join(RIGS), help="the lines to write; others stay as the page has them"
    )
    arguments = parser.parse_args()
    rows = rows_kept(SETTINGS)
    with tempfile.TemporaryDirectory() as name:
        engines = ENGINES["threejs"], ENGINES["babylonjs"]
        try:
            for one in engines:
                one.install()
            judges = Judges(*engines, build_ufbx(Path(name)))
        except (pytest.skip.Exception, pytest.fail.Exception) as error:
            # Cells without a judge would say nothing.
            parser.exit(2, f"{error}\n")
        for rig in arguments.rigs.split(","):
            rows[rig] = row(arguments.folder / rig, judges, Path(name))
    cells = [
        each
        for rig in RIGS
        for each in rows.get(rig, f"| {rig}" + " | not run" * len(SETTINGS)).split(" | ")[1:]
    ]
    agreed = sum("no figure" not in each and "**" not in each and "not run" not in each for each in cells)
    lines = [TOP.format(blender=bpy.app.version_string, limit=SHARE_OF_DIAGONAL), heading(SETTINGS)]
    lines += ["|---|" + "---|" * len(SETTINGS), *(rows[rig] for rig in RIGS if rig in rows)]
    lines += ["", f"{agreed} of {len(cells)} cells agree."]
    page = "\n".join(lines) + "\n"
    print(page)
    PAGE.write_text(page, encoding="utf-8")
    return 0 if agreed == len(cells) else 1


if __name__ == "__main__":
    sys.exit(main())
