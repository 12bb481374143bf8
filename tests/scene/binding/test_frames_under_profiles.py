"""Frames of a mesh bound under an engine's profile: posed by that profile's rules, which the binding names."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.hierarchy import HierarchyRule
from skinning_addon.core.profiles.profile import BLENDER, Lost, Profile
from skinning_addon.core.text.errors import BindingError
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from tests.scene.random_rig import RigOptions, random_rig

FLATTENED = replace(BLENDER, id="flattened", hierarchy=HierarchyRule.FLATTENED)
"""Each bone is stored as translation, rotation and scale relative to the armature, which loses any shear."""


@pytest.mark.parametrize(("profile", "shears"), [(FLATTENED, False), (BLENDER, True)])
def test_a_binding_is_posed_by_the_profile_that_it_was_read_under(profile: Profile, shears: bool) -> None:
    rig = random_rig(RigOptions(scale="non-uniform"))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    reader = FrameReader(read_binding(rig.mesh, depsgraph, profile=profile))
    axes = reader.read(rig.mesh, depsgraph, by_hierarchy=True).passes[0].pose.to_root[:, :3, :3]
    axes = axes / np.linalg.norm(axes, axis=2, keepdims=True)
    largest_cosine = np.abs(axes @ axes.swapaxes(1, 2) - np.eye(3)).max()
    assert (largest_cosine > 1e-3) == shears


def test_an_armature_that_an_engine_does_not_have_may_be_scaled_to_zero() -> None:
    rig = random_rig(RigOptions())
    other = bpy.data.objects.new("Other", rig.armature.data)
    bpy.context.scene.collection.objects.link(other)
    other.scale = (0, 0, 0)
    rig.mesh.modifiers.new("Earlier", "ARMATURE").object = other
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    with pytest.raises(BindingError, match="Other"):
        read_binding(rig.mesh, depsgraph)
    last_alone = replace(BLENDER, id="last alone", lost=Lost(earlier_armatures=True))
    (one,) = read_binding(rig.mesh, depsgraph, profile=last_alone).passes
    assert one.armature == rig.armature.name
