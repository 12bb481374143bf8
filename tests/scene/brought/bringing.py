"""Brings a file's clips to a figure, as the tests of brought clips do."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from skinning_addon.scene.brought.brought_clips import BroughtClips, bring_clips
from skinning_addon.scene.brought.clip_package import pack_clips, read_packed_clips
from skinning_addon.scene.files import open_file
from tests.scene.walking_figure import (
    BONES,
    FRAMES,
    add_figure,
    blenders_pose,
    edit_bones,
    play_by_hand,
    save,
)

EVERY = tuple(float(frame) for frame in range(1, FRAMES + 1))


def own_pose(path: Path, frames: tuple[float, ...] = EVERY, clip: str = "Walk") -> np.ndarray:
    """The figure of a file, posed by its own clip."""
    open_file(path)
    armature = bpy.context.scene.objects["Figure"]
    play_by_hand(armature, bpy.data.actions[clip])
    return blenders_pose(armature, frames, list(BONES))


def new_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def bring(path: Path, tmp_path: Path, armature: bpy.types.Object, *, retarget: bool = False) -> BroughtClips:
    """Bring a file's clips to an armature of a file that is kept meanwhile."""
    name, kept = armature.name, save(tmp_path / "kept.blend")
    folder = tmp_path / "packed"
    folder.mkdir(exist_ok=True)
    pack_clips(path, folder)
    open_file(kept)
    armature = bpy.context.scene.objects[name]
    return bring_clips(bpy.context.scene, [armature], read_packed_clips(folder), retarget=retarget)


def figure_here() -> bpy.types.Object:
    return next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")


OTHER_REST = (
    "turn = Matrix.Translation((0.2, 0, 1.7)) @ Matrix.Rotation(0.8, 4, 'Y') @ Matrix.Translation((-0.2, "
    "0, -1.7))\nfor one in (bones['arm'], bones['hand']): one.transform(turn)\n"
    "for one in bones: one.roll += 0.6"
)


def figure_with_other_rest() -> bpy.types.Object:
    new_file()
    figure = add_figure()
    edit_bones(figure, OTHER_REST)
    return figure


def everything() -> list[tuple[str, str]]:
    """All data-blocks but the interface's, by kind and name."""
    interface = ("Screen", "WorkSpace", "WindowManager", "Brush", "Text")
    collections = (getattr(bpy.data, name) for name in dir(bpy.data) if name != "all_ids")
    return sorted(
        (type(one).__name__, one.name)
        for collection in collections
        if isinstance(collection, bpy.types.bpy_prop_collection)
        for one in collection
        if type(one).__name__ not in interface
    )
