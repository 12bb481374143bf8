"""What the panels about clips need before they can draw anything: an armature whose clips are listed."""

from __future__ import annotations

import bpy

from ..settings.animation_settings import armature_in_focus
from ..settings.clip_lists import SKINSCOPE_PG_clip_list, clip_list
from ..widgets.wrapped_label import wrapped_label
from .animation_operators import WHAT_TO_SELECT
from .clip_listing import ask_for_list


def listed_armature(
    layout: bpy.types.UILayout, context: bpy.types.Context
) -> tuple[bpy.types.Object, SKINSCOPE_PG_clip_list] | None:
    """Return the armature in focus and its clips. If there is no armature, say in the layout what to select; if
    its clips aren't listed yet, have that done; and return None.
    """
    armature = armature_in_focus(context)
    if armature is None:
        hint = layout.column()
        hint.active = False
        wrapped_label(hint, context, WHAT_TO_SELECT, "INFO")
        return None
    listed = clip_list(armature)
    if listed is None:
        ask_for_list(armature)
        return None
    return armature, listed
