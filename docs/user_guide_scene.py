"""Runs inside Blender: the scene of the user guide's pictures. RIG is the path of a .glb."""

# pyright: reportAttributeAccessIssue=false
import bpy
from mathutils import Euler

from skinning_addon.viewport.session import current_session

for one in list(bpy.data.objects):
    bpy.data.objects.remove(one)
bpy.ops.import_scene.gltf(filepath=RIG)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
for one in list(bpy.data.objects):
    # All the weapons that the knight might hold at once.
    if (
        one.type == "MESH"
        and not any(modifier.type == "ARMATURE" for modifier in one.modifiers)
        and "Helmet" not in one.name
    ):
        bpy.data.objects.remove(one)
bpy.context.view_layer.update()
for one in bpy.data.objects:
    one.select_set(one == rig)
bpy.context.view_layer.objects.active = rig
scene = bpy.context.scene
scene.frame_set(12)
rig.data.bones.active = rig.data.bones.get("upperarm.l") or rig.data.bones[0]
session = current_session()
FROM_FRONT = Euler((1.45, 0, 0.45)).to_quaternion()
# One pass instead of eight: on a machine without a GPU a picture comes to rest at once.
bpy.context.preferences.system.viewport_aa = "FXAA"
with view3d() as area:  # noqa: F821 - the driver's  # pyright: ignore[reportUndefinedVariable]
    space = area.spaces.active
    space.show_region_ui = True
    space.show_region_toolbar = space.show_gizmo = False
    space.overlay.show_bones = space.overlay.show_outline_selected = False
    space.overlay.show_cursor = space.overlay.show_object_origins = space.overlay.show_text = False
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = FROM_FRONT
    space.region_3d.view_location = (0, 0, 1.15)
    space.region_3d.view_distance = 3.6
    bpy.ops.skinscope.preview_start()
settings = scene.skinscope


def reset() -> None:
    """Put every setting back to what a new scene has."""
    for group in (settings, settings.spaces):
        for one in group.bl_rna.properties:
            if one.type != "POINTER" and one.identifier not in {"name", "space"}:
                group.property_unset(one.identifier)
    # Previews are not notified when a property is unset.
    session.update_meshes()
