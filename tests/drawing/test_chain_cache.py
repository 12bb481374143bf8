"""What is costly to compute from a chain: computed once, for everything that draws or measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.groups import draw_groups as draw_groups_module
from skinning_addon.core.groups.draw_groups import draw_groups
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.mesh import SourceMesh
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.surface.weight_gradient import weight_gradient
from skinning_addon.drawing import chain_cache as chain_cache_module
from skinning_addon.drawing.chain_cache import ChainCache
from skinning_addon.drawing.techniques import TECHNIQUES
from tests.drawing.samples import quad, random_pass


@pytest.fixture
def strip() -> tuple[tuple[Pass, ...], SourceMesh]:
    """A strip of quads along six bones, each pair of vertices on a bone of its own."""
    bones = 6
    skeleton = Skeleton(
        tuple(f"b{bone}" for bone in range(bones)),
        np.arange(-1, bones - 1, dtype=np.int32),
        np.tile(np.eye(4), (bones, 1, 1)),
    )
    place = np.array([(along, side, 0.0) for along in range(bones) for side in (0, 1)], dtype=np.float32)
    corners = np.array([(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(bones - 1)])
    triangles = np.concatenate((corners[:, [0, 1, 2]], corners[:, [0, 2, 3]])).astype(np.int32)
    edges = np.empty((0, 2), dtype=np.int32)
    mesh = SourceMesh(place, np.tile(np.float32([0, 0, 1]), (len(place), 1)), edges, triangles)
    vertices = np.arange(len(place))
    skin = Skin.from_entries(
        vertices, (vertices // 2 + 1).astype(np.int32), np.ones(len(place), np.float32), len(place)
    )
    joints = Joints.of_bones(skeleton, np.arange(bones), np.eye(4))
    return (Pass(skin, joints, "rig"),), mesh


def test_they_are_cut_once_for_each_limit(strip, monkeypatch):
    passes, mesh = strip
    cache = ChainCache(passes)
    cut = []
    whole = draw_groups_module.partition_palette
    monkeypatch.setattr(
        draw_groups_module, "partition_palette", lambda *given: cut.append(given[2]) or whole(*given)
    )
    assert not cache.has_cut(mesh, 2)
    two, three = (cache.groups(mesh, limit) for limit in (2, 3))
    assert cache.has_cut(mesh, 2)
    assert cache.groups(mesh, 2) is two
    assert cache.groups(mesh, 3) is three
    assert cut == [2, 3]


def test_vertices_that_lie_elsewhere_need_no_new_cut(strip, monkeypatch):
    passes, mesh = strip
    cache = ChainCache(passes)
    before = cache.groups(mesh, 2)
    moved = replace(mesh, positions=mesh.positions + np.float32([0, 0, 5]))
    expected = draw_groups(passes, moved, 2)
    monkeypatch.setattr(draw_groups_module, "partition_palette", None)
    after = cache.groups(moved, 2)
    assert after.partition is before.partition
    for one, other in zip(after.groups, expected.groups, strict=True):
        assert (one.mesh.positions == other.mesh.positions).all()
        assert (one.vertices == other.vertices).all()
    assert after.groups[0].mesh.positions[:, 2].min() == 5


def test_other_materials_are_cut_again(strip):
    passes, mesh = strip
    cache = ChainCache(passes)
    one = cache.groups(mesh, 6)
    assert len(one.groups) == 1
    painted = replace(mesh, material=np.arange(len(mesh.triangles), dtype=np.int32) % 2)
    assert not cache.has_cut(painted, 6)
    assert [group.material for group in cache.groups(painted, 6).groups] == [0, 1]


def test_other_triangles_are_cut_again(strip):
    passes, mesh = strip
    cache = ChainCache(passes)
    cache.groups(mesh, 2)
    fewer = replace(mesh, triangles=mesh.triangles[:-1])
    assert not cache.has_cut(fewer, 2)
    groups = cache.groups(fewer, 2).groups
    assert sum(len(one.triangles) for one in groups) == len(fewer.triangles)


@pytest.mark.gpu
def test_all_techniques_share_one_gradient(monkeypatch):
    computed = []
    monkeypatch.setattr(
        chain_cache_module,
        "weight_gradient",
        lambda passes, mesh: computed.append(passes) or weight_gradient(passes, mesh),
    )
    mesh, drawn = quad()
    one = random_pass(np.random.default_rng(0), 4, 5, most=2)
    cache = ChainCache((one,))
    for technique in TECHNIQUES:
        for draw_call in technique.draw_calls(cache, mesh, drawn, 4):
            draw_call.free()
    assert len(computed) == 1
    other, _ = quad(2.0)
    cache.gradient(other)
    assert len(computed) == 2, "the same skin on other positions"
