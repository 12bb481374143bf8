"""Bindings of one moment that share what they are made of: each is what it is when it is read alone."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.aspects import aspects_of
from skinning_addon.core.profiles.binding import Binding
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.instant import Instant
from tests.scene.random_rig import RigOptions, random_rig

ENGINES = ("blender", "threejs", "unity-2", "unreal", "godot4", "babylonjs", "raylib", "usd")

RIGS = {
    "six influences": RigOptions(seed=1, influences=6),
    "bendy bones": RigOptions(seed=2, influences=5, bendy=4, bendy_mapping="CURVED", handles="MIXED"),
    "envelopes": RigOptions(seed=3, envelopes=True, envelope_multiply=True),
    "volume": RigOptions(
        seed=4, influences=6, preserve_volume=True, mask=True, modifiers=2, transformed=True
    ),
}


def profiles() -> list[Profile]:
    """Return engines' profiles, and one for each cause of deviation under them."""
    engines = [load_profile(name) for name in ENGINES]
    return [*engines, *(aspect.alone for one in engines for aspect in aspects_of(one))]


@pytest.mark.parametrize("options", RIGS.values(), ids=RIGS)
def test_bindings_that_share_are_those_read_alone(options: RigOptions):
    rig = random_rig(options)
    smaller = rig.mesh.copy()
    smaller.data = rig.mesh.data.copy()
    bpy.context.scene.collection.objects.link(smaller)
    smaller.vertex_groups.remove(smaller.vertex_groups[0])
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    instant = Instant(depsgraph)
    shared = 0
    for profile in profiles():
        for mesh in (rig.mesh, smaller):
            contents = instant.contents(mesh)
            alone = read_binding(mesh, depsgraph, contents, profile)
            together = read_binding(mesh, depsgraph, contents, profile, instant.armatures, once=instant.once)
            assert_equal(together, alone)
            again = read_binding(mesh, depsgraph, contents, profile, instant.armatures, once=instant.once)
            shared += all(a.skin is b.skin for a, b in zip(together.passes, again.passes, strict=True))
    assert shared > 0


def assert_equal(one: Binding, other: Binding) -> None:
    assert one.reasons == other.reasons
    assert len(one.passes) == len(other.passes) > 0
    for a, b in zip(one.passes, other.passes, strict=True):
        assert (a.armature, a.blend, a.input, a.positional) == (b.armature, b.blend, b.input, b.positional)
        for name in ("starts", "joints", "weights"):
            np.testing.assert_array_equal(getattr(a.skin, name), getattr(b.skin, name), err_msg=name)
        for name in ("bone", "segment", "rest_to_root", "offset"):
            np.testing.assert_array_equal(getattr(a.joints, name), getattr(b.joints, name), err_msg=name)
        for name in ("amount", "dropped", "authored_counts"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
