"""Writes the table of docs/bone-textures.md: how far a texture's vertices are from Blender's, read by three.js.

SKINSCOPE_RIGS=... .venv/bin/python docs/write_bone_textures.py
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from docs.marked_tables import write_table  # noqa: E402
from skinning_addon.animation.crowd.strides import STANDARD_HEIGHT  # noqa: E402
from skinning_addon.animation.pixel_format import PixelFormat  # noqa: E402
from skinning_addon.command_line.main import run  # noqa: E402
from tests.engines.engine_table import ENGINES  # noqa: E402
from tests.engines.skinned_gltf import SkinnedGltf  # noqa: E402
from tests.engines.test_bone_texture import worst  # noqa: E402

RIGS = ("Fox.glb", "CesiumMan.glb", "mannequiny.glb")
"""The last one's jumps scale a thigh, which unorm16 does not hold."""

REFUSED = 2
"""The exit status; the sentence is on standard error."""

HEADING = "| | samples | measured | announced |"


def rows(file: Path, pixel_format: str, folder: Path) -> list[str]:
    """Return a row for all clips of a file together: the worst of them."""
    status = run(
        ["bone-texture", str(file), "--output", str(folder), "--format", pixel_format], io.StringIO()
    )
    if status == REFUSED:
        return [f"| {file.name}, {pixel_format} | | refused | |"]
    manifest = json.loads((folder / "bone-texture.json").read_text(encoding="utf-8"))
    found = worst(file, folder, manifest)
    places, _ = SkinnedGltf.read(folder / manifest["mesh"]).positions(None, 0.0)
    millimetres = 1000 * STANDARD_HEIGHT / float(np.ptp(places[:, 1]))
    samples = sum(one["samples"] for one in manifest["clips"])
    measured = max(off for off, _ in found.values()) * millimetres
    announced = max(one["deviation"] for one in manifest["clips"]) * millimetres
    clips = len(manifest["clips"])
    name = f"{file.name}, {clips} clip{'s' * (clips > 1)}, {pixel_format}"
    return [f"| {name} | {samples} | {measured:.3f} | {announced:.2f} |"]


def main() -> None:
    ENGINES["threejs"].install()
    rigs = Path(os.environ["SKINSCOPE_RIGS"])
    lines = [HEADING, "|---|---|---|---|"]
    for name in RIGS:
        for one in PixelFormat:
            with tempfile.TemporaryDirectory() as folder:
                lines += rows(rigs / name, one.value, Path(folder) / "out")
    write_table("bone-textures.md", "deviations of bone textures", Path(__file__).name, lines)


if __name__ == "__main__":
    main()
