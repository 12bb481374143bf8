"""Cells of docs/truth.md: what one judge makes of one rig, exported with some settings, next to what we predict."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.skinning.skin import SMALLEST_MOVING_SUM
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.scene.objects.modifier_stack import armature_objects
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import HERE
from tests.engines.conftest import WHAT_GETS_LOST
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL, rules_of_scene, sampled_at
from tests.engines.engine_table import ENGINES, OPEN_USD
from tests.engines.exported_fbx import check_against_ufbx, export_fbx, fbx_chain, in_order, options_of
from tests.engines.exported_rig import (
    SCENE,
    Expected,
    export_animated,
    from_y_up,
    number_vertices,
    predict,
    seconds,
    start_clip,
)
from tests.engines.exported_usd import captured_scene
from tests.engines.reimported_fbx import reimported
from tests.engines.ufbx_judge import Ufbx
from tests.scene.opened_rigs import open_rig

UFBX, REIMPORT, USD = "ufbx", "blender", "usd"
"""Judges that are not in the table of engines: of FBX, Blender's own importer of it, and OpenUSD."""

SAMPLED_AT_60 = {"raylib", "godot4", "panda3d"}
"""Judges whose loader samples animation; scenes are played at that rate, so that no key is missed."""

LIMITS = {"godot4": 2e-5}
"""Where an engine computes less precisely: Godot keeps 16 bits of a weight, which may be cut off either way."""


@dataclass(frozen=True)
class Settings:
    """A way to export. judges: who reads such files. options: of the exporter. random: whether random rigs are
    exported so too.
    """

    told: str
    judges: tuple[str, ...]
    options: Mapping[str, object]
    random: bool = False

    @property
    def rigs(self) -> tuple[str, ...]:
        """The rigs that are exported so."""
        return EVERY_RIG if self.random else RIGS


FLATTENED = {
    "export_all_influences": True,
    "export_def_bones": True,
    "export_hierarchy_flatten_bones": True,
}

SETTINGS = (
    Settings("glTF, default options", tuple(ENGINES), {}, random=True),
    Settings(
        "glTF, all influences",
        tuple(one for one in ENGINES if one != "panda3d"),
        {"export_all_influences": True},
    ),
    Settings(
        "glTF, all influences, deformation bones only, flattened",
        tuple(one for one in ENGINES if one != "panda3d"),
        FLATTENED,
    ),
    Settings(
        "FBX, every key (Simplify 0)", (UFBX, REIMPORT), {"bake_anim_simplify_factor": 0.0}, random=True
    ),
    Settings("FBX, default options", (UFBX,), {}),
    Settings("USD, default options", (USD,), {}, random=True),
    Settings("USD, deform bones only", (USD,), {"only_deform_bones": True}),
)

RANDOM = {f"random {one.seed}": one for one in WHAT_GETS_LOST}
"""Random rigs that use what no file can hold."""

EVERY_RIG = (*RIGS, *RANDOM)


@dataclass(frozen=True)
class Cell:
    """from_blender, from_prediction: the largest distance of a vertex, as a share of the diagonal. rules: what a
    check finds about how the engine's importer reads the file.
    """

    settings: str
    rig: str
    judge: str
    version: str
    from_blender: float
    from_prediction: float
    rules: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the prediction was right. A rig may move by many times its own size."""
        return self.from_prediction <= LIMITS.get(self.judge, SHARE_OF_DIAGONAL) * max(1.0, self.from_blender)

    @property
    def key(self) -> tuple[str, str, str]:
        return self.settings, self.rig, self.judge


def read_cells(file: Path) -> dict[tuple[str, str, str], Cell]:
    """Return the cells that were measured."""
    if not file.exists():
        return {}
    entries = json.loads(file.read_text(encoding="utf-8"))
    cells = [Cell(**{**one, "rules": tuple(one["rules"])}) for one in entries]
    return {one.key: one for one in cells}


def write_cells(file: Path, cells: Mapping[tuple[str, str, str], Cell]) -> None:
    """Write cells, one to a line, in order."""
    order = [(one.told, rig, judge) for one in SETTINGS for rig in one.rigs for judge in one.judges]
    lines = [json.dumps(asdict(cells[key])) for key in order if key in cells]
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def version_of(judge: str) -> str:
    """Return a judge's version, as installed."""
    python = dict(
        line.split("==")
        for line in (HERE / "python-engines.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    )
    node = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    if judge == "godot4":
        told = subprocess.run(
            [str(ENGINES[judge].command[0]), "--version"], check=True, capture_output=True, text=True
        ).stdout
        return ".".join(told.split(".")[:3])
    return {
        "threejs": node["three"],
        "babylonjs": node["@babylonjs/core"],
        "playcanvas": node["playcanvas"],
        "raylib": python["raylib"],
        "vtk": python["vtk"],
        "panda3d": python["panda3d"],
        USD: python["usd-core"],
        UFBX: "fcc5d6b",
        REIMPORT: bpy.app.version_string,
    }[judge]


def measure(folder: Path, settings: Settings, rig: str, judge: str, ufbx: Ufbx | None) -> Cell:
    """Export a rig and let a judge read it. folder: of the rigs."""
    if rig in RANDOM:
        animated_rig(RANDOM[rig])
    else:
        open_rig(folder / rig)
    rules: tuple[str, ...] = ()
    weightless = _without_weight()
    with tempfile.TemporaryDirectory() as place:
        if judge in {UFBX, REIMPORT}:
            expected, positions, sources = _of_fbx(Path(place), settings, ufbx if judge == UFBX else None)
        elif judge == USD:
            profile = exported_so(load_profile("usd"), settings.options)
            expected, positions, sources = captured_scene(OPEN_USD, Path(place), profile, **settings.options)
        else:
            rules = tuple(sorted(rules_of_scene(judge) - {"armature-between-keys"}))
            expected, positions, sources = _of_gltf(Path(place), settings, judge)
    offsets = np.linalg.norm(positions - expected.blender[:, sources], axis=2).max(axis=1)
    from_prediction = expected.deviations(positions, sources)
    if judge == REIMPORT:
        limit = SHARE_OF_DIAGONAL * expected.diagonal
        off = np.linalg.norm(positions - expected.predicted, axis=2).max(axis=0) > limit
        # Engines move these vertices; Blender, as a reader too, ignores their weights.
        rules = ("ignored-weights",) if weightless[off].all() and off.any() else ()
    # Panda3D's loader never plays the first key.
    first = int(judge == "panda3d")
    return Cell(
        settings.told,
        rig,
        judge,
        version_of(judge),
        float(offsets[first:].max() / expected.diagonal),
        float(from_prediction[first:].max()),
        rules,
    )


def _without_weight() -> np.ndarray:
    """Mark the vertices (V,), of all meshes, whose weights add up to too little for Blender."""
    return np.array(
        [
            sum(one.weight for one in vertex.groups if one.group in of_bones) <= SMALLEST_MOVING_SUM
            for mesh in deformed_meshes(bpy.context.scene)
            for of_bones in [_groups_of_bones(mesh)]
            for vertex in mesh.data.vertices
        ]
    )


def _groups_of_bones(mesh: bpy.types.Object) -> set[int]:
    bones = {bone.name for one in armature_objects(mesh) for bone in one.data.bones}
    return {group.index for group in mesh.vertex_groups if group.name in bones}


def _of_gltf(place: Path, settings: Settings, judge: str) -> tuple[Expected, np.ndarray, np.ndarray]:
    if judge in SAMPLED_AT_60:
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.0
    meshes, playback, frames = start_clip()
    profile = sampled_at(exported_so(load_profile(judge), settings.options), 60)
    expected = predict(meshes, playback, frames, profile, "cpu", exported_with=SCENE)
    number_vertices(meshes)
    # Nor the last one.
    after = (frames[-1] + 1,) if judge == "panda3d" else ()
    export_animated(place / "rig.glb", meshes, (*frames, *after), **settings.options)
    positions, sources = ENGINES[judge].capture(place / "rig.glb", [seconds(one) for one in frames], place)
    return expected, from_y_up(positions), sources


def _of_fbx(place: Path, settings: Settings, ufbx: Ufbx | None) -> tuple[Expected, np.ndarray, np.ndarray]:
    if ufbx is not None:
        expected, captured = check_against_ufbx(ufbx, place, fbx_chain(), np.inf, **settings.options)
        meshes, _, _ = start_clip()
        positions = in_order(captured, meshes)
        return expected, positions, np.arange(positions.shape[1])
    meshes, playback, frames = start_clip()
    kept = options_of(settings.options)
    expected = predict(meshes, playback, frames, fbx_chain(), "cpu", exported_with=kept)
    names = [one.name for one in meshes]
    export_fbx(place / "rig.fbx", frames, **settings.options)
    positions = reimported(place / "rig.fbx", names, frames)
    return expected, positions, np.arange(positions.shape[1])
