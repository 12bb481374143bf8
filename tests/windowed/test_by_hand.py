"""Fields that are dragged, files that are chosen and operators that are adjusted, with the mouse and the keyboard."""

from __future__ import annotations

import time
from math import radians
from pathlib import Path

import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.hour.artist import Artist
from tests.windowed.scenes import SETTLED, SHEARED, START, text_of

SIDEBAR = """\
with view3d() as area:
    area.spaces.active.show_region_ui = True
"""
TAB = """\
side = next(one for one in area.regions if one.type == 'UI')
side.active_panel_category = 'Skinscope'
side.tag_redraw()
bpy.context.preferences.view.filebrowser_display_type = 'SCREEN'
import bmesh
def mine():
    return bpy.data.objects['Bar']
def presets():
    from pathlib import Path
    folders = bpy.utils.preset_paths('skinscope/display')
    return sorted(path.stem for folder in folders for path in Path(folder).glob('*.py'))
"""
BROWSER = """\
browser = next((one for one in bpy.context.window.screen.areas if one.type == 'FILE_BROWSER'), None)
{one.type: [one.x, bpy.context.window.height - one.y - one.height, one.width, one.height] for one in browser.regions}
"""
IMPORT = "with view3d(): bpy.ops.skinscope.display_preset_import('INVOKE_DEFAULT')"
IMPORTING = "any(one.type == 'FILE_BROWSER' for one in bpy.context.window_manager.windows[0].screen.areas)"
PRESET = 'version = 1\n\n[display]\ndisplay = "INFLUENCE_COUNT"\nwireframe = true\n'
FIELD_FROM_MOUSE = (220, 50)
"""Pixels from the mouse to the first field of Adjust Last Operation, at interface scale 1."""


@pytest.fixture
def artist(own_bar: WindowedBlender) -> Artist:
    own_bar.run(
        SHEARED + "scene.skinscope.profiles.profile = 'threejs'; scene.frame_set(20)\n" + SIDEBAR + START
    )
    own_bar.screenshot()
    own_bar.run(TAB + text_of("hour/panel_record.py"))
    own_bar.run("settings.display = 'DEVIATION'; bpy.ops.ed.undo_push(message='Start')")
    own_bar.screenshot()
    own_bar.wait_until(SETTLED)
    return Artist(own_bar)


def test_dragging_the_threshold_changes_it_by_parts_of_a_millimetre(artist: Artist):
    x, y = artist.find("property", "threshold").at(0.7)
    before = artist.blender.run("settings.threshold")
    artist.drag([(x + pixels, y) for pixels in range(21)])
    dragged = artist.blender.run("settings.threshold") - before
    assert 0 < dragged < 0.005


def enter_folder(blender: WindowedBlender, folder: Path) -> None:
    """Press Return until the file browser is in a folder that was typed: 5.2 completes the name with the first."""
    for _ in range(2):
        blender.xdotool("key", "Return")
        time.sleep(0.5)
        if Path(blender.run("browser.spaces.active.params.directory.decode()")) == folder:
            break


def import_file(artist: Artist, path: Path) -> None:
    """Import a preset: type its folder and its name into Blender's file browser, and press Return."""
    blender = artist.blender
    blender.run(IMPORT)
    blender.wait_until(IMPORTING)
    blender.screenshot()
    fields, execute = blender.run(BROWSER)["UI"], blender.run(BROWSER)["EXECUTE"]
    # Before anything is chosen no name is there, unlike where a file is to be written.
    assert blender.run("browser.spaces.active.params.filename") == ""
    for (left, top, width, height), text in ((fields, f"{path.parent}/"), (execute, path.name)):
        artist.click(left + width // 3, top + height // 2, times=2)
        time.sleep(0.3)
        blender.xdotool("key", "ctrl+a", "type", "--delay", "20", text)
        time.sleep(0.3)
        if text == path.name:
            blender.xdotool("key", "Tab")
            time.sleep(0.5)
        else:
            enter_folder(blender, path.parent)
    blender.screenshot(settled=False)
    # In 5.2, whose Tab key leaves no text field, the first click only ends writing.
    for _ in range(2):
        artist.click(execute[0] + execute[2] - 70, execute[1] + execute[3] // 2)
        time.sleep(2)
        if not blender.run(IMPORTING):
            break
    artist.move(*artist.region().at(0.2, 0.5))
    blender.screenshot(settled=False)


def test_a_preset_is_imported_twice_and_a_broken_one_changes_nothing(artist: Artist, tmp_path: Path):
    good, broken = tmp_path / "shared.toml", tmp_path / "broken.toml"
    good.write_text(PRESET, encoding="utf-8")
    broken.write_text(PRESET + "placement = \n", encoding="utf-8")
    blender = artist.blender
    import_file(artist, broken)
    assert blender.run("[settings.display, settings.wireframe, presets()]") == ["DEVIATION", False, []]
    import_file(artist, good)
    assert blender.run("[settings.display, settings.wireframe]") == ["INFLUENCE_COUNT", True]
    assert blender.run("presets()") == ["shared"]
    import_file(artist, good)
    assert blender.run("presets()") == ["shared", "shared_2"]
    said = blender.console.read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in said


def test_f9_selects_again_with_another_threshold(artist: Artist):
    artist.push("skinscope.select_deviating")
    blender = artist.blender
    blender.wait_until("mine().mode == 'EDIT'")
    selected = "sum(one.select for one in bmesh.from_edit_mesh(mine().data).verts)"
    before = blender.run(selected)
    assert before > 0
    artist.press("F9")
    blender.screenshot()
    x, y = artist.region().at(0.4, 0.5)
    artist.click(x + FIELD_FROM_MOUSE[0], y + FIELD_FROM_MOUSE[1], times=2)
    time.sleep(0.3)
    blender.xdotool("key", "ctrl+a", "type", "0.1")
    blender.xdotool("key", "Return")
    blender.wait_until(f"mine().mode == 'EDIT' and 0 < {selected} < {before}")
    blender.screenshot(settled=False)


def type_into(artist: Artist, name: str, value: str) -> None:
    """Type a value into a property's field, as one does after a double click."""
    artist.click(*artist.find("property", name).at(0.7), times=2)
    time.sleep(0.3)
    artist.blender.xdotool("key", "ctrl+a", "type", "--delay", "20", value)
    artist.blender.xdotool("key", "Return")
    artist.blender.screenshot(settled=False)


def test_what_is_typed_and_dragged_is_what_a_game_ready_copy_is_made_with(artist: Artist):
    blender = artist.blender
    profiles = "scene.skinscope.profiles"
    blender.run(f"{profiles}.copy_kind = 'BAKED'")
    artist.unfold("SKINSCOPE_PT_profile_findings")
    # Lengths and angles with their units, as in all of Blender's fields.
    for name, value, expected in (
        ("copy_tolerance", "3mm", 0.003),
        ("most_drift", "2cm", 0.02),
        ("most_turn", "20", radians(20)),
    ):
        type_into(artist, name, value)
        assert blender.run(f"{profiles}.{name}") == pytest.approx(expected, rel=1e-5)
    # Twenty pixels are some millimetres, or some degrees.
    for name, most in (("copy_tolerance", 0.02), ("most_drift", 0.02), ("most_turn", radians(30))):
        before = blender.run(f"{profiles}.{name}")
        x, y = artist.find("property", name).at(0.6)
        artist.drag([(x + pixels, y) for pixels in range(21)])
        assert 0 < blender.run(f"{profiles}.{name}") - before < most
    wanted = blender.run(f"[{profiles}.copy_tolerance, {profiles}.most_drift, {profiles}.most_turn]")
    artist.push("skinscope.game_ready_copy")
    blender.wait_until("'Bar Rig game-ready' in bpy.data.objects", timeout=180)
    made = "[one for one in bpy.context.window_manager.operators if one.bl_idname == 'SKINSCOPE_OT_game_ready_copy'][-1]"
    used = blender.run(f"made = {made}\n[made.tolerance, made.most_drift, made.most_turn]")
    assert used == pytest.approx(wanted)
    blender.screenshot()
