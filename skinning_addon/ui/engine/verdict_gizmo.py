"""The buttons of a verdict in the 3D view, as gizmos."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from ...viewport.overlay.verdict_text import has_buttons
from ...viewport.overlay.view_text import is_for_text, verdict_buttons
from ...viewport.session import current_session
from ..settings.properties import preview_settings
from .finding_operators import SKINSCOPE_OT_profile_jump
from .profile_check_operator import SKINSCOPE_OT_profile_check
from .verdict_operators import SKINSCOPE_OT_verdict_fix, finding_to_fix

BUTTONS = (
    (SKINSCOPE_OT_profile_jump, "TIME"),
    (SKINSCOPE_OT_verdict_fix, "TOOL_SETTINGS"),
    (SKINSCOPE_OT_profile_check, "VIEWZOOM"),
)

RADIUS = 12.0
"""At interface scale 1."""


class SKINSCOPE_GGT_verdict(bpy.types.GizmoGroup):
    """Jump, fix and check again"""

    bl_label = "Skinscope Verdict"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options: ClassVar = {"PERSISTENT", "SCALE"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = preview_settings(context.scene)
        results = current_session().checks.results
        return (
            settings.shown
            and settings.show_figures
            and context.space_data.overlay.show_overlays
            and has_buttons(context)
            and results.check_of(context.scene.session_uid, settings.engine.id) is not None
        )

    def setup(self, _context: bpy.types.Context) -> None:
        for operator, icon in BUTTONS:
            # The stubs do not know the properties of each type.
            button: Any = self.gizmos.new("GIZMO_GT_button_2d")
            button.icon = icon
            button.draw_options = {"BACKDROP", "OUTLINE"}
            button.color, button.alpha = (0.09, 0.09, 0.09), 0.75
            button.color_highlight, button.alpha_highlight = (0.35, 0.35, 0.35), 0.9
            button.scale_basis = RADIUS
            button.target_set_operator(operator.bl_idname)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        settings = preview_settings(context.scene)
        check = current_session().checks.results.check_of(context.scene.session_uid, settings.engine.id)
        shown = check is not None and is_for_text(context)
        centers = verdict_buttons(context, settings, check, len(BUTTONS)) if check and shown else []
        for number, (button, (operator, _)) in enumerate(zip(self.gizmos, BUTTONS, strict=True)):
            unfit = operator is SKINSCOPE_OT_verdict_fix and finding_to_fix(context) is None
            button.hide = not centers or unfit
            if centers:
                button.matrix_basis[0][3], button.matrix_basis[1][3] = centers[number]
