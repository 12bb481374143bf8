"""Operators of a crowd's list of characters and variants."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.props import StringProperty

from ...animation.crowd.kinds import MOST_KINDS
from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.crowd_settings import SKINSCOPE_PG_crowd, SKINSCOPE_PG_crowd_variant, crowd_settings
from .crowd_operators import armature_of_selection


class SKINSCOPE_OT_crowd_variant_add(bpy.types.Operator):
    """Add the selected character to the crowd, or another variant of it"""

    bl_idname = "skinscope.crowd_variant_add"
    bl_label = "Add Variant"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if len(crowd_settings(context.scene).variants) < MOST_KINDS:
            return True
        cls.poll_message_set(translated(Message("There are as many as a crowd can have")))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = crowd_settings(context.scene)
        found = armature_of_selection(context)
        another = found if found is not None and found != settings.armature else None
        if not settings.variants:
            # Those who were there alone until now.
            _add(settings, None)
        _add(settings, another)
        current_session().crowd.refresh_soon()
        return {"FINISHED"}


class SKINSCOPE_OT_crowd_variant_remove(bpy.types.Operator):
    """Remove the selected row; with the last one, all agents are of the crowd's own character again"""

    bl_idname = "skinscope.crowd_variant_remove"
    bl_label = "Remove Variant"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_variant(crowd_settings(context.scene)) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = crowd_settings(context.scene)
        settings.variants.remove(settings.active_variant)
        settings.active_variant = max(min(settings.active_variant, len(settings.variants) - 1), 0)
        current_session().crowd.refresh_soon()
        return {"FINISHED"}


class SKINSCOPE_OT_crowd_variant_mesh(bpy.types.Operator):
    """Whether the agents of the selected variant have this mesh"""

    bl_idname = "skinscope.crowd_variant_mesh"
    bl_label = "Toggle Mesh"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    mesh: StringProperty(name="Mesh", description="Name of the mesh")

    def execute(self, context: bpy.types.Context) -> set[str]:
        variant = active_variant(crowd_settings(context.scene))
        if variant is None:
            return {"CANCELLED"}
        names = [one.name for one in variant.without]
        if self.mesh in names:
            variant.without.remove(names.index(self.mesh))
        else:
            variant.without.add().name = self.mesh
        current_session().crowd.refresh_soon()
        return {"FINISHED"}


def active_variant(settings: SKINSCOPE_PG_crowd) -> SKINSCOPE_PG_crowd_variant | None:
    """Return the selected row, None if there is none."""
    number = settings.active_variant
    return settings.variants[number] if 0 <= number < len(settings.variants) else None


def _add(settings: SKINSCOPE_PG_crowd, armature: bpy.types.Object | None) -> None:
    variant = settings.variants.add()
    own = armature or settings.armature
    variant.name = own.name if own is not None else ""
    if armature is not None:
        variant.armature = armature
    settings.active_variant = len(settings.variants) - 1
