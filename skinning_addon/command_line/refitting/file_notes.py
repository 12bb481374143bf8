"""What a file of copies lacks, or has otherwise than Blender, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from ...core.gltf.animation import read_animations
from ...core.gltf.container import read_gltf, reading
from ...core.text.identity import Identity
from ...scene.identification import object_of
from ...scene.refit.copied_meshes import MAKES_VERTICES
from ...scene.refit.game_ready_copy import meshes_of_copy
from ...scene.refit.plan import CopiedMesh, CopyPlan

GLB = ".glb"

SAME_FRAME = 1e-3
"""Tolerance in frames, since files store seconds in 32 bits."""

NAMED = 3
"""Clips, in one sentence."""


def notes_before(copies: Sequence[tuple[bpy.types.Collection, CopyPlan]], extension: str) -> list[str]:
    """Return the notes that don't depend on the written file."""
    return [*_of_subdivision(copies, extension), *_of_weights(copies)]


def notes_after(file: Path, plans: Sequence[CopyPlan], extension: str) -> list[str]:
    """Say where the clips of a written file are not where Blender has them; of a .glb, which is read for it.

    Raises:
        SourceFileError: the file can't be read.
    """
    if extension != GLB:
        return []
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    planned = planned_frames(plans)
    late: dict[str, float] = {}
    cut: list[str] = []
    for name, (start, end) in times_in(file).items():
        if name not in planned:
            continue
        if start * rate > SAME_FRAME:
            late[name] = start
        first, last = planned[name]
        held = math.trunc(first) + (end - start) * rate
        if held < last - SAME_FRAME:
            cut.append(
                f"'{name}' ends at frame {last:g}, in the file at {held:.6g}, since Blender's exporter takes "
                "whole frames; end it at one."
            )
    return [*_of_late(late), *cut]


def planned_frames(plans: Sequence[CopyPlan]) -> dict[str, tuple[float, float]]:
    """Return the first and the last frame of each clip, by name, of all copies."""
    planned: dict[str, tuple[float, float]] = {}
    for one in (clip for plan in plans for clip in plan.clips):
        first, last = planned.get(one.name, (math.inf, -math.inf))
        planned[one.name] = min(first, float(one.frames[0])), max(last, float(one.frames[-1]))
    return planned


def times_in(file: Path) -> dict[str, tuple[float, float]]:
    """Return the seconds at which the clips of a .glb begin and end, by name.

    Raises:
        SourceFileError: the file can't be read.
    """
    read = read_gltf(file)
    with reading(read.path):
        return {one.name: (one.start, one.end) for one in read_animations(read)}


def _of_late(late: dict[str, float]) -> list[str]:
    """Say which clips begin later than at 0 seconds."""
    if not late:
        return []
    shown = ", ".join(f"'{name}' at {start:.4g} s" for name, start in list(late.items())[:NAMED])
    more = f" and {len(late) - NAMED} more likewise" if len(late) > NAMED else ""
    return [
        (
            f"Clips begin in the file where they do in Blender: {shown}{more}; play and loop them from there, "
            "or begin them at frame 0."
        )
    ]


def _of_subdivision(copies: Sequence[tuple[bpy.types.Collection, CopyPlan]], extension: str) -> list[str]:
    """Say which meshes are written without their subdivision: the glTF exporter writes what it is made of."""
    if extension != GLB:
        return []
    return [
        f"'{Identity.of(planned.object).name}' is written without its Subdivision; apply that first, or "
        "subdivide in the engine."
        for collection, plan in copies
        for mesh, planned in zip(meshes_of_copy(collection), plan.meshes, strict=True)
        if any(one.type in MAKES_VERTICES and one.show_viewport for one in mesh.modifiers)
    ]


def _of_weights(copies: Sequence[tuple[bpy.types.Collection, CopyPlan]]) -> list[str]:
    return [
        f"No vertex of '{Identity.of(mesh.object).name}' has a weight for a bone, so no bone moves it, and a "
        "file may have it without a skin; assign weights."
        for _, plan in copies
        for mesh in plan.meshes
        if _is_unweighted(mesh)
    ]


def _is_unweighted(mesh: CopiedMesh) -> bool:
    """Tell whether a mesh has no weights and does not hang on a bone either."""
    joints, weights = np.asarray(mesh.joints), np.asarray(mesh.weights)
    return object_of(mesh.object).parent_type != "BONE" and not ((joints >= 0) & (weights > 0)).any()
