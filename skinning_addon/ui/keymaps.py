"""Shortcuts in the 3D view, which users find and change in the preferences."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import rna_keymap_ui

from .preview.preview_operators import SKINSCOPE_OT_preview_toggle

KEYMAP = "3D View"
"""Blender consults it in every mode, after the mode's own keymap."""


@dataclass(frozen=True)
class Shortcut:
    """One key. By default it is free in Blender's own keymap, in the modes in which meshes are previewed.

    menu: that the operator calls, '' for an operator of ours. is_shared: Blender uses the key as well; it gets
    the press whenever the operator can't run.
    """

    operator: str
    key: str
    shift: bool = False
    alt: bool = False
    ctrl: bool = False
    menu: str = ""
    is_shared: bool = False

    def is_of(self, item: bpy.types.KeyMapItem) -> bool:
        """Whether an entry of a keymap is this one: Blender calls pie menus of its own, too."""
        called = getattr(item.properties, "name", "") if self.menu else ""
        return item.idname == self.operator and called == self.menu


SHORTCUTS = (
    Shortcut(SKINSCOPE_OT_preview_toggle.bl_idname, "J", shift=True),
    Shortcut("skinscope.flicker", "J"),
    Shortcut("skinscope.inspect", "J", alt=True),
    Shortcut("skinscope.cached_playback_toggle", "J", ctrl=True, alt=True),
    Shortcut("skinscope.cached_playback_stop_recording", "ESC", is_shared=True),
    Shortcut("wm.call_menu_pie", "J", shift=True, alt=True, menu="SKINSCOPE_MT_pie"),
)

_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def add_shortcuts() -> None:
    """Add those whose operators are registered to the add-ons' keymap, which doesn't exist without a
    window.
    """
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is None:
        return
    keymap = keys.keymaps.new(name=KEYMAP, space_type="VIEW_3D")
    for one in SHORTCUTS:
        if is_registered(one.operator):
            item = keymap.keymap_items.new(
                one.operator, one.key, "PRESS", shift=one.shift, alt=one.alt, ctrl=one.ctrl
            )
            if one.menu:
                item.properties.name = one.menu  # pyright: ignore[reportAttributeAccessIssue]
            _items.append((keymap, item))


def remove_shortcuts() -> None:
    """Undo `add_shortcuts`; Blender remembers what users changed."""
    while _items:
        keymap, item = _items.pop()
        keymap.keymap_items.remove(item)


def is_registered(operator: str) -> bool:
    """Whether there is an operator of this name, such as 'skinscope.flicker'."""
    group, name = operator.split(".")
    # Of Blender's own, bpy.types has only those written in Python.
    return name in dir(getattr(bpy.ops, group))


def draw_shortcuts(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the keys as Blender's own keymap editor does, editable in place."""
    keys = context.window_manager.keyconfigs.user
    keymap = keys.keymaps.get(KEYMAP) if keys else None
    if keymap is None:
        return
    for item in keymap.keymap_items:
        if any(one.is_of(item) for one in SHORTCUTS):
            layout.context_pointer_set("keymap", keymap)
            rna_keymap_ui.draw_kmi([], keys, keymap, item, layout, 0)
