"""Runs inside Blender: the scene of the tutorial's pictures, the rig of `skinscope learn` seen from above."""

# pyright: reportAttributeAccessIssue=false
import bpy
from mathutils import Quaternion

from skinning_addon.scene.characters.learning_rig import TRACED_VERTEX, build_learning_rig
from skinning_addon.ui.inspect import inspector_panel
from skinning_addon.viewport.choices.preferences import ADD_ON
from skinning_addon.viewport.overlay.inspection import Target
from skinning_addon.viewport.session import current_session

for one in list(bpy.data.objects):
    bpy.data.objects.remove(one)
scene = bpy.context.scene
rig, arm = build_learning_rig(scene)
scene.camera.hide_set(True)
for one in (rig, arm):
    one.select_set(True)
bpy.context.view_layer.objects.active = arm
rig.data.bones.active = rig.data.bones["forearm"]
session = current_session()
# One pass instead of eight: on a machine without a GPU a picture comes to rest at once.
bpy.context.preferences.system.viewport_aa = "FXAA"
# The tutorial has its readers switch on what it shows: matrices, spaces and the technique.
bpy.context.preferences.addons[ADD_ON].preferences.show_developer = True
with view3d() as area:  # noqa: F821 - the driver's  # pyright: ignore[reportUndefinedVariable]
    space = area.spaces.active
    space.show_region_ui = True
    space.show_region_toolbar = space.show_gizmo = False
    space.overlay.show_outline_selected = False
    space.overlay.show_cursor = space.overlay.show_object_origins = space.overlay.show_text = False
    space.region_3d.view_perspective = "ORTHO"
    space.region_3d.view_rotation = Quaternion()
    bpy.ops.skinscope.preview_start()
settings = scene.skinscope
settings.show_figures = False
settings.display = "DOMINANT_BONE"
session.inspection.pinned = Target(session.preview_of(arm).uid, TRACED_VERTEX)

# A reader opens the folds of both bones.
fold = inspector_panel._draw_contribution  # noqa: SLF001


def open_fold(layout, one, contribution, *, is_open) -> None:  # noqa: ANN001, ARG001
    fold(layout, one, contribution, is_open=True)


inspector_panel._draw_contribution = open_fold  # noqa: SLF001
