"""Clips play as in the exported FBX, where every action keeps the scene's pose. The judge is Blender's importer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.export_options import FbxOptions
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.exported_rig import predict
from tests.engines.partly_keyed import posed_arm, push_all_down, under_the_action, world_positions

SHARE_OF_DIAGONAL = 1e-6
"""Measured: 2e-7."""

FRAMES = (1, 6, 12)

BUILDS: dict[str, Callable[[], bpy.types.Object]] = {
    "last active": lambda: posed_arm("Able", "Wave", active="Wave"),
    "none active": lambda: posed_arm("Able", "Wave"),
    "over tracks": lambda: under_the_action(posed_arm("Able", "Wave", active="Wave")),
    "on tracks": lambda: push_all_down(posed_arm("Able", "Wave")),
}


@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
def test_every_action_keeps_the_scenes_pose(tmp_path: Path, build: Callable[[], bpy.types.Object]):
    predicted = {}
    for name in ("Able", "Wave"):
        build()
        clips = find_clips(bpy.context.scene, [name])
        meshes = deformed_meshes(bpy.context.scene)
        predicted[name] = predict(
            meshes, clips[0], FRAMES, load_profile("unity-4"), "cpu", exported_with=FbxOptions()
        )
    build()
    path = tmp_path / "arm.fbx"
    # What simplification drops is a finding of its own.
    bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_simplify_factor=0.0)
    armature, mesh = imported(path)
    for name, expected in predicted.items():
        for place, positions in enumerate(played(armature, mesh, f"Arm|{name}")):
            off = np.linalg.norm(positions - expected.predicted[place], axis=1).max()
            assert off <= SHARE_OF_DIAGONAL * expected.diagonal, (name, FRAMES[place])
        # Turned by hand: at rest, the arm stays within half its width.
        assert abs(expected.predicted[0][:, 1]).max() > 0.6


def imported(path: Path) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Import a file into an empty scene; return its armature and its mesh."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    # Keys are stored in seconds.
    bpy.context.scene.render.fps = 24
    if bpy.app.version >= (4, 5):
        bpy.ops.wm.fbx_import(filepath=str(path))
    else:
        bpy.ops.import_scene.fbx(filepath=str(path))
    by_type = {one.type: one for one in bpy.data.objects}
    return by_type["ARMATURE"], by_type["MESH"]


def played(armature: bpy.types.Object, mesh: bpy.types.Object, action_name: str) -> list[np.ndarray]:
    """Play an imported action; return the vertices at each of `FRAMES`."""
    # Importers add to the name.
    action = next(one for one in bpy.data.actions if action_name in one.name)
    armature.animation_data.use_nla = False
    armature.animation_data.action = action
    if hasattr(action, "slots"):
        armature.animation_data.action_slot = action.slots[0]
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(round(action.frame_range[0]) + frame - FRAMES[0])
        found.append(world_positions(mesh))
    return found
