"""Scene settings that modifiers, nodes and bones depend on: time, frame, units, gravity, camera.

The copied frame may be negative and time-remapped, which can't be set through the scene's properties.
"""

from __future__ import annotations

import math
from typing import Any, cast

import bpy

SETTINGS = (
    "frame_start",
    "frame_end",
    "frame_step",
    "use_preview_range",
    "frame_preview_start",
    "frame_preview_end",
    "use_gravity",
    "gravity",
)
UNIT_SETTINGS = ("system", "scale_length", "system_rotation")
RENDER_SETTINGS = (
    "fps",
    "fps_base",
    "frame_map_old",
    "frame_map_new",
    "use_simplify",
    "simplify_subdivision",
    "simplify_subdivision_render",
    "simplify_child_particles",
    "simplify_child_particles_render",
    "use_simplify_normals",
    "resolution_x",
    "resolution_y",
    "resolution_percentage",
    "pixel_aspect_x",
    "pixel_aspect_y",
)


def take_over_settings(scene: bpy.types.Scene, source: bpy.types.Scene) -> None:
    """Give a new scene another's settings and frame; the caller, which copies objects, sets the camera."""
    for mine, theirs, names in (
        (scene, source, SETTINGS),
        (scene.unit_settings, source.unit_settings, UNIT_SETTINGS),
        (scene.render, source.render, RENDER_SETTINGS),
    ):
        for name in names:
            # Normals can be simplified since 4.4. Setting any of these, even to the same value, makes Blender
            # recompute every mesh.
            if hasattr(theirs, name) and getattr(mine, name) != getattr(theirs, name):
                setattr(mine, name, getattr(theirs, name))
    take_over_frame(scene, source)


def take_over_frame(scene: bpy.types.Scene, source: bpy.types.Scene) -> None:
    """Show the frame of `source` without calling any frame change handlers."""
    scene.frame_current, scene.frame_subframe = source.frame_current, source.frame_subframe
    if (scene.frame_current, scene.frame_subframe) == (source.frame_current, source.frame_subframe):
        return
    # The property can't go below 0 unless negative frames are enabled in the preferences; frame_set can, but
    # calls handlers.
    lists: list[list[Any]] = [
        cast("list[Any]", bpy.app.handlers.frame_change_pre),
        cast("list[Any]", bpy.app.handlers.frame_change_post),
    ]
    kept = [list(handlers) for handlers in lists]
    for handlers in lists:
        handlers.clear()
    try:
        frame = source.frame_current + source.frame_subframe
        scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    finally:
        for handlers, before in zip(lists, kept, strict=True):
            handlers.extend(before)
