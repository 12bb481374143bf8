"""A character that is dragged from the asset browser into the 3D view with the mouse."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from tests.windowed.harness import WindowedBlender
from tests.windowed.hour.artist import Artist
from tests.windowed.scenes import BENDING_BAR, SETTLED, SHEARED, START
from tests.windowed.view_pixels import ViewPixels, preview_mask

LIBRARY = """\
character = bpy.data.collections.new("Character")
for one in (bar, rig): character.objects.link(one)
character.asset_mark()
bpy.data.libraries.write(FILE, {character})
bpy.data.batch_remove([bar, rig, character])
from pathlib import Path
libraries = bpy.context.preferences.filepaths.asset_libraries
library = libraries.new(name="Mine", directory=str(Path(FILE).parent))
browser = next(one for one in bpy.context.screen.areas if one.type == "PROPERTIES")
browser.ui_type = "ASSETS"
shown = browser.spaces.active
shown.show_region_toolbar = shown.show_region_tool_props = False
"""
SHOW_LIBRARY = "shown.params.asset_library_reference = 'Mine'"
FIRST_ASSET = """\
files = next(one for one in browser.regions if one.type == "WINDOW")
[files.x + 50, bpy.context.window.height - files.y - files.height + 60]
"""
DROPPED = "[one for one in scene.objects if one.instance_type == 'COLLECTION']"
CHECKED = "session.checks.results.check_of(scene.session_uid, 'threejs') is not None"


def drag(artist: Artist, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag as a hand does: Blender marks the asset below the mouse, and has to see the button pressed on it before
    the mouse moves on.
    """
    artist.move(*start)
    time.sleep(1)
    artist.blender.xdotool("mousedown", "1")
    time.sleep(0.3)
    for x, y in np.linspace(start, end, 15).astype(int).tolist()[1:]:
        artist.blender.xdotool("mousemove", str(x), str(y))
        time.sleep(0.15)
    artist.blender.screenshot(settled=False)
    time.sleep(1)
    artist.blender.xdotool("mouseup", "1")


def test_a_character_dropped_from_the_asset_browser_is_previewed_and_checked(
    blender: WindowedBlender, tmp_path: Path
):
    artist = Artist(blender)
    blender.run(BENDING_BAR + SHEARED)
    blender.run(f"FILE = {str(tmp_path / 'characters.blend')!r}\n" + LIBRARY)
    blender.screenshot()
    blender.run(SHOW_LIBRARY)
    blender.screenshot()
    # Reading the library goes on in the background.
    time.sleep(1)
    blender.screenshot()
    drag(artist, tuple(blender.run(FIRST_ASSET)), artist.region().at(0.4, 0.6))
    blender.wait_until(DROPPED, timeout=10)
    assert blender.run(f"[one.instance_collection.name for one in {DROPPED}]") == ["Character"]
    # A drop leaves what it made selected.
    view = ViewPixels.of(blender)
    blender.run(START)
    assert blender.run("[one.name for one in session.previews]") == ["Bar"]
    blender.wait_until(SETTLED)
    blender.run("scene.frame_set(20)")
    assert preview_mask(view.cut(blender.screenshot())).sum() > 2_000
    blender.run("scene.skinscope.profiles.profile = 'threejs'")
    blender.run("with view3d(): bpy.ops.skinscope.profile_check()", timeout=120)
    blender.wait_until(CHECKED)
    blender.screenshot()
