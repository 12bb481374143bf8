"""Write docs/truth.md: what engines make of Blender's exports, next to what we predict.

    .venv/bin/python docs/write_truth.py FOLDER [--judges threejs,usd] [--rigs Fox.glb,...] [--missing]
    .venv/bin/python docs/write_truth.py

FOLDER: of the rigged characters (SKINSCOPE_RIGS). What is measured is kept in docs/truth.json, and the page is
written from that; without a folder only the page is. --missing: measure only what isn't there yet. Engines that
aren't installed are installed beside the tests; what can't run here keeps its figures, with the version that
they are of. Then run docs/write_verified.py.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402
import pytest  # noqa: E402

from skinning_addon.core.profiles.catalogue import load_profile, profile_ids  # noqa: E402
from skinning_addon.core.profiles.profile import Group  # noqa: E402
from tests.engines.engine_check import SHARE_OF_DIAGONAL  # noqa: E402
from tests.engines.engine_table import ENGINES, OPEN_USD  # noqa: E402
from tests.engines.random_exports import SECTION  # noqa: E402
from tests.engines.truth_cells import (  # noqa: E402
    EVERY_RIG,
    REIMPORT,
    SETTINGS,
    UFBX,
    USD,
    Cell,
    Settings,
    measure,
    read_cells,
    write_cells,
)
from tests.engines.ufbx_judge import Ufbx, build_ufbx  # noqa: E402

PAGE = CHECKOUT / "docs" / "truth.md"
MEASURED = CHECKOUT / "docs" / "truth.json"

TOP = """# What engines really do

`docs/write_truth.py` writes this page from what it measured by running the engines (`truth.json`); don't edit
it by hand. Blender {blender} exports each rig's first clip, each engine loads the file and plays it, and every
vertex is compared at up to three frames, by its number. Each cell is the largest distance of the engine's
vertices **from Blender** / **from the prediction** of the engine's profile, as a share of the diagonal of the
mesh. Where the second exceeds {limit:g} (2e-5 for Godot, which keeps 16 bits of a weight), the finding that
says why stands beside it.

- glTF has a key on every frame. Scenes are played at 60 frames a second for raylib, Godot and Panda3D, whose
  loaders sample at that rate here; what they do to scenes of other rates is under *lies beyond*, at the end.
- Panda3D's loader never plays the first key, so the frames after it are compared. It is left out where files
  have more than one set of influences, which its profile does not model.
- FBX is judged by `ufbx` and by Blender's own importer (`blender`); the prediction is that of the file, with
  all influences, which the profiles of Unity, Unreal and O3DE go on from. The importer is asked where every
  frame has its key.
- USD is judged by OpenUSD's own skinning.
- `random 1` to `random 9` are rigs that use what no file can hold; they move by up to several times their own
  size, and the limit counts in that.
"""

NOT_MODELED = {
    (
        "FBX, every key (Simplify 0)",
        "random 2",
        "blender",
    ): "the armature and the mesh are turned and scaled unevenly, and Blender's importer doesn't put the "
    "objects back where they were: vertices that no bone moves are off too",
    (
        "glTF, all influences, deformation bones only, flattened",
        "KayKit_Knight.glb",
        "raylib",
    ): "raylib's `QuaternionSlerp` takes two keys for one where the cosine between them rounds to 1, less than "
    "0.04 degrees apart, and holds the first. At the last key of this clip the left leg turns by 0.03 degrees, "
    "which moves its toes by 3.2e-5. `test_raylib.py` shows it on two keys",
}
"""What no finding names, and why it is."""


def cell_text(cell: Cell, notes: list[str]) -> str:
    """Return a cell as the table shows it; what no finding names goes to the notes."""
    text = f"{cell.from_blender:.1e} / {cell.from_prediction:.1e}"
    if cell.agrees:
        return text
    if cell.rules:
        return f"**{text}** " + ", ".join(f"`{rule}`" for rule in cell.rules)
    notes.append(f"{cell.rig}, {cell.judge}: {NOT_MODELED.get(cell.key, 'not explained yet')}.")
    return f"**{text}** (note {len(notes)})"


def table(settings: Settings, cells: Mapping[tuple[str, str, str], Cell]) -> list[str]:
    """Return the lines of one exporter's table."""
    judges = [one for one in settings.judges if any((settings.told, rig, one) in cells for rig in EVERY_RIG)]
    lines = ["", f"## {settings.told}", "", "| rig | " + " | ".join(judges) + " |"]
    lines.append("|---|" + "---|" * len(judges))
    notes: list[str] = []
    for rig in settings.rigs:
        row = [cells.get((settings.told, rig, judge)) for judge in judges]
        shown = ["did not run" if one is None else cell_text(one, notes) for one in row]
        lines.append(f"| {rig} | " + " | ".join(shown) + " |")
    missing = [one for one in settings.judges if one not in judges]
    lines += ["", *(f"`{one}` did not run." for one in missing)] if missing else []
    return lines + (["", *(f"{number}. {note}" for number, note in enumerate(notes, 1))] if notes else [])


def versions(cells: Mapping[tuple[str, str, str], Cell]) -> list[str]:
    """Return the sentence of which program was which version."""
    found = {(one.judge, one.version) for one in cells.values()}
    return ["", "Versions: " + ", ".join(f"{name} {version}" for name, version in sorted(found)) + "."]


def standings() -> list[str]:
    """Return the table of what was verified of each profile."""
    lines = ["", "## What is verified, stage by stage", ""]
    lines.append("| profile | file | import | playback | skinning | lies beyond |")
    lines.append("|---|---|---|---|---|---|")
    for name in profile_ids():
        profile = load_profile(name)
        if profile.group is not Group.ENGINE:
            continue
        cells = [
            "assumed" if one is None else f"{one.by} {one.version}, {one.rigs} rigs, {one.figure:.1e}"
            for one in profile.verified.stages.values()
        ]
        lines.append(f"| `{name}` | " + " | ".join([*cells, "; ".join(profile.verified.beyond)]) + " |")
    return lines


def page(cells: Mapping[tuple[str, str, str], Cell], blender: str) -> str:
    """Return the whole page. blender: its version."""
    lines = [TOP.format(blender=blender, limit=SHARE_OF_DIAGONAL).rstrip()]
    for settings in SETTINGS:
        lines += table(settings, cells)
    return "\n".join([*lines, *versions(cells), *standings()]) + "\n"


def installed(judges: Sequence[str], folder: Path) -> tuple[list[str], Ufbx | None]:
    """Return those of the judges that run here, and ufbx if it does."""
    running: list[str] = []
    ufbx: Ufbx | None = None
    for judge in judges:
        try:
            if judge == UFBX:
                ufbx = build_ufbx(folder)
            elif judge != REIMPORT:
                (OPEN_USD if judge == USD else ENGINES[judge]).install()
        except (pytest.skip.Exception, pytest.fail.Exception) as error:
            print(f"{judge} does not run here: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        running.append(judge)
    return running, ufbx


def measure_all(folder: Path, judges: Sequence[str], rigs: Sequence[str], *, missing: bool) -> None:
    """Measure cells, and keep each at once."""
    with tempfile.TemporaryDirectory() as built:
        running, ufbx = installed(judges, Path(built))
        for rig in rigs:
            for settings in (one for one in SETTINGS if rig in one.rigs):
                for judge in (one for one in settings.judges if one in running):
                    cells = read_cells(MEASURED)
                    if missing and (settings.told, rig, judge) in cells:
                        continue
                    cell = measure(folder, settings, rig, judge, ufbx)
                    print(cell, file=sys.stderr, flush=True)
                    write_cells(MEASURED, {**read_cells(MEASURED), cell.key: cell})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--judges", default=",".join(dict.fromkeys(j for s in SETTINGS for j in s.judges)))
    parser.add_argument("--rigs", default=",".join(EVERY_RIG))
    parser.add_argument("--missing", action="store_true")
    arguments = parser.parse_args()
    if arguments.folder is not None:
        judges, rigs = arguments.judges.split(","), arguments.rigs.split(",")
        measure_all(arguments.folder, judges, rigs, missing=arguments.missing)
    # Random characters are measured by a command of their own, which takes long.
    random = PAGE.read_text(encoding="utf-8").partition(f"\n{SECTION}") if PAGE.exists() else ("", "", "")
    text = page(read_cells(MEASURED), bpy.app.version_string)
    PAGE.write_text(text + "".join(random[1:]), encoding="utf-8")


if __name__ == "__main__":
    main()
