"""Findings about how a mesh is bound, whatever its deviation."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...core.skinning.binding import Binding
from ...core.text.errors import BindingError
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...scene.identification import identity
from ...scene.meshes.copy_proof import REMEDY
from ...scene.objects.modifier_stack import read_stack

FIXES_OF_REASONS = {
    "modifier-between": Message(
        "Move it above the first armature modifier or below the last one, or apply it."
    ),
    "modifier-passed-over": Message(
        "Switch the armature modifier's Multi Modifier off, or take its vertex group away."
    ),
    "simulation-before": REMEDY,
    "copy-differs": REMEDY,
}
"""What to do about a result that can't equal Blender's, by rule."""


def findings_of_binding(binding: Binding) -> Iterator[Finding]:
    """Say what Blender does that our passes do not, and whether anything moves the mesh at all."""
    for reason in binding.reasons:
        fix = FIXES_OF_REASONS.get(reason.rule, "")
        yield Finding(reason.rule, Severity.WARNING, binding.mesh_object, reason.message, fix)
    if binding.joint_count == 0:
        yield Finding(
            rule="no-weights",
            severity=Severity.WARNING,
            object=binding.mesh_object,
            message=Message(
                "No vertex of '{mesh}' is weighted to a deforming bone of {armatures}, so nothing moves it.",
                mesh=binding.mesh_object,
                armatures=", ".join(f"'{name}'" for name in binding.armatures),
            ),
            fix=Message(
                "Give the mesh vertex groups named after the bones, for instance by Parent > With Automatic Weights."
            ),
            count=binding.mesh.vertex_count,
        )


def finding_of_refusal(mesh_object: str, error: BindingError) -> Finding:
    """Say why a mesh can't be skinned; the sentence says what to do as well."""
    return Finding(error.rule, Severity.ERROR, mesh_object, str(error))


def findings_of_unbound_meshes(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Find armature modifiers without an armature: meshes that somebody meant to be deformed and that nothing deforms."""
    for one in sorted(scene.objects, key=identity):
        if one.type != "MESH" or read_stack(one).armature_objects:
            continue
        for modifier in one.modifiers:
            if not isinstance(modifier, bpy.types.ArmatureModifier):
                continue
            if modifier.show_viewport and modifier.object is None:
                yield Finding(
                    rule="no-armature",
                    severity=Severity.WARNING,
                    object=identity(one),
                    message=Message(
                        "The modifier '{modifier}' of '{mesh}' names no armature, so nothing deforms it.",
                        modifier=modifier.name,
                        mesh=identity(one),
                    ),
                    fix=Message("Choose the armature as the modifier's Object, or remove the modifier."),
                )
                break


def findings_of_visibility(mesh_object: bpy.types.Object) -> Iterator[Finding]:
    """Find armature modifiers that deform the mesh in the viewport and not in renders, or the other way round."""
    for modifier in mesh_object.modifiers:
        if not isinstance(modifier, bpy.types.ArmatureModifier) or modifier.object is None:
            continue
        names = {"modifier": modifier.name, "mesh": identity(mesh_object)}
        if modifier.show_viewport and not modifier.show_render:
            message = Message("'{modifier}' of '{mesh}' is on in the viewport and off in renders.", **names)
        elif modifier.show_render and not modifier.show_viewport:
            message = Message("'{modifier}' of '{mesh}' is off in the viewport and on in renders.", **names)
        else:
            continue
        yield Finding(
            rule="visibility-differs",
            severity=Severity.WARNING,
            object=identity(mesh_object),
            message=message,
            fix=Message("Switch the modifier on or off in both, so that what is seen is what is rendered."),
        )


def finding_of_hidden(mesh_object: bpy.types.Object) -> Finding:
    """Say that a mesh was left out of a check of what is rendered."""
    return Finding(
        rule="hidden-in-renders",
        severity=Severity.INFO,
        object=identity(mesh_object),
        message=Message("'{mesh}' is hidden in renders, so it was left out.", mesh=identity(mesh_object)),
        fix=Message("Show it in renders, or check what the viewport shows."),
    )


def nothing_to_check() -> Finding:
    """Say that a file has no skinned mesh: a check that checked nothing must not pass."""
    return Finding(
        rule="no-skinned-mesh",
        severity=Severity.ERROR,
        object="",
        message=Message(
            "No mesh of the active scene is deformed by an armature, so there is nothing to compare."
        ),
        fix=Message(
            "Give the mesh an Armature modifier, or make the scene that holds the character the active one."
        ),
    )
