"""Compares Armature modifiers one by one, starting each of Blender's from our result of the one before.

A chain of modifiers passes the last digits of each on to the next, and they grow if a later one depends steeply
on vertex positions, as with envelopes and bendy bones. One step at a time, nothing grows: if each of Blender's
modifiers takes our result of the chain before it to our result of the chain with it, ours matches what Blender
computes. A run of Multi Modifiers, all of which start from the same input as the first one, is one step. At
some vertices a single step depends on the last digits, as at the rim of all envelopes, where weights are tiny:
a nudge reveals that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from tests.scene.comparison import blender_positions, size_of_motion, skinned_positions

PARENT = -1
"""Stands for the parent of type Armature, which acts before the modifiers."""


LAST_DIGIT = 2.0**-23
NUDGES = 8


@dataclass(frozen=True)
class Step:
    """The vertex of a modifier that deviates most.

    deviation: relative to (diagonal + displacement) of the whole chain. nudged: how far, relative to the same,
    Blender's own modifier moves it when all vertices move by float32's last digit.
    """

    deviation: float
    nudged: float


def worst_step(mesh: bpy.types.Object) -> Step:
    """Return the step that deviates most.

    Leaves the mesh as it found it.
    """
    modifiers = list(mesh.modifiers)
    parented = mesh.parent_type == "ARMATURE"
    chain = _steps(modifiers, parented=parented)
    size = size_of_motion(mesh)
    rest = np.empty(len(mesh.data.vertices) * 3, dtype=np.float32)
    mesh.data.vertices.foreach_get("co", rest)
    ours: list[np.ndarray] = []
    for step in chain:
        _show(modifiers, range(step[-1] + 1))
        ours.append(skinned_positions(mesh))
    worst = Step(0.0, 0.0)
    start = rest
    for step, expected in zip(chain, ours, strict=True):
        if PARENT not in step:
            mesh.parent_type = "OBJECT"
        _put(mesh, start)
        _show(modifiers, step)
        blenders = blender_positions(mesh)
        apart = np.linalg.norm(blenders - expected, axis=1)
        vertex = int(apart.argmax())
        if apart[vertex] / size > worst.deviation:
            nudged = _moved_by_a_nudge(mesh, start, vertex, blenders[vertex])
            worst = Step(float(apart[vertex]) / size, nudged / size)
        start = expected.astype(np.float32).reshape(-1)
    if parented:
        mesh.parent_type = "ARMATURE"
    _put(mesh, rest)
    _show(modifiers, range(len(modifiers)))
    return worst


def _steps(modifiers: Sequence[bpy.types.Modifier], *, parented: bool) -> list[list[int]]:
    """Group modifier indices into steps, each a modifier with the Multi Modifiers that follow it."""
    steps = [[PARENT]] * parented
    for index, modifier in enumerate(modifiers):
        if modifier.use_multi_modifier and steps:
            steps[-1].append(index)
        else:
            steps.append([index])
    return steps


def _show(modifiers: Sequence[bpy.types.Modifier], indices: Sequence[int]) -> None:
    for index, modifier in enumerate(modifiers):
        modifier.show_viewport = index in indices
    bpy.context.view_layer.update()


def _put(mesh: bpy.types.Object, positions: np.ndarray) -> None:
    mesh.data.vertices.foreach_set("co", positions)
    mesh.data.update()


def _moved_by_a_nudge(mesh: bpy.types.Object, start: np.ndarray, vertex: int, blenders: np.ndarray) -> float:
    random = np.random.default_rng(0)
    digit = np.abs(start).max() * LAST_DIGIT
    farthest = 0.0
    for shake in random.uniform(-1, 1, (NUDGES, len(start))):
        _put(mesh, (start + shake * digit).astype(np.float32))
        bpy.context.view_layer.update()
        farthest = max(farthest, float(np.linalg.norm(blender_positions(mesh)[vertex] - blenders)))
    return farthest
