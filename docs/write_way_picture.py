"""Writes the user guide's picture of the whole way: check, verdict, cause, cure, checked again.

    BLENDER=... RIG=... .venv/bin/python docs/write_way_picture.py

BLENDER: a desktop Blender. RIG: an animated character of several meshes, a .glb, weighted to more than two
bones a vertex; the guide has the knight of the KayKit Adventurers, by Kay Lousberg (CC0). Needs what the window
tests need.
"""

from __future__ import annotations

import os
from pathlib import Path

from user_guide_window import Picture, place, running_blender, tiled, view, write

from tests.windowed.harness import WindowedBlender

# For the scene as a whole, and at its worst frame: what one sees who presses Check and then Jump.
CHECK = """\
with view3d():
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.skinscope.profile_check("INVOKE_DEFAULT")
"""
CHECKED = """\
(lambda one: one is not None and not one.outdated)(
    session.checks.results.check_of(scene.session_uid, "unity-2")
)"""
FIX = """\
with view3d():
    bpy.ops.skinscope.verdict_fix()
"""
BESIDE = 1.86
"""Twice how far right of the canvas's left edge the character stands, in heights of it: beside the sidebar."""

CAN_BE_FIXED = "bpy.ops.skinscope.verdict_fix.poll()"


def way(blender: WindowedBlender) -> Picture:
    """Take the whole way, two pictures in a row: a character before the check, its verdict and cause, the cure
    of that, and the verdict once all its meshes are cured.
    """
    blender.run("reset(); settings.profiles.profile = 'unity-2'; settings.display = 'DEVIATION'")
    blender.run("settings.show_figures = False")
    place(blender, centre=(0, 0, 1.0), distance=4.6, wide=BESIDE)
    pictures = [beside_the_panel(blender)]
    check(blender)
    blender.run("with view3d(): bpy.ops.skinscope.profile_jump()")
    pictures.append(beside_the_panel(blender))
    blender.run(FIX, timeout=120)
    pictures.append(beside_the_panel(blender))
    check(blender)
    for _ in range(len(blender.run("[one.name for one in session.previews]"))):
        if not blender.run(CAN_BE_FIXED):
            break
        blender.run(FIX, timeout=120)
        check(blender)
    pictures.append(beside_the_panel(blender))
    blender.run("settings.profiles.profile = 'blender'")
    return tiled(pictures, 2)


def check(blender: WindowedBlender) -> None:
    """Check the scene for the chosen engine, and wait for the verdict."""
    blender.run(CHECK, timeout=300)
    blender.wait_until(CHECKED, timeout=300)


def beside_the_panel(blender: WindowedBlender) -> Picture:
    """Take the right part of the 3D view with the upper part of its sidebar."""
    return view(blender)[50:560, -640:]


def main() -> None:
    with running_blender(Path(os.environ["RIG"]).resolve()) as blender:
        write("way", way(blender), width=1280)


if __name__ == "__main__":
    main()
