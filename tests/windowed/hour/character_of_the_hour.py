"""Runs inside Blender, after bar_character.py and preview_figures.py: the character that the hour is spent on,
saved as FILE, and names for it. It is Rigify's human with Preserve Volume and two actions.
"""

from typing import TYPE_CHECKING, Any

import bpy
from mathutils import Quaternion

from skinning_addon.scene.characters.demo_character import build_demo_character
from skinning_addon.ui.settings import profile_settings
from skinning_addon.ui.settings.clip_lists import clip_names
from skinning_addon.viewport.choices.translation import translated
from skinning_addon.viewport.layers import layer_key
from skinning_addon.viewport.overlay.check_words import verdict_sentence
from skinning_addon.viewport.overlay.sentences import summary
from skinning_addon.viewport.session import current_session

if TYPE_CHECKING:
    from tests.windowed.bar_character import select_only
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.

    FILE = ""

for one in list(bpy.data.objects):
    bpy.data.objects.remove(one)
with view3d():
    rig, body = build_demo_character()
walk = rig.animation_data.action
walk.name, walk.use_fake_user = "Walk", True
nod = walk.copy()
nod.name, nod.use_fake_user = "Nod", True
rig.animation_data.action = nod
rig.pose.bones["head"].rotation_mode = "QUATERNION"
for frame, angle in ((1, 0.0), (20, 0.5)):
    rig.pose.bones["head"].rotation_quaternion = Quaternion((1, 0, 0), angle)
    rig.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
rig.animation_data.action = walk
bpy.context.scene.frame_set(1)
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
camera.location, camera.rotation_euler = (0, -6, 1), (1.5708, 0, 0)
bpy.context.scene.collection.objects.link(camera)
bpy.context.scene.camera = camera
camera.hide_set(True)
bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
bpy.context.scene.render.resolution_percentage = 10
select_only(rig)
# One pass instead of eight: on a machine without a GPU a picture comes to rest at once.
bpy.context.preferences.system.viewport_aa = "FXAA"
# The rig has a script for its panel; without this, loading the file asks whether it may run.
bpy.context.preferences.filepaths.use_scripts_auto_execute = True
with view3d() as area:
    area.spaces.active.show_region_ui = False


session, scene = current_session(), bpy.context.scene
settings: Any = scene.skinscope


def name_things() -> None:
    """Name the scene, its settings, the armature and the mesh: undo and loading leave older references without
    an object.
    """
    names = globals()
    names["scene"] = bpy.context.window_manager.windows[0].scene
    names["settings"] = names["scene"].skinscope
    names["rig"], names["body"] = bpy.data.objects["Rig"], bpy.data.objects["Body"]
    names["session"] = current_session()


def clips() -> list[str]:
    """List the clips of the panel."""
    return clip_names(rig)


def engines() -> list[str]:
    """List the ids of the engines in the menu, from its top."""
    return [one[0] for one in profile_settings._listed(historic=False, with_none=False)]


def verdicts() -> list[str]:
    """Return the verdict of the chosen engine's check and that of the preview, as the interface has to say them;
    empty where there is none.
    """
    check = session.checks.results.check_of(scene.session_uid, settings.profiles.profile)
    checked = translated(verdict_sentence(check.report)) if check is not None else ""
    lines = summary(session.measured(layer_key(scene, bpy.context.view_layer), frozenset()))
    return [checked, translated(lines[0].text) if lines else ""]


def displays() -> list[str]:
    return [one.identifier for one in bpy.context.scene.skinscope.bl_rna.properties["display"].enum_items]


def look_from_the_front() -> None:
    with view3d() as area:
        bpy.ops.view3d.view_axis(type="FRONT")
        area.spaces.active.region_3d.view_location = (0.5, 0, 0.95)
        area.spaces.active.region_3d.view_distance = 4.5


look_from_the_front()
name_things()
bpy.ops.ed.undo_push(message="Start")
bpy.ops.wm.save_as_mainfile(filepath=FILE)
