"""The lists of the sidebar's tracks panel: one of tracks, and one of keys in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import bpy

from ..settings.tracks_settings import (
    AT_ONCE,
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
    concerns,
    lost,
)
from .script_properties import VALUES

NUMBER_WIDTH = 0.8
VALUE_WIDTH = 1.7
"""Width of value columns, in widget heights."""

USUAL_POINTS = 11.0
"""Text size that these widths are for."""

NARROW = 13.0
"""Width of sidebars, in widget heights, below which a key's duration doesn't fit beside what it changes."""

SCROLL_BAR = 1.5
"""What a list that scrolls takes of that width."""

MOST_ROWS = 5
"""Rows of a list that doesn't scroll, as Blender has it unless it was made larger."""


class _ListOfScript:
    """Lists of what concerns the chosen instance."""

    bitflag_filter_item: int

    def filter_items(
        self, _context: bpy.types.Context, data: SKINSCOPE_PG_script, collection: str
    ) -> tuple[list[int], list[int]]:
        items = getattr(data, collection)
        shown = [self.bitflag_filter_item if concerns(one, data) else 0 for one in items]
        return shown, self.order_of(items)

    def draw_filter(self, _context: bpy.types.Context, _layout: bpy.types.UILayout) -> None:
        """Offer no filters: the chosen instance decides what is listed."""

    def order_of(self, _items: Sequence[object]) -> list[int]:
        """Return each item's position in the list; empty for their own order."""
        return []


class SKINSCOPE_UL_tracks(_ListOfScript, bpy.types.UIList):
    """The tracks of an armature's controller"""

    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: SKINSCOPE_PG_script,
        item: SKINSCOPE_PG_track,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        _column(row, f"{item.number}", NUMBER_WIDTH)
        row.label(text=item.clip, translate=False)
        if not item.every:
            _instance(row, item, data)
        if item.masked:
            row.label(icon="MOD_MASK")
        if item.priority == "HIGH":
            row.label(icon="TRIA_UP")
        _column(row, f"{item.weight:.2f}", VALUE_WIDTH, "RIGHT")


class SKINSCOPE_UL_track_keys(_ListOfScript, bpy.types.UIList):
    """Changes in order of time"""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: SKINSCOPE_PG_script,
        item: SKINSCOPE_PG_track_key,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        row = layout.row(align=True)
        _column(row, f"{item.time:.2f}", VALUE_WIDTH)
        if item.kind != "PRIORITY_BLEND":
            _column(row, f"{item.number}", NUMBER_WIDTH)
        row.label(text=_named(item, "kind"))
        if not item.every:
            _instance(row, item, data)
        if item.kind == "ENABLE":
            row.label(icon="CHECKBOX_HLT" if item.enabled else "CHECKBOX_DEHLT")
        elif item.kind == "PRIORITY":
            row.label(text=_named(item, "priority"))
        else:
            _column(row, f"{getattr(item, VALUES[item.kind]):.2f}", VALUE_WIDTH, "RIGHT")
        if item.kind not in AT_ONCE:
            needed = NARROW + (SCROLL_BAR if len(data.keys) > MOST_ROWS else 0.0)
            if context.region.width > needed * 20 * context.preferences.system.ui_scale:
                _column(row, f"{item.duration:.2f}", VALUE_WIDTH, "RIGHT")
            row.label(icon="IPO_EASE_IN_OUT" if item.transition == "EASE" else "IPO_LINEAR")

    def order_of(self, items: Sequence[object]) -> list[int]:
        times = [cast("SKINSCOPE_PG_track_key", one).time for one in items]
        order = sorted(range(len(times)), key=times.__getitem__)
        order_of = [0] * len(times)
        for index, item in enumerate(order):
            order_of[item] = index
        return order_of


def _instance(
    row: bpy.types.UILayout,
    item: SKINSCOPE_PG_track | SKINSCOPE_PG_track_key,
    settings: SKINSCOPE_PG_script,
) -> None:
    _column(row, f"#{item.instance}", NUMBER_WIDTH)
    if lost(item, settings):
        row.label(icon="ERROR")


def _named(item: bpy.types.PropertyGroup, name: str) -> str:
    """Return the name of an enum's current value, as the interface shows it."""
    items = cast("bpy.types.EnumProperty", item.bl_rna.properties[name]).enum_items
    return items[getattr(item, name)].name


def _column(row: bpy.types.UILayout, text: str, width: float, alignment: str = "LEFT") -> None:
    column = row.row()
    # Widths scale with the size of widgets, not with that of their text.
    column.ui_units_x = width * bpy.context.preferences.ui_styles[0].widget.points / USUAL_POINTS
    column.alignment = alignment  # pyright: ignore[reportAttributeAccessIssue]
    column.label(text=text, translate=False)
