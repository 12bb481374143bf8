"""Runs inside Blender, after bar_character.py and preview_figures.py: the bending bar alone in a front view,
and helpers to look at it.
"""

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from tests.windowed.bar_character import build_bar, select_only
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.
    from tests.windowed.preview_figures import session

for one in list(bpy.data.objects):
    bpy.data.objects.remove(one)
bar = build_bar("Bar", cuts=9)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 20
bpy.context.scene.frame_set(1)
select_only(bar)
with view3d() as area:
    # Nothing else is blue.
    space = area.spaces.active
    space.show_gizmo = space.show_region_toolbar = False
    for name in (
        "bones",
        "outline_selected",
        "floor",
        "ortho_grid",
        "axis_x",
        "axis_y",
        "axis_z",
        "cursor",
        "text",
        "object_origins",
    ):
        setattr(space.overlay, f"show_{name}", False)
    bpy.ops.view3d.view_axis(type="FRONT")
    area.spaces.active.region_3d.view_location = (1, 0, 1)
    area.spaces.active.region_3d.view_distance = 6

session.stop_all()
settings = bpy.context.scene.skinscope
for name in ("display", "placement", "axis", "distance", "threshold", "wireframe"):
    settings.property_unset(name)
settings.show_figures = False
rig, bone = bpy.data.objects["Bar Rig"], bpy.data.objects["Bar Rig"].pose.bones["upper"]
