"""A face that needs more joints at once than an engine can draw with is found and named."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import PaletteLimits, Profile
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.command_line.rig_files import KEYED_FRAMES, animated_rig
from tests.core.engine_rules import RULES
from tests.scene.random_rig import RandomRig, RigOptions

RULE = "face-exceeds-palette"


def findings(profile: Profile) -> list:
    settings = CheckSettings("cpu", profiles=(profile,), frames_of=lambda _: KEYED_FRAMES[:1])
    return [one for one in check_scene(bpy.context.scene, "rig", settings).findings if one.rule == RULE]


def bones_of_vertices(rig: RandomRig, profile: str) -> list[set[int]]:
    """Which bones move each vertex by the rule of an engine, written independently; -1 if none does."""
    deforming = {bone.name for bone in rig.armature.data.bones if bone.use_deform}
    names = [group.name for group in rig.mesh.vertex_groups]
    found = []
    for vertex in rig.mesh.data.vertices:
        stored = [(one.group, one.weight) for one in vertex.groups if names[one.group] in deforming]
        influences = RULES[profile](stored) or ((-1, 1.0),)
        found.append({group for group, weight in influences if weight > 0})
    return found


def test_four_matrices_are_too_few_for_faces_between_many_bones() -> None:
    rig = animated_rig(RigOptions(seed=5, influences=6))
    profile = load_profile("d3d9-four-matrix")
    (found,) = findings(profile)
    bones = bones_of_vertices(rig, profile.id)
    triangles = [set(one.vertices) for one in rig.mesh.data.loop_triangles]
    large = [one for one in triangles if len(set().union(*(bones[vertex] for vertex in one))) > 4]
    assert found.count == len(large) > 0
    assert found.severity is Severity.WARNING
    assert found.deviation == 0
    assert f"more than the 4 joints that {profile.label} supports per draw call" in found.message
    assert set(found.vertices) == set().union(*large)


def test_twelve_matrices_hold_any_face_of_four_influences() -> None:
    animated_rig(RigOptions(seed=5, influences=6))
    assert findings(load_profile("d3d9-indexed-12")) == []


def test_an_engine_without_a_limit_has_no_such_finding() -> None:
    animated_rig(RigOptions(seed=5, influences=6))
    profile = load_profile("d3d9-four-matrix")
    assert findings(replace(profile, palette=PaletteLimits(entries=None))) == []
    (found,) = findings(replace(profile, palette=PaletteLimits(entries=1)))
    assert found.count > 0
    assert np.all(np.diff(found.vertices) > 0)
