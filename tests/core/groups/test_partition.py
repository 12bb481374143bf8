"""Meshes cut into groups that each need only a small palette."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.groups.partition import Partition, partition_palette
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import property_test, seeds


def joints_needed(skin: Skin, triangle: np.ndarray) -> set[int]:
    """Which palette entries a face reads, vertex by vertex."""
    found = set()
    for vertex in triangle:
        run = slice(skin.starts[vertex], skin.starts[vertex + 1])
        found |= {
            int(joint) for joint, weight in zip(skin.joints[run], skin.weights[run], strict=True) if weight
        }
    return found


def check(
    partition: Partition, skin: Skin, triangles: np.ndarray, material: np.ndarray | None = None
) -> None:
    """Requirements for any partition, good or bad."""
    if material is not None:
        for group in partition.groups:
            assert set(material[group.triangles].tolist()) == {group.material}
        assert [group.material for group in partition.groups] == sorted(
            group.material for group in partition.groups
        )
    drawn = np.concatenate([group.triangles for group in partition.groups] + [partition.oversized])
    assert sorted(drawn.tolist()) == list(range(len(triangles))), "every face once"
    for group in partition.groups:
        assert len(group.joints) <= partition.limit
        needed = set().union(*(joints_needed(skin, triangles[face]) for face in group.triangles))
        assert set(group.joints.tolist()) == needed
        assert set(group.vertices.tolist()) == set(triangles[group.triangles].ravel().tolist())
    for face in partition.oversized:
        assert len(joints_needed(skin, triangles[face])) > partition.limit
    assert len(partition.groups) >= partition.lower_bound


def chain_strip(bones: int) -> tuple[Skin, np.ndarray]:
    """A strip of quads along a chain: the rung between two bones belongs half to each."""
    rungs = 2 * bones - 1
    vertices, joints, weights = [], [], []
    for rung in range(rungs):
        bone, shared = rung // 2, rung % 2
        for vertex in (2 * rung, 2 * rung + 1):
            for joint in (bone, bone + 1)[: 1 + shared]:
                vertices.append(vertex)
                joints.append(joint + 1)
                weights.append(0.5 if shared else 1.0)
    quads = [(2 * rung, 2 * rung + 1, 2 * rung + 2) for rung in range(rungs - 1)]
    quads += [(2 * rung + 1, 2 * rung + 3, 2 * rung + 2) for rung in range(rungs - 1)]
    skin = Skin.from_entries(np.array(vertices), np.array(joints), np.array(weights), 2 * rungs)
    return skin, np.array(quads, dtype=np.int32)


@pytest.mark.parametrize(
    ("bones", "limit", "groups"), [(13, 13, 1), (13, 7, 2), (25, 7, 4), (60, 60, 1), (61, 60, 2)]
)
def test_a_chain_is_cut_into_the_fewest_groups(bones: int, limit: int, groups: int) -> None:
    # A cut through a chain costs the joint at the cut twice: g groups hold g * limit - (g - 1) joints.
    skin, triangles = chain_strip(bones)
    partition = partition_palette(skin, triangles, limit)
    check(partition, skin, triangles)
    assert len(partition.groups) == groups
    assert partition.vertices_before == skin.vertex_count
    assert partition.vertices_after == skin.vertex_count + 2 * (groups - 1)
    assert not len(partition.oversized)


@pytest.mark.parametrize(("limit", "groups"), [(26, [0, 1]), (4, [0, 0, 1, 1]), (13, [0, 1])])
def test_no_group_spans_two_materials(limit: int, groups: list[int]) -> None:
    """D3DX's attribute groups: the first half of a chain is leather, the second steel."""
    skin, triangles = chain_strip(13)
    rung = triangles.min(axis=1) // 2
    material = (rung >= 12).astype(np.int32)
    partition = partition_palette(skin, triangles, limit, material)
    check(partition, skin, triangles, material)
    assert [group.material for group in partition.groups] == groups
    assert partition.vertices_after == skin.vertex_count + 2 * (len(groups) - 1)
    # Joints 1 to 7 and 7 to 13: that at the border belongs to both materials.
    assert partition.lower_bound == 2 * -(-7 // limit)


def test_a_face_that_needs_too_many_joints_is_in_no_group() -> None:
    skin = Skin.from_entries(np.array([0, 0, 1, 1, 2, 3]), np.array([1, 2, 3, 4, 5, 5]), np.full(6, 0.5), 4)
    triangles = np.array([(0, 1, 2), (2, 3, 3)], dtype=np.int32)
    partition = partition_palette(skin, triangles, 4)
    check(partition, skin, triangles)
    assert partition.oversized.tolist() == [0]
    assert [group.triangles.tolist() for group in partition.groups] == [[1]]


def test_weights_of_zero_take_no_room_and_unmoved_vertices_take_one_entry() -> None:
    skin = Skin.from_entries(np.array([0, 0, 1]), np.array([1, 2, 1]), np.array([1.0, 0.0, 1.0]), 3)
    partition = partition_palette(skin, np.array([(0, 1, 2)], dtype=np.int32), 2)
    assert [group.joints.tolist() for group in partition.groups] == [[0, 1]]


def test_a_mesh_without_faces_has_no_groups() -> None:
    partition = partition_palette(
        Skin.from_entries(np.array([0]), np.array([1]), np.array([1.0]), 1), np.empty((0, 3), np.int32), 4
    )
    assert partition.groups == ()
    assert partition.lower_bound == 0


def test_a_limit_below_one_is_refused() -> None:
    skin, triangles = chain_strip(3)
    with pytest.raises(InvalidArrayError, match="limited to 0 joints"):
        partition_palette(skin, triangles, 0)


@property_test
@given(seed=seeds, joints=st.integers(1, 40), limit=st.integers(1, 16), materials=st.integers(1, 4))
def test_every_face_is_drawn_once_with_all_that_it_needs(
    seed: int, joints: int, limit: int, materials: int
) -> None:
    rng = np.random.default_rng(seed)
    vertex_count = int(rng.integers(3, 60))
    counts = rng.integers(0, 4, vertex_count)
    owner = np.repeat(np.arange(vertex_count), counts)
    weights = rng.choice([0.0, 0.2, 0.8], len(owner))
    skin = Skin.from_entries(owner, rng.integers(1, joints + 1, len(owner)), weights, vertex_count)
    triangles = rng.integers(0, vertex_count, (int(rng.integers(1, 80)), 3)).astype(np.int32)
    material = rng.integers(0, materials, len(triangles)).astype(np.int32)
    partition = partition_palette(skin, triangles, limit, material)
    check(partition, skin.normalised(), triangles, material)
