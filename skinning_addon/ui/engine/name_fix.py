"""A fix of bone names that engines mistake for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import bpy

from ...core.text.errors import UsageError
from ...core.text.message import Message
from ...measurement.profiles.fix_measurement import FixMeasurement
from ...scene.clips.action_curves import OwnAction
from ...scene.editing.bone_renaming import actions_to_follow, names_of_its_own, rename_bones
from ...scene.objects.modifier_stack import armature_objects
from .mesh_fix import MeshFix


@dataclass(frozen=True)
class _Renaming:
    armature: bpy.types.Object
    names: dict[str, str]
    actions: list[OwnAction]


class SKINSCOPE_OT_fix_names(MeshFix, bpy.types.Operator):
    """Put the armature's name before the names of bones that other armatures or objects share, with their vertex groups and keys"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.fix_names"
    bl_label = "Rename Shared Bones"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
    moves_objects = True

    def prepare(
        self, context: bpy.types.Context, mesh_object: bpy.types.Object, _measured: FixMeasurement
    ) -> list[_Renaming]:
        scene, found = context.scene, list[_Renaming]()
        for armature in dict.fromkeys(armature_objects(mesh_object)):
            names = names_of_its_own(scene, armature)
            if names:
                found.append(_Renaming(armature, names, actions_to_follow(scene, armature, names)))
        if not found:
            raise UsageError(
                "No bone of '{mesh}' shares its name with another bone or object.", mesh=mesh_object.name
            )
        return found

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:  # noqa: ARG002
        found = cast("list[_Renaming]", prepared)
        for one in found:
            rename_bones(one.armature, one.names, one.actions)
        count = sum(len(one.names) for one in found)
        old, new = next(iter(found[0].names.items()))
        if count == 1:
            return Message("Bone '{old}' renamed to '{new}'", old=old, new=new)
        return Message("{count} bones renamed, such as '{old}' to '{new}'", count=count, old=old, new=new)
