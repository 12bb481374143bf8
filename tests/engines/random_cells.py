"""Cells of the table of random characters: a clip of one in an exported file, how far the file or what an engine
makes of it is from what we predict, and what a check says of it. `random_exports` counts them.

A cell counts as right if every vertex is within 1e-5 of the mesh's diagonal at that frame, in the file, of where we
predict it, and as named if a finding says why it isn't. Where that is an error of an engine about something in the file, the cell counts as named only if the
engine plays the file right without that. .glb files are read by `skinned_gltf`, FBX files by ufbx.
With an engine (`engine_table`), that plays the .glb files, and its profile predicts them.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import SETTINGS, exported_so
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.core.text.identity import Identity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.check.scan import SceneScan
from skinning_addon.measurement.exported.causes import profile_of_file
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import Playback, ScenePlayback, scene_is_animated
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import number_vertices
from tests.engines.random_characters import ACTIONS, FIRST, LAST, LAST_KEY, Character, build, draw_character
from tests.engines.random_readings import MENDED, EngineJudge, FbxJudge, GltfJudge
from tests.engines.random_settings import draw_settings
from tests.engines.ufbx_judge import Ufbx

SHARE_OF_DIAGONAL = 1e-5

ALWAYS = {"unweighted-vertices", "all-zero-weights", "groups-without-bone", "non-uniform-scale"}
"""Findings about every random rig."""

REFUSED = {"blender-not-finite", "object-scale"}
"""Findings that say that a mesh can't be compared at all."""

ABSENT = {"clip-not-exported", "pose-not-keyed", "constraints-not-baked"}
"""Findings that say that the file has no animation."""

WITHOUT_MESH = {"flattened-outside-scene", "carrier-outside-scene"}
"""Findings that say that it lacks the mesh."""

NAMED = {"armature-not-keyed", "armature-between-keys", "flattened-outside-scene", "carrier-outside-scene"}
"""Findings that say that it has another one than predicted."""


@dataclass(frozen=True)
class Cell:
    """A clip in a file. deviation: largest distance of a vertex from the prediction, as a share of the mesh's
    diagonal at that frame, in the file; None if the file lacks the clip or the mesh. rules: what a check finds.
    mended: the deviation without what they say that the engine errs about (`MENDED`). is_written: whether we say that the file has any animation for the armature. has_mesh: whether it has the mesh.
    """

    character: Character
    exporter: str
    settings: Mapping[str, object]
    clip: str
    deviation: float | None
    rules: tuple[str, ...] = ()
    mended: float | None = None
    is_written: bool = True
    has_mesh: bool = True

    @property
    def is_right(self) -> bool:
        return self.deviation is not None and self.deviation <= SHARE_OF_DIAGONAL

    @property
    def is_named(self) -> bool:
        rules = set(self.rules)
        if REFUSED & rules:
            return True
        if not self.has_mesh:
            return bool(WITHOUT_MESH & rules)
        if self.deviation is None:
            return bool(ABSENT & rules)
        if not self.is_written:
            # The file has a clip of this name, so it would be wrong to say that it lacks it.
            false = set() if self.clip == ScenePlayback.name else {"clip-not-exported"}
            return bool((ABSENT - false) & rules)
        if NAMED & rules:
            return True
        return self.mended is not None and self.mended <= SHARE_OF_DIAGONAL

    @property
    def verdict(self) -> str:
        return "right" if self.is_right else "named" if self.is_named else "NEITHER"

    def __str__(self) -> str:
        off = "not in the file" if self.deviation is None else f"{self.deviation:.1e}"
        off += "" if self.mended is None else f" (mended {self.mended:.1e})"
        settings = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return (
            f"{off} {', '.join(self.rules)}: '{self.clip}' of {self.character}; {self.exporter}, {settings}"
        )


@dataclass(frozen=True)
class Failure:
    """An export that failed. told: what Blender said, and over which character. is_named: whether a finding says
    so before.
    """

    told: str
    is_named: bool

    @property
    def verdict(self) -> str:
        return "fails" if self.is_named else "NEITHER"

    def __str__(self) -> str:
        return self.told


def clips_to_compare(exporter: str, settings: Mapping[str, object]) -> list[Playback]:
    """Return what the file should play of the open scene."""
    scene = ScenePlayback(FIRST, LAST)
    if exporter == "fbx":
        whole = not (settings["bake_anim_use_nla_strips"] or settings["bake_anim_use_all_actions"])
    else:
        whole = settings["export_animation_mode"] in {"SCENE", "ACTIVE_ACTIONS"}
    clips: list[Playback] = [scene] if whole else [*list_clips(bpy.context.scene)]
    # An action that moves objects fits an armature too: the FBX exporter has it move that.
    moved = exporter == "fbx" and len(bpy.data.actions) and bpy.data.objects["Random"].animation_data
    return clips if clips or moved else [scene]


def frames_of(character: Character, clip: Playback) -> tuple[int, ...]:
    """Return the frames to compare: a file holds nothing before an action's first and after its last key."""
    number = character.active if isinstance(clip, ScenePlayback) else ACTIONS.index(clip.name)
    first, last = (FIRST, LAST_KEY) if number is None else character.range_of(number)
    return (first, first + 1, 5, last) if character.uneven else (first, 5, last)


def profile_of(exporter: str, settings: Mapping[str, object], engine: str) -> Profile:
    """Return what predicts a file, or what an engine makes of it. engine: its name; "" for the file itself."""
    if engine:
        own = {name: value for name, value in settings.items() if name in SETTINGS}
        return exported_so(load_profile(engine), own)
    profile = profile_of_file(exporter, settings)
    assert profile is not None
    return profile


Judge = GltfJudge | FbxJudge


@dataclass(frozen=True)
class Export:
    """A character, how it is exported, and what predicts the file or what an engine makes of it."""

    character: Character
    exporter: str
    settings: Mapping[str, object]
    profile: Profile


def cells_of(seed: int, exporter: str, folder: Path, ufbx: Ufbx | None, engine: str = "") -> Iterator[Cell]:
    """Export a seed's character, and compare each of its clips. engine: see `profile_of`."""
    character, settings = draw_character(seed), draw_settings(seed, exporter)
    export = Export(character, exporter, settings, profile_of(exporter, settings, engine))
    build(character)
    clips = clips_to_compare(exporter, settings)
    number_vertices(deformed_meshes(bpy.context.scene))
    with contextlib.redirect_stdout(io.StringIO()):
        if ufbx is not None:
            judge = FbxJudge(ufbx, folder, settings)
        elif engine:
            judge = EngineJudge(ENGINES[engine], folder, settings)
        else:
            judge = GltfJudge(folder, settings)
    for clip in clips:
        yield cell_of(export, judge, clip)


def cell_of(export: Export, judge: Judge, clip: Playback) -> Cell:
    """Compare a clip of a file with what we predict."""
    # A check of what the scene plays looks at a single frame where no bone moves.
    character = export.character
    build(character)
    armatures = [one for one in bpy.context.scene.objects if one.type == "ARMATURE"]
    is_still = isinstance(clip, ScenePlayback) and not scene_is_animated(bpy.context.scene, armatures)
    frames = (character.shown,) if is_still else frames_of(character, clip)
    deviation = deviation_in(judge, export, clip, frames)
    cell = Cell(character, export.exporter, export.settings, clip.name, deviation, has_mesh=judge.has_mesh)
    if cell.is_right:
        return cell
    rules = rules_of(character, clip, export.profile)
    build(character)
    plans = ClipPlayer(bpy.context.scene).plans(clip, export.profile.export_options)
    mended = None
    errors = [one for one in rules if one in MENDED]
    if errors and isinstance(judge, EngineJudge):
        mended = deviation_in(judge.mended(errors), export, clip, frames)
    return replace(cell, rules=rules, is_written=plans[Identity.of("Random")].written, mended=mended)


def deviation_in(judge: Judge, export: Export, clip: Playback, frames: tuple[int, ...]) -> float | None:
    """Return the largest distance of a vertex from where we predict it, as a share of the mesh's diagonal at that
    frame, in the file; infinite if the mesh is refused, None if the file lacks it or the clip.

    A clip may stretch a mesh a hundredfold: numbers in single precision are as fine as it is large then.
    """
    captured = judge.positions(clip, frames) if judge.has_mesh else None
    if captured is None:
        return None
    build(export.character)
    meshes = deformed_meshes(bpy.context.scene)
    predicted: list[np.ndarray] = []
    with SceneScan(bpy.context.scene, meshes, "cpu", (export.profile,)) as scan:
        for sample in scan.samples([clip], lambda _: frames):
            measured, to_world = sample.measurement, sample.measurement.frame.mesh_to_world
            predicted.append(measured.skinned.positions @ to_world[:3, :3] + to_world[3, :3])
        if scan.refused:
            return float("inf")
    positions, sources = captured
    off = np.linalg.norm(positions - np.array(predicted)[:, sources], axis=2)
    if export.exporter == "fbx":
        off = off[:, weighted(meshes[0], in_file(export.settings))]
    diagonals = np.linalg.norm(np.ptp(positions, axis=1), axis=1)
    return float((off.max(axis=1) / diagonals).max())


def in_file(settings: Mapping[str, object]) -> set[str]:
    """Name the bones in an FBX file."""
    bones = bpy.data.objects["Random"].data.bones
    if not settings["use_armature_deform_only"]:
        return {one.name for one in bones}
    return {above.name for one in bones if one.use_deform for above in (one, *one.parent_recursive)}


def weighted(mesh_object: bpy.types.Object, bones: set[str]) -> np.ndarray:
    """Mark the vertices (V,) with a weight of one of these bones: what becomes of the others is up to each
    reader of FBX (`unweighted-vertices` names them).
    """
    groups = {group.index for group in mesh_object.vertex_groups if group.name in bones}
    return np.array(
        [
            any(one.group in groups and one.weight > 0 for one in each.groups)
            for each in mesh_object.data.vertices
        ]
    )


def rules_of(character: Character, clip: Playback, profile: Profile) -> tuple[str, ...]:
    """Return what a check finds about the clip."""
    build(character)
    clips = None if isinstance(clip, ScenePlayback) else (clip.name,)
    report = check_scene(bpy.context.scene, "", CheckSettings("cpu", clips=clips, profiles=(profile,)))
    return tuple(sorted({one.rule for one in report.findings} - ALWAYS))


def cells(
    seeds: range, exporter: str, folder: Path, ufbx: Ufbx | None, engine: str = ""
) -> Iterator[Cell | Failure]:
    """Yield the cells of characters, or that an export failed."""
    for seed in seeds:
        try:
            yield from cells_of(seed, exporter, folder, ufbx, engine)
        except RuntimeError as error:
            # Where it was called comes last.
            said = [line for line in str(error).strip().splitlines() if not line.startswith("Location:")]
            character, settings = draw_character(seed), draw_settings(seed, exporter)
            build(character)
            scene = ScenePlayback(FIRST, LAST)
            is_named = "export-fails" in rules_of(character, scene, profile_of(exporter, settings, engine))
            listed = ", ".join(f"{name}={value}" for name, value in settings.items())
            yield Failure(f"the exporter fails ({said[-1]}): {character}; {exporter}, {listed}", is_named)
