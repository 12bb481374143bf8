"""A fit in a file: the copy that is built from it is the copy that would be built from the fit itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import bpy

from skinning_addon.measurement.refit.refit_file import read_refit, write_refit
from tests.measurement.refit.keyed_limb import copy_of, key_poses, refitted
from tests.scene.random_rig import RigOptions, random_rig
from tests.scene.refit.evaluated import rest_matrices, weights, world_positions


def test_the_copy_of_a_fit_that_was_read_is_the_same(tmp_path: Path):
    rig = random_rig(RigOptions(seed=3, influences=9, scale="none", preserve_volume=True))
    key_poses(rig, 36)
    found = refitted(rig, "threejs", helper_bones=4, clip_bones=True)
    write_refit(tmp_path / "fit.npz", found)
    read = read_refit(tmp_path / "fit.npz")
    assert [asdict(one) for one in read.meshes] == [asdict(one) for one in found.meshes]
    assert read.sheared == found.sheared
    assert read.clip_bones == found.clip_bones != {}
    assert any(one.drivers.keep_volume for one in found.plan.bones)
    assert [one.drivers for one in read.plan.bones] == [one.drivers for one in found.plan.bones]
    one_armature, one = copy_of(found)
    other_armature, other = copy_of(read)
    assert weights(other) == weights(one)
    ours, theirs = rest_matrices(one_armature), rest_matrices(other_armature)
    assert ours.keys() == theirs.keys()
    assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)
    for frame in (1, 17, 36):
        bpy.context.scene.frame_set(frame)
        assert world_positions(other).tobytes() == world_positions(one).tobytes()
