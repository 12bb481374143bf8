"""Make Game-Ready Copy as a user works with it: in Pose Mode, with progress, and Ctrl Z afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR

SHEARED = """\
# The upper bone turns below a parent that is scaled unevenly, and takes no scale from it: its local matrix shears.
rig.data.bones['upper'].inherit_scale = 'NONE'
lower = rig.pose.bones['lower']
lower.scale = (1.6, 1.0, 1.0)
lower.keyframe_insert('scale', frame=1)
scene = bpy.context.scene
scene.skinscope.profiles.profile = 'threejs'
select_only(rig)
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.ed.undo_push(message='Start')
"""
COPY = "with view3d(): bpy.ops.skinscope.game_ready_copy('INVOKE_DEFAULT', True)"
NAMES = "sorted(one.name for one in bpy.data.objects)"
MODES = "[bpy.data.objects['Bar Rig'].mode, sorted(one.name for one in bpy.data.scenes)]"
PARENTS = "[(one.name, one.parent.name if one.parent else '') for one in bpy.data.objects['Bar Rig game-ready'].data.bones]"


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    shared_blender.run(BENDING_BAR)
    shared_blender.run(SHEARED)
    with no_complaint(shared_blender, ("traceback",)):
        yield shared_blender
        shared_blender.run("bpy.ops.object.mode_set(mode='OBJECT') if bpy.context.object else None")


def test_the_copy_is_made_beside_the_original_and_one_undo_takes_it_away(bar: WindowedBlender):
    assert bar.run(NAMES) == ["Bar", "Bar Rig"]
    before = bar.run(MODES)
    bar.run(COPY)
    bar.wait_until(
        "'Bar Rig game-ready' in bpy.data.objects and bpy.context.view_layer.objects.active.name == 'Bar Rig game-ready'"
    )
    assert bar.run(NAMES) == ["Bar", "Bar Rig", "Bar Rig game-ready", "Bar game-ready"]
    assert bar.run(MODES) == before
    # The bone that would be sheared hangs on none.
    assert bar.run(PARENTS) == [["lower", ""], ["upper", ""]]
    copy = "bpy.data.objects['{}'].evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices"
    apart = bar.run(
        f"scene.frame_set(10)\nmax((a.co - b.co).length for a, b in zip({copy.format('Bar')}, {copy.format('Bar game-ready')}))"
    )
    assert apart < 1e-5
    bar.run("with view3d(): bpy.ops.ed.undo()")
    assert bar.run(NAMES) == ["Bar", "Bar Rig"]
