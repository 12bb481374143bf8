"""Previews that come back with their file: in every window, and from a file that Blender saved by itself."""

from __future__ import annotations

from pathlib import Path

from tests.windowed.scenes import START, text_of

# A second window, which shows a second scene with a bar of its own.
SECOND = """\
second = bpy.data.scenes.new('Second')
for one in (rig, bar):
    second.collection.objects.link(one.copy())
bar_2 = next(one for one in second.objects if one.type == 'MESH')
rig_2 = next(one for one in second.objects if one.type == 'ARMATURE')
bar_2.modifiers[0].object = rig_2
bar_2.parent = rig_2 if bar.parent else None
bpy.ops.wm.window_new_main()
window = bpy.context.window_manager.windows[-1]
window.scene = second
"""

QUIT = """\
def quit():
    bpy.ops.wm.quit_blender()
_ = bpy.app.timers.register(quit, first_interval=0.2)
"""


def test_previews_of_every_window_come_back_after_blender_has_saved_its_last_session(
    own_bar, tmp_path: Path, start_blender
):
    own_bar.run(f"bpy.context.preferences.filepaths.temporary_directory = {str(tmp_path)!r}")
    own_bar.run(SECOND)
    own_bar.wait_until("second.view_layers[0].depsgraph is not None")
    own_bar.run(START + "_ = session.start(bar_2, second.view_layers[0].depsgraph)")
    own_bar.run("settings.start_with_file = second.skinscope.start_with_file = True")
    own_bar.screenshot(settled=False)
    own_bar.run("bpy.ops.ed.undo_push(message='Any')")
    # No handler is called before this file is saved, as with autosave.
    own_bar.run(QUIT)
    own_bar.process.wait(60)
    saved = tmp_path / "quit.blend"
    assert saved.exists()
    with start_blender([str(saved)]) as blender:
        blender.run(text_of("preview_figures.py"))
        blender.wait_until("len(session.previews) == 2")
        assert blender.run("sorted(one.name for one in session.previews)") == ["Bar", "Bar.001"]
        blender.wait_until("all(one.meshes_in_layers for one in session.previews)")
        assert blender.run("str(session.error)") == ""
