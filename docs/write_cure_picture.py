"""Writes the picture of the game-ready copy: a human as authored, as three.js plays its export, and its copy.

    .venv/bin/python docs/write_cure_picture.py RIGS

RIGS: a folder with mpfb_rigify_plain.blend (SKINSCOPE_RIGS), a human of MPFB (CC0) on a rig of Rigify. three.js
loads both files, on Node as in the tests of tests/engines, and the positions that it returns are drawn: none of
the vertices is a prediction of ours.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402 - it comes before what needs mathutils
import numpy as np  # noqa: E402
from mathutils.kdtree import KDTree  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from skinning_addon.command_line.main import run  # noqa: E402
from skinning_addon.command_line.program.blender_session import started_device  # noqa: E402
from skinning_addon.core.text.length import format_length  # noqa: E402
from skinning_addon.drawing.displays import find_display  # noqa: E402
from skinning_addon.drawing.native_output import captured_native_output  # noqa: E402
from skinning_addon.measurement.check.scan import SceneScan  # noqa: E402
from skinning_addon.measurement.pictures.annotations import Annotations, fitted_size  # noqa: E402
from skinning_addon.measurement.pictures.camera import Margins, three_quarter_camera  # noqa: E402
from skinning_addon.measurement.pictures.picture import (  # noqa: E402
    CharacterPicture,
    PosedMesh,
    heat_scale_for,
    posed_meshes,
)
from skinning_addon.measurement.pictures.png_file import png_content  # noqa: E402
from skinning_addon.scene.clips.clips import find_clips  # noqa: E402
from skinning_addon.scene.clips.playback import ScenePlayback, play_clip, set_frame  # noqa: E402
from skinning_addon.scene.files import open_file  # noqa: E402
from skinning_addon.scene.meshes.blender_result import BlenderResult  # noqa: E402
from skinning_addon.scene.object_data import armature_of, mesh_of  # noqa: E402
from skinning_addon.scene.objects.deformed_meshes import meshes_of_armature  # noqa: E402
from tests.engines.capture import Engine  # noqa: E402
from tests.engines.checked_export import write_with_one_animation  # noqa: E402
from tests.engines.engine_table import ENGINES  # noqa: E402
from tests.engines.exported_rig import from_y_up, seconds  # noqa: E402
from tests.engines.glb_file import GlbFile  # noqa: E402
from tests.scene.refit.evaluated import rest_positions, world_positions  # noqa: E402

PICTURE = CHECKOUT / "docs" / "images" / "cure.png"

RIG, CLIP = "mpfb_rigify_plain.blend", "Torso"
"""The clip is the one that the file plays when it is opened."""

PROFILE, HELPER_BONES = "threejs", 16

Positions = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cure:
    """One frame, three times: (V, 3) in the world, in Blender's axes. authored: Blender's own evaluated mesh.
    exported: the engine's, of the rig exported with the exporter's defaults. copied: of its game-ready copy.
    mesh: the name of the object that has these vertices and faces, in the open file.
    """

    mesh: str
    frame: int
    authored: Positions
    exported: Positions
    copied: Positions

    def off(self, positions: Positions) -> tuple[float, float]:
        """Return the largest distance from what was authored, and what 99.9% of the vertices are within."""
        distances = np.linalg.norm(positions - self.authored, axis=1)
        return float(distances.max()), float(np.quantile(distances, 0.999))


def cure_of(rig: Path, clip_name: str, engine: Engine, folder: Path) -> Cure:
    """Export a rig with the exporter's defaults, and its game-ready copy, and have the engine play both; return
    the frame at which the first is furthest off. The rig is open afterwards.
    """
    open_file(rig)
    original, copy = folder / "original.glb", folder / "copy.glb"
    with captured_native_output():
        bpy.ops.export_scene.gltf(filepath=str(original))
    options = ["--profile", PROFILE, "--helper-bones", str(HELPER_BONES), "--output", str(copy)]
    said = io.StringIO()
    if run(["refit", str(rig), *options], said):
        raise SystemExit(f"refit failed for {rig.name}:\n{said.getvalue()}")
    print(said.getvalue(), file=sys.stderr)
    open_file(rig)
    scene = bpy.context.scene
    (armature,) = (one for one in scene.objects if one.type == "ARMATURE")
    (mesh,) = meshes_of_armature(scene, armature)
    (clip,) = find_clips(scene, [clip_name], [armature])
    frames = range(int(clip.frame_start), int(clip.frame_end) + 1)
    play_clip(scene, clip)
    authored = []
    for frame in frames:
        set_frame(scene, frame)
        authored.append(world_positions(mesh))
    to_armature = np.array(armature.matrix_world.inverted() @ mesh.matrix_world)
    rest = rest_positions(mesh) @ to_armature[:3, :3].T + to_armature[:3, 3]
    times = [seconds(one) for one in frames]
    by_engine = [engine_positions(one, clip_name, engine, rest, times) for one in (original, copy)]
    # Vertices without faces are in no file, and not in the picture.
    exported, copied = (np.where(np.isnan(one), authored, one) for one in by_engine)
    worst = int(np.linalg.norm(exported - authored, axis=2).max(axis=1).argmax())
    return Cure(mesh.name, frames[worst], authored[worst], exported[worst], copied[worst])


def engine_positions(
    file: Path, clip: str, engine: Engine, rest: NDArray[np.floating], times: Sequence[float]
) -> Positions:
    """Have the engine play one clip of a file; return (F, V, 3) in Blender's axes, NaN where the file has none.

    rest: (V, 3), the vertices by their places at rest, in the armature's space.
    """
    alone = file.with_name("alone.glb")
    write_with_one_animation(GlbFile(file), clip, alone)
    (captured,) = engine.capture_meshes(alone, times, file.parent)
    sources = vertices_at(from_y_up(captured.rest["position"]), rest)
    positions = np.full((len(times), len(rest), 3), np.nan)
    positions[:, sources] = from_y_up(captured.positions)
    return positions


def vertices_at(places: NDArray[np.floating], rest: NDArray[np.floating]) -> NDArray[np.intp]:
    """Find the vertex of each of a file's, (N, 3), which has several where UV maps have seams."""
    tree = KDTree(len(rest))
    for number, place in enumerate(rest):
        tree.insert(place, number)
    tree.balance()
    near = 1e-5 * float(np.linalg.norm(np.ptp(rest, axis=0)))
    found = [tree.find_range(place, near) for place in places]
    if any(len(one) != 1 for one in found):
        raise SystemExit("Vertices share their places at rest, or have none in the mesh.")
    return np.array([one[0][1] for one in found])


PANEL = (476, 700)
BESIDE = 192
"""Pixels right of the panels, for the legend."""

FOOTER = 200
MARGINS = Margins(left=0.06, right=0.06, bottom=0.05, top=0.05)
EDGE = 28
"""Pixels between a column's edge and its text."""

LINE = 2
FOOTER_COLOR = (30, 32, 36, 255)
TEXT_COLOR = (0.95, 0.95, 0.95, 1.0)
FAINT_COLOR = (0.72, 0.74, 0.78, 1.0)
TITLE_SIZE, FIGURE_SIZE, DETAIL_SIZE = 30.0, 52.0, 24.0
LEGEND_SCALE = 1.9

SHADOW = 0.35
"""How much of the authored character shows where the engine has nothing."""


def picture_of(cure: Cure) -> NDArray[np.uint8]:
    """Draw the three beside one another, with what they are below; (height, width, 4), sRGB, the top row
    first. The open scene is replaced.
    """
    scene = bpy.context.scene
    metres = scene.unit_settings.scale_length
    shown = _figures(cure)
    with SceneScan(scene, shown, "gpu") as scan:
        posed = posed_meshes(scan, ScenePlayback(1, 1), 1)
    authored, *by_engine = posed
    reference = BlenderResult(authored.measurement.blender.positions, authored.measurement.blender.normals)
    heat_scale = heat_scale_for([authored], metres)
    camera = three_quarter_camera(np.concatenate((cure.authored, cure.exported)), PANEL, MARGINS)
    picture = CharacterPicture(scene, PANEL, camera)
    try:
        with _alone(()):
            ground = picture.blender()
        with _alone((authored.name,)):
            panels = [picture.blender()]
        for one in by_engine:
            with _alone((one.name,)):
                compared = _compared_with(one, reference)
                drawn = picture.skinned([compared], "deviation", heat_scale)
            panels.append(_over_shadow(drawn, panels[0], ground))
    finally:
        picture.free()
    for panel in panels[1:]:
        panel[:, :LINE] = FOOTER_COLOR
    beside = np.broadcast_to(ground[:1, :1], (PANEL[1], BESIDE, 4))
    row = np.concatenate((*panels, beside), axis=1)
    footer = np.full((FOOTER, row.shape[1], 4), FOOTER_COLOR, dtype=np.uint8)
    canvas = np.concatenate((row, footer))
    height, width, _ = canvas.shape
    with Annotations(width, height) as annotations:
        for number, (title, figure, detail) in enumerate(texts(cure, metres)):
            left, top = number * PANEL[0] + EDGE, PANEL[1]
            for text, size, baseline, color in (
                (title, TITLE_SIZE, 52, TEXT_COLOR),
                (figure, FIGURE_SIZE, 118, TEXT_COLOR),
                (detail, DETAIL_SIZE, 164, FAINT_COLOR),
            ):
                fitted = fitted_size(text, size, PANEL[0] - 1.5 * EDGE)
                annotations.text(text, left, top + baseline, fitted, color)
        corner = width - EDGE / 2, PANEL[1] - EDGE
        annotations.legend(find_display("deviation"), heat_scale, metres, corner, LEGEND_SCALE)
        return annotations.over(canvas)


def texts(cure: Cure, metres: float) -> Sequence[tuple[str, str, str]]:
    """Say for each column what it is, how far off at most, and how far nearly all vertices are."""
    before, after = (
        [format_length(metres * one) for one in cure.off(positions)]
        for positions in (cure.exported, cure.copied)
    )
    return (
        ("In Blender", "as authored", f"a Rigify human, frame {cure.frame}"),
        ("Exported, in three.js", f"{before[0]} off", "with the exporter's defaults"),
        ("Game-ready copy, in three.js", f"{after[0]} off", f"99.9% of vertices within {after[1]}"),
    )


def _figures(cure: Cure) -> list[bpy.types.Object]:
    """Make a mesh of each, with the original's faces, in a scene of nothing else. A bone that rests holds them:
    our shaders draw what has one.
    """
    scene = bpy.context.scene
    faces = mesh_of(bpy.data.objects[cure.mesh]).copy()
    bpy.data.batch_remove(list(bpy.data.objects))
    armature = bpy.data.objects.new("Still", bpy.data.armatures.new("Still"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature_of(armature).edit_bones.new("still").tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    made = []
    for name in ("authored", "exported", "copied"):
        mesh = faces.copy()
        mesh.vertices.foreach_set("co", getattr(cure, name).astype(np.float32).reshape(-1))
        one = bpy.data.objects.new(name, mesh)
        scene.collection.objects.link(one)
        one.vertex_groups.clear()
        one.vertex_groups.new(name="still").add(range(len(mesh.vertices)), 1.0, "REPLACE")
        modifier = one.modifiers.new("Armature", "ARMATURE")
        assert isinstance(modifier, bpy.types.ArmatureModifier)  # noqa: S101 - for the type checker
        modifier.object = armature
        made.append(one)
    bpy.context.view_layer.update()
    return made


def _compared_with(posed: PosedMesh, reference: BlenderResult) -> PosedMesh:
    return replace(posed, measurement=replace(posed.measurement, blender=reference))


@contextmanager
def _alone(names: Sequence[str]) -> Iterator[None]:
    """Have Blender draw only these objects while the block runs."""
    for one in bpy.context.scene.objects:
        one.hide_set(one.name not in names)
    bpy.context.view_layer.update()
    yield
    for one in bpy.context.scene.objects:
        one.hide_set(False)
    bpy.context.view_layer.update()


def _over_shadow(
    drawn: NDArray[np.uint8], authored: NDArray[np.uint8], ground: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Let the authored character show faintly where nothing is drawn. All are pictures of the same ground."""
    free = (drawn == ground).all(axis=2, keepdims=True)
    faint = (SHADOW * authored + (1 - SHADOW) * ground).round().astype(np.uint8)
    return np.where(free, faint, drawn)


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rigs", type=Path)
    arguments = parser.parse_args()
    started_device("gpu")
    engine = ENGINES["threejs"]
    engine.install()
    with tempfile.TemporaryDirectory() as folder:
        cure = cure_of((arguments.rigs / RIG).resolve(), CLIP, engine, Path(folder))
        PICTURE.write_bytes(png_content(picture_of(cure)))
    print(cure.frame, cure.off(cure.exported), cure.off(cure.copied))


if __name__ == "__main__":
    main()
