"""Fixes of what files lack of an armature's motion: keys, instead of what only Blender evaluates."""

from __future__ import annotations

from typing import ClassVar, cast

import bpy

from ...core.text.errors import UsageError
from ...core.text.message import Message
from ...measurement.profiles.fix_measurement import FixMeasurement
from ...scene.baking.constraint_baking import ConstrainedMotion, constrained_motion, key_motion
from ...scene.editing.missing_keys import MissingKeys, key_missing, missing_keys
from ...scene.objects.modifier_stack import armature_objects
from .mesh_fix import MeshFix


class SKINSCOPE_OT_fix_keys(MeshFix, bpy.types.Operator):
    """Key the bones that an action of the armature leaves unkeyed, as they are posed now, at its first frame"""

    bl_idname = "skinscope.fix_keys"
    bl_label = "Key Every Bone"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
    changes_playback = True

    def prepare(
        self, context: bpy.types.Context, mesh_object: bpy.types.Object, _measured: FixMeasurement
    ) -> list[tuple[bpy.types.Object, list[MissingKeys]]]:
        armatures = armature_objects(mesh_object)
        found = [(one, missing_keys(context.scene, one)) for one in dict.fromkeys(armatures)]
        if not any(missing for _, missing in found):
            raise UsageError(
                "All actions of '{armature}' key every bone that moves, or it has none.",
                armature=armatures[0].name,
            )
        return found

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:  # noqa: ARG002
        found = cast("list[tuple[bpy.types.Object, list[MissingKeys]]]", prepared)
        actions = [one.name for armature, missing in found for one in key_missing(armature, missing)]
        bones = {
            (armature.name, bone)
            for armature, missing in found
            for one in missing
            for bone, _, _ in one.channels
        }
        names = ", ".join(f"'{one}'" for one in dict.fromkeys(actions))
        if len(bones) == 1:
            return Message("A bone keyed in {actions}", actions=names)
        return Message("{count} bones keyed in {actions}", count=len(bones), actions=names)


class SKINSCOPE_OT_fix_constraints(MeshFix, bpy.types.Operator):
    """Key what constraints and drivers make of the armature's bones over the scene's frames, and mute them"""

    bl_idname = "skinscope.fix_constraints"
    bl_label = "Bake Constraints"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
    changes_playback = True

    def prepare(
        self, context: bpy.types.Context, mesh_object: bpy.types.Object, _measured: FixMeasurement
    ) -> list[tuple[bpy.types.Object, ConstrainedMotion]]:
        armatures = dict.fromkeys(armature_objects(mesh_object))
        return [(one, constrained_motion(context.scene, one)) for one in armatures]

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:  # noqa: ARG002
        found = cast("list[tuple[bpy.types.Object, ConstrainedMotion]]", prepared)
        actions = [key_motion(armature, motion).name for armature, motion in found]
        count = sum(len(motion.bones) for _, motion in found)
        names = ", ".join(f"'{one}'" for one in actions)
        if count == 1:
            return Message("A bone baked into {actions}, and its constraints muted", actions=names)
        return Message(
            "{count} bones baked into {actions}, and their constraints muted", count=count, actions=names
        )
