"""The user's preferences for all files; `viewport.choices.preferences` documents each field."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty

from ..core.text.message import Message
from ..viewport.choices.preferences import ADD_ON, FACTORY, read_preferences
from ..viewport.redraw import redraw_views
from .keymaps import draw_shortcuts
from .preview.new_scenes import FOR_NEW_SCENES
from .settings.lengths import DEVIATION_STEP
from .settings.properties import DISPLAY_ITEMS, PLACEMENT_ITEMS
from .widgets.wrapped_label import wrapped_label

UNIT_ITEMS = [
    ("AUTOMATIC", "Automatic", "Whichever metric unit reads best"),
    ("SCENE", "Scene", "The unit of the scene"),
    ("MILLIMETERS", "Millimeters", "Always millimeters"),
    ("CENTIMETERS", "Centimeters", "Always centimeters"),
    ("METERS", "Meters", "Always meters"),
    ("INCHES", "Inches", "Always inches"),
]

GROUPS = {
    Message("New Scenes"): FOR_NEW_SCENES,
    Message("Lengths"): ("length_unit", "length_digits"),
    Message("Colors"): ("base_color", "same_color", "off_color"),
    Message("Exports"): ("check_exports",),
    Message("Cached Playback"): ("cache_megabytes", "record_when_idle"),
    Message("Developer"): ("show_developer",),
    Message("Heat Map"): ("invisible_to", "good_to", "fail_from", "scale_top"),
}
"""Titles, and the fields below each."""

STEPS_DO_NOT_ASCEND = Message(
    "Each step must be larger than the one above it; until then the default steps are used"
)


def _redraw(_preferences: bpy.types.AddonPreferences, _context: bpy.types.Context) -> None:
    redraw_views()


def _color(name: str, description: str, default: tuple[float, ...], subtype: Any) -> object:
    return FloatVectorProperty(
        name=name,
        description=description,
        subtype=subtype,
        size=len(default),
        default=default,
        min=0.0,
        max=1.0,
        update=_redraw,
    )


def _step(name: str, description: str, default: float) -> object:
    return FloatProperty(
        name=name,
        description=description,
        subtype="DISTANCE",
        unit="LENGTH",
        default=default,
        min=1e-7,
        soft_max=1.0,
        step=DEVIATION_STEP,
        precision=5,
        update=_redraw,
    )


class SKINSCOPE_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = ADD_ON

    display: EnumProperty(
        name="Display",
        description="What to draw on previewed meshes in new scenes",
        items=DISPLAY_ITEMS,
        default=FACTORY.display,
    )
    placement: EnumProperty(
        name="Placement",
        description="Where to draw previewed meshes in new scenes",
        items=PLACEMENT_ITEMS,
        default=FACTORY.placement,
    )
    show_figures: BoolProperty(
        name="Figures in 3D View",
        description="Show the deviation and the heat map's legend in the 3D view in new scenes",
        default=FACTORY.show_figures,
    )
    start_with_file: BoolProperty(
        name="Start with File",
        description="In new scenes, save which meshes are previewed, and start their previews with the file",
        default=FACTORY.start_with_file,
    )
    base_color: _color("Mesh", "Color of previewed meshes in the Shaded display", FACTORY.base_color, "COLOR")
    same_color: _color(
        "Text, Same",
        "Color of text about meshes that are the same as Blender's",
        FACTORY.same_color,
        "COLOR_GAMMA",
    )
    off_color: _color(
        "Text, Off", "Color of text about meshes that deviate", FACTORY.off_color, "COLOR_GAMMA"
    )
    invisible_to: _step(
        "Invisible Up To",
        "Largest deviation that can't be seen on a character 1.8 m tall",
        FACTORY.invisible_to,
    )
    good_to: _step(
        "Good Up To", "Largest deviation that does no harm on a character 1.8 m tall", FACTORY.good_to
    )
    fail_from: _step(
        "Too Much From",
        "Deviation that is too much on a character 1.8 m tall; also the default threshold of new scenes",
        FACTORY.fail_from,
    )
    scale_top: _step(
        "End of Scale", "Deviation at the end of the heat map on a character 1.8 m tall", FACTORY.scale_top
    )
    length_unit: EnumProperty(
        name="Unit",
        description="Unit of deviations and other lengths",
        items=UNIT_ITEMS,
        default=FACTORY.length_unit,
        update=_redraw,
    )
    length_digits: IntProperty(
        name="Digits",
        description="Significant digits of deviations and other lengths",
        default=FACTORY.length_digits,
        min=1,
        max=7,
        update=_redraw,
    )

    check_exports: BoolProperty(
        name="Check Every Export",
        description="After each glTF export, read the file back in the background and compare it with Blender",
        default=FACTORY.check_exports,
    )

    cache_megabytes: IntProperty(
        name="Memory Limit",
        description="Memory that the frames of Cached Playback may take, in megabytes",
        default=FACTORY.cache_megabytes,
        min=16,
        soft_max=16384,
        step=64,
    )

    record_when_idle: BoolProperty(
        name="Record When Idle",
        description=(
            "With Cached Playback on, start Record in Background by itself once nothing was pressed or moved "
            "for some seconds. It saves a copy of the file each time, and another Blender takes its memory "
            "once more"
        ),
        default=FACTORY.record_when_idle,
    )

    show_developer: BoolProperty(
        name="Show Developer Panels",
        description=(
            "Show what engine programmers need at the end of the sidebar's tab: matrices, the spaces between "
            "them, drawing techniques and their cost, and historic engine profiles"
        ),
        default=FACTORY.show_developer,
        update=_redraw,
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        for title, names in GROUPS.items():
            # Blender remembers whether it is open by this name.
            header, body = layout.panel(f"SKINSCOPE_{names[0]}")
            header.label(text=title)
            if body is not None:
                for name in names:
                    body.prop(self, name)
                if "fail_from" in names and not read_preferences().steps_ascend:
                    wrapped_label(body, context, STEPS_DO_NOT_ASCEND, "ERROR")
        header, body = layout.panel("SKINSCOPE_keymap")
        header.label(text="Keymap")
        if body is not None:
            draw_shortcuts(body, context)
