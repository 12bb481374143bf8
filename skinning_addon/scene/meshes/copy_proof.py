"""Proving that a copy of a mesh object evaluates like the original, modifier by modifier and as a whole.

A copy with a cut stack shows a stage that Blender can't show otherwise, so there is nothing to compare it with.
A copy with the whole stack can be compared with the object's own evaluated mesh.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ...core.profiles.binding import Reason
from ...core.text.errors import BindingError
from ...core.verdicts.rules import RULES
from ..copies.isolated_scene import IsolatedScene
from ..identification import identity
from ..object_data import mesh_of
from ..objects.modifier_stack import evaluated_stack, is_copied_exactly, is_simulated
from .blender_result import evaluated_mesh
from .mesh_reader import read_positions

SAME_PLACE = 2e-6
"""Tolerance between the vertices of a faithful copy and its original, relative to the mesh's size. They are
identical to the last digit, except with modifiers whose threads add up in arbitrary order."""

SAME_POSE = 1e-5
"""Tolerance relative to the largest number in the bones' matrices: iterative constraints give slightly
different results."""


def reasons_of_input(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None
) -> Iterator[Reason]:
    """Yield the modifiers before the first armature modifier whose result a copy can't show.

    Makes data-blocks if one of them has to be tested: never call it while drawing.
    """
    stack = evaluated_stack(mesh_object, depsgraph)
    for modifier in stack.before:
        if is_simulated(modifier):
            yield _simulated(mesh_object, modifier)
    unproven: list[bpy.types.Modifier | bpy.types.Object] = [
        one for one in stack.before if not is_simulated(one) and not is_copied_exactly(one)
    ]
    # Blender does not wait for a mesh's own transform before its parent curve deforms it.
    if stack.deforming_parent is not None and stack.deforming_parent.type == "CURVE":
        unproven.append(stack.deforming_parent)
    if unproven and whole_copy_differs(mesh_object, depsgraph or bpy.context.view_layer.depsgraph):
        yield _differs(mesh_object, unproven[0])


def refuse_simulated(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Reject cutting a copy after the last armature modifier if there is a simulation above it.

    Raises:
        BindingError: there is one; names the modifier.
    """
    for modifier in _up_to_last_armature(mesh_object, depsgraph):
        if is_simulated(modifier):
            raise _refusal(_simulated(mesh_object, modifier))


def refuse_what_differs(
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    whole: bpy.types.Mesh | None,
    copies: dict[bpy.types.Object, bpy.types.Object],
) -> None:
    """Reject a copy cut after the last armature modifier if it may differ from Blender's result there.

    whole: the evaluated copy with the whole stack; None if that proves nothing, see `whole_copy_proves`.
    copies: of the posed armatures, as evaluated with it.

    Raises:
        BindingError: it may differ; names the armature or modifier that is the likely cause.
    """
    if whole is not None and not _differ(whole, mesh_object, depsgraph):
        return
    for armature, copy in copies.items():
        if not _same_pose(copy, armature.evaluated_get(depsgraph)):
            raise _other_pose(mesh_object, armature)
    unproven = [one for one in _up_to_last_armature(mesh_object, depsgraph) if not is_copied_exactly(one)]
    if whole is not None or any(map(_has_history, unproven)):
        stack = evaluated_stack(mesh_object, depsgraph)
        likely = next(iter((*unproven, *stack.after, *stack.armatures)))
        raise _refusal(_differs(mesh_object, likely))


def whole_copy_proves(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Tell whether Blender's evaluated mesh is available for comparison, and a faithful copy would equal it."""
    return mesh_object.visible_get(view_layer=depsgraph.view_layer) and not any(
        map(_has_history, evaluated_stack(mesh_object, depsgraph).after)
    )


def whole_copy_differs(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Tell whether a copy with the whole stack evaluates to another mesh than Blender's; False if unknown."""
    if not whole_copy_proves(mesh_object, depsgraph):
        return False
    # Copies are not being painted.
    left_out = evaluated_stack(mesh_object, depsgraph).left_out
    with IsolatedScene(depsgraph) as scene:
        copy = scene.copy_of(mesh_object, {one.name for one in mesh_object.modifiers} - left_out)
        return _differ(mesh_of(scene.evaluated(copy)), mesh_object, depsgraph)


def _up_to_last_armature(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> list[bpy.types.Modifier]:
    stack = evaluated_stack(mesh_object, depsgraph)
    return [*stack.before, *stack.between]


def _has_history(modifier: bpy.types.Modifier) -> bool:
    return is_simulated(modifier) or (not is_copied_exactly(modifier) and modifier.type != "NODES")


def _differ(whole: bpy.types.Mesh, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    return not _same(read_positions(whole), read_positions(evaluated_mesh(mesh_object, depsgraph)))


def _same(found: np.ndarray, expected: np.ndarray) -> bool:
    if found.shape != expected.shape:
        return False
    if np.array_equal(found, expected, equal_nan=True):
        return True
    size = float(np.ptp(expected, axis=0).max(initial=0.0))
    return bool(np.abs(found - expected).max(initial=0.0) <= SAME_PLACE * size)


def _same_pose(found: bpy.types.Object, expected: bpy.types.Object) -> bool:
    posed = _pose(expected)
    near = SAME_POSE * float(np.abs(posed).max(initial=1.0))
    return np.allclose(_pose(found), posed, rtol=0.0, atol=near, equal_nan=True)


def _pose(armature: bpy.types.Object) -> np.ndarray:
    bones = armature.pose.bones if armature.pose else ()
    matrices = np.empty(16 * len(bones), dtype=np.float32)
    if len(bones):
        armature.pose.bones.foreach_get("matrix", matrices)
    return matrices


def _other_pose(mesh_object: bpy.types.Object, armature: bpy.types.Object) -> BindingError:
    """Return the error for a copied pose that differs: constraints may depend on more than their targets'
    transforms, and on earlier evaluations.
    """
    return BindingError(
        "A copy of '{armature}' is not posed as Blender shows the armature, so its effect on '{mesh}' "
        "can't be seen without the modifiers after it; save the file and open it again, bake the "
        "constraints of its bones, or switch those modifiers off.",
        rule="copy-differs",
        armature=identity(armature),
        mesh=identity(mesh_object),
    )


def _simulated(mesh_object: bpy.types.Object, modifier: bpy.types.Modifier) -> Reason:
    return RULES["simulation-before"].reason(modifier=modifier.name, mesh=identity(mesh_object))


def _differs(mesh_object: bpy.types.Object, modifier: bpy.types.Modifier | bpy.types.Object) -> Reason:
    return RULES["copy-differs"].reason(modifier=modifier.name, mesh=identity(mesh_object))


def _refusal(reason: Reason) -> BindingError:
    return BindingError(
        "{problem} {remedy}", rule=reason.rule, problem=reason.message, remedy=RULES[reason.rule].fix
    )
