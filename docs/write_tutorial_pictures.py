"""Writes the pictures of docs/tutorial.md: the rig of `skinscope learn` in a real Blender's window.

    BLENDER=... .venv/bin/python docs/write_tutorial_pictures.py [NAME...]

BLENDER: a desktop Blender. Needs what the window tests need, and ./run build before.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from user_guide_window import TALL, Picture, figure, place, running_blender, side_panel, tiled, write

from tests.windowed.harness import WindowedBlender

SCENE = Path(__file__).with_name("tutorial_scene.py")
FROM_ABOVE = "(1, 0, 0, 0)"


def inspect(blender: WindowedBlender) -> Picture:
    """Take the vertex that the tutorial follows, and what the sidebar says of it."""
    place(blender, centre=(-0.7, 2.6, 0), distance=9, rotation=FROM_ABOVE)
    marked = figure(blender)
    words = side_panel(blender, "SKINSCOPE_PT_inspector", marked.shape[0])
    return np.concatenate((marked, words), axis=1)


def spaces(blender: WindowedBlender) -> Picture:
    """Put the four steps beside one another, each with the vertex marked where it is then."""
    blender.run(
        "settings.blender_mesh = 'HIDDEN'; settings.spaces.shown = True; space.overlay.show_bones = False"
    )
    pictures = []
    for step, centre in (
        ("MESH", (0, 3.3, 0)),
        ("BONE", (0, 1, 0)),
        ("ROOT", (-1, 3, 0)),
        ("RESULT", (-1, 3, 0)),
    ):
        blender.run(f"settings.spaces.space = {step!r}")
        place(blender, centre=centre, distance=13, rotation=FROM_ABOVE, wide=0.6)
        pictures.append(figure(blender, wide=0.6))
    blender.run(
        "settings.spaces.shown = False; settings.blender_mesh = 'SHOWN'; space.overlay.show_bones = True"
    )
    return tiled(pictures, 4)


def matrices(blender: WindowedBlender) -> Picture:
    """Take the matrices of the forearm."""
    return side_panel(blender, "SKINSCOPE_PT_matrices", 505)


def combinations(blender: WindowedBlender) -> Picture:
    """Take the draw calls of palettes of two joints, each in a colour of its own."""
    blender.run(
        "session.inspection.clear(); settings.blender_mesh = 'HIDDEN'; space.overlay.show_bones = False\n"
        "settings.technique.technique = 'PARTITIONED'; settings.technique.joints_per_group = 2\n"
        "settings.display = 'DRAW_GROUPS'; settings.show_figures = True"
    )
    place(blender, centre=(-1, 3, 0), distance=9, rotation=FROM_ABOVE)
    drawn = figure(blender)
    words = side_panel(blender, "SKINSCOPE_PT_technique", drawn.shape[0])
    return np.concatenate((drawn, words), axis=1)


LOAD_SCRIPT = """\
settings.technique.technique = 'AUTOMATIC'; settings.display = 'DOMINANT_BONE'; settings.show_figures = False
with view3d():
    bpy.ops.skinscope.clips_refresh()
    bpy.ops.skinscope.script_load(filepath={path!r})
with view3d():
    bpy.ops.skinscope.script_play()
    bpy.ops.skinscope.script_play()
session.players.go_to(rig.session_uid, 0.5)
session.players.tick()
"""


def tracks(blender: WindowedBlender) -> Picture:
    """Take the panel of tracks with the script of docs/tutorial.md, at half a second."""
    text = SCENE.with_name("tutorial.md").read_text(encoding="utf-8")
    script = re.search(r"^```toml\n((?:(?!```).*\n)*)```$", text, re.MULTILINE)
    if script is None:
        raise SystemExit("The tutorial has no script.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "move.toml")
        path.write_text(script[1], encoding="utf-8")
        blender.run(LOAD_SCRIPT.format(path=str(path)), timeout=120)
    place(blender, centre=(-1, 3, 0), distance=9, rotation=FROM_ABOVE)
    drawn = figure(blender)
    words = side_panel(blender, "SKINSCOPE_PT_tracks", drawn.shape[0])
    return np.concatenate((drawn, words), axis=1)


SHOTS: dict[str, Callable[[WindowedBlender], Picture]] = {
    "tutorial-inspect": inspect,
    "tutorial-spaces": spaces,
    "tutorial-matrices": matrices,
    # From here on the technique is another.
    "tutorial-combinations": combinations,
    "tutorial-tracks": tracks,
}


def main() -> None:
    wanted = sys.argv[1:] or list(SHOTS)
    with running_blender(Path(), SCENE, height=TALL) as blender:
        for name in wanted:
            write(name, SHOTS[name](blender))
            print(name, flush=True)


if __name__ == "__main__":
    main()
