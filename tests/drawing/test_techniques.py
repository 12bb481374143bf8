"""Every technique skins by the formula, and so like the others."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.groups.draw_groups import draw_groups, draw_mesh_of
from skinning_addon.core.groups.partition import partition_palette
from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.skinning.passes import Blend
from skinning_addon.core.text.errors import BindingError, UsageError
from skinning_addon.drawing.chain_cache import ChainCache
from skinning_addon.drawing.techniques import PARTITIONED, TECHNIQUES, find_technique
from tests.drawing.samples import plain_joints, random_mesh, random_palette, random_pass, skinned_in_float64

SAME = 1e-6
"""Relative to the size of what is compared: the techniques sum the same float32 products in different
orders."""


def with_faces(rng: np.random.Generator, mesh: SourceMesh, face_count: int) -> SourceMesh:
    triangles = rng.integers(0, mesh.vertex_count, (face_count, 3))
    return SourceMesh(mesh.positions, mesh.normals, mesh.edges, triangles)


WAYS = [
    (one.name, limit) for one in TECHNIQUES for limit in ((12, 26, 35) if one.name == PARTITIONED else (0,))
]


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "limit"), WAYS)
@pytest.mark.parametrize(
    ("joint_count", "fewest", "most"), [(4, 0, 3), (5, 1, 4), (30, 1, 2), (60, 1, 4), (60, 0, 12)]
)
def test_it_skins_as_the_formula_says(
    name: str, limit: int, joint_count: int, fewest: int, most: int
) -> None:
    rng = np.random.default_rng(joint_count + most)
    mesh = with_faces(rng, random_mesh(rng, 400), 150)
    one = random_pass(rng, 400, joint_count, fewest, most)
    palette = random_palette(rng, joint_count)
    prober = find_technique(name).probe(ChainCache((one,)), mesh, limit)
    skinned = prober.skin((palette,))
    prober.free()
    positions, _ = skinned_in_float64(one, palette, mesh.positions, mesh.normals)
    assert np.abs(skinned.positions - positions).max() <= SAME * np.abs(positions).max()
    whole = find_technique("software").probe(ChainCache((one,)), mesh, 0).skin((palette,))
    # A blend of opposite turns can fall nearly flat; its normal then hangs on the last digits of float32.
    off = np.abs(skinned.normals - whole.normals).max(axis=1)
    assert np.quantile(off, 0.99) <= 1e-4


@pytest.mark.gpu
@pytest.mark.parametrize("name", [PARTITIONED, "four-matrices"])
def test_what_can_not_be_cut_up_is_refused_with_a_remedy(name: str) -> None:
    rng = np.random.default_rng(1)
    mesh = with_faces(rng, random_mesh(rng, 20), 10)
    one = random_pass(rng, 20, 5)
    for passes in (
        (one, one),
        (random_pass(rng, 20, 5, blend=Blend.VOLUME),),
        (random_pass(rng, 20, 5, amount=np.full(20, 0.5, np.float32)),),
    ):
        with pytest.raises(BindingError, match="choose another technique"):
            find_technique(name).probe(ChainCache(passes), mesh, 12)


def test_an_unknown_technique_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'hlsl' is not a technique; choose one of automatic, .*software"):
        find_technique("hlsl")


def test_groups_hold_the_mesh_between_them() -> None:
    rng = np.random.default_rng(7)
    mesh = with_faces(rng, random_mesh(rng, 300), 200)
    one = random_pass(rng, 300, 30, 1, 3)
    cut = draw_groups((one,), mesh, 8)
    assert cut.rest is not None
    parts = (*cut.groups, cut.rest)
    assert sorted(np.concatenate([part.triangles for part in parts]).tolist()) == list(range(200))
    assert set(np.concatenate([part.vertices for part in parts]).tolist()) == set(range(300))
    for part in parts:
        # The part's own numbers lead to the whole mesh's vertices, joints and weights.
        assert np.array_equal(part.vertices[part.mesh.triangles], mesh.triangles[part.triangles])
        assert np.array_equal(part.mesh.positions, mesh.positions[part.vertices])
        own, whole = part.skinning.skin, one.skin.normalised()
        for vertex, source in enumerate(part.vertices):
            mine = slice(own.starts[vertex], own.starts[vertex + 1])
            theirs = slice(whole.starts[source], whole.starts[source + 1])
            assert np.array_equal(part.entries[own.joints[mine]], whole.joints[theirs])
            assert np.array_equal(own.weights[mine], whole.weights[theirs])
    for part in cut.groups:
        assert len(part.entries) <= 8 + 1
    assert len(cut.groups) == len(partition_palette(one.skin, mesh.triangles, 8).groups)


def test_the_drawn_mesh_of_a_group_keeps_its_corners() -> None:
    rng = np.random.default_rng(3)
    mesh = with_faces(rng, random_mesh(rng, 40), 60)
    corners = rng.permutation(180)
    drawn = DrawMesh(
        mesh.triangles.ravel()[np.argsort(corners)],
        corners.reshape(60, 3),
        rng.normal(size=(180, 3)),
        rng.random((180, 2)),
        rng.integers(0, 3, 60),
    )
    one = random_pass(rng, 40, 12, 1, 2)
    one = type(one)(one.skin, plain_joints(12), one.armature)
    for group in draw_groups((one,), mesh, 8).groups:
        own = draw_mesh_of(group, drawn)
        assert np.array_equal(own.source_vertex[own.triangles], group.mesh.triangles)
        assert np.array_equal(own.uv[own.triangles], drawn.uv[drawn.triangles[group.triangles]])
        assert np.array_equal(own.normals[own.triangles], drawn.normals[drawn.triangles[group.triangles]])
        assert np.array_equal(own.material, drawn.material[group.triangles])
