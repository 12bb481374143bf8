"""The sidebar's export settings: how the user exports, set by hand or taken over from Blender's exporters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import bpy
from bpy.props import EnumProperty

from ...core.profiles.exporter_settings import SETTINGS, settings_of
from ...core.profiles.profile import FileFormat
from ...core.text.message import Message
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import rule_of
from ...scene.exports.exporters import BlenderExporter, exporter_of
from ...scene.exports.kept_settings import (
    remembered_settings,
    settings_of_collections,
    settings_of_last_export,
)
from ...viewport.choices.translation import translated, translated_report
from ..settings.exporter_settings import SKINSCOPE_PG_exporter, take
from ..settings.profile_settings import profile_in_focus, profile_settings
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_checkbox, wrapped_label
from .finding_operators import OnFinding

NO_EXPORTER = Message("Choose an engine that gets its files from an exporter")

SOURCES = (
    ("LAST", "Last Export", "The settings of the last export in this session"),
    ("SCENE", "Remembered in File", "What the glTF exporter stored in this file (Remember Export Settings)"),
    ("COLLECTION", "Collection Exporter", "The first fitting exporter of the active collection"),
)


_READERS: Mapping[str, Callable[[bpy.types.Context, BlenderExporter], Mapping[str, Any] | None]] = {
    "LAST": lambda context, exporter: settings_of_last_export(context.window_manager, exporter),
    "SCENE": lambda context, exporter: remembered_settings(context.scene, exporter),
    "COLLECTION": lambda context, exporter: next(
        (held for _, held in settings_of_collections([context.collection], exporter)), None
    ),
}


def settings_held(held: Mapping[str, Any], exporter: FileFormat) -> dict[str, object]:
    """Return the exporter's settings that profiles know, with Blender's defaults for those not held."""
    found: dict[str, object] = {}
    for one in SETTINGS.values():
        if one.format is exporter:
            value = held.get(one.name, one.default)
            kind = type(one.default)
            # Files of old versions hold flags as whole numbers, and choices as their number.
            is_usable = kind is not str or isinstance(value, str)
            found[one.name] = kind(value) if is_usable else one.default
    return found


class SKINSCOPE_OT_exporter_settings_take(bpy.types.Operator):
    """Take over how you export: from your last export, from this file, or from the active collection's exporter"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.exporter_settings_take"
    bl_label = "Take Over Export Settings"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    source: EnumProperty(name="From", description="Where to take the settings from", items=SOURCES)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if settings_of(profile_in_focus(context.scene)):
            return True
        cls.poll_message_set(translated(NO_EXPORTER))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        exporter = profile_in_focus(context.scene).exporter.format
        held = _READERS[self.source](context, exporter_of(exporter.value))
        if held is None:
            self.report({"ERROR"}, translated_report(_NOTHING[self.source]))
            return {"CANCELLED"}
        take(profile_settings(context.scene).exporter, settings_held(held, exporter))
        return {"FINISHED"}


_NOTHING = {
    "LAST": Message("Nothing was exported with this exporter yet; export once, or set the settings here"),
    "SCENE": Message(
        "This file holds no export settings; export as glTF with Remember Export Settings, or set them here"
    ),
    "COLLECTION": Message(
        "The active collection has no such exporter; add one in Collection Properties > Exporters, or set the "
        "settings here"
    ),
}


class SKINSCOPE_OT_finding_export(OnFinding, bpy.types.Operator):
    """Predict an export with the settings that avoid this finding; previews show it, and Check measures it"""

    bl_idname = "skinscope.finding_export"
    bl_label = "Try Export Settings"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def unfit(cls, finding: Finding, context: bpy.types.Context) -> str:
        if not advised_settings(finding, context.scene):
            return Message("No setting of the exporter avoids this finding")
        return ""

    def run(self, context: bpy.types.Context, finding: Finding) -> None:
        take(profile_settings(context.scene).exporter, advised_settings(finding, context.scene))


def advised_settings(finding: Finding, scene: bpy.types.Scene) -> dict[str, object]:
    """Return the settings of the chosen engine's exporter that avoid a finding; empty if none does."""
    exporter = profile_in_focus(scene).exporter.format
    advised = rule_of(finding.rule).exported_with
    return {name: value for name, value in advised.items() if SETTINGS[name].format is exporter}


class SKINSCOPE_PT_exporter(SidebarPanel, bpy.types.Panel):
    """How you export, if not with the settings that the engine profile assumes"""

    bl_label = "My Export Settings"
    bl_parent_id = "SKINSCOPE_PT_profile"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.active = bool(settings_of(profile_in_focus(context.scene)))
        self.layout.prop(profile_settings(context.scene).exporter, "use_own", text="")

    def draw(self, context: bpy.types.Context) -> None:
        settings = profile_settings(context.scene).exporter
        if not settings_of(profile_in_focus(context.scene)):
            column = self.layout.column()
            column.active = False
            wrapped_label(column, context, NO_EXPORTER)
            return
        self.layout.operator_menu_enum(
            SKINSCOPE_OT_exporter_settings_take.bl_idname, "source", text="Take Over From", icon="IMPORT"
        )
        column = self.layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.active = settings.use_own
        for one in settings_of(profile_in_focus(context.scene)):
            part = column.column()
            part.active = not (one.name == "export_influence_nb" and settings.export_all_influences)
            _draw_setting(part, context, settings, one.name)


def _draw_setting(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: SKINSCOPE_PG_exporter, name: str
) -> None:
    """Draw a setting under the exporter's own words, which are too long for half of a sidebar."""
    kind = settings.bl_rna.properties[name].type
    layout.use_property_split = kind not in {"BOOLEAN", "ENUM"}
    if kind == "BOOLEAN":
        wrapped_checkbox(layout, context, settings, name)
    elif kind == "ENUM":
        layout.label(text=settings.bl_rna.properties[name].name)
        layout.prop(settings, name, text="")
    else:
        layout.prop(settings, name)
