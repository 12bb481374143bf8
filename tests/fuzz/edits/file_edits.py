"""Edits to the file as a whole: undo, scenes, view layers, libraries, saving and loading."""

from __future__ import annotations

import random
from pathlib import Path

import bpy

from tests.fuzz.edits.picking import NothingToDoError, leave_mode, one_of, pick, refuse_to_grow, select_only

Random = random.Random


def undo(chance: Random) -> None:
    for _ in range(chance.randint(1, 3)):
        if bpy.ops.ed.undo.poll():  # pyright: ignore[reportCallIssue]
            bpy.ops.ed.undo()


def redo(chance: Random) -> None:
    for _ in range(chance.randint(1, 3)):
        if bpy.ops.ed.redo.poll():  # pyright: ignore[reportCallIssue]
            bpy.ops.ed.redo()


def other_scene(chance: Random) -> None:
    """Switch to another scene, make one that shows the same objects, or delete one."""
    leave_mode()
    window = bpy.context.window_manager.windows[0]
    what = chance.random()
    if len(bpy.data.scenes) == 1 or what < 0.2:
        if len(bpy.data.scenes) > 2:
            raise NothingToDoError
        other = bpy.data.scenes.new("Other")
        for one in bpy.context.scene.collection.all_objects:
            other.collection.objects.link(one)
        other.frame_current = chance.randint(1, 20)
        window.scene = other
    elif what < 0.7:
        window.scene = one_of(chance, bpy.data.scenes)
    else:
        bpy.data.scenes.remove(one_of(chance, [one for one in bpy.data.scenes if one != window.scene]))


def other_view_layer(chance: Random) -> None:
    leave_mode()
    window, layers = bpy.context.window_manager.windows[0], bpy.context.scene.view_layers
    if len(layers) == 1:
        layers.new("Second")
    window.view_layer = one_of(chance, layers)


def rename_view_layer(chance: Random) -> None:
    bpy.context.view_layer.name = chance.choice(("ViewLayer", "Renamed", "층"))


def save_and_load(chance: Random) -> None:
    leave_mode()
    path = str(Path(bpy.app.tempdir, "edits.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
    if chance.random() < 0.5:
        bpy.ops.wm.open_mainfile(filepath=path)


def revert(_chance: Random) -> None:
    if not bpy.data.filepath:
        raise NothingToDoError
    leave_mode()
    bpy.ops.wm.revert_mainfile()


def _library() -> str:
    return str(bpy.app.driver_namespace["edits_library"])


def link(chance: Random) -> None:
    """Link or append a character, or half of one."""
    leave_mode()
    refuse_to_grow()
    only_mesh = chance.random() < 0.3
    with bpy.data.libraries.load(_library(), link=chance.random() < 0.7) as (there, here):
        here.objects = [name for name in there.objects if not only_mesh or "body" in name]
    for one in here.objects:
        if one is not None and one.name not in bpy.context.scene.collection.objects:
            bpy.context.scene.collection.objects.link(one)


def override(chance: Random) -> None:
    """Make linked data a library override, or local."""
    linked = [one for one in bpy.context.view_layer.objects if one.library is not None]
    one = one_of(chance, linked)
    what = chance.randrange(3)
    if what == 0:
        one.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    elif what == 1:
        one.override_create(remap_local_usages=True)
    else:
        one.make_local()


def reload_library(chance: Random) -> None:
    leave_mode()
    one_of(chance, bpy.data.libraries).reload()


def purge(_chance: Random) -> None:
    bpy.ops.outliner.orphans_purge(do_recursive=True)


def unlink_everywhere(chance: Random) -> None:
    """Unlink an object from the scene without deleting it."""
    leave_mode()
    one = pick(chance, "MESH", "ARMATURE")
    for collection in one.users_collection:
        collection.objects.unlink(one)


def relink(chance: Random) -> None:
    """Link an object back into the scene."""
    lost = [one for one in bpy.data.objects if not one.users_collection]
    bpy.context.scene.collection.objects.link(one_of(chance, lost))


def make_local(_chance: Random) -> None:
    found = next(iter(bpy.context.view_layer.objects), None)
    if found is None:
        raise NothingToDoError
    select_only(found)
    bpy.ops.object.make_local(type="ALL")


FILE_EDITS = (
    (undo, 6),
    (redo, 1),
    (other_scene, 3),
    (other_view_layer, 3),
    (rename_view_layer, 1),
    (save_and_load, 3),
    (revert, 1),
    (link, 4),
    (override, 3),
    (reload_library, 2),
    (purge, 1),
    (unlink_everywhere, 1),
    (relink, 2),
    (make_local, 1),
)
"""Edits with their relative frequencies."""
