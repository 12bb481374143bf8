"""After a crash: the file that Blender saved by itself has the mesh, though a preview had hidden it."""

from __future__ import annotations

import time
from pathlib import Path

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import SETTLED, START, text_of
from tests.windowed.view_pixels import ViewPixels, preview_mask, solid_mask

TEMPORARY = """\
paths = bpy.context.preferences.filepaths
paths.temporary_directory = {folder!r}
paths.use_auto_save_temporary_files = True
paths.auto_save_time = 1
bpy.context.preferences.view.filebrowser_display_type = 'SCREEN'
"""
HIDDEN = """\
settings.blender_mesh = 'HIDDEN'
settings.start_with_file = {comes_back}
def hidden():
    from skinning_addon.viewport.objects.hidden_meshes import NOT_EVEN_BOUNDS
    copies = bpy.context.view_layer.depsgraph.view_layer_eval.objects
    kinds = [0] * len(copies)
    copies.foreach_get('display_type', kinds)
    return kinds[[one.original.name for one in copies].index('Bar')] == NOT_EVEN_BOUNDS
"""
NOTHING_ELSE = """\
with view3d() as area:
    area.spaces.active.overlay.show_overlays = False
"""
BROWSER = """\
browser = next((one for one in bpy.context.window.screen.areas if one.type == 'FILE_BROWSER'), None)
browser and {one.type: [one.x, bpy.context.window.height - one.y - one.height, one.width, one.height] for one in browser.regions}
"""
AUTOSAVE_SECONDS = 120


def test_recovering_an_autosave_brings_mesh_and_preview_back(own_bar, tmp_path: Path, start_blender):
    own_bar.run(TEMPORARY.format(folder=str(tmp_path)) + HIDDEN.format(comes_back=True) + START)
    own_bar.wait_until(SETTLED)
    own_bar.screenshot()
    own_bar.wait_until("hidden()")
    own_bar.run("bar.location.z = 0.25; bpy.ops.ed.undo_push(message='Moved')")
    wait_for_autosave(own_bar, tmp_path)
    own_bar.kill()
    with start_blender() as blender:
        blender.run(TEMPORARY.format(folder=str(tmp_path)))
        recover(blender)
        blender.wait_until("'Bar' in bpy.data.objects")
        blender.run(text_of("preview_figures.py"))
        blender.wait_until("len(session.previews) == 1")
        blender.wait_until(SETTLED)
        blender.run("settings = bpy.context.scene.skinscope\n" + HIDDEN.format(comes_back=True))
        blender.wait_until("hidden()")
        look = "(lambda one: [one.location.z, one.display_type, one.visible_camera, one.hide_get()])(bpy.data.objects['Bar'])"
        assert blender.run(look) == [0.25, "TEXTURED", True, False]
        view = ViewPixels.of(blender)
        assert preview_mask(view.cut(blender.screenshot())).any()
        blender.run("session.stop_all()")
        blender.wait_until("not hidden()")
        blender.run(NOTHING_ELSE)
        shown = view.cut(blender.screenshot())
        assert solid_mask(shown).any()
        assert not preview_mask(shown).any()
        assert "Traceback" not in blender.console.read_text(encoding="utf-8", errors="replace")


def wait_for_autosave(blender: WindowedBlender, folder: Path) -> None:
    """Work on until Blender has saved by itself."""
    end = time.monotonic() + AUTOSAVE_SECONDS
    step = 0
    while not list(folder.glob("*_autosave.blend")):
        assert time.monotonic() < end, "no autosave"
        step += 1
        blender.xdotool("mousemove", str(400 + step % 5), "400")
        blender.run("None")
        time.sleep(0.5)


def recover(blender: WindowedBlender) -> None:
    """Choose the file in File > Recover > Auto Save, and press the button."""
    blender.run("with view3d(): bpy.ops.wm.recover_auto_save('INVOKE_DEFAULT')")
    blender.wait_until("any(one.type == 'FILE_BROWSER' for one in bpy.context.window.screen.areas)")
    blender.screenshot(settled=False)
    time.sleep(1.0)
    regions = blender.run(BROWSER)
    left, top, width, _ = regions["WINDOW"]
    for x, y in ((left + width // 4, top + 40), (regions["EXECUTE"][0] + regions["EXECUTE"][2] - 70, 0)):
        at = y or regions["EXECUTE"][1] + regions["EXECUTE"][3] // 2
        blender.xdotool("mousemove", str(x - 2), str(at), "mousemove", str(x), str(at), "click", "1")
        time.sleep(0.7)
        blender.screenshot(settled=False)
