"""Helper bones of whole characters. The judge is Blender: the copy that it evaluates, in clips and new poses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.refit.weight_fit import fit_weights
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.measurement.refit import fitting
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.clips.playback import set_frame
from tests.measurement.refit.bellies import (
    FRAMES,
    HELPERS,
    UNEVEN,
    belly,
    belly_of_uneven_scale,
    belly_that_keeps_its_volume,
    helpers_of,
    muted,
)
from tests.measurement.refit.keyed_limb import copy_of, key_poses, largest_distance, refitted
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RandomRig, RigOptions, random_rig
from tests.scene.refit.evaluated import play, weights, world_positions


@pytest.mark.arithmetic
def test_helpers_bring_the_mesh_nearer_on_frames_that_the_fit_has_not_seen():
    rig = belly()
    without = refitted(rig, "threejs").meshes[0]
    found = refitted(rig, "threejs", helper_bones=HELPERS)
    (mesh,) = found.meshes
    assert 1 <= len(helpers_of(found)) <= HELPERS
    assert mesh.held_out["Wild"].root_mean_square < 0.9 * without.held_out["Wild"].root_mean_square
    armature, copy = copy_of(found)
    bones = set(armature.data.bones.keys())
    assert max(len(bones & one.keys()) for one in weights(copy)) == 4
    used = {name for one in weights(copy) for name in one}
    assert set(helpers_of(found)) <= used


@pytest.mark.parametrize(
    ("built", "largest_scale"),
    [(belly, 1.0), (belly_that_keeps_its_volume, 1.0), (belly_of_uneven_scale, max(UNEVEN))],
)
def test_keys_and_constraints_put_the_mesh_where_the_figures_say(
    built: Callable[[], RandomRig], largest_scale: float
):
    rig = built()
    found = refitted(rig, "threejs", helper_bones=HELPERS)
    armature, copy = copy_of(found)
    (clip,) = find_clips(bpy.context.scene, ["Wild"], [rig.armature])
    (of_copy,) = find_clips(bpy.context.scene, ["Wild"], [armature])
    play(rig.armature, clip)
    play(armature, of_copy)
    furthest = []
    for frame in range(1, FRAMES + 1):
        set_frame(bpy.context.scene, frame)
        wanted, by_constraints = world_positions(rig.mesh), world_positions(copy)
        muted(armature, helpers_of(found))
        by_keys = world_positions(copy)
        muted(armature, helpers_of(found), mute=False)
        assert largest_distance(by_constraints, by_keys) < 1e-5
        furthest.append(largest_distance(wanted, by_keys))
    (mesh,) = found.meshes
    assert max(furthest) == pytest.approx(largest_scale * mesh.after["Wild"].largest, rel=1e-3)
    assert mesh.after["Wild"].largest < 0.9 * mesh.before["Wild"].largest


@pytest.mark.arithmetic
def test_under_preserve_volume_helpers_blend_dual_quaternions_and_come_nearer():
    rig = belly_that_keeps_its_volume()
    without = refitted(rig, "threejs").meshes[0]
    found = refitted(rig, "threejs", helper_bones=HELPERS)
    helpers = [bone for bone in found.plan.bones if bone.drivers]
    assert 1 <= len(helpers) <= HELPERS
    assert all(one.drivers.keep_volume for one in helpers)
    (mesh,) = found.meshes
    assert mesh.held_out["Wild"].root_mean_square < 0.9 * without.held_out["Wild"].root_mean_square


@pytest.mark.parametrize("built", [belly, belly_that_keeps_its_volume])
def test_a_helper_follows_its_drivers_in_a_new_pose(built: Callable[[], RandomRig]):
    rig = built()
    found = refitted(rig, "threejs", helper_bones=HELPERS)
    armature, copy = copy_of(found)
    armature.animation_data_clear()
    at_rest = np.array([list(vertex.co) for vertex in copy.data.vertices])
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.update()
    to_world = np.array(copy.matrix_world)
    assert largest_distance(world_positions(copy), at_rest @ to_world[:3, :3].T + to_world[:3, 3]) < 1e-5
    stood = {name: armature.pose.bones[name].matrix.copy() for name in helpers_of(found)}
    drivers = {name for bone in found.plan.bones for name, _ in bone.drivers.shares}
    for name in drivers:
        armature.pose.bones[name].rotation_quaternion = (0.9, 0.3, 0.1, 0.2)
    bpy.context.view_layer.update()
    for name, before in stood.items():
        assert np.abs(np.array(armature.pose.bones[name].matrix) - np.array(before)).max() > 1e-3


def test_helpers_that_only_the_last_fit_spoils_keep_the_weights_of_before(monkeypatch: pytest.MonkeyPatch):
    """The last fit, of the worst frames, may cost the mean; here it gives every vertex another helper."""
    rig = belly()
    monkeypatch.setattr(fitting, "fit_worst_frames", fit_weights)
    wanted = refitted(rig, "threejs", helper_bones=HELPERS)
    helpers, joints = len(helpers_of(wanted)), 1 + len(wanted.plan.bones) - len(helpers_of(wanted))
    assert helpers > 1
    spoilt = []

    def spoiling(*arguments: object, **options: object) -> Skin:
        skin = fit_weights(*arguments, **options)  # pyright: ignore[reportArgumentType]
        follows = skin.joints >= joints
        spoilt.append(follows.any())
        others = np.where(follows, joints + (skin.joints - joints + 1) % helpers, skin.joints)
        return Skin(skin.starts, others.astype(np.int32), skin.weights)

    monkeypatch.setattr(fitting, "fit_worst_frames", spoiling)
    found = refitted(rig, "threejs", helper_bones=HELPERS)
    assert any(spoilt)
    assert helpers_of(found) == helpers_of(wanted)
    assert found.meshes[0].held_out == wanted.meshes[0].held_out


def test_what_has_few_influences_gets_no_helpers():
    rig = random_rig(RigOptions(seed=3, influences=3, scale="none"))
    key_poses(rig, FRAMES)
    found = refitted(rig, "threejs", helper_bones=HELPERS)
    assert helpers_of(found) == []
    assert found.rejected_helpers == 0


def test_a_mesh_without_need_beside_one_with():
    rig = belly()
    simple = rig.mesh.copy()
    simple.data = rig.mesh.data.copy()
    bpy.context.collection.objects.link(simple)
    for vertex in simple.data.vertices:
        for group in [one.group for one in vertex.groups][3:]:
            simple.vertex_groups[group].remove([vertex.index])
    found = refitted(rig, "threejs", helper_bones=HELPERS, others=[simple])
    assert found.meshes[1].fitted == 0
    armature = copy_of(found)[0]
    (copy,) = (one for one in armature.users_collection[0].objects if one.name.startswith(simple.name))
    followed = {name for one in weights(copy) for name in one}
    assert helpers_of(found)
    assert not followed & set(helpers_of(found))


@pytest.mark.rigs
@pytest.mark.parametrize("clip", ["Torso", "FKBend"])
def test_a_rigify_human_with_sixteen_helpers(rigs_folder: Path, clip: str):
    """The clip is held out: 99.9% within 3 mm and all within 10, of a man 1.67 m tall."""
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    (mesh,) = (one for one in bpy.context.scene.objects if one.find_armature() == armature)
    rig = RandomRig(mesh, armature, np.random.default_rng(0), RigOptions())
    found = refitted(rig, "threejs", clip, helper_bones=16)
    assert 1 <= len(helpers_of(found)) <= 16
    held_out = found.meshes[0].held_out[clip]
    assert held_out.nearly_all < 3e-3
    assert held_out.largest < 10e-3
