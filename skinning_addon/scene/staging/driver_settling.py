"""Constraint settings that stay constant while clips play: those driven by switches without keys.

Control rigs switch between forward and inverse kinematics, and between parents, with custom properties that
drive constraints. Left alone, Blender computes all these drivers at every frame, and evaluates the targets even
of switched-off constraints.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import bpy

from ..clips.actions import POSE_BONE_PATH, fcurves

ConstraintName = tuple[str, str]
"""Names of a bone and of one of its constraints."""

_CONSTRAINT = re.compile(POSE_BONE_PATH.pattern + r'\.constraints\["((?:[^"\\]|\\.)*)"\]')
_SETTING = re.compile(_CONSTRAINT.pattern + r"\.(?:(influence|mute)|targets\[(\d+)\]\.weight)$")
_PROPERTY = re.compile(r'\["((?:[^"\\]|\\.)*)"\]$')
_TIME = re.compile(r"\bframe\b")
_CHAINS = {"IK", "SPLINE_IK"}


@dataclass(frozen=True)
class _Animated:
    """Everything that F-curves and drivers may change, whichever clip plays.

    constraints: those with an animated setting. properties: names of custom properties.
    """

    constraints: Collection[ConstraintName]
    properties: Collection[str]


def settle_switches(armature: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> None:
    """Replace drivers of constraint influences with their values if those can't change.

    armature: a copy with its own animation.
    """
    animated = _animated(armature)
    if animated is None:
        return
    settled = [
        (curve, match)
        for curve in _drivers(armature)
        if (match := _SETTING.match(curve.data_path)) and _never_changes(curve, armature, animated)
    ]
    if not settled:
        return
    # The original's values date from its last evaluation, and hidden armatures are never evaluated.
    view_layer.update()
    bones = armature.evaluated_get(view_layer.depsgraph).pose.bones
    for curve, match in settled:
        constraint, evaluated = (_constraint(each, match) for each in (armature.pose.bones, bones))
        if match[3] and constraint is not None and evaluated is not None:
            setattr(constraint, match[3], getattr(evaluated, match[3]))
        elif (
            isinstance(constraint, bpy.types.ArmatureConstraint)
            and isinstance(evaluated, bpy.types.ArmatureConstraint)
            and int(match[4]) < len(constraint.targets)
        ):
            constraint.targets[int(match[4])].weight = evaluated.targets[int(match[4])].weight
        else:
            continue
        armature.animation_data.drivers.remove(curve)


def mute_without_influence(armature: bpy.types.Object) -> set[ConstraintName]:
    """Mute the constraints that never have an effect; return all that are permanently muted.

    Blender skips constraints without influence, but still evaluates their targets. IK chains are left alone,
    because they move bones other than their own.
    """
    animated = _animated(armature)
    if animated is None:
        return set()
    silent: set[ConstraintName] = set()
    for bone in armature.pose.bones:
        for one in bone.constraints:
            if one.type in _CHAINS or not (one.mute or one.influence == 0):
                continue
            if (bone.name, one.name) not in animated.constraints:
                one.mute = True
                silent.add((bone.name, one.name))
    return silent


def _drivers(armature: bpy.types.Object) -> list[bpy.types.FCurve]:
    return list(armature.animation_data.drivers) if armature.animation_data else []


def _paths(armature: bpy.types.Object) -> Iterator[str]:
    """List the data paths that may be animated, including all actions, since any may be played."""
    for action in bpy.data.actions:
        yield from (curve.data_path for curve in fcurves(action))
    yield from (curve.data_path for curve in _drivers(armature))


def _animated(armature: bpy.types.Object) -> _Animated | None:
    """Return what may be animated; None if a path can't be parsed and might thus mean anything."""
    constraints: set[ConstraintName] = set()
    properties: set[str] = set()
    for path in set(_paths(armature)):
        if ".constraints[" in path:
            match = _CONSTRAINT.match(path)
            if match is None:
                return None
            constraints.add(_names(match))
        elif path.endswith("]"):
            match = _PROPERTY.search(path)
            if match is None:
                return None
            properties.add(match[1])
    return _Animated(constraints, properties)


def _never_changes(curve: bpy.types.FCurve, armature: bpy.types.Object, animated: _Animated) -> bool:
    """Tell whether a driver reads only custom properties of its own armature, none of them animated."""
    driver = curve.driver
    if driver is None or curve.mute or not driver.is_valid:
        return False
    if driver.type == "SCRIPTED" and (not driver.is_simple_expression or _TIME.search(driver.expression)):
        return False
    targets = [target for variable in driver.variables for target in variable.targets]
    if not targets or any(one.type != "SINGLE_PROP" for one in driver.variables):
        return False
    for one in targets:
        match = _PROPERTY.search(one.data_path)
        if one.id != armature or match is None or match[1] in animated.properties:
            return False
    return True


def _constraint(bones: bpy.types.bpy_prop_collection, match: re.Match[str]) -> bpy.types.Constraint | None:
    bone, name = _names(match)
    found = bones.get(bone)
    return found.constraints.get(name) if found is not None else None


def _names(match: re.Match[str]) -> ConstraintName:
    return bpy.utils.unescape_identifier(match[1]), bpy.utils.unescape_identifier(match[2])
