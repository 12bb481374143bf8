"""What findings about shear advise does help, and what would make it worse is not advised."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.verdicts.rules import RULES
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.command_line.rig_files import KEYED_FRAMES, animated_rig, without_flaws
from tests.scene.random_rig import RandomRig, RigOptions

SHEARED = RigOptions(seed=1, influences=4, inherit_scale="AVERAGE")
RULE_OF = {
    "threejs": "sheared-local-matrix",
    "unity-unlimited": "sheared-in-fbx",
    "unreal": "component-scale",
    "raylib": "component-scale",
}


def deviation(
    options: RigOptions, profile: str, settings: dict[str, object], *, parents: bool = True
) -> float:
    """Return what the rule says of a rig; 0.0 if it says nothing."""
    rig = animated_rig(options)
    without_flaws(rig)
    if not parents:
        clear_parents(rig)
    bpy.context.view_layer.update()
    profiles = (exported_so(load_profile(profile), settings),)
    report = check_scene(
        bpy.context.scene, "rig", CheckSettings("cpu", profiles=profiles, frames_of=lambda _: KEYED_FRAMES)
    )
    return next((one.deviation or 0.0 for one in report.findings if one.rule == RULE_OF[profile]), 0.0)


def clear_parents(rig: RandomRig) -> None:
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.armature.data.edit_bones:
        bone.use_connect, bone.parent = False, None
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("profile", RULE_OF)
def test_cleared_parents_and_even_scales_help(profile: str):
    before = deviation(SHEARED, profile, {})
    assert before > 0.1
    assert deviation(SHEARED, profile, {}, parents=False) < before / 100
    even = RigOptions(seed=1, influences=4, inherit_scale="AVERAGE", scale="uniform")
    assert deviation(even, profile, {}) < before / 100


def test_flattened_bones_help():
    before, after = (
        deviation(SHEARED, "threejs", one) for one in ({}, RULES[RULE_OF["threejs"]].exported_with)
    )
    assert after < before / 10


@pytest.mark.parametrize("profile", RULE_OF)
def test_bones_that_do_not_inherit_uneven_scale_shear_more(profile: str):
    inheriting = RigOptions(seed=1, influences=4, inherit_scale="FULL")
    assert deviation(SHEARED, profile, {}) > deviation(inheriting, profile, {}) + 0.1
    assert "inherit" not in RULES[RULE_OF[profile]].fix
