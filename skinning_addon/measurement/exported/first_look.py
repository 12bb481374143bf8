"""A first look at a file that was just exported: its worst frames by prediction, while the user waits.

The open scene is not touched: copies play in a scene of their own. The look stops early when its time is over;
`file_check` looks at everything, later and elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.verdicts.verdict import USUAL
from ...scene.clips.clips import list_clips
from ...scene.clips.exported_actions import frames_of_actions
from ...scene.clips.playback import ScenePlayback, set_frame
from ...scene.identification import identity, object_of
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import armature_of, mesh_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_scene import ClipScene, clip_scene
from ..frame.character_height import height_scales
from .clip_pairs import ClipPair, pair_clip, still_pair
from .file_check import names_of_scene
from .gltf_file import GltfExport
from .moved_armatures import as_exported, moves
from .part_animations import actions_of_parts, animations_of_parts
from .predicted_frames import Moment, worst_by_prediction
from .seen_meshes import SeenMesh, seen_meshes
from .time_allowance import TimeAllowance

FRAMES_AT_MOST = 16

POSED_AT_ONCE = 2
"""Frames. Going through a file's channels takes longer than any one frame."""


@dataclass(frozen=True)
class FirstLook:
    """What was seen. object: the mesh that is furthest off; bone: the one that moves that vertex most, '' if
    none does. distance: metres. clip, frame: where. frames: how many were compared. meshes: of how many meshes.
    good: whether the distance is within what counts as good.
    """

    object: str
    bone: str
    distance: float
    clip: str
    frame: float
    frames: int
    meshes: int
    good: bool


def first_look(
    scene: bpy.types.Scene, path: str, allowed: TimeAllowance, known: Sequence[tuple[str, float]] = ()
) -> FirstLook | None:
    """Compare a glTF file with the scene at a few frames; None if there is no time, or nothing to compare.

    known: clips and frames that were the worst before; they come first. Makes and removes data-blocks.

    Raises:
        SourceFileError: the file can't be read.
    """
    file = GltfExport(path)
    meshes = deformed_meshes(scene)
    clips = _clips(scene, file, meshes)
    if not meshes or not clips or allowed.is_over:
        return None
    armatures = [one for one in scene.objects if one.type == "ARMATURE" and one.pose is not None]
    with clip_scene(scene, armatures, meshes, whole=[identity(one) for one in meshes]) as stage:
        seen = seen_meshes(stage, meshes, file, allowed)
        if not seen or allowed.is_over:
            return None
        moments = worst_by_prediction(stage, file, seen, clips, allowed.part(0.4))
        wanted = [Moment(place, frame) for place, frame in _places_of(known, clips)]
        ordered = list(dict.fromkeys((*wanted, *moments)))[:FRAMES_AT_MOST]
        farthest = _farthest(stage, file, seen, clips, moments=ordered, allowed=allowed)
    if farthest is None:
        return None
    distance, mesh, vertex, moment, frames = farthest
    metres = distance * scene.unit_settings.scale_length
    mesh_object = object_of(mesh)
    good = USUAL.good * height_scales(scene, [mesh_object])[identity(mesh_object)]
    clip = clips[moment.clip].playback.name
    bone = _bone_of(mesh_object, vertex)
    return FirstLook(mesh, bone, metres, clip, moment.frame, frames, len(seen), metres <= good)


@dataclass(frozen=True)
class _Mesh:
    """object, armatures: identities. data_name: of its mesh."""

    object: str
    data_name: str
    armatures: tuple[str, ...]


def _clips(scene: bpy.types.Scene, file: GltfExport, meshes: Sequence[bpy.types.Object]) -> list[ClipPair]:
    """Return the clips of the scene that the file has, and else what the scene plays."""
    current = scene.frame_current_final
    if not file.clips:
        return [still_pair(current)]
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    fps = scene.render.fps / scene.render.fps_base
    animations = [one.name for one in file.clips]
    named = [
        _Mesh(identity(one), mesh_of(one).name, tuple(map(identity, armature_objects(one)))) for one in meshes
    ]
    pairs: list[ClipPair] = []
    for one in list_clips(scene, armatures):
        written = as_exported(one, animations)
        moved, of_parts = animations_of_parts(written, actions_of_parts(written), file, named)
        pair = pair_clip(moved, file.clips, fps, actions=frames_of_actions(one), of_parts=of_parts)
        if pair is not None:
            pairs.append(pair)
    if not pairs:
        whole = ScenePlayback(scene.frame_start, scene.frame_end)
        one = pair_clip(whole, file.clips, fps, names_of_scene(scene))
        pairs = [] if one is None else [one]
    return pairs


def _places_of(known: Sequence[tuple[str, float]], clips: Sequence[ClipPair]) -> Iterator[tuple[int, float]]:
    for name, frame in known:
        for place, one in enumerate(clips):
            if one.playback.name == name and one.first <= frame <= one.last:
                yield place, frame


def _farthest(
    stage: ClipScene,
    file: GltfExport,
    seen: Sequence[SeenMesh],
    clips: Sequence[ClipPair],
    *,
    moments: Sequence[Moment],
    allowed: TimeAllowance,
) -> tuple[float, str, int, Moment, int] | None:
    """Return the largest distance, the mesh, the vertex and the moment, and how many were compared."""
    worst: tuple[float, str, int, Moment] | None = None
    done = 0
    for first in range(0, len(moments), POSED_AT_ONCE):
        # As long as the prediction took for a few vertices, before the first one is known.
        if not allowed.has_time_for("posing", "few posed"):
            break
        some = moments[first : first + POSED_AT_ONCE]
        with allowed.step("posing"):
            posed = _posed(stage, file, clips, some)
        for clip in dict.fromkeys(one.clip for one in some):
            stage.play(clips[clip].playback, None)
            for moment in [one for one in some if one.clip == clip and allowed.has_time_for("frame")]:
                with allowed.step("frame"):
                    set_frame(stage.scene, moment.frame)
                    for one in seen:
                        if not moves(clips[clip].playback, one.armatures):
                            continue
                        distance, vertex = _distance(stage, one, posed[moment][one.place])
                        if worst is None or distance > worst[0]:
                            worst = (distance, one.object, vertex, moment)
                done += 1
    return None if worst is None else (*worst, done)


def _posed(
    stage: ClipScene, file: GltfExport, clips: Sequence[ClipPair], moments: Sequence[Moment]
) -> dict[Moment, list[NDArray[np.float64]]]:
    """Return the positions (N, 3) of each of the file's meshes, by moment."""
    fps = stage.scene.render.fps / stage.scene.render.fps_base
    posed: dict[Moment, list[NDArray[np.float64]]] = {}
    for clip in dict.fromkeys(one.clip for one in moments):
        own = [one for one in moments if one.clip == clip]
        positions = file.positions(clips[clip].clips, [clips[clip].seconds(one.frame, fps) for one in own])
        posed |= {one: [mesh[place] for mesh in positions] for place, one in enumerate(own)}
    return posed


def _distance(stage: ClipScene, one: SeenMesh, theirs: NDArray[np.float64]) -> tuple[float, int]:
    copy = stage.placed[one.object]
    to_world = row_vectors(copy.evaluated_get(stage.depsgraph).matrix_world)
    positions = read_positions(evaluated_mesh(copy, stage.depsgraph)).astype(np.float64)
    if len(positions) <= int(one.places.ours.max(initial=-1)):
        # A modifier makes other vertices here than at rest; the full check says so.
        return 0.0, -1
    distances = one.places.distances(theirs, positions @ to_world[:3, :3] + to_world[3, :3])
    # What is not a number is as far off as can be.
    distances = np.nan_to_num(distances, nan=np.inf, posinf=np.inf)
    worst = int(np.argmax(distances))
    return float(distances[worst]), int(one.places.counterparts[worst])


def _bone_of(mesh_object: bpy.types.Object, vertex: int) -> str:
    """Name the bone with the largest weight at a vertex."""
    vertices = mesh_of(mesh_object).vertices
    bones = {bone.name for one in armature_objects(mesh_object) for bone in armature_of(one).bones}
    if not 0 <= vertex < len(vertices):
        return ""
    names = mesh_object.vertex_groups
    weights = {names[one.group].name: one.weight for one in vertices[vertex].groups if one.group < len(names)}
    return max((name for name in weights if name in bones), key=weights.__getitem__, default="")
