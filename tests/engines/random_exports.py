"""Export random characters with random settings, and count what `random_cells` makes of their files.

    .venv/bin/python -m tests.engines.random_exports --seeds 0:200 [--formats gltf,fbx] [--engine threejs] [--all]
                                                     [--write]

Cells that are neither right nor named are printed, and the exit status is 1. FBX needs ufbx (SKINSCOPE_JUDGES).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy

from tests.context_owner import keep_context_in_the_open_file
from tests.engines.engine_table import ENGINES
from tests.engines.random_cells import SHARE_OF_DIAGONAL, cells
from tests.engines.ufbx_judge import build_ufbx

PAGE = Path(__file__).resolve().parents[2] / "docs" / "truth.md"

SECTION = "## Random characters"
"""The part of that page that is written here."""

TOLD_IN_FULL = (5, 0, 0)
"""The first Blender whose results are the table there; older ones have a sentence each."""

OLDER, PLAYED = "On Blender ", "Played by "
"""How these sentences begin, and those about engines."""


def section(seeds: range, counts: Mapping[str, Counter[str]], open_cells: Sequence[str]) -> str:
    """Return what docs/truth.md says of the random characters."""
    lines = [
        SECTION,
        "",
        (
            f"`tests/engines/random_exports.py --seeds {seeds.start}:{seeds.stop} --write` writes this part. Random rigs "
            "with uneven, mirrored and sheared scales, bones and channels without keys, up to three actions, NLA "
            "tracks, constraints, drivers, and meshes and armatures that move, exported with random settings; an "
            "independent reader poses each clip of the file. *Right*: every vertex is within "
            f"{SHARE_OF_DIAGONAL:g} of the prediction, as a share of the mesh's diagonal at that frame. *Named*: it "
            "isn't, and a finding says why. Where the exporter itself fails, `export-fails` says so before."
        ),
        "",
        "| exporter | clips | right | named | neither | the exporter fails |",
        "|---|---|---|---|---|---|",
    ]
    for exporter, count in counts.items():
        total = sum(count.values()) - count["fails"]
        numbers = (total, count["right"], count["named"], count["NEITHER"], count["fails"])
        lines.append(f"| {exporter} | " + " | ".join(map(str, numbers)) + " |")
    if open_cells:
        lines += ["", "Neither right nor named:", "", *(f"- {one}" for one in open_cells)]
    return "\n".join(lines) + "\n"


def sentence(seeds: range, counts: Mapping[str, Counter[str]], open_cells: Sequence[str], engine: str) -> str:
    """Return what docs/truth.md says of them on an older Blender, or played by an engine."""
    told: list[str] = []
    for exporter, count in counts.items():
        total = sum(count.values()) - count["fails"]
        told.append(
            f"of {total} clips in {exporter} files {count['right']} are right, {count['named']} named and "
            f"{count['NEITHER']} neither, and the exporter fails on {count['fails']} of {len(seeds)} characters"
        )
    neither = f" Neither: {'; '.join(open_cells)}." if open_cells else ""
    major, minor, _ = bpy.app.version
    by = f"{PLAYED}{engine}" if engine else f"{OLDER}{major}.{minor}"
    return f"{by}, seeds {seeds.start}:{seeds.stop}: {'; '.join(told)}.{neither}"


def with_results(
    page: str, seeds: range, counts: Mapping[str, Counter[str]], open_cells: Sequence[str], engine: str
) -> str:
    """Return docs/truth.md with the results of this Blender, or of an engine; those of others stay."""
    above, _, present = page.partition(f"\n{SECTION}")
    older = [line for line in present.splitlines() if line.startswith((OLDER, PLAYED))]
    if bpy.app.version >= TOLD_IN_FULL and not engine:
        return (
            f"{above.rstrip()}\n\n"
            + "\n\n".join((section(seeds, counts, open_cells).rstrip(), *older))
            + "\n"
        )
    own = sentence(seeds, counts, open_cells, engine)
    version = own.partition(",")[0]
    others = [one for one in older if not one.startswith(f"{version},")]
    kept = "\n".join(line for line in present.splitlines() if line not in older)
    return f"{above.rstrip()}\n\n{SECTION}" + "\n\n".join((kept.rstrip(), *sorted([*others, own]))) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", default="0:200", help="A:B, B excluded")
    parser.add_argument("--formats", default="gltf,fbx")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="", help="that plays .glb files")
    parser.add_argument("--all", action="store_true", help="print every cell")
    parser.add_argument("--write", action="store_true", help="keep the summary in docs/truth.md")
    arguments = parser.parse_args()
    if arguments.engine:
        arguments.formats = "gltf"
        ENGINES[arguments.engine].install()
    bpy.app.handlers.load_post.append(keep_context_in_the_open_file)
    seeds = range(*map(int, arguments.seeds.split(":")))
    counts: dict[str, Counter[str]] = {}
    open_cells: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for exporter in arguments.formats.split(","):
            count = counts[exporter] = Counter()
            ufbx = build_ufbx(folder) if exporter == "fbx" else None
            for one in cells(seeds, exporter, folder, ufbx, arguments.engine):
                count[one.verdict] += 1
                if one.verdict == "NEITHER":
                    open_cells.append(str(one))
                if arguments.all or one.verdict in {"NEITHER", "fails"}:
                    print(one, flush=True)
    written = section(seeds, counts, open_cells)
    print(written)
    if arguments.write:
        page = with_results(PAGE.read_text(encoding="utf-8"), seeds, counts, open_cells, arguments.engine)
        PAGE.write_text(page, encoding="utf-8")
    return int(bool(open_cells))


if __name__ == "__main__":
    status = main()
    if bpy.app.version < (4, 3):
        # As a module it crashes when it is torn down.
        sys.stdout.flush()
        os._exit(status)
    sys.exit(status)
