"""Writes the tables and the curves of `refit --bones` in docs/refit.md: the error against the number of bones.

    .venv/bin/python docs/write_refit_curves.py [--normals]

`--normals` writes the table of normals alone, with four influences, which takes a third of the time.

The scenes are those of the tests, larger. Each is saved, the command finds bones for it, and Blender's
evaluated mesh of the copy is compared with that of the scene at every frame: no code of ours is between them.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from docs.marked_tables import write_table  # noqa: E402
from skinning_addon.command_line.main import run  # noqa: E402
from skinning_addon.scene.files import open_file  # noqa: E402
from skinning_addon.scene.object_data import mesh_of  # noqa: E402
from tests.measurement.refit.moving_scenes import cloth, face, limb  # noqa: E402
from tests.scene.refit.evaluated import rest_positions, world_positions  # noqa: E402

PICTURE = CHECKOUT / "docs" / "images" / "refit-curves.svg"

BONES = (5, 10, 20, 40, 80)

PROFILES = {2: "unity-2", 4: "threejs", 8: "godot4-8"}
"""Engines by the influences that they take."""

OF_NORMALS = 4
"""The influences that normals are told for."""

SCENES: dict[str, Callable[[], bpy.types.Object]] = {
    "cloth": lambda: cloth(45, 60),
    "limb in a lattice": lambda: limb(60),
    "face of 8 shape keys": face,
}


@dataclass(frozen=True, eq=False)
class Scene:
    """A saved scene as Blender shows it. positions: (F, V, 3) of its one mesh, in the world, from the first
    frame to the last. smooth: (F, V, 3) unit normals of vertices, flat: (F, P, 3) of faces, likewise. size: the
    diagonal at rest.
    """

    name: str
    file: Path
    positions: NDArray[np.float64]
    smooth: NDArray[np.float64]
    flat: NDArray[np.float64]
    size: float


@dataclass(frozen=True)
class Error:
    """What bones leave, as parts of the mesh's diagonal. nearly_all: what 99.9% of vertices and frames are
    within. smooth, flat: what 99.9% of normals of vertices and of faces are turned by at most, in degrees.
    """

    root_mean_square: float
    nearly_all: float
    largest: float
    smooth: float
    flat: float


NEARLY_ALL = 0.999

Errors = dict[tuple[int, int], Error]
"""By influences and bones."""


def saved(name: str, build: Callable[[], bpy.types.Object], folder: Path) -> Scene:
    """Build a scene, save it, and see what Blender shows of the file."""
    build()
    file = folder / f"{name}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    open_file(file)
    (mesh,) = (one for one in bpy.context.scene.objects if one.type == "MESH")
    size = float(np.linalg.norm(np.ptp(rest_positions(mesh), axis=0)))
    return Scene(name, file, *_shown(mesh), size)


def error_of(scene: Scene, bones: int, influences: int) -> Error:
    """Find bones by the command, and compare the copy with the scene, both as Blender shows them."""
    output = scene.file.with_name("bones.blend")
    words = ["refit", scene.file, "--bones", bones, "--profile", PROFILES[influences], "--output", output]
    said = io.StringIO()
    if run([str(one) for one in words], said):
        raise SystemExit(f"refit failed for the {scene.name} with {bones} bones:\n{said.getvalue()}")
    open_file(output)
    (copy,) = (one for one in bpy.context.scene.objects if one.type == "MESH" and one.find_armature())
    positions, smooth, flat = _shown(copy)
    off = np.linalg.norm(positions - scene.positions, axis=2) / scene.size
    return Error(
        float(np.sqrt(np.square(off).mean())),
        float(np.quantile(off, NEARLY_ALL)),
        float(off.max()),
        _turned(smooth, scene.smooth),
        _turned(flat, scene.flat),
    )


def _shown(mesh: bpy.types.Object) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return positions (F, V, 3) and unit normals of vertices (F, V, 3) and faces (F, P, 3), in the world."""
    scene = bpy.context.scene
    found: list[list[NDArray[np.float64]]] = [[], [], []]
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        data = mesh_of(evaluated)
        turn = np.linalg.inv(np.array(evaluated.matrix_world, dtype=np.float64)[:3, :3])
        found[0].append(world_positions(mesh))
        for told, normals in zip(found[1:], (data.vertex_normals, data.polygon_normals), strict=True):
            read = np.empty(3 * len(normals), dtype=np.float32)
            normals.foreach_get("vector", read)
            turned = read.reshape(-1, 3).astype(np.float64) @ turn
            told.append(turned / np.linalg.norm(turned, axis=1, keepdims=True))
    positions, smooth, flat = (np.array(one) for one in found)
    return positions, smooth, flat


def _turned(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return what 99.9% of unit vectors are turned by at most, in degrees."""
    angles = np.arctan2(np.linalg.norm(np.cross(one, other), axis=-1), (one * other).sum(axis=-1))
    return float(np.degrees(np.quantile(angles, NEARLY_ALL)))


def table(found: dict[str, tuple[Scene, Errors]], bones: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| mesh | influences | " + " | ".join(f"{one} bones" for one in bones) + " |"
    yield "|---|---|" + "---|" * len(bones)
    for name, (scene, errors) in found.items():
        frames, vertices = scene.positions.shape[:2]
        for influences in sorted({one for one, _ in errors}):
            cells = (errors[influences, one] for one in bones)
            told = (
                f"{1000 * one.root_mean_square:.2f} / {1000 * one.nearly_all:.1f} / {1000 * one.largest:.1f}"
                for one in cells
            )
            yield f"| {name}, {vertices:,} vertices, {frames} frames | {influences} | {' | '.join(told)} |"


def table_of_normals(found: dict[str, tuple[Scene, Errors]], bones: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the table of normals."""
    yield "| mesh | " + " | ".join(f"{one} bones" for one in bones) + " |"
    yield "|---|" + "---|" * len(bones)
    for name, (_, errors) in found.items():
        cells = (errors[OF_NORMALS, one] for one in bones)
        yield f"| {name} | " + " | ".join(f"{one.smooth:.2f} / {one.flat:.2f}" for one in cells) + " |"


WIDTH, HEIGHT, GAP = 240, 240, 60
"""Pixels of a diagram, and around it."""

COLOURS = {2: "#c2571a", 4: "#33658a", 8: "#4d7c2f"}


def drawing(found: dict[str, tuple[Scene, Errors]], bones: Sequence[int]) -> str:
    """Draw a diagram for each mesh, as SVG: what 99.9% are within, over the bones, both by powers."""
    every = [one.nearly_all for _, errors in found.values() for one in errors.values()]
    low, high = np.floor(np.log10(min(every))), np.ceil(np.log10(max(every)))
    width, height = GAP + len(found) * (WIDTH + GAP), HEIGHT + 2 * GAP
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="12" fill="#22313f">'
        ),
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (name, (_, errors)) in enumerate(found.items()):
        axes = _Axes(GAP + number * (WIDTH + GAP), bones, float(low), float(high))
        parts += [*axes.lines(name), *_curves(axes, errors)]
    return "\n".join([*parts, "</svg>\n"])


@dataclass(frozen=True)
class _Axes:
    """Of one diagram. left: pixels. low, high: powers of ten."""

    left: float
    bones: Sequence[int]
    low: float
    high: float

    def place(self, bones: int, error: float) -> tuple[float, float]:
        first, last = (np.log2(one) for one in (self.bones[0], self.bones[-1]))
        across = (np.log2(bones) - first) / max(last - first, 1e-9)
        up = (np.log10(error) - self.low) / (self.high - self.low)
        return float(self.left + across * WIDTH), float(GAP + (1 - up) * HEIGHT)

    def lines(self, name: str) -> Iterator[str]:
        """Yield the frame with its labels."""
        yield f'<text x="{self.left}" y="{GAP - 26}" font-weight="bold">{name}</text>'
        for power in range(int(self.low), int(self.high) + 1):
            x, y = self.place(self.bones[0], 10.0**power)
            yield f'<path d="M{x:g} {y:g}h{WIDTH}" stroke="#c5ced6"/>'
            yield f'<text x="{x - 6:g}" y="{y + 4:g}" text-anchor="end">{100 * 10.0**power:g}%</text>'
        for bones in self.bones:
            x, y = self.place(bones, 10.0**self.low)
            yield f'<path d="M{x:g} {y:g}v-{HEIGHT}" stroke="#e3e8ec"/>'
            yield f'<text x="{x:g}" y="{y + 18:g}" text-anchor="middle">{bones}</text>'
        yield f'<text x="{self.left + WIDTH / 2:g}" y="{GAP + HEIGHT + 38}" text-anchor="middle">bones</text>'


def _curves(axes: _Axes, errors: Errors) -> Iterator[str]:
    for number, influences in enumerate(sorted({one for one, _ in errors})):
        colour = COLOURS[influences]
        places = [axes.place(bones, errors[influences, bones].nearly_all) for bones in axes.bones]
        for (x0, y0), (x1, y1) in pairwise(places):
            yield f'<path d="M{x0:g} {y0:g}L{x1:g} {y1:g}" stroke="{colour}" stroke-width="2"/>'
        yield from (f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{colour}"/>' for x, y in places)
        left = axes.left + 84 * number
        yield f'<text x="{left:g}" y="{GAP - 8}" fill="{colour}">{influences} influences</text>'


def main() -> None:
    """Measure, and write the page's tables and the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--normals", action="store_true", help="write the table of normals alone")
    alone = parser.parse_args().normals
    found: dict[str, tuple[Scene, Errors]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, build in SCENES.items():
            scene, errors = saved(name, build, Path(folder)), Errors()
            for influences in (OF_NORMALS,) if alone else PROFILES:
                for bones in BONES:
                    errors[influences, bones] = error_of(scene, bones, influences)
                    print(name, influences, bones, errors[influences, bones], file=sys.stderr, flush=True)
            found[name] = scene, errors
    script = Path(__file__).name
    write_table("refit.md", "normals against bones", script, table_of_normals(found, BONES))
    if alone:
        return
    write_table("refit.md", "error against bones", script, table(found, BONES))
    PICTURE.write_text(drawing(found, BONES), encoding="utf-8")


if __name__ == "__main__":
    main()
