"""A mesh that moves relative to its armature, as its .glb file has it and as its preview shows it."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.layers import layer_key
from tests.engines.exported_gltf import exported_gltf
from tests.engines.exported_rig import from_y_up, seconds
from tests.engines.moving_meshes import FRAMES
from tests.viewport.character.following import skinned_by

METRES = 3e-6
"""The arm is 3 m long."""

AS_A_SCENE = {"export_animation_mode": "SCENE"}


def written_positions(folder: Path, mesh: bpy.types.Object, **chosen: object) -> np.ndarray:
    """Export the scene as .glb, and return what the file plays at all frames, (F, V, 3) in world space."""
    file = exported_gltf(folder, [mesh], **chosen)
    played = np.full((len(FRAMES), len(mesh.data.vertices), 3), np.nan)
    for positions, frame in zip(played, FRAMES, strict=True):
        written, sources = file.positions(file.clips[0], seconds(frame))
        positions[sources] = from_y_up(written)
    return played


def previewed(preview: Preview, mesh: bpy.types.Object) -> np.ndarray:
    """Follow the scene as the draw handler does, and return what is drawn, (V, 3) in world space."""
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    view_layer.update()
    live = preview.follow(mesh, view_layer.depsgraph, layer_key(scene, view_layer))
    assert live is not None, preview.paused
    to_world = live._frame.mesh_to_world
    return skinned_by(live) @ to_world[:3, :3] + to_world[3, :3]
