"""Display settings saved under the user's own names, in Blender's presets folder."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel
from bpy.props import StringProperty

from ..settings.properties import SETTINGS

FOLDER = "skinscope/display"

SAVED = ("display", "wireframe", "placement", "axis", "blender_mesh", "influence_limit", "show_figures")
"""Scene settings that suit characters of any size."""

PATHS = [f"bpy.context.scene.{SETTINGS}.{name}" for name in SAVED]


class SKINSCOPE_PT_display_presets(PresetPanel, bpy.types.Panel):
    """Saved display settings for previews"""

    bl_label = "Display Presets"
    bl_space_type = "VIEW_3D"
    preset_subdir = FOLDER
    preset_operator = "skinscope.display_preset_apply"
    preset_add_operator = "skinscope.display_preset_add"

    def draw(self, context: bpy.types.Context) -> None:
        if bpy.utils.preset_paths(FOLDER):
            super().draw(context)
        else:
            # Until the first preset is saved Blender complains about missing paths.
            row = self.layout.row()
            manager = context.window_manager
            row.prop(manager, "preset_name", text="")
            add = row.operator(self.preset_add_operator, text="", icon="ADD", emboss=False)
            add.name = manager.preset_name
        self.layout.operator("skinscope.display_preset_import", icon="IMPORT")
        self.layout.operator("skinscope.display_preset_export", icon="EXPORT")


class SKINSCOPE_OT_display_preset_apply(bpy.types.Operator):
    """Take over the display settings of a preset"""

    bl_idname = "skinscope.display_preset_apply"
    bl_label = "Apply Display Preset"
    # Blender's own operator, which does the work, is no undo step: the next one would take the settings along.
    bl_options: ClassVar = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(
        name="File", description="The preset", subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"}
    )
    menu_idname: StringProperty(
        name="Menu", description="Panel that shows the preset's name", options={"SKIP_SAVE", "HIDDEN"}
    )

    def execute(self, _context: bpy.types.Context) -> set[str]:
        return set(bpy.ops.script.execute_preset(filepath=self.filepath, menu_idname=self.menu_idname))


class SKINSCOPE_OT_display_preset_add(AddPresetBase, bpy.types.Operator):
    """Save the display settings of previews as a preset, or delete a preset"""

    bl_idname = "skinscope.display_preset_add"
    bl_label = "Add Display Preset"
    preset_menu = "SKINSCOPE_PT_display_presets"
    preset_subdir = FOLDER
    # Full paths: Blender 4.3's handling of partial ones does not work with Python 3.13.
    preset_values: ClassVar = PATHS
