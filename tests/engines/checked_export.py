"""Check My Export, judged: an independent program poses the exported file, and its distance from Blender must be
the one that the check reports.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.command_line.program.progress import ProgressLine
from skinning_addon.command_line.verifying.check_export import verified_export
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.clips import SceneClip, list_clips
from skinning_addon.scene.clips.playback import set_frame
from skinning_addon.scene.files import import_unshifted, open_file
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.capture import Engine
from tests.engines.exported_rig import from_y_up
from tests.engines.glb_file import GlbFile
from tests.engines.ufbx_judge import Ufbx

BABYLON_READS = 8
"""Influences per vertex; no engine that runs here reads more."""

Positions = dict[str, tuple[NDArray[np.float64], NDArray[np.intp]]]
"""By object: (F, N, 3) world positions in Blender's axes and scene units, and (N,) which vertex each is."""


@dataclass(frozen=True)
class ExportSetting:
    """How a user exports. told: for the heading. options: of the exporter, as text."""

    told: str
    exporter: str
    options: Mapping[str, str]

    @property
    def all_influences(self) -> bool:
        return "export_all_influences" in self.options


SETTINGS = (
    ExportSetting("glTF, defaults", "gltf", {}),
    ExportSetting("glTF, all influences", "gltf", {"export_all_influences": "true"}),
    ExportSetting(
        "glTF, all influences, deformation bones only, flattened",
        "gltf",
        {
            "export_all_influences": "true",
            "export_def_bones": "true",
            "export_hierarchy_flatten_bones": "true",
        },
    ),
    ExportSetting("FBX, defaults", "fbx", {}),
    ExportSetting(
        "FBX, deformation bones only, without simplification",
        "fbx",
        {"use_armature_deform_only": "true", "bake_anim_simplify_factor": "0"},
    ),
)


@dataclass(frozen=True)
class Judged:
    """What the check reports and what the judge finds: the largest distance from Blender, in meters.

    diagonal: of the box around all meshes at the first frame, meters. frames: compared. judge: its name.
    """

    reported: float
    found: float
    diagonal: float
    frames: int
    clip: str
    judge: str

    @property
    def difference(self) -> float:
        """How far the two are apart, as a share of the diagonal."""
        return abs(self.reported - self.found) / self.diagonal


@dataclass(frozen=True)
class Judges:
    """Programs that pose a file: glTF with four influences of a vertex and with eight, and FBX."""

    four: Engine | None = None
    eight: Engine | None = None
    fbx: Ufbx | None = None


def judged_export(rig: Path, setting: ExportSetting, judges: Judges, folder: Path) -> Judged:
    """Check the export of a .blend's first clip, and have the file judged at each of its frames."""
    open_file(rig)
    clip = _first_clip()
    most = _most_influences()
    kept = folder / f"kept{'.glb' if setting.exporter == 'gltf' else '.fbx'}"
    options = [
        word for name, value in setting.options.items() for word in ("--export-option", f"{name}={value}")
    ]
    arguments = ["check-export", str(rig), "--exporter", setting.exporter, "--keep", str(kept), *options]
    with ProgressLine(lambda _: None) as progress:
        one = verified_export(parse_arguments([*arguments, "--clips", clip]), progress)
    report = one.verdict.report
    reported = max(mesh.worst.max for mesh in report.meshes)
    compared = {mesh.object for mesh in report.meshes}
    open_file(rig)
    frames, blender, diagonal = _blenders_own(clip, compared, from_first=setting.exporter == "fbx")
    assert {mesh.worst.frames for mesh in report.meshes} == {len(frames)}, "other frames were compared"
    metres = bpy.context.scene.unit_settings.scale_length
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    if setting.exporter == "fbx":
        judge, ufbx = "ufbx", judges.fbx
        assert ufbx is not None
        posed = _by_ufbx(ufbx, kept, clip, frames, rate=rate, metres=metres, folder=folder)
    elif setting.all_influences and most > BABYLON_READS:
        judge, posed = "Blender's importer", _by_importer(kept, clip, frames, sorted(compared))
    else:
        engine, judge = (judges.eight, "Babylon.js") if setting.all_influences else (judges.four, "three.js")
        assert engine is not None
        posed = _by_engine(engine, kept, clip, [frame / rate for frame in frames], folder)
    found = max(_farthest(blender[name], posed[name]) for name in compared)
    return Judged(reported, found * metres, diagonal * metres, len(frames), clip, judge)


def _first_clip() -> str:
    scene = bpy.context.scene
    return list_clips(scene, [one for one in scene.objects if one.type == "ARMATURE"])[0].name


def _most_influences() -> int:
    return max(
        sum(group.weight > 0 for group in vertex.groups)
        for mesh in deformed_meshes(bpy.context.scene)
        for vertex in mesh.data.vertices
    )


def _blenders_own(
    clip: str, names: set[str], *, from_first: bool
) -> tuple[list[float], dict[str, NDArray[np.float64]], float]:
    """Return the clip's frames, Blender's (F, V, 3) world positions of each mesh, and the diagonal.

    from_first: whether the exporter writes keys from the clip's first frame on, even if that is not a whole
    frame. The FBX exporter does, and programs differ in how they interpolate its keys.
    """
    scene = bpy.context.scene
    playback = _clip_called(clip)
    ClipPlayer(scene).play(playback)
    first = playback.frame_start if from_first else np.ceil(playback.frame_start - 1e-3)
    frames = np.arange(first, playback.frame_end + 1e-3).tolist()
    shown: dict[str, list[NDArray[np.float64]]] = {name: [] for name in names}
    for frame in frames:
        set_frame(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for name, result in shown.items():
            evaluated = bpy.data.objects[name].evaluated_get(depsgraph)
            local = np.empty((len(evaluated.data.vertices), 3), dtype=np.float32)
            evaluated.data.vertices.foreach_get("co", local.reshape(-1))
            matrix = np.array(evaluated.matrix_world, dtype=np.float64).T
            result.append(local @ matrix[:3, :3] + matrix[3, :3])
    first = np.concatenate([result[0] for result in shown.values()])
    diagonal = float(np.linalg.norm(np.ptp(first, axis=0)))
    return frames, {name: np.array(result) for name, result in shown.items()}, diagonal


def _clip_called(name: str) -> SceneClip:
    scene = bpy.context.scene
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    return next(one for one in list_clips(scene, armatures) if one.name == name)


def _farthest(blender: NDArray[np.float64], posed: tuple[NDArray[np.float64], NDArray[np.intp]]) -> float:
    positions, source = posed
    return max(
        float(np.linalg.norm(theirs - ours[source], axis=1).max())
        for theirs, ours in zip(positions, blender, strict=True)
    )


def _by_engine(engine: Engine, file: Path, clip: str, seconds: Sequence[float], folder: Path) -> Positions:
    """Pose a file's meshes with an engine that plays all animations, on a copy with only this one."""
    content = GlbFile(file)
    alone = folder / "alone.glb"
    write_with_one_animation(content, clip, alone)
    of_mesh = {
        node["mesh"]: node["name"] for node in content.json["nodes"] if "mesh" in node and "skin" in node
    }
    parts: dict[str, list[tuple[NDArray[np.float64], NDArray[np.intp]]]] = {}
    for one in engine.capture_meshes(alone, seconds, folder):
        assert one.mesh is not None
        parts.setdefault(of_mesh[one.mesh], []).append((from_y_up(one.positions), one.source))
    return {
        name: (
            np.concatenate([one for one, _ in several], axis=1),
            np.concatenate([one for _, one in several]),
        )
        for name, several in parts.items()
    }


def write_with_one_animation(content: GlbFile, clip: str, path: Path) -> None:
    document = dict(content.json)
    document["animations"] = [one for one in document["animations"] if one["name"] == clip]
    assert len(document["animations"]) == 1, "the file has not one animation of this name"
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary = content.binary + b"\0" * (-len(content.binary) % 4)
    chunks = (
        struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(binary), 0x004E4942)
        + binary
    )
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def _by_ufbx(
    ufbx: Ufbx, file: Path, clip: str, frames: Sequence[float], *, rate: float, metres: float, folder: Path
) -> Positions:
    """Pose a file's meshes with ufbx. The exporter has each action, and each NLA strip, begin at zero.

    Strips keep their names; those of actions are preceded by the armature's.
    """
    every = ufbx.stacks(file)
    stacks = [one for one in every if one == clip] or [one for one in every if one.endswith(f"|{clip}")]
    assert len(stacks) == 1, f"the file has {len(stacks)} animations of '{clip}'"
    start = _clip_called(clip).frame_start
    seconds = [(frame - start) / rate for frame in frames]
    captured = ufbx.capture(file, seconds, folder, stacks[0])
    return {
        name: (positions / metres, np.arange(positions.shape[1]))
        for name, positions in captured.positions.items()
    }


def _by_importer(file: Path, clip: str, frames: Sequence[float], names: Sequence[str]) -> Positions:
    """Pose a file's meshes with Blender's own glTF importer, which reads any number of influences."""
    render = bpy.context.scene.render
    import_unshifted(file, render.fps, render.fps_base)
    scene = bpy.context.scene
    ClipPlayer(scene).play(_clip_called(clip))
    results: dict[str, list[NDArray[np.float64]]] = {name: [] for name in names}
    sources: dict[str, NDArray[np.intp]] = {}
    for frame in frames:
        set_frame(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for name in names:
            evaluated = bpy.data.objects[name].evaluated_get(depsgraph)
            local = np.empty((len(evaluated.data.vertices), 3), dtype=np.float32)
            evaluated.data.vertices.foreach_get("co", local.reshape(-1))
            matrix = np.array(evaluated.matrix_world, dtype=np.float64).T
            results[name].append(local @ matrix[:3, :3] + matrix[3, :3])
            if name not in sources:
                numbers = np.empty(len(local), dtype=np.float32)
                bpy.data.objects[name].data.attributes["_SOURCE"].data.foreach_get("value", numbers)
                sources[name] = numbers.astype(np.intp)
    return {name: (np.array(results[name]), sources[name]) for name in names}
