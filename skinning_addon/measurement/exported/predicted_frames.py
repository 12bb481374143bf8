"""The frames of an exported file that are furthest from Blender, as predicted from a few vertices.

Blender poses the bones, which skin a sample of vertices with all their weights; the file's own bones and
weights skin the same ones. What no such sample shows (modifiers, Preserve Volume) is left to the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...scene.armatures.armature_reader import ArmatureReader
from ...scene.clips.playback import set_frame
from ...scene.identification import find_object, identity
from ...scene.matrices import row_vectors
from ...scene.object_data import mesh_of
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_scene import ClipScene
from .clip_pairs import ClipPair
from .gltf_file import GltfExport
from .moved_armatures import moves
from .seen_meshes import SeenMesh
from .time_allowance import TimeAllowance

VERTICES = 512
"""Of all meshes together."""

FRAMES = 64
"""Of all clips together, unless a clip would get fewer than FRAMES_OF_CLIP."""

FRAMES_OF_CLIP = 4

FRAMES_BEGUN_WITH, FRAMES_AT_ONCE = 4, 16
"""How many frames of a file are posed first, which tells how long more take, and then. Going through its
channels takes longer than any one frame.
"""


@dataclass(frozen=True)
class Moment:
    """A frame of a clip. clip: its place in the list."""

    clip: int
    frame: float


@dataclass(frozen=True, eq=False)
class _Sample:
    """A few vertices of a mesh. armature: its identity. positions: (S, 3), in the armature's space at rest.
    weights: (S, B), of deforming bones, each row's sum is 1 or 0. place: of the file's meshes.
    """

    armature: str
    positions: NDArray[np.float64]
    weights: NDArray[np.float64]
    place: int


def worst_by_prediction(
    stage: ClipScene,
    file: GltfExport,
    seen: Sequence[SeenMesh],
    clips: Sequence[ClipPair],
    allowed: TimeAllowance,
) -> list[Moment]:
    """Return frames, the worst first. Those that there was no time to predict are missing.

    The meshes' copies are hidden meanwhile: only bones are evaluated.
    """
    if len(clips) == 1 and clips[0].first == clips[0].last:
        return [Moment(0, clips[0].first)]
    chosen = [np.zeros(0, dtype=np.intp) for _ in file.meshes]
    samples: list[_Sample] = []
    for one in seen:
        step = max(1, len(one.places.matched) * len(seen) // VERTICES)
        chosen[one.place] = one.places.matched[::step]
        sample = _sample(stage, one, one.places.counterparts[::step])
        if sample is not None:
            samples.append(sample)
    few = file.of_vertices(chosen)
    for copy in stage.placed.values():
        copy.hide_viewport = True
    found: dict[Moment, float] = {}
    for clip, pair in enumerate(clips):
        # Each clip gets its share, so that none is left out for its place in the list.
        own = allowed.part(1 / (len(clips) - clip))
        frames = _spread(pair, len(clips))
        for frame, off in _predicted(stage, few, samples, pair, frames=frames, allowed=own):
            found[Moment(clip, frame)] = off
    for copy in stage.placed.values():
        copy.hide_viewport = False
    if not found:
        return [Moment(clip, frame) for clip, pair in enumerate(clips) for frame in _spread(pair, len(clips))]
    return sorted(found, key=lambda one: -found[one])


def _predicted(
    stage: ClipScene,
    few: GltfExport,
    samples: Sequence[_Sample],
    pair: ClipPair,
    *,
    frames: Sequence[float],
    allowed: TimeAllowance,
) -> Iterator[tuple[float, float]]:
    """Yield frames of a clip with how far the samples are off there, while there is time."""
    if allowed.is_over:
        return
    fps = stage.scene.render.fps / stage.scene.render.fps_base
    stage.play(pair.playback, None)
    moved = [one for one in samples if moves(pair.playback, (one.armature,))]
    ordered = [frames[place] for place in _coarse_first(len(frames))]
    first, count = 0, FRAMES_BEGUN_WITH
    while first < len(ordered):
        if not allowed.has_time_for("few posed", times=count / FRAMES_BEGUN_WITH):
            return
        some = ordered[first : first + count]
        with allowed.step("few posed" if count == FRAMES_BEGUN_WITH else "many posed"):
            posed = few.positions(pair.clips, [pair.seconds(frame, fps) for frame in some])
        for place, frame in enumerate(some):
            if not allowed.has_time_for("bones"):
                return
            with allowed.step("bones"):
                set_frame(stage.scene, frame)
                off = max((_off(stage, one, posed[one.place][place]) for one in moved), default=0.0)
            yield frame, off
        first, count = first + count, FRAMES_AT_ONCE


def _coarse_first(count: int) -> list[int]:
    """Order numbers so that the first few are spread over all: 0, 4, 2, 6, 1, 3, 5, 7."""
    bits = max(1, (count - 1).bit_length())
    return [one for number in range(2**bits) if (one := int(f"{number:0{bits}b}"[::-1], 2)) < count]


def _spread(pair: ClipPair, clips: int) -> list[float]:
    """Return whole frames of a clip, spread evenly."""
    count = max(FRAMES_OF_CLIP, FRAMES // clips)
    first, last = np.ceil(pair.first - 1e-3), np.floor(pair.last + 1e-3)
    if first > last:
        return [pair.first]
    return np.unique(np.rint(np.linspace(first, last, count))).tolist()


def _sample(stage: ClipScene, one: SeenMesh, vertices: NDArray[np.intp]) -> _Sample | None:
    mesh_object = find_object(one.object)
    if mesh_object is None:
        return None
    armature = next((identity(held) for held in reversed(armature_objects(mesh_object))), "")
    mesh = mesh_of(mesh_object)
    if armature not in stage.readers or int(vertices.max(initial=-1)) >= len(mesh.vertices):
        return None
    to_root = row_vectors(mesh_object.matrix_world) @ np.linalg.pinv(
        row_vectors(stage.copies[armature].matrix_world)
    )
    positions = np.array([mesh.vertices[index].co for index in vertices.tolist()], dtype=np.float64)
    weights = _weights(mesh_object, mesh, stage.readers[armature], vertices)
    return _Sample(armature, positions.reshape(-1, 3) @ to_root[:3, :3] + to_root[3, :3], weights, one.place)


def _weights(
    mesh_object: bpy.types.Object,
    mesh: bpy.types.Mesh,
    reader: ArmatureReader,
    vertices: NDArray[np.intp],
) -> NDArray[np.float64]:
    bones = {name: number for number, name in enumerate(reader.skeleton.names) if reader.deforms[number]}
    bone_of_group = {
        group.index: bones[group.name] for group in mesh_object.vertex_groups if group.name in bones
    }
    weights = np.zeros((len(vertices), len(reader.skeleton.names)))
    for row, index in zip(weights, vertices.tolist(), strict=True):
        for one in mesh.vertices[index].groups:
            if one.group in bone_of_group:
                row[bone_of_group[one.group]] = one.weight
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def _off(stage: ClipScene, one: _Sample, theirs: NDArray[np.float64]) -> float:
    """Return how far the file's vertices (S, 3) are from the predicted ones at the frame shown."""
    copy = stage.copies[one.armature].evaluated_get(stage.depsgraph)
    reader = stage.readers[one.armature]
    used = np.flatnonzero(one.weights.any(axis=0))
    moves = np.linalg.pinv(reader.skeleton.rest_to_root[used]) @ reader.read_to_root(copy)[used]
    blended = np.einsum("sb,bij->sij", one.weights[:, used], moves)
    in_root = np.einsum("sc,scd->sd", one.positions, blended[:, :3, :3]) + blended[:, 3, :3]
    to_world = row_vectors(copy.matrix_world)
    offset = in_root @ to_world[:3, :3] + to_world[3, :3] - theirs
    known = one.weights.any(axis=1)
    return float(np.linalg.norm(offset[known], axis=1).max(initial=0.0))
