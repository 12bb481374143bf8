"""What a check says that a game-ready copy would leave: an estimate, held against the copy that is made."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.profiles.game_ready import GameReadyCopy, GameReadyWork
from tests.command_line.rig_files import without_flaws
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.random_rig import RandomRig, RigOptions, random_rig

RULE = "game-ready-copy"
FRAMES = 24
ROUNDING = 1e-5


def sheared(**options: object) -> RandomRig:
    """Bones scaled unevenly, below which others that inherit no scale shear."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = random_rig(RigOptions(seed=5, inherit_scale="NONE", **options))
    without_flaws(rig)
    key_poses(rig, FRAMES)
    return rig


def checked() -> dict[str, list]:
    settings = CheckSettings("cpu", ("all",), profiles=(load_profile("threejs"),))
    report = check_scene(bpy.context.scene, "limb.blend", settings)
    found: dict[str, list] = {"worst": [one.worst.max for one in report.meshes]}
    for one in report.findings:
        found.setdefault(one.rule, []).append(one)
    return found


@pytest.mark.parametrize("influences", [4, 5])
@pytest.mark.parametrize("transformed", [False, True], ids=["plain", "transformed"])
def test_the_estimate_is_near_what_the_copy_leaves(influences: int, transformed: bool):
    rig = sheared(influences=influences, transformed=transformed)
    name = rig.mesh.name
    found = checked()
    (estimate,) = found[RULE]
    assert (estimate.object, estimate.severity.value, estimate.profile) == (name, "info", "threejs")
    assert "estimated from the worst frames" in estimate.message
    # Checking plays the scene and changes it.
    rig = sheared(influences=influences, transformed=transformed)
    work = GameReadyWork(bpy.context, rig.armature, load_profile("threejs"))
    for _ in work.steps():
        pass
    # With four influences, which three.js takes, rounding alone is left.
    after = work.result.after
    assert 0.5 * after - ROUNDING <= estimate.deviation <= 1.01 * after + ROUNDING
    assert (after > 0.01) == (influences == 5)
    assert estimate.deviation < 0.5 * found["worst"][0]


def test_each_of_several_meshes_has_the_estimate_that_it_has_alone():
    """They are laid out as one: a mix-up would give one the other's, which has half the size."""

    def estimates(*kept: str) -> dict[str, float]:
        rig = sheared(influences=5)
        small = rig.mesh.copy()
        small.name, small.data = "Small", rig.mesh.data.copy()
        bpy.context.scene.collection.objects.link(small)
        for vertex in small.data.vertices:
            vertex.co *= 0.5
        for one in (rig.mesh, small):
            if one.name not in kept:
                bpy.data.objects.remove(one)
        return {one.object: one.deviation for one in checked()[RULE]}

    name = sheared().mesh.name
    alone = estimates(name) | estimates("Small")
    assert alone["Small"] != pytest.approx(alone[name], rel=0.1)
    assert estimates(name, "Small") == pytest.approx(alone, rel=1e-6)


def test_where_a_copy_would_leave_much_none_is_named():
    """Twelve influences a vertex, and no shear: what three.js cuts, a copy cuts as well."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = random_rig(RigOptions(seed=5, influences=12, scale="none"))
    without_flaws(rig)
    key_poses(rig, FRAMES)
    found = checked()
    assert "influence-limit" in found
    assert RULE not in found


def test_a_mesh_that_is_right_gets_no_cure():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = random_rig(RigOptions(seed=5, influences=3, scale="none"))
    without_flaws(rig)
    key_poses(rig, FRAMES)
    assert RULE not in checked()


def test_checking_leaves_nothing_behind():
    sheared(influences=4)
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "armatures", "scenes")}
    checked()
    assert {kind: len(getattr(bpy.data, kind)) for kind in before} == before


def test_a_modifier_behind_the_armature_is_said_not_to_be_counted_before():
    """Engines are measured before it, and the copy's figure after it, so neither makes the other worse."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = random_rig(RigOptions(seed=5, influences=3, scale="none"))
    without_flaws(rig)
    key_poses(rig, FRAMES)
    assert made(rig).uncounted is None
    rig.mesh.modifiers.new("Wave", "CAST").factor = 0.5
    copy = made(rig)
    assert copy.after > copy.before + 0.1
    assert not copy.is_worse
    assert str(copy.uncounted) == (
        f"Before does not count what 'Wave' does to '{rig.mesh.name}' behind the armature, which no engine has; after "
        "does"
    )


def made(rig: RandomRig) -> GameReadyCopy:
    work = GameReadyWork(bpy.context, rig.armature, load_profile("threejs"))
    for _ in work.steps():
        pass
    return work.result
