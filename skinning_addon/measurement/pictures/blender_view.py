"""Blender's own drawing of a scene, off screen: solid mode under the studio light, without overlays and
gizmos.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from mathutils import Matrix

from ...core.text.errors import DeviceError
from ...drawing.off_screen import Picture
from .camera import Camera

BACKGROUND = (0.050, 0.056, 0.067)
"""A dark slate, linear Rec.709: both Blender's grey and the dark end of the heat map stand out from it."""


def draw_blender_view(
    picture: Picture, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, camera: Camera
) -> None:
    """Draw `scene` into `picture`, with depth, over whatever is in it.

    Changes how a 3D view of the open file shows its scene; only for files opened for this.

    Raises:
        DeviceError: Blender has no 3D view at all.
    """
    space, region = _view_3d()
    space.overlay.show_overlays = False
    space.show_gizmo = False
    shading = space.shading
    shading.type = "SOLID"
    shading.light = "STUDIO"
    # The stubs have a different spelling.
    shading.studio_light = "Default"  # pyright: ignore[reportAttributeAccessIssue]
    shading.color_type = "MATERIAL"
    shading.background_type = "VIEWPORT"
    shading.background_color = BACKGROUND
    shading.show_object_outline = False
    shading.show_xray = shading.show_shadows = shading.show_cavity = False
    with _one_sample():
        picture.offscreen.draw_view3d(
            scene,
            view_layer,
            space,
            region,
            Matrix(camera.world_to_view.T.tolist()),
            Matrix(camera.view_to_clip.T.tolist()),
            do_color_management=True,
        )


@contextmanager
def _one_sample() -> Iterator[None]:
    """Have Blender draw once instead of once per sample: all pictures, ours and Blender's, are drawn larger
    and averaged.
    """
    system = bpy.context.preferences.system
    samples = system.viewport_aa
    system.viewport_aa = "OFF"
    try:
        yield
    finally:
        system.viewport_aa = samples


def _view_3d() -> tuple[bpy.types.SpaceView3D, bpy.types.Region]:
    screens = ([bpy.context.screen] if bpy.context.screen else []) + list(bpy.data.screens)
    area = next((area for screen in screens for area in screen.areas if area.type == "VIEW_3D"), None)
    if area is None:
        raise DeviceError("Blender has no 3D view to draw with; start it with --factory-startup.")
    space = next(space for space in area.spaces if space.type == "VIEW_3D")
    return space, next(region for region in area.regions if region.type == "WINDOW")
