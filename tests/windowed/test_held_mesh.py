"""A mesh that slides along its armature, previewed as an engine has it: the file holds it where it is at frame 0."""

from __future__ import annotations

import time

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import SETTLED, START

SLIDING = """\
scene = bpy.context.scene
for frame, x in ((0, 0.0), (20, 2.0)):
    bar.location.x = x
    bar.keyframe_insert('location', frame=frame)
scene.frame_set(10)
scene.skinscope.profiles.profile = 'threejs'
from skinning_addon.viewport.character import held_mesh
reads = []
read = held_mesh.read_places
def counted(*arguments):
    reads.append(arguments)
    return read(*arguments)
held_mesh.read_places = counted
"""
DEVIATION = "session.previews[0].meshes_in_layers[0].figures.deviation.max"


def test_the_deviation_is_the_way_it_slid_and_is_read_once_after_each_edit(bar: WindowedBlender):
    bar.run(SLIDING + START)
    bar.screenshot()
    bar.wait_until(SETTLED)
    slid = bar.run("bar.location.x")
    assert slid > 0.5
    assert abs(bar.run(DEVIATION) - slid) < 1e-4
    time.sleep(1.0)
    bar.run("reads.clear()")
    # In two turns, as a person does.
    bar.run("bar.location.x = -0.5\nbar.keyframe_insert('location', frame=0)")
    bar.run("scene.frame_set(10)")
    bar.run("bpy.ops.ed.undo_push(message='Key')")
    bar.wait_until("reads", timeout=20)
    slid = bar.run("bar.location.x") + 0.5
    bar.wait_until(f"abs({DEVIATION} - {slid}) < 1e-4", timeout=20)
    count = bar.run("len(reads)")
    time.sleep(3.0)
    assert bar.run("len(reads)") - count <= 1, "it goes on reading"
    bar.screenshot()
    bar.run("held_mesh.read_places = read; session.stop_all(); bar.animation_data_clear()")
    bar.run("scene.skinscope.profiles.property_unset('profile')")
