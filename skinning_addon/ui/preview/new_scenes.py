"""Gives scenes without settings of their own the preferred ones."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ...viewport.choices.preferences import read_preferences
from ..settings.properties import scene_settings

FOR_NEW_SCENES = ("display", "placement", "show_figures", "start_with_file")
"""Fields that the preferences and a scene's settings share."""


def adopt_preferences(scene: bpy.types.Scene) -> None:
    """Give a scene the preferred settings if it has none of its own. From then on they are its own."""
    settings, preferences = scene_settings(scene), read_preferences()
    for name in FOR_NEW_SCENES:
        preferred = getattr(preferences, name)
        if not settings.is_property_set(name) and getattr(settings, name) != preferred:
            setattr(settings, name, preferred)


@persistent
def adopt_in_new_file(*_: object) -> None:
    """A file was loaded: if it is new, so are its scenes."""
    if not bpy.data.filepath:
        for scene in bpy.data.scenes:
            adopt_preferences(scene)


def add_new_file_handler() -> None:
    """Have Blender call us for new files."""
    bpy.app.handlers.load_post.append(adopt_in_new_file)


def remove_new_file_handler() -> None:
    """Undo `add_new_file_handler`."""
    bpy.app.handlers.load_post.remove(adopt_in_new_file)
