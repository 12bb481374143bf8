"""Runs inside Blender, after its other parts (see test_soak.py): seeded random actions of a user at work.

An action depends only on its seed and the user's data, so the same seeds make the same file, whatever else is
going on in that Blender. Nothing here knows about Skinscope.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from tests.windowed.bar_character import select_only
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.
    from tests.windowed.file_record import written_down
    from tests.windowed.soak_edits import EDITS, Action, add_character, armature_of, leave_mode, pick


def new_file() -> None:
    """Start with two characters: a bar with plain bones, and one with bendy bones, preserve volume and a
    subdivision.
    """
    bpy.ops.wm.read_homefile(use_empty=False)
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    add_character("Bar", -1.5)
    thick = add_character("Thick", 1.0)
    thick.modifiers["Armature"].use_deform_preserve_volume = True
    thick.modifiers.new("Subdivision", "SUBSURF").levels = 1
    armature_of(thick).data.bones["upper"].bbone_segments = 4
    remember("Start")


def undo(chance: random.Random) -> None:
    with view3d():
        for _ in range(chance.randint(1, 3)):
            bpy.ops.ed.undo()


def redo(chance: random.Random) -> None:
    with view3d():
        for _ in range(chance.randint(1, 3)):
            bpy.ops.ed.redo()


def quad_view(_chance: random.Random) -> None:
    with view3d():
        bpy.ops.screen.region_quadview()


def local_view(chance: random.Random) -> None:
    leave_mode()
    select_only(pick(chance, chance.choice(("MESH", "ARMATURE"))))
    with view3d():
        bpy.ops.view3d.localview(frame_selected=False)


def change_shading(chance: random.Random) -> None:
    with view3d() as area:
        area.spaces.active.shading.type = chance.choice(("WIREFRAME", "SOLID", "SOLID"))
        area.spaces.active.overlay.show_overlays = chance.random() < 0.8


def turn_view(chance: random.Random) -> None:
    with view3d() as area:
        bpy.ops.view3d.view_axis(type=chance.choice(("FRONT", "RIGHT", "TOP")))
        view = area.spaces.active.region_3d
        view.view_distance = chance.uniform(1, 12)
        view.view_perspective = chance.choice(("PERSP", "ORTHO"))


def new_window(_chance: random.Random) -> None:
    windows = bpy.context.window_manager.windows
    if len(windows) > 1:
        with bpy.context.temp_override(window=windows[-1]):
            bpy.ops.wm.window_close()
        return
    with view3d():
        bpy.ops.wm.window_new()


def other_scene(chance: random.Random) -> None:
    leave_mode()
    window = bpy.context.window_manager.windows[0]
    if len(bpy.data.scenes) > 1:
        last = bpy.data.scenes[-1]
        if chance.random() < 0.5:
            window.scene = chance.choice(sorted(bpy.data.scenes, key=lambda one: one.name))
        elif window.scene != last:
            bpy.data.scenes.remove(last)
        return
    other = bpy.data.scenes.new("Other")
    for one in bpy.context.scene.collection.objects:
        other.collection.objects.link(one)
    window.scene = other


def save_and_load(chance: random.Random) -> None:
    leave_mode()
    path = str(Path(bpy.app.tempdir, "soak.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
    if chance.random() < 0.7:
        bpy.ops.wm.open_mainfile(filepath=path)


def another_file(_chance: random.Random) -> None:
    new_file()


ACTIONS: tuple[tuple[Action, int], ...] = (
    *EDITS,
    (undo, 8),
    (redo, 4),
    (quad_view, 2),
    (local_view, 3),
    (change_shading, 4),
    (turn_view, 4),
    (new_window, 2),
    (other_scene, 3),
    (save_and_load, 2),
    (another_file, 1),
)
"""Actions with their relative frequencies."""


def remember(what: str) -> None:
    """Push an undo step for what has changed.

    Undo only reads back the data-blocks that differ between two steps. A change that is in no step survives or
    is lost depending on what else has changed in its data-block, and the scene's holds the settings of every
    add-on.

    In Edit Mode a step holds only the edited data, so undoing to it also reverts everything else that changed
    since the last full step - unless a data-block has been added or removed since: then Blender writes a full
    step first. Previews of meshes with modifiers before the armature evaluate copies, so they give undo more to
    go by. Hence full steps both with and without previews.
    """
    bpy.data.texts.remove(bpy.data.texts.new("Whole step"))
    with view3d():
        bpy.ops.ed.undo_push(message=what)


def act(seed: int) -> str:
    """Perform the seed's action; return a line describing it. If Blender would refuse it to anybody, that isn't
    an error.
    """
    said = ""
    chance = random.Random(seed)  # noqa: S311 - no secrets
    action = chance.choices([one for one, _ in ACTIONS], [weight for _, weight in ACTIONS])[0]
    try:
        action(chance)
    except (LookupError, RuntimeError, AttributeError, ReferenceError) as refusal:
        said = f": {refusal}"
    if action not in (undo, redo):
        # Refused actions too: they may have left a mode, or selected something.
        remember(action.__name__)
    return action.__name__ + said


def come_into_view() -> None:
    """Make everything visible, including a character with only an armature: hidden objects aren't drawn."""
    leave_mode()
    with view3d() as area:
        if area.spaces.active.local_view:
            bpy.ops.view3d.localview(frame_selected=False)
        area.spaces.active.overlay.show_overlays = True
    if not any(one.name.startswith("Plain") for one in bpy.context.view_layer.objects):
        add_character("Plain", 0.0)
    for one in bpy.context.view_layer.objects:
        one.hide_set(False)
        one.hide_viewport = False
    remember("Come into view")


def user_data() -> dict[str, list[str]]:
    """Record everything that belongs to the user: the lines of each data-block, by type and name.

    In object mode, because data being edited lives elsewhere. Evaluated first, because an object's matrices
    reflect its location as last evaluated, which depends on when it was drawn.
    """
    leave_mode()
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    remember("Record")
    return written_down()
