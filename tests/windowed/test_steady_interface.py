"""What stays as it is while one works: folds, the places of buttons, and texts apart in every single redraw; and no
figure of one engine below the name of another.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.hour.artist import Artist, complaints_about
from tests.windowed.scenes import BENDING_BAR, SETTLED, START, STOP, text_of

SIDEBAR = """\
with view3d() as area:
    area.spaces.active.show_region_ui = True
settings.show_figures = True
bpy.context.scene.frame_set(20)
"""
TAB = "sidebar().active_panel_category = 'Skinscope'\nsidebar().tag_redraw()"
HEADER_ABOVE = 22
"""From the upper end of a panel's first field to the middle of its title, in pixels."""
CHECK = "with view3d(): bpy.ops.skinscope.profile_check('INVOKE_DEFAULT')"
CHECKED = "session.checks.results.of(bpy.context.scene.session_uid, settings.profiles.profile) is not None"
BELOW = "operator", "skinscope.flicker"
"""A button below the verdict, the state of the previews, and the choices of the display."""
AT_REST = "all(one.paused or figures(i)['settled'] for i, one in enumerate(session.previews))"
"""In Edit Mode a preview is paused."""
FOLDED, UNFOLDED = "SKINSCOPE_PT_display", "SKINSCOPE_PT_profile_findings"
ENGINE = "settings.profiles.profile = {!r}"
MODE = "select_only({})\nwith view3d(): bpy.ops.object.mode_set(mode={!r})"
DEVELOPER = """\
from skinning_addon.viewport.choices.preferences import ADD_ON
bpy.context.preferences.addons[ADD_ON].preferences.show_developer = {}
"""


@pytest.fixture
def artist(blender: WindowedBlender) -> Artist:
    """Someone at work on the bar, bent, in a Blender of the test's own, which records what panels say."""
    blender.run(BENDING_BAR)
    blender.run(SIDEBAR + text_of("hour/panel_record.py"))
    blender.screenshot()
    blender.run(TAB)
    blender.screenshot()
    return Artist(blender)


def open_panels(artist: Artist) -> set[str]:
    """Return which panels draw what they hold."""
    artist.blender.run("said.clear()\nsidebar().tag_redraw()")
    artist.blender.screenshot(timeout=90)
    return set(artist.blender.run("list(said)"))


def do(artist: Artist, code: str) -> None:
    """Do something, and let what follows from it come to an end."""
    artist.blender.run(code, timeout=120)
    if code == CHECK:
        artist.blender.wait_until(CHECKED, timeout=120)
    artist.blender.wait_until(AT_REST, timeout=120)
    artist.blender.screenshot(timeout=120)


def test_folds_outlast_previews_engines_modes_checks_and_a_reload(artist: Artist, tmp_path: Path) -> None:
    before = open_panels(artist)
    assert FOLDED in before
    assert UNFOLDED not in before
    artist.unfold(UNFOLDED)
    field = artist.find("property", "display")
    artist.click(field.left, field.top - HEADER_ABOVE)
    artist.move_away()
    wanted = (before - {FOLDED}) | {UNFOLDED}
    assert open_panels(artist) == wanted
    for code in (
        START,
        ENGINE.format("unity-1"),
        CHECK,
        MODE.format("rig", "POSE"),
        MODE.format("rig", "OBJECT"),
        MODE.format("bar", "EDIT"),
        MODE.format("bar", "OBJECT"),
        MODE.format("bar", "WEIGHT_PAINT"),
        MODE.format("bar", "OBJECT"),
        STOP,
    ):
        do(artist, code)
        assert open_panels(artist) == wanted, code
    artist.blender.run(DEVELOPER.format(True))
    assert open_panels(artist) >= wanted
    assert FOLDED not in open_panels(artist)
    artist.blender.run(DEVELOPER.format(False))
    assert open_panels(artist) == wanted
    path = str(tmp_path / "folds.blend")
    artist.blender.run(f"bpy.ops.wm.save_as_mainfile(filepath={path!r})")
    artist.blender.run("bpy.ops.wm.read_homefile()")
    artist.blender.screenshot(timeout=90)
    artist.blender.run(f"bpy.ops.wm.open_mainfile(filepath={path!r})")
    artist.blender.screenshot(timeout=90)
    assert open_panels(artist) == wanted


def test_no_drawing_shows_the_figures_of_the_engine_before(artist: Artist) -> None:
    do(artist, START + ENGINE.format("unity-1"))
    told = artist.blender.run("said['SKINSCOPE_PT_preview']")
    distance = next(one for one in told if one.startswith("Bar: ")).rpartition("off by ")[2]
    assert distance.endswith("m")
    artist.blender.run("readings.clear(); end_writing(); writings.clear()\n" + ENGINE.format("threejs"))
    artist.blender.wait_until(SETTLED, timeout=120)
    artist.blender.screenshot(timeout=90)
    for texts in (
        artist.blender.run("[text for _, labels in readings for text in labels]"),
        artist.blender.run("[text for _, texts in take_writings() for text, *_ in texts]"),
    ):
        assert "Bar: same as Blender's" in texts
        assert not [text for text in texts if distance in text]


def test_no_redraw_writes_one_text_over_another_and_buttons_stay_where_they_are(artist: Artist) -> None:
    place = artist.find(*BELOW)
    for code in (
        START,
        ENGINE.format("unity-1"),
        CHECK,
        "with view3d(): bpy.ops.skinscope.profile_jump()",
        "settings.display = 'DEVIATION'",
        "settings.placement = 'SPLIT'",
        "settings.placement = 'ASIDE'",
        "settings.placement = 'IN_PLACE'",
        ENGINE.format("threejs"),
        CHECK,
        MODE.format("bar", "WEIGHT_PAINT"),
        MODE.format("bar", "OBJECT"),
        STOP,
        ENGINE.format("blender"),
    ):
        do(artist, code)
        redraws = artist.blender.run("take_writings()")
        complaints = [
            complaint
            for (width, height), texts in redraws
            for complaint in complaints_about({tuple(one) for one in texts}, width, height)
        ]
        assert not complaints, f"{code}: {complaints}"
        assert artist.find(*BELOW) == place, code
