"""Palettes cut to size on real characters."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.groups.partition import partition_palette
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.scene.opened_rigs import open_rig

MOST_GROUPS = {
    "mannequiny.glb": {26: 4, 35: 4, 60: 3, 256: 3},
    "mpfb_rigify_plain.blend": {26: 15, 35: 10, 60: 6, 256: 1},
}
"""By the largest palette. The mannequin has three materials. For the Rigify human at 60: twice the lower bound
of 3."""


@pytest.mark.rigs
@pytest.mark.parametrize("rig", MOST_GROUPS)
def test_few_groups_and_little_duplication(rigs_folder: Path, rig: str) -> None:
    open_rig(rigs_folder / rig)
    (mesh_object,) = deformed_meshes(bpy.context.scene)
    binding = read_binding(mesh_object, bpy.context.evaluated_depsgraph_get())
    triangles, material = binding.mesh.triangles, binding.mesh.material
    for limit, most in MOST_GROUPS[rig].items():
        partition = partition_palette(binding.passes[0].skin, triangles, limit, material)
        drawn = np.concatenate([group.triangles for group in partition.groups])
        assert np.array_equal(np.sort(drawn), np.arange(len(triangles)))
        if material is not None:
            assert all((material[group.triangles] == group.material).all() for group in partition.groups)
        assert max(len(group.joints) for group in partition.groups) <= limit
        assert partition.lower_bound <= len(partition.groups) <= most
        assert partition.vertices_after <= 1.06 * partition.vertices_before
