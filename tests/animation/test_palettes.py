"""A crowd's palettes equal those of each character on its own."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation import palettes
from skinning_addon.animation.clip import Clip, dense_clip
from skinning_addon.animation.controller import Controller
from skinning_addon.animation.local_pose import LocalPose
from skinning_addon.animation.palettes import instance_palettes
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.palette import final_matrices
from skinning_addon.core.skinning.skeleton import Skeleton


def _tree(bones: int, seed: int = 8) -> Skeleton:
    """Bones that branch at random, two of them roots, each turned and scaled against its parent."""
    random = np.random.default_rng(seed)
    parents = np.array([-1, -1, *(random.integers(0, bone) for bone in range(2, bones))], dtype=np.int32)
    rest = np.tile(np.eye(4), (bones, 1, 1))
    rest[:, :3, :3] += 0.4 * random.normal(size=(bones, 3, 3))
    rest[:, 3, :3] = random.normal(size=(bones, 3))
    return Skeleton(tuple(f"b{i}" for i in range(bones)), parents, rest)


def _clip(name: str, skeleton: Skeleton, seed: int) -> Clip:
    random = np.random.default_rng(seed)
    shape = 9, len(skeleton.names)
    pose = LocalPose(
        random.normal(size=(3, *shape)),
        random.normal(size=(4, *shape)),
        random.uniform(0.5, 1.5, (3, *shape)),
    )
    return dense_clip(name, skeleton.names, np.arange(9), pose)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_each_instance_has_the_palette_that_it_has_alone(monkeypatch: pytest.MonkeyPatch, at_once: int):
    monkeypatch.setattr(palettes, "INSTANCES_AT_LEAST", at_once)
    monkeypatch.setattr(palettes, "MATRICES_AT_ONCE", 0)
    skeleton = _tree(17)
    clips = [_clip("one", skeleton, 1), _clip("two", skeleton, 2)]
    crowd = Controller(skeleton, clips, tracks=2, instances=20)
    crowd.set_track(0, "one")
    crowd.set_track(1, "two", weight=0.4, instances=[3, 4, 11])
    crowd.states.position[:, 0] = np.random.default_rng(3).uniform(0, clips[0].duration, 20)
    random = np.random.default_rng(4)
    mesh_to_root = np.eye(4) + np.pad(0.3 * random.normal(size=(4, 3)), ((0, 0), (0, 1)))
    joints = Joints.of_bones(skeleton, [4, 16, 0, 9, 9], mesh_to_root)
    root_to_mesh = np.linalg.inv(mesh_to_root)
    found = instance_palettes(crowd, joints, root_to_mesh)
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    for instance, to_root in enumerate(crowd.to_root()):
        alone = final_matrices(joints, joints.posed(to_root), root_to_mesh).final
        # float32 all through against float64 down the hierarchy.
        assert found[instance] == pytest.approx(alone, abs=2e-6 * float(np.abs(alone).max()))
    crowd.advance(0.3)
    fresh = instance_palettes(crowd, joints, root_to_mesh)
    assert instance_palettes(crowd, joints, root_to_mesh, out=found) is found
    assert np.array_equal(found, fresh)


def test_places_carry_each_instance_further():
    """What no bone moves, too: it stands where the character does."""
    skeleton = _tree(9)
    crowd = Controller(skeleton, [_clip("one", skeleton, 1)], tracks=1, instances=300)
    crowd.set_track(0, "one")
    random = np.random.default_rng(5)
    crowd.states.position[:, 0] = random.uniform(0, 8, 300)
    places = np.eye(4) + np.pad(random.normal(size=(300, 4, 3)), ((0, 0), (0, 0), (0, 1)))
    joints = Joints.of_bones(skeleton, [4, 0, 8], np.eye(4))
    found = instance_palettes(crowd, joints, np.eye(4), places=places)
    expected = instance_palettes(crowd, joints, np.eye(4)).astype(np.float64) @ places[:, None]
    assert found == pytest.approx(expected, abs=3e-6 * float(np.abs(expected).max()))
    assert found[7, 0] == pytest.approx(places[7], abs=1e-6)
