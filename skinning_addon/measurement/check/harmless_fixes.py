"""Fixes that change nothing in Blender, made in the open file: each is measured by Blender's own meshes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.length import format_length
from ...scene.clips.playback import sample_frames, set_frame
from ...scene.editing.bone_weights import normalised_weights
from ...scene.editing.scale_application import apply_scale, scale_problem
from ...scene.editing.vertex_group_use import groups_without_bone
from ...scene.editing.vertex_group_writer import remove_groups, write_weights
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import mesh_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.modifier_stack import armature_objects
from ..frame.character_height import height_scales

FRAMES = 8
"""At most, spread over what the scene plays."""

Places = dict[tuple[str, float], NDArray[np.float64]]
"""Blender's vertices in world space, by mesh and frame."""


@dataclass(frozen=True)
class Fix:
    """key: the same for this fix of this object, however often the file is opened. told: what was done."""

    key: tuple[str, str]
    told: str
    make: Callable[[], object]


@dataclass(frozen=True)
class Made:
    """told: what was done, and of what was tried what it would have moved. refused: keys of the latter."""

    told: tuple[str, ...]
    refused: frozenset[tuple[str, str]]
    undone: bool


def make_fixes(scene: bpy.types.Scene, invisible: float, refused: frozenset[tuple[str, str]]) -> Made:
    """Make the fixes of a scene's deformed meshes, one by one, but for those that were refused before.

    invisible: metres, for a figure of the usual height; a fix that moves a vertex by more is refused, and
    `undone` says that the file has to be opened again without it.
    """
    told: list[str] = []
    limits = {name: invisible * scale for name, scale in height_scales(scene, deformed_meshes(scene)).items()}
    before = _places(scene)
    for fix in _fixes(scene):
        if fix.key in refused:
            continue
        fix.make()
        bpy.context.view_layer.update()
        moved = _moved(scene, before, _places(scene), limits)
        if moved is not None:
            told_so = f"Not kept, since it moves {moved}: {fix.told[0].lower()}{fix.told[1:]}"
            return Made((told_so,), refused | {fix.key}, undone=True)
        told.append(fix.told)
    return Made(tuple(told), refused, undone=False)


def _fixes(scene: bpy.types.Scene) -> Iterator[Fix]:
    """Yield what can be mended as it is found: one fix may be what another needs."""
    for one in deformed_meshes(scene):
        data = mesh_of(one)
        if one.library or data.library or one.override_library:
            continue
        name = identity(one)
        weights = normalised_weights(one)
        if weights is not None:
            before, after = weights
            told = f"The weights of '{name}' add up to one"
            yield Fix(("weights", name), told, lambda one=one, a=before, b=after: write_weights(one, a, b))
        groups = [each for each in groups_without_bone(one) if not one.vertex_groups[each].lock_weight]
        if groups:
            told = f"{len(groups)} vertex group{'s' * (len(groups) != 1)} of '{name}' without a bone removed"
            yield Fix(("groups", name), told, lambda one=one, groups=groups: remove_groups(one, groups))
        scaled = [
            each for each in (*armature_objects(one), one) if any(abs(s - 1) > 1e-6 for s in each.scale)
        ]
        scaled = list(dict.fromkeys(scaled))
        if scaled and all(scale_problem(each) is None for each in scaled):
            told = f"The scale of {', '.join(repr(str(identity(each))) for each in scaled)} applied"
            yield Fix(("scale", name), told, lambda scaled=scaled: apply_scale(scaled))


def _places(scene: bpy.types.Scene) -> Places:
    shown = scene.frame_current_final
    frames = sample_frames(scene.frame_start, scene.frame_end)
    few = {frames[at] for at in np.linspace(0, len(frames) - 1, FRAMES).round().astype(int).tolist()}
    found: Places = {}
    for frame in (*sorted(few), shown):
        set_frame(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for one in deformed_meshes(scene):
            evaluated = one.evaluated_get(depsgraph)
            to_world = row_vectors(evaluated.matrix_world)
            positions = read_positions(mesh_of(evaluated)) @ to_world[:3, :3] + to_world[3, :3]
            found[identity(one), frame] = positions
    return found


def _moved(scene: bpy.types.Scene, before: Places, after: Places, limits: dict[str, float]) -> str | None:
    """Say what has moved by more than its limit; None if nothing has."""
    unit = scene.unit_settings.scale_length
    for (name, frame), places in before.items():
        now = after.get((name, frame))
        if now is None or now.shape != places.shape:
            return f"'{name}', which has other vertices then"
        distance = float(np.linalg.norm(now - places, axis=1).max(initial=0.0)) * unit
        if not distance <= limits.get(name, 0.0):
            return f"'{name}' by {format_length(distance)} in frame {frame:g}"
    return None
