"""Writes the user guide's picture of Engine Profile: a character checked for two engines, at its worst frame.

    BLENDER=... RIG=... .venv/bin/python docs/write_profile_picture.py

BLENDER: a desktop Blender. RIG: an animated character whose bones shear, a .blend that it can open; the guide
has a human of MPFB on a Rigify rig. Needs what the window tests need.
"""

from __future__ import annotations

import os
from pathlib import Path

from user_guide_window import running_blender, view, write

SCENE = Path(__file__).with_name("profile_picture_scene.py")


def main() -> None:
    with running_blender(Path(os.environ["RIG"]).resolve(), SCENE) as blender:
        blender.run("with view3d(): bpy.ops.skinscope.profile_check('INVOKE_DEFAULT')", timeout=120)
        blender.wait_until("session.checks.results.of(scene.session_uid, 'threejs') is not None", timeout=600)
        blender.run("with view3d(): bpy.ops.skinscope.profile_jump()")
        write("engine-profile", view(blender), width=1280)


if __name__ == "__main__":
    main()
