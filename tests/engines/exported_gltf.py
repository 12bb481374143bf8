"""A scene exported as .glb and read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy

from tests.engines.exported_rig import number_vertices
from tests.engines.skinned_gltf import SkinnedGltf


def exported_gltf(folder: Path, meshes: Sequence[bpy.types.Object], **chosen: object) -> SkinnedGltf:
    """Export with the settings `chosen`, defaults otherwise; every vertex carries its number."""
    number_vertices(meshes)
    bpy.ops.export_scene.gltf(
        filepath=str(folder / "exported.glb"),
        export_attributes=True,
        export_materials="NONE",
        **{"export_optimize_animation_size": False, **chosen},
    )
    return SkinnedGltf.read(folder / "exported.glb")
