"""Baked clips of whole characters. The judge is Blender: the copy that it evaluates, beside the original."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.refit.free_bones import USUAL_TURN
from skinning_addon.core.refit.kind import Kind
from skinning_addon.measurement.refit.fit_sentences import missed
from skinning_addon.scene.clips.actions import GAME_READY
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.clips.playback import set_frame
from skinning_addon.scene.refit.plan import BAKED_NOTE
from tests.measurement.refit.keyed_limb import copy_of, key_poses, largest_distance, refitted
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RandomRig, RigOptions, random_rig
from tests.scene.refit.evaluated import play, weights, world_positions

FRAMES = 36
HELPERS = 6
SOCKET = "Hand socket"


def belly(**options: object) -> RandomRig:
    """A mesh of which every vertex follows nine bones, one of which is a socket."""
    rig = random_rig(RigOptions(seed=3, influences=9, scale="none", **options))
    rig.armature.data.bones[-1].name = SOCKET
    key_poses(rig, FRAMES)
    return rig


def both_played(rig: RandomRig, armature: bpy.types.Object) -> None:
    (clip,) = find_clips(bpy.context.scene, ["Wild"], [rig.armature])
    (of_copy,) = find_clips(bpy.context.scene, ["Wild"], [armature])
    play(rig.armature, clip)
    play(armature, of_copy)


def test_a_baked_clip_is_nearer_and_as_near_as_the_figures_say():
    rig = belly()
    runtime = refitted(rig, "threejs", helper_bones=HELPERS).meshes[0]
    found = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED)
    (mesh,) = found.meshes
    # Runtime fits make the worst frames near, baked ones the mean: yet they are nearer in both.
    for baked, moved_as_authored in ((mesh.after, runtime.after), (mesh.held_out, runtime.held_out)):
        assert baked["Wild"].largest < 0.6 * moved_as_authored["Wild"].largest
        assert baked["Wild"].root_mean_square < 0.85 * moved_as_authored["Wild"].root_mean_square
    assert set(mesh.after) == {"Wild"}
    armature, copy = copy_of(found)
    bones = set(armature.data.bones.keys())
    assert max(len(bones & one.keys()) for one in weights(copy)) == 4
    both_played(rig, armature)
    furthest = []
    for frame in range(1, FRAMES + 1):
        set_frame(bpy.context.scene, frame)
        furthest.append(largest_distance(world_positions(rig.mesh), world_positions(copy)))
    assert max(furthest) == pytest.approx(mesh.after["Wild"].largest, rel=1e-3)


@pytest.mark.arithmetic
def test_bones_drift_as_told_and_sockets_do_not():
    rig = belly()
    found = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED)
    armature, _ = copy_of(found)
    both_played(rig, armature)
    names = [bone.name for bone in rig.armature.data.bones if bone.use_deform]
    distance, degrees = np.zeros(len(names)), np.zeros(len(names))
    for frame in range(1, FRAMES + 1):
        set_frame(bpy.context.scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        posed = [one.evaluated_get(depsgraph).pose.bones for one in (rig.armature, armature)]
        for number, name in enumerate(names):
            one, other = (bones[name].matrix for bones in posed)
            distance[number] = max(distance[number], (one.translation - other.translation).length)
            turned = one.to_quaternion().rotation_difference(other.to_quaternion()).angle
            degrees[number] = max(degrees[number], np.degrees(min(turned, 2 * np.pi - turned)))
    told = {one.bone: one for one in found.drifts}
    assert set(told) == set(names)
    for number, name in enumerate(names):
        assert distance[number] == pytest.approx(told[name].distance, abs=2e-5)
        assert degrees[number] == pytest.approx(told[name].degrees, abs=0.05)
    assert SOCKET in found.anchored
    for name in found.anchored:
        assert distance[names.index(name)] < 1e-4
        assert degrees[names.index(name)] < 0.1
    assert distance.max() > 1e-3


def test_the_copy_is_marked_and_helpers_are_free():
    rig = belly()
    found = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED)
    armature, _ = copy_of(found)
    helpers = [bone for bone in armature.pose.bones if bone.name.startswith("helper.")]
    assert 1 <= len(helpers) <= HELPERS
    assert not any(len(bone.constraints) for bone in helpers)
    assert armature[GAME_READY] == armature.users_collection[0][GAME_READY] == BAKED_NOTE
    said = list(missed(found, load_profile("threejs"), 1.0))
    assert said[0] == "These clips are baked: do not blend or retarget them"
    assert "from where they were authored" in said[1]


@pytest.mark.arithmetic
def test_bones_drift_no_further_than_they_may():
    rig = belly()
    usual = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED)
    assert max(one.degrees for one in usual.drifts) <= USUAL_TURN + 1e-3
    free = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED, drift=np.inf, turn=180.0)
    most, turned = free.drifts[0].distance / 4, max(one.degrees for one in free.drifts) / 4
    found = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED, drift=most, turn=turned)
    assert 0.9 * most < max(one.distance for one in found.drifts) <= most * (1 + 1e-6)
    assert 0.9 * turned < max(one.degrees for one in found.drifts) <= turned + 1e-3
    (one,), (other,), (runtime,) = free.meshes, found.meshes, refitted(rig, "threejs").meshes
    left, limited, without = (each.after["Wild"].root_mean_square for each in (one, other, runtime))
    assert left < limited < without, "a limit costs some of what drifting brings"


@pytest.mark.arithmetic
def test_without_helpers_authored_bones_alone_bring_it_nearer():
    rig = belly()
    runtime = refitted(rig, "threejs").meshes[0]
    (mesh,) = refitted(rig, "threejs", kind=Kind.BAKED).meshes
    assert mesh.held_out["Wild"].root_mean_square < runtime.held_out["Wild"].root_mean_square


def test_a_mesh_that_needs_no_fit_moves_as_authored():
    rig = random_rig(RigOptions(seed=3, influences=3, scale="none"))
    key_poses(rig, FRAMES)
    found = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED)
    assert found.meshes[0].fitted == 0
    assert max(one.distance for one in found.drifts) < 1e-9
    assert max(one.degrees for one in found.drifts) < 1e-4


def test_scaled_bones_are_not_sheared():
    """Parents are chosen again for the motion that is played."""
    rig = random_rig(RigOptions(seed=3, influences=9, scale="non-uniform"))
    key_poses(rig, FRAMES)
    found = refitted(rig, "threejs", helper_bones=HELPERS, kind=Kind.BAKED)
    armature, copy = copy_of(found)
    both_played(rig, armature)
    furthest = 0.0
    for frame in range(1, FRAMES + 1):
        set_frame(bpy.context.scene, frame)
        furthest = max(furthest, largest_distance(world_positions(rig.mesh), world_positions(copy)))
    assert furthest == pytest.approx(found.meshes[0].after["Wild"].largest, rel=1e-3)


@pytest.mark.rigs
def test_a_rigify_human_with_sixteen_helpers(rigs_folder: Path):
    """Weights have seen FKBend, not Torso. Millimetres at 1.8 m standing height: 99.9% within 1.25 and all within
    4 where they have, within 2 and 5 where not.
    """
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    (mesh,) = (one for one in bpy.context.scene.objects if one.find_armature() == armature)
    rig = RandomRig(mesh, armature, np.random.default_rng(0), RigOptions())
    (fit,) = refitted(rig, "threejs", "Torso", helper_bones=16, kind=Kind.BAKED).meshes
    tall = 1.8 / 1.67
    seen, unseen = fit.after["FKBend"], fit.held_out["Torso"]
    print(f"at 1.8 m: seen {tall * seen.nearly_all:.5f} {tall * seen.largest:.5f}")
    print(f"unseen {tall * unseen.nearly_all:.5f} {tall * unseen.largest:.5f}")
    assert tall * seen.nearly_all < 1.25e-3
    assert tall * seen.largest < 4e-3
    assert tall * unseen.nearly_all < 2e-3
    assert tall * unseen.largest < 5e-3
