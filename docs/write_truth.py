"""Write docs/truth.md: what engines make of Blender's exports, next to what we predict.

    .venv/bin/python docs/write_truth.py FOLDER [--engines threejs,vtk] [--rigs Fox.glb,...]

FOLDER: of the rigged characters (SKINSCOPE_RIGS). Engines that aren't installed are installed beside the tests;
one that can't run here is listed as not run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

from skinning_addon.core.profiles.catalogue import load_profile, profile_ids  # noqa: E402
from skinning_addon.core.profiles.hierarchy import HierarchyRule  # noqa: E402
from skinning_addon.core.profiles.profile import Group, Profile  # noqa: E402
from skinning_addon.core.text.errors import SkinscopeError  # noqa: E402
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL, rules_of_scene  # noqa: E402
from tests.engines.engine_table import ENGINES  # noqa: E402
from tests.engines.exported_rig import (  # noqa: E402
    export_animated,
    from_y_up,
    number_vertices,
    predict,
    seconds,
    start_clip,
)
from tests.engines.random_exports import SECTION  # noqa: E402
from tests.scene.opened_rigs import open_rig  # noqa: E402

LOADERS_RATES = {"raylib": 60, "godot4": 60}
"""Frames a second at which a loader samples; the scene is played at that rate, so that no key is missed."""

LIMITS = {"godot4": 2e-5}
"""Where an engine computes less precisely: Godot keeps 16 bits of a weight, which may be cut off either way."""

PAGE = CHECKOUT / "docs" / "truth.md"

TOP = """# What engines really do

`docs/write_truth.py` writes this page by running the engines; don't edit it by hand. Blender {blender}
exports each rig's first clip as glTF with a key on every frame, each engine loads the file and plays it, and
every vertex is compared at up to three frames, by its number. Each cell is the largest distance of the engine's
vertices **from Blender** / **from the prediction** of the engine's profile, as a share of the diagonal of the
mesh. Where the second exceeds {limit:g} (2e-5 for Godot, which keeps 16 bits of a weight), the finding
that says why stands beside it.
"""


@dataclass(frozen=True)
class Settings:
    """told: for the heading. options: of the exporter. all_influences, flattened: what they change of a
    profile.
    """

    told: str
    options: Mapping[str, object]
    all_influences: bool = False
    flattened: bool = False

    def of(self, profile: Profile) -> Profile:
        """Return the profile as predicted for a file exported so."""
        if self.all_influences:
            exporter = replace(profile.exporter, influences=None, deform_bones_only=self.flattened)
            profile = replace(profile, exporter=exporter)
        return replace(profile, hierarchy=HierarchyRule.FLATTENED) if self.flattened else profile


SETTINGS = (
    Settings("glTF, default options", {}),
    Settings("glTF, all influences", {"export_all_influences": True}, all_influences=True),
    Settings(
        "glTF, all influences, deformation bones only, flattened",
        {
            "export_all_influences": True,
            "export_def_bones": True,
            "export_hierarchy_flatten_bones": True,
        },
        all_influences=True,
        flattened=True,
    ),
)


def cell(rig: Path, engine: str, settings: Settings) -> str:
    """Return what one engine makes of one rig."""
    open_rig(rig)
    if engine in LOADERS_RATES:
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = LOADERS_RATES[engine], 1.0
    profile = settings.of(load_profile(engine))
    meshes, playback, frames = start_clip()
    named = sorted(rules_of_scene(engine))
    expected = predict(meshes, playback, frames, profile, "cpu")
    number_vertices(meshes)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rig.glb"
        export_animated(file, meshes, frames, **settings.options)
        positions, sources = ENGINES[engine].capture(file, [seconds(one) for one in frames], Path(folder))
    captured = from_y_up(positions)
    from_prediction = expected.deviations(captured, sources).max()
    offsets = np.linalg.norm(captured - expected.blender[:, sources], axis=2)
    text = f"{offsets.max() / expected.diagonal:.1e} / {from_prediction:.1e}"
    if from_prediction <= LIMITS.get(engine, SHARE_OF_DIAGONAL):
        return text
    return f"**{text}** " + (", ".join(f"`{rule}`" for rule in named) or "not explained yet")


def table(folder: Path, engines: Sequence[str], rigs: Sequence[str], settings: Settings) -> list[str]:
    """Return the lines of one exporter's table."""
    lines = ["", f"## {settings.told}", "", "| rig | " + " | ".join(engines) + " |"]
    lines.append("|---|" + "---|" * len(engines))
    for rig in rigs:
        cells = []
        for engine in engines:
            cells.append(cell(folder / rig, engine, settings))
            print(f"{settings.told}: {rig}, {engine}: {cells[-1]}", file=sys.stderr, flush=True)
        lines.append(f"| {rig} | " + " | ".join(cells) + " |")
    return lines


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
            "assumed" if one is None else f"{one.by} {one.version}, {one.rigs} rigs, {one.figure:.0e}"
            for one in profile.verified.stages.values()
        ]
        lines.append(f"| `{name}` | " + " | ".join([*cells, "; ".join(profile.verified.beyond)]) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--rigs", default=",".join(RIGS))
    arguments = parser.parse_args()
    engines, missing = [], []
    for engine in arguments.engines.split(","):
        try:
            ENGINES[engine].install()
            load_profile(engine)
            engines.append(engine)
        except (pytest.skip.Exception, pytest.fail.Exception, SkinscopeError) as error:
            missing.append(f"`{engine}` did not run here: {str(error).splitlines()[0]}")
    lines = [TOP.format(blender=bpy.app.version_string, limit=SHARE_OF_DIAGONAL)]
    lines += [f"The scene plays {rate} frames a second for `{engine}`, the rate at which its loader samples."
              for engine, rate in LOADERS_RATES.items() if engine in engines]  # fmt: skip
    lines += ["", *missing] if missing else []
    for settings in SETTINGS:
        lines += table(arguments.folder, engines, arguments.rigs.split(","), settings)
    lines += standings()
    # Random characters are measured by a command of their own, which takes long.
    random = PAGE.read_text(encoding="utf-8").partition(f"\n{SECTION}") if PAGE.exists() else ("", "", "")
    PAGE.write_text("\n".join(lines) + "\n" + "".join(random[1:]), encoding="utf-8")


if __name__ == "__main__":
    main()
