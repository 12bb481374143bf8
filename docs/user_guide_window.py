"""The Blender that the user guide's pictures are taken of, and how parts of its window are cut out.

Used by write_user_guide_pictures.py and write_profile_picture.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from tests.windowed.harness import (  # noqa: E402
    HEIGHT,
    WIDTH,
    WindowedBlender,
    virtual_screen,
    windowed_blender,
)

IMAGES = CHECKOUT / "docs" / "images"
SETUP = Path(__file__).with_name("user_guide_scene.py")

Picture = NDArray[np.uint8]

TALL = 960
"""The height of a screen on which the longest panels fit, in pixels."""

TALLEST = 1060
"""The height of a screen on which all preferences fit but for the keymap, in pixels."""

WHOLE = 1.2
"""The width of the canvas, in heights of it."""


@contextmanager
def running_blender(rig: Path, setup: Path = SETUP, *, height: int = HEIGHT) -> Iterator[WindowedBlender]:
    """Blender with the built extension installed, the rig opened, and the sidebar at Skinscope's tab.

    setup: what is run inside first, with the rig's path as RIG. height: of the screen, in pixels.
    """
    size = (WIDTH, height)
    blender = os.environ["BLENDER"]
    os.environ["SKINSCOPE_BLENDER"] = blender
    with tempfile.TemporaryDirectory(prefix="skinscope-guide-") as folder, virtual_screen(*size) as display:
        user = Path(folder, "user")
        extension = max((CHECKOUT / "dist").glob("skinscope-*.zip"), key=lambda one: one.stat().st_mtime)
        subprocess.run(
            [blender, "--command", "extension", "install-file", "-r", "user_default", "--enable", extension],
            check=True,
            env={**os.environ, "BLENDER_USER_RESOURCES": str(user)},
        )
        with windowed_blender(display, user, size=size) as running:
            running.run(f"RIG = {str(rig)!r}")
            running.run(setup.read_text(encoding="utf-8"), timeout=120)
            # Not before the sidebar has been drawn once.
            running.screenshot(timeout=90)
            running.run(
                "with view3d() as area:\n"
                "    {one.type: one for one in area.regions}['UI'].active_panel_category = 'Skinscope'\n"
                "    area.tag_redraw()"
            )
            yield running


def view(blender: WindowedBlender) -> Picture:
    """Cut the 3D view, sidebar and all, out of the screen."""
    left, bottom, width, height = blender.run(
        "with view3d() as area: pass\n(area.x, area.y, area.width, area.height)"
    )
    screen = blender.screenshot(timeout=90)
    top = screen.shape[0] - bottom - height
    return screen[top : top + height, left : left + width]


def canvas(blender: WindowedBlender) -> Picture:
    """Cut the part of the 3D view that no bar covers out of the screen."""
    left, bottom, width, height = blender.run(
        "with view3d() as area:\n"
        "    regions = {one.type: one for one in area.regions}\n"
        "    whole, side, top = regions['WINDOW'], regions['UI'], regions['HEADER']\n"
        "(whole.x, whole.y, whole.width - side.width, whole.height - 2 * top.height)"
    )
    screen = blender.screenshot(timeout=90)
    top = screen.shape[0] - bottom - height
    return screen[top : top + height, left : left + width]


def middle(blender: WindowedBlender, wide: float) -> Picture:
    """Cut the canvas down to its middle, where `place` has put the character with WHOLE. wide: in heights of
    it.
    """
    picture = canvas(blender)
    height, width = picture.shape[:2]
    left = (width - round(wide * height)) // 2
    return picture[:, left : width - left]


def figure(blender: WindowedBlender, wide: float = 0.8) -> Picture:
    """Cut the canvas down to its left part. wide: how wide that is, in heights of it.

    The character stands in the middle of it, as far as `PLACE` has been run since the view was turned.
    """
    picture = canvas(blender)
    return picture[:, : round(wide * picture.shape[0])]


# Puts the point `centre` in the middle of the canvas's left part, where the sidebar doesn't cover it.
PLACE = """\
from bpy_extras.view3d_utils import region_2d_to_location_3d as location
from mathutils import Vector
centre = Vector({centre})
view = space.region_3d
view.view_distance, view.view_rotation = {distance}, {rotation}
view.view_location = centre
view.update()
with view3d() as area:
    regions = dict((one.type, one) for one in area.regions)
    whole = regions["WINDOW"]
    height = whole.height - 2 * regions["HEADER"].height
    old = location(whole, view, (whole.width / 2, whole.height / 2), centre)
    new = location(whole, view, ({wide} * height / 2, height / 2), centre)
view.view_location = centre + old - new
view.update()
"""


def place(
    blender: WindowedBlender,
    *,
    centre: tuple[float, float, float] = (0, 0, 1.15),
    distance: float = 3.4,
    rotation: str = "FROM_FRONT",
    wide: float = 0.8,
) -> None:
    """Point the view at a place, so that `figure` has it in its middle."""
    blender.run(PLACE.format(centre=centre, distance=distance, rotation=rotation, wide=wide))


def tiled(pictures: list[Picture], columns: int) -> Picture:
    """Put pictures of one size beside one another, some in a row."""
    rows = [
        np.concatenate(pictures[first : first + columns], axis=1)
        for first in range(0, len(pictures), columns)
    ]
    return np.concatenate(rows, axis=0)


SHOW_ALONE = """\
from skinning_addon.ui import registration
kind = getattr(registration, PANEL)
# A copy of the panel that is open, and alone under a tab of its own.
own = {name: value for name, value in kind.__dict__.items() if not name.startswith("__")}
own.update(bl_category="Alone", bl_options=set(), bl_parent_id="")
own.pop("bl_rna", None)
alone = type("GUIDE_PT_alone", kind.__bases__, own)
bpy.utils.register_class(alone)
"""

SHOW_TAB = """\
with view3d() as area:
    {{one.type: one for one in area.regions}}['UI'].active_panel_category = {tab!r}
    area.tag_redraw()
"""


def side_panel(blender: WindowedBlender, panel: str, height: int) -> Picture:
    """Take one panel of the sidebar, open, without the tabs beside it. height: of the picture, in pixels."""
    blender.run(SHOW_ALONE.replace("PANEL", repr(panel)))
    # A tab is there once it has been drawn.
    blender.screenshot(timeout=90)
    blender.run(SHOW_TAB.format(tab="Alone"))
    left, top, width = blender.run(
        "with view3d() as area:\n"
        "    side = next(one for one in area.regions if one.type == 'UI')\n"
        "    box = side.x, bpy.context.window.height - side.y - side.height, side.width\n"
        "box"
    )
    picture = blender.screenshot(timeout=90)[top : top + height, left : left + width - 22]
    blender.run("bpy.utils.unregister_class(alone)")
    blender.run(SHOW_TAB.format(tab="Skinscope"))
    return picture


def write(name: str, picture: Picture, width: int = 960) -> None:
    """Write a picture as a PNG of few colours, no wider than `width` pixels."""
    height, own_width = picture.shape[:2]
    IMAGES.mkdir(exist_ok=True)
    subprocess.run(
        [
            *("convert", "-size", f"{own_width}x{height}", "-depth", "8", "rgb:-", "-resize", f"{width}x>"),
            *("+dither", "-colors", "256", f"PNG8:{IMAGES / f'guide-{name}.png'}"),
        ],
        input=np.ascontiguousarray(picture).tobytes(),
        check=True,
    )
