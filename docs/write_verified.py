"""Write what is verified of each profile, stage by stage, into the profiles: what docs/write_truth.py measured.

    .venv/bin/python docs/write_verified.py

A stage counts the rigs of which some cell agrees with the prediction, and has the largest distance in those.
Where a finding says why an engine is elsewhere, the cell counts for nothing. What no judge compares stays
assumed.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402, F401

from skinning_addon.core.profiles.catalogue import SHIPPED  # noqa: E402
from skinning_addon.core.profiles.verification import Evidence  # noqa: E402
from tests.engines.truth_cells import SETTINGS, UFBX, USD, Cell, read_cells  # noqa: E402

MEASURED = CHECKOUT / "docs" / "truth.json"

FULL = ("file", "import", "playback", "skinning")
SAMPLED = ("import", "skinning")
"""What an engine judges if its loader samples animation: what plays is right in scenes of its rate alone."""

GLTF = tuple(one.told for one in SETTINGS if one.told.startswith("glTF"))
TWO_SETS = GLTF[1:2]
FBX = tuple(one.told for one in SETTINGS if one.told.startswith("FBX"))
OF_USD = tuple(one.told for one in SETTINGS if one.told.startswith("USD"))

BY_GLTF = (("threejs", "vtk"), GLTF)
"""Judges of what is in a glTF file: two that share no code."""

NAMES = {
    "threejs": "three.js",
    "babylonjs": "Babylon.js",
    "playcanvas": "PlayCanvas",
    "raylib": "raylib",
    "godot4": "Godot",
    "panda3d": "Panda3D",
    "vtk": "VTK",
    USD: "OpenUSD",
    UFBX: "ufbx",
}

Judged = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""By stage: the judges, and the settings of the exporter that they judge it with."""


def _alone(judge: str, stages: Iterable[str], settings: tuple[str, ...] = GLTF) -> Judged:
    return dict.fromkeys(stages, ((judge,), settings))


JUDGES: Mapping[str, Judged] = {
    **{name: _alone(name, FULL) for name in ("threejs", "babylonjs", "playcanvas", "vtk")},
    **{name: {"file": BY_GLTF, **_alone(name, SAMPLED)} for name in ("raylib", "godot4", "panda3d")},
    "godot4-8": {"file": BY_GLTF, **_alone("godot4", SAMPLED, TWO_SETS)},
    **{name: {"file": BY_GLTF} for name in ("filament", "bevy", "ozz")},
    **{
        name: _alone(UFBX, ("file",), FBX)
        for name in (
            "unity-1", "unity-2", "unity-4", "unity-unlimited",
            "unreal", "unreal-16bit", "unreal-mobile", "o3de",
        )
    },
    "usd": _alone(USD, FULL, OF_USD),
}  # fmt: skip
"""By profile."""


def evidence(cells: Iterable[Cell], judges: tuple[str, ...], settings: tuple[str, ...]) -> Evidence | None:
    """Return what the judges found, None if nothing agrees."""
    right = [one for one in cells if one.judge in judges and one.settings in settings and one.agrees]
    if not right:
        return None
    newest = {judge: next(one.version for one in right if one.judge == judge) for judge in judges}
    figure = max(one.from_prediction for one in right)
    step = 10.0 ** (math.floor(math.log10(figure)) - 1)
    return Evidence(
        " and ".join(NAMES[one] for one in judges),
        " and ".join(newest.values()),
        len({one.rig for one in right}),
        float(f"{math.ceil(figure / step) * step:.1e}"),
    )


def verified(cells: Iterable[Cell], profile: str) -> dict[str, Evidence]:
    """Return a profile's evidence by stage."""
    measured = list(cells)
    found = {stage: evidence(measured, *asked) for stage, asked in JUDGES.get(profile, {}).items()}
    return {stage: one for stage, one in found.items() if one is not None}


def written(text: str, stages: Mapping[str, Evidence]) -> str:
    """Return a profile's file with these tables in place of those it has."""
    kept = re.sub(r"\n\[verified\.\w+\]\n(?:[^\[\n][^\n]*\n)+", "", text).rstrip("\n") + "\n"
    tables = [
        f'\n[verified.{stage}]\nby = "{one.by}"\nversion = "{one.version}"\n'
        f"rigs = {one.rigs}\nfigure = {one.figure:g}\n"
        for stage, one in stages.items()
    ]
    return kept + "".join(tables)


def main() -> None:
    cells = read_cells(MEASURED).values()
    for name in JUDGES:
        path = SHIPPED / f"{name}.toml"
        path.write_text(written(path.read_text(encoding="utf-8"), verified(cells, name)), encoding="utf-8")


if __name__ == "__main__":
    main()
