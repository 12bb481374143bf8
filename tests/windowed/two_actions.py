"""The bending bar with two actions to mix, and what a test of the mixer does with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR

LEAN = """\
from skinning_addon.ui.settings.clip_lists import clip_names
# A second action of the same bones, which leans the other way.
bend = rig.animation_data.action
bend.name = 'Bend'
lean = bend.copy()
lean.name = 'Lean'
lean.use_fake_user = bend.use_fake_user = True
rig.animation_data.action = lean
for frame, angle in ((1, 0.0), (20, -0.9)):
    bone.rotation_quaternion = Quaternion((0, 0, 1), angle)
    bone.keyframe_insert('rotation_quaternion', frame=frame)
step = lean.pose_markers.new('step')
step.frame = 10
rig.animation_data.action = bend
bpy.context.scene.frame_set(7)
# A pose that has no key.
rig.pose.bones['lower'].rotation_mode = 'XYZ'
rig.pose.bones['lower'].rotation_euler = (0, 0, 0.25)
bpy.context.view_layer.update()
select_only(rig)
bpy.ops.ed.undo_push(message='Start')
"""
REFRESH = "with view3d(): bpy.ops.skinscope.clips_refresh()\n"
PLAY = "with view3d(): bpy.ops.skinscope.mixer_play()\n"
FADE = "with view3d(): bpy.ops.skinscope.mixer_fade()\n"
STOP = "with view3d(): bpy.ops.skinscope.mixer_stop()\n"
PLAYER = "next(iter(current_session().players))"
USERS = """\
rig = bpy.data.objects['Bar Rig']
[
    [list(row) for one in rig.pose.bones for row in one.matrix],
    list(rig.pose.bones['lower'].rotation_euler),
    bpy.context.scene.frame_current,
    rig.animation_data.action.name,
    sorted(one.name for one in bpy.data.actions),
    sorted(one.name for one in bpy.data.scenes),
    sorted(one.name for one in bpy.data.objects),
]"""


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    """The bending bar with two actions, posed by hand at frame 7; nothing may go to the console meanwhile."""
    shared_blender.run(BENDING_BAR)
    shared_blender.run(LEAN)
    with no_complaint(shared_blender):
        yield shared_blender
        shared_blender.run("current_session().stop_all()")
