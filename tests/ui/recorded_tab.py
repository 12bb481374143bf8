"""What the sidebar's tab, the Overlays popover and the preferences draw, without a window.

Widths are those at interface scale 1, measured from screenshots of Blender 4.3: of a sidebar of 280 pixels, tabs
and margins take 54.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy

from skinning_addon.ui.menus import SKINSCOPE_PT_overlay
from skinning_addon.ui.preferences import SKINSCOPE_AP_preferences
from skinning_addon.ui.registration import CLASSES
from tests.ui.recorded_layout import ICON, PANEL_GAP, POINTS, Recorded, Text, Translate

SIDEBAR = 280.0
CONTENT = 226.0
POPOVER = 262.0
PREFERENCES = 520.0


def panels_of(parent: str) -> list[type]:
    """List the panels of the sidebar's tab below another, in order."""
    return [one for one in CLASSES if getattr(one, "bl_parent_id", None) == parent and _in_tab(one)]


def _in_tab(one: type) -> bool:
    return getattr(one, "bl_region_type", "") == "UI" and getattr(one, "bl_category", "") == "Skinscope"


def recorded_tab(
    translate: Translate = lambda _context, text: text, *, closed: bool = True
) -> dict[str, Recorded]:
    """Draw all panels of the tab that show at present, in their order.

    closed: whether those that are closed by default are drawn too.
    """
    found: dict[str, Recorded] = {}
    for one in CLASSES:
        if _in_tab(one) and not hasattr(one, "bl_parent_id"):
            _record(one, translate, found, closed=closed)
    return found


def _record(panel: Any, translate: Translate, found: dict[str, Recorded], *, closed: bool) -> None:
    context = sidebar_context()
    if hasattr(panel, "poll") and not panel.poll(context):
        return
    layout = Recorded(CONTENT, "column", translate, PANEL_GAP)
    layout.context = context
    if closed or "DEFAULT_CLOSED" not in getattr(panel, "bl_options", ()):
        panel.draw(SimpleNamespace(layout=layout), context)
    found[panel.__name__] = layout.settle()
    layout._texts.append(
        Text(translate("*", panel.bl_label), CONTENT - 2 * ICON, f"{panel.__name__}.bl_label")
    )
    for child in panels_of(panel.__name__):
        _record(child, translate, found, closed=closed)


def recorded_overlays(translate: Translate = lambda _context, text: text) -> Recorded:
    """Draw our part of the Overlays popover."""
    layout = Recorded(POPOVER, "column", translate, PANEL_GAP)
    context = sidebar_context()
    context.space_data = SimpleNamespace(overlay=SimpleNamespace(show_overlays=True))
    SKINSCOPE_PT_overlay.draw(SimpleNamespace(layout=layout), context)
    return layout.settle()


def recorded_preferences(
    preferences: bpy.types.AddonPreferences, translate: Translate = lambda _context, text: text
) -> Recorded:
    """Draw the preferences in a window of Blender's usual size, with all groups open."""
    layout = Recorded(PREFERENCES, "column", translate, PANEL_GAP)
    SKINSCOPE_AP_preferences.draw(_Drawn(preferences, layout), sidebar_context(PREFERENCES))
    return layout.settle()


class _Drawn:
    """Stands in for the preferences, which have a layout only while Blender draws them."""

    def __init__(self, preferences: bpy.types.AddonPreferences, layout: Recorded) -> None:
        self._preferences, self.layout = preferences, layout

    def __getattr__(self, name: str) -> Any:
        return getattr(self._preferences, name)


def sidebar_context(width: float = SIDEBAR) -> Any:
    """Return Blender's context with a sidebar of 280 pixels in it, or another region of that width."""
    context = bpy.context
    region = SimpleNamespace(type="UI", width=width, height=2000.0, x=0, y=0)
    style = SimpleNamespace(widget=SimpleNamespace(points=POINTS))
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0), ui_styles=[style])
    names = (
        "scene",
        "view_layer",
        "active_object",
        "selected_objects",
        "mode",
        "window_manager",
        "workspace",
    )
    return SimpleNamespace(
        **{one: getattr(context, one) for one in names},
        collection=context.collection,
        region=region,
        preferences=preferences,
        area=None,
        space_data=None,
        evaluated_depsgraph_get=context.evaluated_depsgraph_get,
    )
