"""Heights and sizes of characters: thresholds are for a figure of one height, and exactness scales with
size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.verdicts.verdict import HEIGHT_OF_THRESHOLDS
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import armature_of, mesh_of
from ...scene.objects.animated_settings import armatures_at_some_frame
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.modifier_stack import armature_objects


def height_scales(scene: bpy.types.Scene, meshes: Iterable[bpy.types.Object]) -> Mapping[str, float]:
    """Return, by identity of the mesh, the height of its character in units of HEIGHT_OF_THRESHOLDS; 1 if it
    has none.

    A character is all meshes of the scene that one armature deforms, at rest, where their objects stand.
    Parts that bones carry do not count: a raised sword doesn't make a character taller.
    """
    figures: defaultdict[str, list[bpy.types.Object]] = defaultdict(list)
    for one in deformed_meshes(scene):
        figures[identity(armatures_at_some_frame(one)[0])].append(one)
    unit = scene.unit_settings.scale_length
    known: dict[str, float] = {}
    scales: dict[str, float] = {}
    for one in meshes:
        armature = next((identity(armature) for armature in _armatures(one)), "")
        figure = figures.get(armature) or [one]
        key = armature or identity(one)
        if key not in known:
            known[key] = _height(figure) * unit
        scales[identity(one)] = known[key] / HEIGHT_OF_THRESHOLDS if known[key] > 0 else 1.0
    return scales


def character_sizes(scene: bpy.types.Scene, meshes: Iterable[bpy.types.Object]) -> Mapping[str, float]:
    """Return, by identity of the mesh, how large its character is: the diagonal, in scene units, of its
    bounding box.

    The box contains all meshes of the scene that an armature of the mesh deforms, and those armatures' bones,
    at rest, where their objects stand. An eyelash or a single vertex is posed by numbers as large as the
    whole character, and rounded like them.
    """
    figures: defaultdict[bpy.types.Object, list[bpy.types.Object]] = defaultdict(list)
    for one in deformed_meshes(scene):
        for armature in armatures_at_some_frame(one):
            figures[armature].append(one)
    boxes: dict[bpy.types.Object, NDArray[np.float64]] = {}
    sizes: dict[str, float] = {}
    for one in meshes:
        armatures = _armatures(one)
        members = {one, *armatures, *(member for armature in armatures for member in figures[armature])}
        for member in members - boxes.keys():
            boxes[member] = _box(member)
        ends = np.concatenate([boxes[member] for member in members])
        size = float(np.linalg.norm(np.ptp(ends, axis=0))) if len(ends) else 0.0
        sizes[identity(one)] = size if np.isfinite(size) else 0.0
    return sizes


def _armatures(one: bpy.types.Object) -> tuple[bpy.types.Object, ...]:
    """Return the armatures that deform a mesh at some frame, or the one that carries it along."""
    return armatures_at_some_frame(one) or armature_objects(one)


def _box(member: bpy.types.Object) -> NDArray[np.float64]:
    """Return the two corners of the box, in world space, around a mesh or an armature's bones at rest; (0, 3)
    for nothing.
    """
    if member.type == "MESH":
        points = read_positions(mesh_of(member)).astype(np.float64)
    else:
        bones = armature_of(member).bones
        ends = np.empty((2, 3 * len(bones)), dtype=np.float32)
        for row, name in zip(ends, ("head_local", "tail_local"), strict=True):
            bones.foreach_get(name, row)
        points = ends.reshape(-1, 3).astype(np.float64)
    to_world = row_vectors(member.matrix_world)
    placed = points @ to_world[:3, :3] + to_world[3, :3]
    return np.array((placed.min(axis=0), placed.max(axis=0))) if len(placed) else placed


def _height(figure: Iterable[bpy.types.Object]) -> float:
    ends: list[float] = []
    for one in figure:
        positions = read_positions(mesh_of(one))
        if len(positions):
            to_world = row_vectors(one.matrix_world)
            heights = positions @ to_world[:3, 2] + to_world[3, 2]
            ends += [float(heights.min()), float(heights.max())]
    height = max(ends) - min(ends) if ends else 0.0
    return height if np.isfinite(height) else 0.0
