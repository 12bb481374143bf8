"""Pictures that Blender makes itself have the user's mesh in them, though a preview hides it from the views."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import SETTLED, START
from tests.windowed.test_habits import press
from tests.windowed.view_pixels import ViewPixels, changed, preview_mask

SIZE = 160
HIDDEN = f"""\
scene = bpy.context.scene
eye = bpy.data.objects.new('Eye', bpy.data.cameras.new('Eye'))
scene.collection.objects.link(eye)
eye.location, eye.rotation_euler = (0, -8, 1), (1.5708, 0, 0)
sun = bpy.data.objects.new('Sun', bpy.data.lights.new('Sun', 'SUN'))
scene.collection.objects.link(sun)
sun.rotation_euler = (1, 0, 0)
scene.camera = eye
scene.render.resolution_x = scene.render.resolution_y = {SIZE}
scene.render.resolution_percentage = 100
scene.render.image_settings.file_format = 'PNG'
scene.frame_start, scene.frame_end = 18, 20
scene.frame_set(20)
settings.blender_mesh = 'HIDDEN'
bpy.context.preferences.view.render_display_type = 'NONE'
keymap = bpy.context.window_manager.keyconfigs.user.keymaps['3D View']
for key, animation in (('F5', False), ('F6', True)):
    keymap.keymap_items.new('render.opengl', key, 'PRESS').properties.animation = animation
from skinning_addon.viewport.objects.hidden_meshes import NOT_EVEN_BOUNDS
def hidden():
    copies = bpy.context.view_layer.depsgraph.view_layer_eval.objects
    kinds = [0] * len(copies)
    copies.foreach_get('display_type', kinds)
    return kinds[[one.original for one in copies].index(bar)] == NOT_EVEN_BOUNDS
def rendered(path):
    picture = bpy.data.images.load(path)
    pixels = list(picture.pixels)
    bpy.data.images.remove(picture)
    return pixels
"""
RENDERING = (
    "any(one.bl_idname == 'RENDER_OT_opengl' for window in bpy.context.window_manager.windows"
    " for one in window.modal_operators)"
)


@pytest.fixture
def bar(own_bar: WindowedBlender) -> WindowedBlender:
    own_bar.run(HIDDEN + START)
    own_bar.wait_until(SETTLED)
    own_bar.screenshot()
    own_bar.wait_until("hidden()")
    return own_bar


def shown_in(pixels: NDArray[np.float64]) -> float:
    """Return the share of a picture's pixels that differ from its corner."""
    return float(np.any(np.abs(pixels - pixels[0, 0]) > 0.02, axis=-1).mean())


def picture_at(blender: WindowedBlender, path: Path) -> NDArray[np.float64]:
    """Read a picture: (SIZE, SIZE, 4), 0 to 1."""
    return np.array(blender.run(f"rendered({str(path)!r})")).reshape(SIZE, SIZE, 4)


def wait_for_render(blender: WindowedBlender) -> None:
    """Wait until a viewport render has ended. In 5.2 its timer comes only with other events."""
    for step in range(300):
        if not blender.run(RENDERING):
            return
        blender.xdotool("mousemove", str(400 + step % 2), "400")
        time.sleep(0.1)
    raise AssertionError("the viewport render does not end")


def test_viewport_renders_have_the_mesh_and_the_view_hides_it_again(bar: WindowedBlender, tmp_path: Path):
    view = ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    bar.run(f"scene.render.filepath = {str(tmp_path / 'frame_')!r}")
    press(bar, "F5")
    wait_for_render(bar)
    still = tmp_path / "still.png"
    bar.run(f"bpy.data.images['Render Result'].save_render({str(still)!r})")
    assert shown_in(picture_at(bar, still)) > 0.01
    press(bar, "F6")
    wait_for_render(bar)
    frames = [tmp_path / f"frame_{number:04d}.png" for number in (18, 19, 20)]
    assert [shown_in(picture_at(bar, one)) > 0.01 for one in frames] == [True, True, True]
    press(bar)
    bar.wait_until("hidden()")
    after = view.cut(bar.screenshot())
    assert preview_mask(after).any()
    assert changed(before, after) < 100


def test_a_render_has_the_mesh(bar: WindowedBlender, tmp_path: Path):
    path = tmp_path / "f12.png"
    bar.run("scene.render.engine = 'BLENDER_WORKBENCH'")
    bar.run(
        f"scene.render.filepath = {str(path)!r}; _ = bpy.ops.render.render(write_still=True)", timeout=300
    )
    assert shown_in(picture_at(bar, path)) > 0.01
    assert bar.run("hidden()")


def test_the_thumbnail_of_a_saved_file_has_the_mesh(bar: WindowedBlender, tmp_path: Path):
    path = tmp_path / "saved.blend"
    bar.run("bpy.context.preferences.filepaths.file_preview_type = 'CAMERA'")
    bar.run(f"_ = bpy.ops.wm.save_as_mainfile(filepath={str(path)!r}, compress=False)")
    assert shown_in(thumbnail(path)) > 0.01
    assert bar.run("hidden()")
    # A folder that does not exist: no handler is called after saving.
    bar.run(
        "try:\n"
        f"    bpy.ops.wm.save_as_mainfile(filepath={str(tmp_path / 'none' / 'x.blend')!r})\n"
        "except RuntimeError:\n"
        "    pass"
    )
    bar.wait_until("hidden()")


def thumbnail(path: Path) -> NDArray[np.float64]:
    """Read the picture in an uncompressed .blend file: (height, width, 4), 0 to 1."""
    content = path.read_bytes()
    # The block's header is longer from Blender 5.0 on.
    header = 24 if content[7:8] == b"-" else 32
    start = content.index(b"TEST") + header
    width, height = struct.unpack_from("<ii", content, start)
    return np.frombuffer(content, np.uint8, width * height * 4, start + 8).reshape(height, width, 4) / 255
