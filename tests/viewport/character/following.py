"""Follows a preview as the draw handler and the timer do."""

from __future__ import annotations

import bpy
import numpy as np

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.layers import layer_key
from tests.scene.random_rig import RandomRig


def layer():
    return layer_key(bpy.context.scene, bpy.context.view_layer)


def follow(preview: Preview, rig: RandomRig):
    """What the draw handler does."""
    bpy.context.view_layer.update()
    return preview.follow(rig.mesh, bpy.context.view_layer.depsgraph, layer())


def catch_up(preview: Preview, rig: RandomRig):
    """What the draw handler does, then the timer, then the draw handler again."""
    follow(preview, rig)
    if preview.wanted_in:
        preview._binding_pace.due = 0.0
        preview.bind_if_needed(rig.mesh, bpy.context.view_layer.depsgraph)
    return follow(preview, rig)


def skinned_by(live) -> np.ndarray:
    return SoftwareSkinner(live._frame.chain, live.binding.mesh).skin(live._frame.palettes).positions


def relative_deviation(live, rig: RandomRig) -> float:
    mesh = live.binding.mesh
    blender = read_blender_positions(rig.mesh, bpy.context.evaluated_depsgraph_get(), mesh.vertex_count)
    return np.abs(skinned_by(live) - blender).max() / mesh.diagonal
