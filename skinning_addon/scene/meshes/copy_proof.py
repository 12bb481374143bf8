"""Proving that a copy of a mesh object evaluates like the original, modifier by modifier and as a whole.

A copy whose stack is cut shows what Blender has no other way to show, so there is nothing to compare it with. A
copy with the whole stack has: the object's own evaluated mesh.
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
the same to the last digit, but
for modifiers whose threads add up in any order."""

SAME_POSE = 1e-5
"""Relative to the largest number in the bones' matrices: iterative constraints end up slightly different."""


def reasons_of_input(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None
) -> Iterator[Reason]:
    """Say which modifiers make of the mesh, before it goes into the first armature modifier, what a copy can't
    show.

    Makes data-blocks if any of them has to be tried: never call it while drawing.
    """
    stack = evaluated_stack(mesh_object, depsgraph)
    for modifier in stack.before:
        if is_simulated(modifier):
            yield _simulated(mesh_object, modifier)
    unproven: list[bpy.types.Modifier | bpy.types.Object] = [
        one for one in stack.before if not is_simulated(one) and not is_copied_exactly(one)
    ]
    # Blender does not wait for where a mesh stands before a parent curve deforms it.
    if stack.deforming_parent is not None and stack.deforming_parent.type == "CURVE":
        unproven.append(stack.deforming_parent)
    if unproven and whole_copy_differs(mesh_object, depsgraph or bpy.context.view_layer.depsgraph):
        yield _differs(mesh_object, unproven[0])


def refuse_simulated(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Refuse to cut a copy after the last armature modifier where a simulation stands above that.

    Raises:
        BindingError: names the modifier.
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
    """Refuse a copy that is cut after the last armature modifier if it may show something else than Blender
    does there.

    whole: what a copy with the whole stack came out as; None where that proves nothing, see
    `whole_copy_proves`.
    copies: of the armatures that are posed, as they were evaluated with it.

    Raises:
        BindingError: names the armature or the modifier that is the likely cause.
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
    """Tell whether Blender's evaluated mesh is there to be compared with, and a faithful copy would equal
    it.
    """
    return mesh_object.visible_get(view_layer=depsgraph.view_layer) and not any(
        map(_has_history, evaluated_stack(mesh_object, depsgraph).after)
    )


def whole_copy_differs(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Evaluate a copy with the whole stack, and tell whether it shows anything but Blender's mesh; False where
    that can't be told.
    """
    if not whole_copy_proves(mesh_object, depsgraph):
        return False
    # Copies are not painted.
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
    """A constraint's result may depend on more than its target's place, and on earlier evaluations."""
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
