"""Writes docs/techniques.md and its picture: the same character by every technique, and what each takes.

    .venv/bin/python docs/write_techniques.py FOLDER

FOLDER: rigged characters; those in RIGS are in the table, and PICTURED is in the picture. Needs Blender's
Python module with a GPU, in software will do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from skinning_addon.core.groups.partition import Partition, partition_palette  # noqa: E402
from skinning_addon.core.profiles.binding import Binding  # noqa: E402
from skinning_addon.core.profiles.catalogue import load_profile  # noqa: E402
from skinning_addon.core.skinning.mesh import DrawMesh  # noqa: E402
from skinning_addon.drawing.chain_cache import ChainCache  # noqa: E402
from skinning_addon.drawing.device import start_gpu  # noqa: E402
from skinning_addon.drawing.display_settings import DisplaySettings  # noqa: E402
from skinning_addon.drawing.displays import DRAW_GROUPS  # noqa: E402
from skinning_addon.drawing.draw_call import DrawCallSize  # noqa: E402
from skinning_addon.drawing.labels import Labels  # noqa: E402
from skinning_addon.drawing.off_screen import Picture  # noqa: E402
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing  # noqa: E402
from skinning_addon.drawing.techniques import TechniqueChoice  # noqa: E402
from skinning_addon.measurement.pictures.camera import three_quarter_camera  # noqa: E402
from skinning_addon.measurement.pictures.picture import averaged  # noqa: E402
from skinning_addon.measurement.pictures.png_file import png_content  # noqa: E402
from skinning_addon.scene.binding.binding_reader import read_binding  # noqa: E402
from skinning_addon.scene.binding.frame import Frame  # noqa: E402
from skinning_addon.scene.binding.frame_reader import FrameReader  # noqa: E402
from skinning_addon.scene.files import open_file  # noqa: E402
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents  # noqa: E402
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes, make_evaluable  # noqa: E402

PAGE = CHECKOUT / "docs" / "techniques.md"
IMAGE = CHECKOUT / "docs" / "images" / "techniques.png"

PICTURED, FRAME = "mpfb_rigify_plain.blend", 14
RIGS = (
    "Fox.glb",
    "KayKit_Knight.glb",
    "mannequiny.glb",
    "m2m_bird.blend",
    "raylib_robot.blend",
    "mpfb_game_engine_53k.blend",
    "mpfb_rigify_plain.blend",
)
LIMITS = (26, 35, 60, 256)

SIZE = 300, 360
SAMPLES = 2
LABEL_HEIGHT = 92
BACKGROUND = (0.2, 0.2, 0.2, 1.0)


@dataclass(frozen=True)
class Column:
    """One way to draw. label: in the picture. row: what it is called in the table, and where it comes from."""

    label: str
    row: str
    choice: TechniqueChoice


COLUMNS = (
    Column(
        "Four matrices",
        "Four matrices, no indices | SkinnedMesh, *non-indexed*",
        TechniqueChoice("four-matrices"),
    ),
    Column(
        "Palettes of 12",
        "Palettes of 12 | SkinnedMesh, *indexed*",
        TechniqueChoice("partitioned", 12),
    ),
    Column(
        "Software",
        "Software | SkinnedMesh, *software*",
        TechniqueChoice("software"),
    ),
    Column(
        "Palettes of 26",
        "Palettes of 26 | SkinnedMesh, *assembly* and *HLSL*; MultiAnimation under vs_1_1",
        TechniqueChoice("partitioned", 26),
    ),
    Column(
        "Palettes of 35",
        "Palettes of 35 | MultiAnimation under vs_2_0",
        TechniqueChoice("partitioned", 35),
    ),
    Column(
        "Uniform buffer",
        "Uniform buffer | what engines do today",
        TechniqueChoice("uniform-buffer"),
    ),
)


@dataclass(frozen=True, eq=False)
class Posed:
    """A mesh at a frame, bound as a profile has it."""

    binding: Binding
    frame: Frame
    drawn: DrawMesh


def posed_meshes(rig: Path, frame: int, profile_id: str) -> Iterator[Posed]:
    """Open a rig and bind all of its meshes at a frame."""
    open_file(rig)
    scene, layer = bpy.context.scene, bpy.context.view_layer
    profile = load_profile(profile_id)
    scene.frame_set(frame)
    for one in deformed_meshes(scene):
        make_evaluable(one, scene, layer)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        contents = read_mesh_contents(one, for_drawing=True)
        binding = read_binding(one, depsgraph, contents, profile)
        if contents.drawn is None:
            raise ValueError(f"{one.name} was read without what is drawn")
        yield Posed(binding, FrameReader(binding).read(one, depsgraph), contents.drawn)


def drawing_of(posed: Posed, choice: TechniqueChoice) -> SkinnedDrawing:
    """Draw a mesh by a technique."""
    chain, mesh = posed.frame.chain, posed.binding.mesh
    draw_calls = choice.technique.draw_calls(ChainCache(chain), mesh, posed.drawn, choice.limit)
    drawing = SkinnedDrawing(chain, mesh, posed.drawn, draw_calls=draw_calls)
    drawing.update(posed.frame.palettes)
    return drawing


def cell(drawing: SkinnedDrawing, posed: Posed, display: str, words: str) -> NDArray[np.uint8]:
    """Draw a mesh above a few words."""
    skinner = TechniqueChoice("software").technique.probe(
        ChainCache(posed.frame.chain), posed.binding.mesh, 0
    )
    positions = skinner.skin(posed.frame.palettes).positions
    to_world = posed.frame.mesh_to_world
    points = positions @ to_world[:3, :3] + to_world[3, :3]
    width, height = SIZE[0] * SAMPLES, (SIZE[1] + bool(words) * LABEL_HEIGHT) * SAMPLES
    picture = Picture(width, height)
    picture.fill(BACKGROUND)
    camera = three_quarter_camera(points, SIZE)
    view_to_clip = camera.view_to_clip.copy()
    # The words' part of the picture is below that which the camera frames.
    share = SIZE[1] * SAMPLES / height
    squeeze = np.eye(4)
    squeeze[1, 1], squeeze[3, 1] = share, 1 - share
    settings = DisplaySettings(base_color=(0.55, 0.6, 0.65))
    with picture.drawing():
        drawing.draw(display, camera.world_to_view, view_to_clip @ squeeze, to_world, settings)
        if words:
            labels = Labels()
            labels.draw(words, (8, LABEL_HEIGHT * SAMPLES), (width, height), size=13.5 * SAMPLES)
    pixels = averaged(picture.pixels(), SAMPLES)
    picture.free()
    return pixels


def sums(sizes: Sequence[DrawCallSize]) -> tuple[int, int, int]:
    """Return draw calls, stored vertices and bytes that a frame sends."""
    return (
        sum(1 for size in sizes if size.triangles),
        sum(size.vertices for size in sizes),
        sum(size.palette_bytes + size.vertex_bytes for size in sizes),
    )


def write_picture(rig: Path) -> tuple[list[str], Posed]:
    """Write the picture; return the rows of its table, and what it shows."""
    (posed,) = posed_meshes(rig, FRAME, "d3d9-26")
    rows, columns = [], []
    for column in COLUMNS:
        drawing = drawing_of(posed, column.choice)
        calls, vertices, moved = sums(drawing.sizes)
        processor = sum(size.triangles for size in drawing.sizes if size.on_cpu)
        rows.append(f"| {column.row} | {calls:,} | {vertices:,} | {moved:,} | {processor:,} |")
        words = (
            f"{column.label}\n{calls:,} draw call{'s' * (calls != 1)}\n{vertices:,} vertices\n{moved:,} bytes"
        )
        shaded = cell(drawing, posed, "shaded", "")
        columns.append(np.concatenate((shaded, cell(drawing, posed, DRAW_GROUPS, words))))
        drawing.free()
    IMAGE.write_bytes(png_content(np.concatenate(columns, axis=1)))
    return rows, posed


def partitions(rig: Path) -> tuple[Binding, list[Partition]]:
    """Cut up the mesh of a rig that has the most joints."""
    meshes = [one.binding for one in posed_meshes(rig, 1, "blender")]
    binding = max(meshes, key=lambda one: one.joint_count)
    skin, mesh = binding.passes[0].skin, binding.mesh
    return binding, [partition_palette(skin, mesh.triangles, limit, mesh.material) for limit in LIMITS]


def partition_rows(folder: Path) -> Iterator[str]:
    """Write a row for each rig."""
    for name in RIGS:
        binding, found = partitions(folder / name)
        cells = []
        for one in found:
            more = one.vertices_after / one.vertices_before - 1
            cells.append(f"{len(one.groups)} / {one.lower_bound}, +{100 * more:.1f}%")
        joints, vertices = binding.joint_count, binding.mesh.vertex_count
        yield f"| {name} | {joints} | {vertices:,} | " + " | ".join(cells) + " |"


TEXT = """# Techniques

Written by `docs/write_techniques.py`; not by hand.

The best way to draw a skinned mesh depends on how much data the GPU has room for, and that has changed over the
years. Skinscope has the old techniques beside the new one: as a setting of the preview, as
`render --technique`, and in the probe, which reads every vertex back. They all show the same picture, and their
vertices agree within 1e-6 of size and movement (`tests/measurement/test_techniques_on_rigs.py`).

![One character by six techniques, shaded and with a color for each draw call](images/techniques.png)

A human of {vertices:,} vertices, {triangles:,} triangles and {joints} joints (`{rig}`), four influences a
vertex. Above it is shaded; below, each draw call has a color, and faces that the CPU skins because no palette
holds them are magenta.

| technique | from | draw calls | stored vertices | bytes a frame | triangles on the CPU |
|---|---|---|---|---|---|
{rows}

- The samples are those of the DirectX SDK (June 2010). SkinnedMesh has five methods. Its assembly and HLSL
  shaders do the same with the same palette and differ only in language; Blender takes only GLSL, so they are
  one technique here.
- *Stored vertices* are split wherever normals or texture coordinates differ, with any technique. Vertices on
  borders of groups are stored once for each group.
- *Bytes a frame*: palettes of three rows of four floats a joint, including entry 0 ("no bone") of each group,
  plus a position and two normals for each vertex that the CPU skins. Influences, indices and the rest are
  sent once.
- *Four matrices*: a face whose three corners together need more than four joints is in no group. The CPU
  skins these faces, as the sample does, into one buffer that is drawn material by material. In the viewport
  the panel counts them, and `check` reports them as `face-exceeds-palette`.

## How well meshes are cut up

Cutting a mesh into the fewest groups is a set cover problem. `core/groups/partition.py` tries several greedy
methods and takes the result with the fewest groups, then the fewest duplicated vertices. It does so within
each material, as D3DX makes bone combinations within each attribute group: a draw call has one material.

*Groups / least*: the second number is a lower bound, ceil(joints / limit) added up over the materials, which
usually can't be reached. The percentage is what borders add to the vertices, including borders between
materials (mannequiny has three materials, the robot's part two). All influences count, as in Blender. Of
characters in several pieces, the table lists the one with the most joints.

| rig | joints | vertices | 26 | 35 | 60 | 256 |
|---|---|---|---|---|---|---|
{partitions}

Some meshes can't be cut up: those with chains of several armatures, masks, Preserve Volume, or weights that
follow the pose. No engine of the time had those. Previews of such meshes are drawn as with *Automatic*, and
the panel says why; *Software* takes every mesh.
"""


def main() -> None:
    folder = Path(sys.argv[1])
    start_gpu()
    rows, posed = write_picture(folder / PICTURED)
    mesh = posed.binding.mesh
    PAGE.write_text(
        TEXT.format(
            vertices=mesh.vertex_count,
            triangles=len(mesh.triangles),
            joints=posed.binding.joint_count,
            rig=PICTURED,
            rows="\n".join(rows),
            partitions="\n".join(partition_rows(folder)),
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
