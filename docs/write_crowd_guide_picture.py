"""Writes docs/images/guide-crowd.png and guide-crowd-variants.png: a crowd and its panel in a real Blender's
window, all alike and in three variants.

    BLENDER=... RIG=... .venv/bin/python docs/write_crowd_guide_picture.py

BLENDER, RIG: as for write_user_guide_pictures.py, with the knight of the KayKit Adventurers. Build the
extension first (`./run build`).
"""

from __future__ import annotations

import os
from pathlib import Path

from user_guide_window import TALL, running_blender, view, write

COUNT = 80

# The panel is closed by default, and stands below others: for the picture it is the only one.
SCENE = f"""\
from skinning_addon.ui.crowd.crowd_panel import SKINSCOPE_PT_crowd
from skinning_addon.ui.registration import CLASSES
session.stop_all()
panels = [one for one in CLASSES if getattr(one, "bl_category", "") == "Skinscope"]
for one in reversed(panels):
    bpy.utils.unregister_class(one)
class SKINSCOPE_PT_open_crowd(SKINSCOPE_PT_crowd):
    bl_options = set()
bpy.utils.register_class(SKINSCOPE_PT_open_crowd)
own = settings.crowd
own.armature, own.count, own.is_on = rig, {COUNT}, True
scene.frame_end = 400
scene.frame_set(180)
with view3d() as area:
    space.overlay.show_floor = False
    view = space.region_3d
    view.view_rotation = Euler((1.05, 0, 0.35)).to_quaternion()
    view.view_location, view.view_distance = (4, 0, -1), 26
for one in scene.objects:
    one.hide_set(True)
"""

VARIANTS = """\
for name, tint, smallest, largest in (
    ("Knight", (1, 1, 1), 0.9, 1.1),
    ("Red squire", (1, 0.3, 0.25), 0.6, 0.75),
    ("Blue giant", (0.35, 0.55, 1), 1.3, 1.5),
):
    one = own.variants.add()
    one.name, one.tint, one.largest, one.smallest = name, tint, largest, smallest
with view3d():
    view.view_location, view.view_distance = (2, 0, -1), 30
None
"""


def main() -> None:
    with running_blender(Path(os.environ["RIG"]).resolve(), height=TALL) as blender:
        blender.run(SCENE, timeout=120)
        blender.wait_until("session.crowd.player is not None or session.crowd.error", timeout=120)
        blender.wait_until(
            "session.crowd.player.crowd.state.step > 0 and not session.crowd.behind", timeout=120
        )
        write("crowd", view(blender))
        blender.run(VARIANTS)
        blender.wait_until(
            "session.crowd.player is not None and len(session.crowd.player.variants) == 3", timeout=120
        )
        blender.wait_until(
            "session.crowd.player.crowd.state.step > 0 and not session.crowd.behind", timeout=120
        )
        write("crowd-variants", view(blender))


if __name__ == "__main__":
    main()
