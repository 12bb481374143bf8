"""Operators of a scene's crowd."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.crowd_settings import crowd_settings


class SKINSCOPE_OT_crowd_toggle(bpy.types.Operator):
    """Have many of the selected character walk about, or end that"""

    bl_idname = "skinscope.crowd_toggle"
    bl_label = "Toggle Crowd"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = crowd_settings(context.scene)
        found = armature_of_selection(context)
        if not settings.is_on and found is not None:
            settings.armature = found
        settings.is_on = not settings.is_on
        return {"FINISHED"}


class SKINSCOPE_OT_crowd_refresh(bpy.types.Operator):
    """Read the character's clips and meshes and the ground again, after they were edited"""

    bl_idname = "skinscope.crowd_refresh"
    bl_label = "Refresh Crowd"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _is_on(cls, context)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        crowd = current_session().crowd
        crowd.read_again()
        if crowd.error:
            self.report({"WARNING"}, crowd.error)
            return {"CANCELLED"}
        return {"FINISHED"}


class SKINSCOPE_OT_crowd_forget_steering(bpy.types.Operator):
    """Forget what was steered: everybody goes their own way again"""

    bl_idname = "skinscope.crowd_forget_steering"
    bl_label = "Forget Steering"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if crowd_settings(context.scene).inputs:
            return True
        cls.poll_message_set(translated(Message("Nobody was steered")))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        crowd_settings(context.scene).inputs = ""
        return {"FINISHED"}


def _is_on(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    if crowd_settings(context.scene).is_on:
        return True
    operator.poll_message_set(translated(Message("Switch the crowd on first")))
    return False


def armature_of_selection(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the active armature, or that of the active mesh."""
    active = context.active_object
    if active is None or active.type == "ARMATURE":
        return active
    return active.find_armature() or (
        active.parent if active.parent is not None and active.parent.type == "ARMATURE" else None
    )
