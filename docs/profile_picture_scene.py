"""Runs inside Blender: the scene of the user guide's picture of Engine Profile. RIG is the path of a .blend."""

# pyright: reportAttributeAccessIssue=false
import bpy
from mathutils import Euler

from skinning_addon.ui import registration
from skinning_addon.viewport.session import current_session

bpy.ops.wm.open_mainfile(filepath=RIG)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
for one in bpy.data.objects:
    one.select_set(one == rig)
bpy.context.view_layer.objects.active = rig
scene = bpy.context.scene
session = current_session()
settings, profiles = scene.skinscope, scene.skinscope.profiles
# One pass instead of eight: on a machine without a GPU a picture comes to rest at once.
bpy.context.preferences.system.viewport_aa = "FXAA"
with view3d() as area:  # noqa: F821 - the driver's  # pyright: ignore[reportUndefinedVariable]
    space = area.spaces.active
    space.show_region_ui = True
    space.show_region_toolbar = space.show_gizmo = space.show_region_header = False
    space.overlay.show_bones = space.overlay.show_outline_selected = False
    space.overlay.show_cursor = space.overlay.show_object_origins = space.overlay.show_text = False
    space.overlay.show_relationship_lines = False
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = Euler((1.3, 0, 0.45)).to_quaternion()
    space.region_3d.view_location = (0.45, 0.2, 0.85)
    space.region_3d.view_distance = 3.1
    bpy.ops.skinscope.preview_start()
settings.display = "DEVIATION"
profiles.profile, profiles.second, profiles.scanned = "threejs", "unreal", "SCENE"

# Folded, as a click on their titles leaves them: there is room for the verdict and for Engine Profile below it.
folded = {"SKINSCOPE_PT_preview"}
below = []
for one in registration.CLASSES:  # parents before their children
    if getattr(one, "bl_parent_id", "") in folded:
        folded.add(one.__name__)
        below.append(one)
for one in reversed(below):
    bpy.utils.unregister_class(one)
for one in below:
    one.bl_options = {*getattr(one, "bl_options", ()), "DEFAULT_CLOSED"}
    bpy.utils.register_class(one)
