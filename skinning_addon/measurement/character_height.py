"""How tall characters are: thresholds are for a figure of one height, and scale with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import bpy
import numpy as np

from ..core.verdict import HEIGHT_OF_THRESHOLDS
from ..scene.animated_settings import armatures_at_some_frame
from ..scene.deformed_meshes import deformed_meshes
from ..scene.identification import identity
from ..scene.matrices import row_vectors
from ..scene.mesh_reader import read_positions
from ..scene.object_data import mesh_of


def height_scales(scene: bpy.types.Scene, meshes: Iterable[bpy.types.Object]) -> Mapping[str, float]:
    """Return, by identity of the mesh, the height of its character in units of HEIGHT_OF_THRESHOLDS; 1 where it has none.

    A character is all meshes of the scene that one armature deforms, at rest, where their objects stand. What a bone
    carries along does not count: a raised sword makes nobody taller.
    """
    figures: defaultdict[str, list[bpy.types.Object]] = defaultdict(list)
    for one in deformed_meshes(scene):
        figures[identity(armatures_at_some_frame(one)[0])].append(one)
    unit = scene.unit_settings.scale_length
    known: dict[str, float] = {}
    scales: dict[str, float] = {}
    for one in meshes:
        armature = next((identity(armature) for armature in armatures_at_some_frame(one)), "")
        figure = figures.get(armature) or [one]
        key = armature or identity(one)
        if key not in known:
            known[key] = _height(figure) * unit
        scales[identity(one)] = known[key] / HEIGHT_OF_THRESHOLDS if known[key] > 0 else 1.0
    return scales


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
