"""The bones that others need for their pose: through parents, constraints, drivers, handles and IK chains.

Any string that equals a bone's name counts as that bone: too many dependencies cost time, too few give wrong
poses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

import bpy

from ..object_data import armature_of

Reliance = dict[str, set[str]]

UNKNOWN = ""
"""Placeholder for an unknown bone: anything that depends on it may depend on any bone."""

_BONE_IN_PATH = re.compile(r'bones\["((?:[^"\\]|\\.)*)"\]')
_NUMBERED_BONE = re.compile(r"bones\[\d")


def bones_relied_on(
    armature: bpy.types.Object,
    wanted: Collection[str],
    company: Collection[bpy.types.Object],
    silent: Collection[tuple[str, str]] = (),
) -> set[str] | None:
    """Name the bones that must be posed for the wanted ones and for other objects that use the armature.

    company: all objects that are evaluated together with the armature, including itself.
    silent: constraints without effect, by the names of bone and constraint.
    Returns None if that is unknown: scripts may read any bone, and deformed meshes follow many.
    """
    if armature.pose.ik_solver != "LEGACY" or any(_is_deformed(one) for one in company):
        return None
    relies = _reliance(armature, silent)
    waiting = set(wanted)
    for one in company:
        waiting |= _named_by_object(one, armature)
        if one is not armature and one.pose:
            waiting.update(name for bone in one.pose.bones for name in _named_by_constraints(bone))
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name == UNKNOWN:
            return None
        if name in relies and name not in found:
            found.add(name)
            waiting |= relies[name]
    return found


def driven_bone(curve: bpy.types.FCurve) -> str:
    """Return the name of the bone that a driver belongs to, or an empty string."""
    match = _BONE_IN_PATH.search(curve.data_path)
    return bpy.utils.unescape_identifier(match[1]) if match else ""


def drivers_of(*blocks: bpy.types.ID | None) -> Iterator[bpy.types.FCurve]:
    """List the drivers of data-blocks."""
    for block in blocks:
        animation = getattr(block, "animation_data", None)
        yield from animation.drivers if animation else ()


def _reliance(armature: bpy.types.Object, silent: Collection[tuple[str, str]]) -> Reliance:
    relies: Reliance = {}
    for bone in armature.pose.bones:
        names = relies.setdefault(bone.name, set())
        names.update(_named_by_constraints(bone, silent), _handles(bone))
        if bone.parent:
            names.add(bone.parent.name)
    for bone in armature.pose.bones:
        for name in _moved_by_chains(bone):
            relies[name].add(bone.name)
    for curve in drivers_of(armature, armature_of(armature)):
        owner = driven_bone(curve)
        if owner in relies:
            relies[owner] |= _named_by_driver(curve)
    return relies


def _named_by_object(one: bpy.types.Object, armature: bpy.types.Object) -> set[str]:
    """Name the bones that an object needs, whichever bones of the armature are wanted."""
    names = {one.parent_bone} if one.parent_type == "BONE" else set[str]()
    for owner in (*one.constraints, *one.modifiers):
        names.update(_strings(owner))
    for curve in drivers_of(one, one.data, getattr(one.data, "shape_keys", None)):
        # Drivers of the armature's own bones are needed only if the bone is.
        if one is not armature or driven_bone(curve) not in armature.pose.bones:
            names |= _named_by_driver(curve)
    return names


def _named_by_constraints(
    bone: bpy.types.PoseBone, silent: Collection[tuple[str, str]] = ()
) -> Iterator[str]:
    for constraint in bone.constraints:
        if (bone.name, constraint.name) not in silent:
            yield from _strings(constraint)


def _strings(constraint: bpy.types.Constraint | bpy.types.Modifier) -> Iterator[str]:
    for owner in (constraint, *getattr(constraint, "targets", ())):
        for name in _string_properties(type(owner)):
            # An empty name is unset, and must not be mistaken for UNKNOWN.
            yield from [value] if (value := getattr(owner, name)) else []


@cache
def _string_properties(owner: type[bpy.types.bpy_struct]) -> tuple[str, ...]:
    return tuple(
        one.identifier
        for one in owner.bl_rna.properties
        if isinstance(one, bpy.types.StringProperty) and one.identifier != "name"
    )


def _named_by_driver(curve: bpy.types.FCurve) -> set[str]:
    driver = curve.driver
    # Expressions that Blender doesn't evaluate itself are Python, which may read anything.
    if driver is None or (driver.type == "SCRIPTED" and not driver.is_simple_expression):
        return {UNKNOWN}
    names: set[str] = set()
    for target in (target for variable in driver.variables for target in variable.targets):
        if _NUMBERED_BONE.search(target.data_path):
            return {UNKNOWN}
        names.update(bpy.utils.unescape_identifier(one) for one in _BONE_IN_PATH.findall(target.data_path))
        if target.bone_target:
            names.add(target.bone_target)
    return names


def _handles(pose_bone: bpy.types.PoseBone) -> set[str]:
    """Name the bones that shape a bendy bone: its handles and its children."""
    bone = pose_bone.bone
    if bone.bbone_segments == 1:
        return set()
    handles = (bone.bbone_custom_handle_start, bone.bbone_custom_handle_end, *bone.children)
    return {one.name for one in handles if one}


def _moved_by_chains(bone: bpy.types.PoseBone) -> set[str]:
    """Name the ancestors that a bone's inverse kinematics move."""
    moved: set[str] = set()
    for constraint in bone.constraints:
        if isinstance(constraint, bpy.types.KinematicConstraint | bpy.types.SplineIKConstraint):
            above = [one.name for one in bone.parent_recursive]
            moved.update(above[: constraint.chain_count or None])
    return moved


def _is_deformed(one: bpy.types.Object) -> bool:
    return bool(one.modifiers) or one.parent_type == "ARMATURE"
