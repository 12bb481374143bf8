"""Findings about how a mesh is bound, whatever its deviation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy

from ...core.profiles.binding import Binding
from ...core.text.errors import BindingError
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import RULES, rule_of
from ...scene.identification import identity
from ...scene.objects.modifier_stack import read_stack


def findings_of_binding(binding: Binding) -> Iterator[Finding]:
    """Report what Blender does that our passes do not, and whether anything moves the mesh at all."""
    for reason in binding.reasons:
        yield rule_of(reason.rule).finding(binding.mesh_object, reason.message)
    if binding.joint_count == 0:
        rule = RULES["no-weights"]
        message = rule.told(
            mesh=binding.mesh_object, armatures=", ".join(f"'{name}'" for name in binding.armatures)
        )
        yield replace(rule.finding(binding.mesh_object, message), count=binding.mesh.vertex_count)


def finding_of_refusal(mesh_object: str, error: BindingError) -> Finding:
    """Say why a mesh can't be skinned, and what to do about it."""
    return Finding(error.rule, Severity.ERROR, mesh_object, str(error))


def findings_of_unbound_meshes(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Find armature modifiers without an armature: meshes meant to be deformed that nothing deforms."""
    rule = RULES["no-armature"]
    for one in sorted(scene.objects, key=identity):
        if one.type != "MESH" or read_stack(one).armature_objects:
            continue
        for modifier in one.modifiers:
            if not isinstance(modifier, bpy.types.ArmatureModifier):
                continue
            if modifier.show_viewport and modifier.object is None:
                yield rule.finding(identity(one), rule.told(modifier=modifier.name, mesh=identity(one)))
                break


def findings_of_visibility(mesh_object: bpy.types.Object) -> Iterator[Finding]:
    """Find armature modifiers that deform the mesh in the viewport but not in renders, or the other way
    round.
    """
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
        yield RULES["visibility-differs"].finding(identity(mesh_object), message)


def finding_of_hidden(mesh_object: bpy.types.Object) -> Finding:
    """Say that a mesh was left out because it is not rendered."""
    rule = RULES["hidden-in-renders"]
    return rule.finding(identity(mesh_object), rule.told(mesh=identity(mesh_object)))


def nothing_to_check() -> Finding:
    """Say that a file has no skinned mesh: a check that checked nothing must not pass."""
    rule = RULES["no-skinned-mesh"]
    return rule.finding("", rule.told())
