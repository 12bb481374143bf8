"""CPU skin layouts: all give a textbook's positions, whichever is fastest."""

import math

import numpy as np
import pytest

from skinning_addon.core.blending import dense_blocks as dense_blocks_module
from skinning_addon.core.blending import joint_sorted, slots
from skinning_addon.core.blending.dense_blocks import dense_blocks
from skinning_addon.core.blending.linear_blending import linear_positions
from skinning_addon.core.blending.pass_layout import PassLayout
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.maths import threads
from skinning_addon.core.skinning.palette import Palette
from tests.core.builders import (
    mesh_of,
    palette_of,
    pass_of,
    random_palette,
    random_skin,
    rows_of,
    skin_by_the_book,
    skin_of,
    translation,
)

WAYS = ["as chosen", "rest tables", "dense blocks", "slots", "sorted by joint"]
"""The layouts, all leading to the same positions; the choice is only a matter of speed."""


def limb_skin(rng, vertices, joints, influences=4):
    """Each vertex follows a run of joints next to it, as on a limb; joint 0 is left out."""
    first = np.linspace(1, joints - influences, vertices).astype(int)
    return skin_of([list(zip(range(j, j + influences), rng.random(influences), strict=True)) for j in first])


def uneven_skin(rng, vertices, joints):
    """Any joints, none to fifteen of them."""
    return random_skin(rng, rng.integers(0, 16, vertices), joints)


def layout_by(way, skin, rest):
    layout = PassLayout(skin, rest)
    if way == "slots":
        layout.__dict__.update(dense=None)
    elif way in ("rest tables", "dense blocks"):
        layout.__dict__.update(dense=dense_blocks(layout.skin, at_any_cost=True))
    if way == "rest tables":
        layout.__dict__.update(rest_tables=tuple(chunk.point_table(rest) for chunk in layout.dense.chunks))
    elif way != "as chosen":
        layout.__dict__.update(rest_tables=None)
    return layout


def positions_by(way, skin, palette, positions):
    layout = layout_by(way, skin, positions)
    # Positions that are not those at rest are skinned by matrices.
    elsewhere = way in ("dense blocks", "slots")
    return linear_positions(layout, palette, positions.copy() if elsewhere else positions)


@pytest.mark.parametrize("way", WAYS)
class TestEveryWay:
    @pytest.mark.parametrize("make", [limb_skin, uneven_skin])
    @pytest.mark.parametrize("vertices", [1, 5, 127, 129, 3000])
    def test_leads_to_the_positions_of_the_textbook(self, way, make, vertices):
        rng = np.random.default_rng(vertices)
        skin, palette = make(rng, vertices, 30), random_palette(rng, 30)
        positions = rng.uniform(-1, 1, (vertices, 3)).astype(np.float32)
        expected = skin_by_the_book(skin, palette.final, positions)
        result = positions_by(way, skin, palette, positions)
        assert result.dtype == np.float32
        size = np.linalg.norm(np.ptp(expected, axis=0)) + 1
        assert np.abs(result - expected).max() / size < 1e-6

    @pytest.mark.parametrize("size", [1, 7, 100])
    def test_does_not_depend_on_the_size_of_its_blocks(self, way, size, monkeypatch):
        monkeypatch.setattr(dense_blocks_module, "VERTICES_PER_PART", size)
        monkeypatch.setattr(dense_blocks_module, "BLOCK_SIZES", (size, 2 * size, 4 * size, 8 * size))
        monkeypatch.setattr(slots, "VERTICES_PER_PART", size)
        monkeypatch.setattr(joint_sorted, "VERTICES_PER_BLOCK", size)
        monkeypatch.setattr(joint_sorted, "POINTS_PER_PRODUCT", size)
        self.test_leads_to_the_positions_of_the_textbook(way, uneven_skin, 150)

    def test_leaves_a_vertex_without_weight_where_it_is_bit_for_bit(self, way):
        rng = np.random.default_rng(3)
        skin, palette = random_skin(rng, [0, 3, 0, 2, 4, 0, 0, 1], 6), random_palette(rng, 6)
        positions = rng.uniform(-1, 1, (8, 3)).astype(np.float32)
        result = positions_by(way, skin, palette, positions)
        unmoved = skin.counts == 0
        np.testing.assert_array_equal(result[unmoved], positions[unmoved])

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_a_broken_bone_breaks_no_vertex_that_it_does_not_move(self, way, bad):
        rng = np.random.default_rng(4)
        skin, palette = limb_skin(rng, 500, 20), random_palette(rng, 20)
        positions = rng.uniform(-1, 1, (500, 3)).astype(np.float32)
        broken = np.array(palette.final)
        broken[7] = bad
        result = positions_by(way, skin, Palette(broken), positions)
        touched = np.zeros(500, dtype=bool)
        touched[skin.vertex_of_influence[skin.joints == 7]] = True
        assert not np.isfinite(result[touched]).any()
        expected = skin_by_the_book(skin, palette.final, positions)
        np.testing.assert_allclose(result[~touched], expected[~touched], atol=1e-5)

    @pytest.mark.parametrize("make", [limb_skin, uneven_skin])
    def test_several_threads_come_to_the_positions_of_the_textbook(self, way, make, monkeypatch):
        started: list[int] = []

        class Pool(threads.ThreadPoolExecutor):
            def __init__(self, count: int) -> None:
                started.append(count)
                super().__init__(count)

        monkeypatch.setattr(threads, "ThreadPoolExecutor", Pool)
        monkeypatch.setattr(dense_blocks_module, "VERTICES_PER_PART", 128)
        for module, size in ((slots, "VERTICES_PER_PART"), (joint_sorted, "VERTICES_PER_BLOCK")):
            monkeypatch.setattr(module, size, 100)
        monkeypatch.setattr(threads, "VERTICES_PER_THREAD", 500)
        monkeypatch.setattr(threads.os, "cpu_count", lambda: 4)
        self.test_leads_to_the_positions_of_the_textbook(way, make, 3000)
        # Beside this one; large blocks are few.
        assert started
        assert started[0] > 1

    def test_one_joint_named_twice_counts_twice(self, way):
        skin = skin_of([[(1, 0.25), (2, 0.5), (1, 0.25)]])
        palette = palette_of(translation(4, 0, 0), translation(0, 8, 0))
        result = positions_by(way, skin, palette, np.float32([[1, 2, 3]]))
        np.testing.assert_allclose(result, [[3, 6, 3]], rtol=1e-6)


class TestChoice:
    def test_a_limb_is_skinned_in_dense_blocks_and_vertices_of_any_joints_are_not(self):
        rng = np.random.default_rng(5)
        rest = np.zeros((5000, 3), dtype=np.float32)
        limb = PassLayout(limb_skin(rng, 5000, 100), rest)
        assert limb.dense.mean_joints < 12
        assert limb.rest_tables is not None
        assert PassLayout(random_skin(rng, [4] * 5000, 300), rest).dense is None

    def test_vertices_that_share_joints_are_brought_together(self):
        """The same limb, its vertices numbered at random."""
        rng = np.random.default_rng(6)
        skin, order = limb_skin(rng, 5000, 100), rng.permutation(5000)
        rows = rows_of(skin)
        shuffled = skin_of([rows[vertex] for vertex in order])
        layout = PassLayout(shuffled, np.zeros((5000, 3), dtype=np.float32))
        assert layout.dense.mean_joints < 12

    def test_positions_alone_are_those_that_come_with_normals(self):
        rng = np.random.default_rng(7)
        skin, palette = limb_skin(rng, 2000, 40), random_palette(rng, 40)
        mesh = mesh_of(rng.uniform(-1, 1, (2000, 3)))
        passes = (pass_of(skin), pass_of(skin, amount=rng.random(2000)))
        skinner = SoftwareSkinner(passes, mesh)
        alone = skinner.skin_positions((palette, palette))
        np.testing.assert_allclose(alone, skinner.skin((palette, palette)).positions, atol=2e-5)
        assert alone.dtype == np.float32
        assert alone.shape == (2000, 3)
