"""Findings about how a mesh is bound, whatever its deviation."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..core.binding import Binding
from ..core.errors import BindingError
from ..core.finding import Finding, Severity
from ..scene.modifier_stack import keeps_positions, read_stack

FIXES_OF_REASONS = {
    "modifier-between": "Move it above the first armature modifier or below the last one, or apply it.",
    "modifier-after": "Apply it, or move it above the armature modifier.",
}
"""What to do about a result that can't equal Blender's, by rule."""


def cut_after_armature(mesh_object: bpy.types.Object) -> Iterator[Finding]:
    """Switch off the modifiers after the armature that change positions, and say so.

    Skinning ends where the armature modifier does, so that is where it has to be compared. Changes the object; for files
    that are opened to be measured, not for a user's session.
    """
    for modifier in read_stack(mesh_object).after:
        if keeps_positions(modifier):
            continue
        modifier.show_viewport = False
        yield Finding(
            rule="modifier-after",
            severity=Severity.INFO,
            object=mesh_object.name,
            message=(
                f"'{modifier.name}' changes '{mesh_object.name}' after the armature has; no engine does, so it was "
                f"switched off and the mesh was compared as the armature leaves it."
            ),
            fix="Apply it before the rig is exported, or leave it out on purpose.",
        )


def findings_of_binding(binding: Binding) -> Iterator[Finding]:
    """Say what Blender does that our passes do not, and whether anything moves the mesh at all."""
    for reason in binding.reasons:
        fix = FIXES_OF_REASONS.get(reason.rule, "")
        yield Finding(reason.rule, Severity.WARNING, binding.mesh_object, reason.message, fix)
    if binding.joint_count == 0:
        armatures = " and ".join(f"'{name}'" for name in binding.armatures)
        yield Finding(
            rule="no-weights",
            severity=Severity.WARNING,
            object=binding.mesh_object,
            message=f"No vertex of '{binding.mesh_object}' is weighted to a deforming bone of {armatures}, so nothing moves it.",
            fix="Give the mesh vertex groups named after the bones, for instance by Parent > With Automatic Weights.",
            count=binding.mesh.vertex_count,
        )


def finding_of_refusal(mesh_object: str, error: BindingError) -> Finding:
    """Say why a mesh can't be skinned; the sentence says what to do as well."""
    return Finding(error.rule, Severity.ERROR, mesh_object, str(error))


def findings_of_unbound_meshes(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Find armature modifiers without an armature: meshes that somebody meant to be deformed and that nothing deforms."""
    for one in sorted(scene.objects, key=lambda one: one.name):
        if one.type != "MESH" or read_stack(one).armature_objects:
            continue
        for modifier in one.modifiers:
            if not isinstance(modifier, bpy.types.ArmatureModifier):
                continue
            if modifier.show_viewport and modifier.object is None:
                yield Finding(
                    rule="no-armature",
                    severity=Severity.WARNING,
                    object=one.name,
                    message=f"The modifier '{modifier.name}' of '{one.name}' names no armature, so nothing deforms it.",
                    fix="Choose the armature as the modifier's Object, or remove the modifier.",
                )
                break


def nothing_to_check() -> Finding:
    """Say that a file has no skinned mesh: a check that checked nothing must not pass."""
    return Finding(
        rule="no-skinned-mesh",
        severity=Severity.ERROR,
        object="",
        message="No mesh of the active scene is deformed by an armature, so there is nothing to compare.",
        fix="Give the mesh an Armature modifier, or make the scene that holds the character the active one.",
    )
