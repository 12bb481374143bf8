"""Game-ready copies, saved and opened again: the panel still knows them, and its buttons show them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.hour.artist import Artist
from tests.windowed.scenes import SHEARED, text_of

FOR_THREEJS = """\
scene.skinscope.profiles.profile = 'threejs'
bpy.ops.ed.undo_push(message='Start')
"""
SIDEBAR = """\
with view3d() as area:
    area.spaces.active.show_region_ui = True
"""
TAB = """\
side = next(one for one in area.regions if one.type == 'UI')
side.active_panel_category = 'Skinscope'
side.tag_redraw()
"""
COPY = """\
select_only(bpy.data.objects['Bar'])
with view3d(): bpy.ops.skinscope.game_ready_copy('INVOKE_DEFAULT', True, fit_weights=False)
"""
RUNNING = "any(one.bl_idname == 'SKINSCOPE_OT_game_ready_copy' for one in bpy.context.window.modal_operators)"
SHOWN = "sorted(one.name for one in bpy.context.scene.objects if one.visible_get())"
AGES = "[one.outdated for one in session.checks.copies.there(bpy.context.scene.session_uid)]"


def opened(blender: WindowedBlender) -> Artist:
    """Open the sidebar's tab; return who presses its buttons."""
    blender.run(SIDEBAR)
    blender.screenshot(keep=False)
    blender.run(TAB + text_of("hour/panel_record.py") + text_of("preview_figures.py"))
    blender.screenshot(keep=False)
    return Artist(blender)


@pytest.fixture
def copies(own_bar: WindowedBlender) -> WindowedBlender:
    """Two copies of the bar."""
    own_bar.run(SHEARED + FOR_THREEJS)
    for made in (1, 2):
        own_bar.run(COPY, timeout=120)
        own_bar.wait_until(f"len(bpy.data.objects) == {2 + 2 * made} and not {RUNNING}", timeout=60)
    assert own_bar.run(SHOWN) == ["Bar Rig game-ready.001", "Bar game-ready.001"]
    return own_bar


def test_a_saved_copy_is_known_again(copies: WindowedBlender, tmp_path: Path):
    opened(copies)
    copies.screenshot()
    file = str(tmp_path / "bar.blend")
    copies.run(
        f"bpy.data.objects['Bar'].name = 'Hero'\nbpy.ops.wm.save_as_mainfile(filepath={file!r})\n"
        "bpy.ops.wm.read_homefile(use_factory_startup=True)"
    )
    copies.screenshot()
    copies.run(f"with view3d(): bpy.ops.wm.open_mainfile(filepath={file!r})")
    time.sleep(1)
    artist = opened(copies)
    # The day when it was made stands above its figures.
    copies.screenshot()
    assert copies.run(AGES) == [False, False]
    artist.push("skinscope.game_ready_preview")
    copies.wait_until("len(session.previews) == 1")
    assert copies.run(SHOWN) == ["Bar Rig", "Hero"]
    artist.push("skinscope.game_ready_preview", 1)
    copies.wait_until("[one for one in session.previews if one.authored]")
    assert copies.run(SHOWN) == ["Bar Rig game-ready.001", "Bar game-ready.001", "Hero"]
    copies.screenshot()
    copies.run(
        "bpy.data.objects['Hero'].data.vertices[0].co.x += 0.1; bpy.data.objects['Hero'].data.update()"
    )
    copies.wait_until(f"{AGES} == [True, True]")
    copies.screenshot()
