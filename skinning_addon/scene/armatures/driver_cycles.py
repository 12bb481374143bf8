"""Bone settings driven by their own results: Blender breaks such a cycle at an arbitrary point."""

from __future__ import annotations

import re
from collections.abc import Iterator

import bpy

from ...core.profiles.binding import Reason
from ...core.verdicts.rules import RULES
from ..identification import identity
from ..object_data import armature_of

_BONE_SETTING = re.compile(r'bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)')
"""The data path of a bone's own setting in an armature's data."""

_BY_POSE = frozenset({"TRANSFORMS", "ROTATION_DIFF", "LOC_DIFF"})
"""Types of variables that read a bone's transform, which needs the whole pose."""


def reasons_of_cycles(mesh: str, armature: bpy.types.Object) -> Iterator[Reason]:
    """Name the settings of an armature's bones that are driven by the bone itself or by one below it.

    Blender evaluates such a driver before or after the pose that it reads, so it deforms with the value of
    another frame. That need not be visible, so only call this if a mesh deviates. mesh: the mesh's name.
    """
    data = armature_of(armature)
    animation = data.animation_data
    for curve in animation.drivers if animation else ():
        found = _BONE_SETTING.fullmatch(curve.data_path)
        bone = data.bones.get(bpy.utils.unescape_identifier(found[1])) if found else None
        if found is None or bone is None:
            continue
        below = {bone.name, *(one.name for one in bone.children_recursive)}
        targets = (
            target
            for variable in curve.driver.variables
            if variable.type in _BY_POSE
            for target in variable.targets
        )
        driving = (one.bone_target for one in targets if getattr(one.id, "data", None) == data)
        if by := next((one for one in driving if one in below), None):
            yield RULES["driver-cycle"].reason(
                setting=found[2],
                bone=bone.name,
                armature=identity(armature),
                by=by,
                mesh=mesh,
            )
