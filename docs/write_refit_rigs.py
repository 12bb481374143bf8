"""Writes the table of docs/refit.md that says what a copy leaves of every rig of a folder.

    .venv/bin/python docs/write_refit_rigs.py FOLDER [--reports REPORTS]

FOLDER: rigged characters (SKINSCOPE_RIGS). Each is given to `skinscope refit --profile threejs`, and the table
is made of the reports, which are kept in REPORTS; those that are there already are not made again.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402, F401 - it comes before what needs mathutils

from docs.marked_tables import write_table  # noqa: E402
from skinning_addon.command_line.main import run  # noqa: E402

RIGS = (".blend", ".fbx", ".glb", ".gltf")


def report_of(rig: Path, reports: Path) -> dict[str, Any]:
    """Return the report of a rig's copies, which is made if it isn't there."""
    report = reports / f"{rig.stem}.json"
    if not report.exists():
        output = str(reports / f"{rig.stem}.blend")
        words = ["refit", str(rig), "--profile", "threejs", "--output", output, "--report", str(report)]
        said = io.StringIO()
        if run(words, said):
            raise SystemExit(f"refit failed for {rig.name}:\n{said.getvalue()}")
    return json.loads(report.read_text(encoding="utf-8"))


def table(found: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table. found: reports by the name of the rig."""
    yield "| rig | clips | fitted vertices | before | after | normals | tangents |"
    yield "|---|---|---|---|---|---|---|"
    for name, report in found.items():
        for copy in report["copies"]:
            fits = copy["fits"]
            fitted, vertices = (sum(one[key] for one in fits) for key in ("fitted", "vertices"))
            cells = (
                f"`{name}`" if len(report["copies"]) == 1 else f"`{name}`, {copy['armature']}",
                str(len(copy["clips"])),
                f"{fitted:,} of {vertices:,}" if fitted else f"none of {vertices:,}",
                f"{1000 * copy['before']:.3g}",
                f"{1000 * copy['after']:.3g}",
                *(_turned(copy[one]) for one in ("normals", "tangents")),
            )
            yield f"| {' | '.join(cells)} |"


def _turned(told: Mapping[str, float] | None) -> str:
    return "none" if told is None else f"{told['largest']:.1f} / {told['nearly_all']:.2f}"


def rigs_of(folder: Path) -> Sequence[Path]:
    """List the rigs of a folder."""
    return sorted(one for one in folder.iterdir() if one.suffix.lower() in RIGS)


def main() -> None:
    """Make the reports that are missing, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reports", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reports = arguments.reports or Path(folder)
        found = {rig.name: report_of(rig, reports) for rig in rigs_of(arguments.folder)}
    write_table("refit.md", "copies of all rigs", Path(__file__).name, table(found))


if __name__ == "__main__":
    main()
