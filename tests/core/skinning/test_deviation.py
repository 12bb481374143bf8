"""The deviation of skinned vertices from a reference, on data with known figures."""

import math

import numpy as np
import pytest
from hypothesis import given

from skinning_addon.core.skinning.deviation import Deviation, measure_deviation, measure_deviations
from skinning_addon.core.text.errors import InvalidArrayError
from skinning_addon.core.verdicts.tolerance import EXACT, Tolerance
from tests.core.builders import X, property_test, random_transform, rotation, scaling, seeds, translation


def deviation_of(distance, area=None, relative=0.0, **options):
    distance = np.array(distance, dtype=np.float64)
    area = np.full(len(distance), 1 / max(len(distance), 1)) if area is None else np.array(area)
    return Deviation(distance, area, relative, **options)


def compare(skinned, reference, rest=None, *, diagonal=1.0, areas=None, **options):
    skinned, reference = np.array(skinned, dtype=np.float32), np.array(reference, dtype=np.float32)
    rest = reference if rest is None else np.array(rest, dtype=np.float32)
    areas = np.ones(len(reference)) if areas is None else np.array(areas, dtype=np.float64)
    return measure_deviation(skinned, reference, rest, diagonal=diagonal, vertex_areas=areas, **options)


def compare_live(skinned, reference, rest, mesh_to_world):
    """Compare as previews do; return the distances and the relative deviation for a diagonal of 1."""
    skinned, reference, rest = (np.array(one, dtype=np.float32) for one in (skinned, reference, rest))
    area = np.full(len(rest), 1 / len(rest))
    deviation = measure_deviations(
        skinned[None],
        reference[None],
        rest,
        diagonals=(1.0,),
        area=area,
        mesh_to_world=mesh_to_world[None],
        is_live=True,
    ).at(0)
    return deviation.distance, deviation.relative


class TestPreviews:
    """They compute with float32; (2, 3, 6) is 7 long."""

    @pytest.mark.parametrize("count", [1, 40_000], ids=["one", "more than are measured at once"])
    def test_distances_and_the_relative_deviation(self, count: int):
        offset, moved = 1e-3 * np.array((2.0, 3.0, 6.0)), np.array((0.0, 3.0, 4.0))
        rest = np.random.default_rng(0).uniform(-1e-3, 1e-3, (count, 3))
        rest[-1] = 0.0
        skinned, reference = rest.copy(), rest.copy()
        reference[-1] = moved
        skinned[-1] = moved + offset
        distance, relative = compare_live(
            skinned, reference, rest, scaling(2, 2, 2) @ rotation((1, 1, 0), 30)
        )
        assert distance[:-1].max(initial=0.0) == 0
        assert distance[-1] == pytest.approx(2 * 7e-3, rel=1e-4), (
            "the rounding of positions 4 from the origin"
        )
        assert relative == pytest.approx(7e-3 / (1 + 5), rel=1e-4)

    def test_what_is_exact_without_the_displacement_needs_no_look_at_it(self):
        """4e-6 of a diagonal of 1, 8e-7 of that and 4 more; 12e-6 is exact only with them."""
        for offset, expected in ((4e-6, 4e-6), (12e-6, 12e-6 / 5)):
            _, relative = compare_live([(0, offset, 0)], [(0, 0, 0)], [(4, 0, 0)], np.eye(4))
            assert relative == pytest.approx(expected, rel=1e-5)

    def test_axes_of_different_lengths(self):
        distance, _ = compare_live([(2, 1, 3)], [(0, 0, 0)], [(0, 0, 0)], scaling(1, 3, 2))
        assert distance[0] == pytest.approx(7, rel=1e-6)

    def test_squares_that_float32_cannot_hold(self):
        distance, relative = compare_live([(2e25, 3e25, 6e25)], [(0, 0, 0)], [(0, 0, 0)], np.eye(4))
        assert distance[0] == pytest.approx(7e25, rel=1e-6)
        assert relative == pytest.approx(7e25, rel=1e-6)

    def test_what_is_no_number(self):
        distance, relative = compare_live(
            [(np.nan, 0, 0), (1, 0, 0)], [(0, 0, 0)] * 2, [(0, 0, 0)] * 2, np.eye(4)
        )
        assert math.isnan(distance[0])
        assert distance[1] == 1
        assert math.isnan(relative)


class TestFigures:
    def test_the_figures_of_a_short_list(self):
        deviation = deviation_of([0.0, 3.0, 4.0, 0.0])
        assert deviation.worst_vertex == 2
        assert deviation.max == 4
        assert deviation.rms == pytest.approx(2.5)

    def test_percentiles(self):
        deviation = deviation_of(np.arange(101))
        assert deviation.percentile(99) == pytest.approx(99)
        assert deviation.percentile(50) == pytest.approx(50)
        assert deviation.percentile(100) == deviation.max

    def test_the_area_above_a_threshold_counts_surface_and_not_vertices(self):
        """One vertex of four, but most of the surface; exactly on the threshold is not above it."""
        deviation = deviation_of([0, 1, 2, 9], area=[0.1, 0.1, 0.1, 0.7])
        assert deviation.area_above(5) == pytest.approx(0.7)
        assert deviation.area_above(2) == pytest.approx(0.7)
        assert deviation.area_above(1.5) == pytest.approx(0.8)
        assert deviation.area_above(-1) == pytest.approx(1)
        assert deviation.area_above(9) == 0

    def test_scene_units_become_metres(self):
        """A scene in centimeters: 3 units are 3 cm."""
        assert deviation_of([3.0], metres_per_unit=0.01).metres(3.0) == pytest.approx(0.03)

    def test_a_mesh_of_no_vertices_deviates_by_nothing(self):
        deviation = compare(np.empty((0, 3)), np.empty((0, 3)), diagonal=0.0)
        assert (deviation.worst_vertex, deviation.max, deviation.rms) == (-1, 0, 0)
        assert (deviation.percentile(99), deviation.area_above(0), deviation.relative) == (0, 0, 0)
        assert EXACT.allows(deviation)


class TestNotANumber:
    def test_it_is_the_worst_of_all_and_never_within_any_tolerance(self):
        rest = [(0, 0, 0)] * 3
        deviation = compare([(0, 0, 0), (math.nan, 0, 0), (5, 0, 0)], rest, rest)
        assert deviation.worst_vertex == 1
        assert math.isnan(deviation.max)
        assert math.isnan(deviation.rms)
        assert not Tolerance(1e30, relative=True).allows(deviation)
        assert not Tolerance(1e30, relative=False).allows(deviation)

    def test_in_the_reference_it_is_no_better(self):
        deviation = compare([(0, 0, 0)] * 2, [(0, 0, 0), (0, math.nan, 0)], [(0, 0, 0)] * 2)
        assert deviation.worst_vertex == 1
        assert not Tolerance(1e30, relative=True).allows(deviation)
        assert not Tolerance(1e30, relative=False).allows(deviation)

    def test_its_surface_is_above_every_threshold(self):
        assert deviation_of([0, math.nan, 1], area=[0.5, 0.3, 0.2]).area_above(2) == pytest.approx(0.3)


class TestInfinite:
    """A bone scaled without bound throws vertices to infinity: measured without a warning, which would be an
    error.
    """

    def test_a_vertex_at_infinity_is_the_worst_of_all(self):
        deviation = compare([(math.inf, 0, 0), (1, 0, 0)], [(1, 0, 0)] * 2)
        assert deviation.worst_vertex == 0
        assert not math.isfinite(deviation.max)
        assert not Tolerance(1e30, relative=True).allows(deviation)
        assert not Tolerance(1e30, relative=False).allows(deviation)

    @pytest.mark.parametrize("mesh_to_world", [None, rotation(X, 30) @ scaling(2, 1, 1)])
    def test_where_both_are_infinite_nothing_is_known(self, mesh_to_world):
        both = [(math.inf, 0, 0), (1, 0, 0)]
        deviation = compare(both, both, rest=[(0, 0, 0)] * 2, mesh_to_world=mesh_to_world)
        assert math.isnan(deviation.max)
        assert not Tolerance(1e30, relative=True).allows(deviation)
        assert not Tolerance(1e30, relative=False).allows(deviation)


class TestMeasure:
    @property_test
    @given(seeds)
    def test_distances_are_those_that_a_ruler_finds_in_the_scene(self, seed):
        rng = np.random.default_rng(seed)
        skinned, reference = rng.normal(size=(2, 6, 3)).astype(np.float32)
        mesh_to_world = random_transform(rng)
        deviation = compare(skinned, reference, mesh_to_world=mesh_to_world)
        ruler = [
            math.dist((*a, 1) @ mesh_to_world, (*b, 1) @ mesh_to_world)
            for a, b in zip(skinned.tolist(), reference.tolist(), strict=True)
        ]
        np.testing.assert_allclose(deviation.distance, ruler, rtol=1e-6)

    def test_distances_grow_with_the_objects_scale_and_the_relative_figure_does_not(self):
        skinned, reference = [(1, 2, 0), (0, 0, 0)], [(1, 0, 0), (0, 0, 0)]
        same = compare(skinned, reference, diagonal=4.0)
        imported = compare(skinned, reference, diagonal=4.0, mesh_to_world=scaling(0.01, 0.01, 0.01))
        turned = compare(
            skinned, reference, diagonal=4.0, mesh_to_world=rotation(X, 70) @ translation(9, 9, 9)
        )
        uneven = rotation(X, 70) @ scaling(1.0, 3.0, 1.0)
        assert compare(skinned, reference, mesh_to_world=uneven).max == pytest.approx(
            math.hypot(3 * 2 * math.cos(math.radians(70)), 2 * math.sin(math.radians(70)))
        )
        assert same.max == pytest.approx(2)
        assert imported.max == pytest.approx(0.02)
        assert turned.max == pytest.approx(2)
        assert same.relative == imported.relative == turned.relative == pytest.approx(0.5)

    def test_relative_to_size_and_movement(self):
        """A mesh of diagonal 2 thrown 8 units far: 0.001 off is one ten-thousandth of the ten units in play."""
        rest = np.zeros((2, 3))
        reference = [(8, 0, 0), (0, 3, 0)]
        skinned = [(8.001, 0, 0), (0, 3, 0)]
        assert compare(skinned, reference, rest, diagonal=2.0).relative == pytest.approx(1e-4, rel=1e-3)

    def test_a_single_vertex_has_no_size_to_relate_to(self):
        assert compare([(1, 1, 1)], [(1, 1, 1)], diagonal=0.0).relative == 0
        assert compare([(1, 1, 2)], [(1, 1, 1)], diagonal=0.0).relative == math.inf

    def test_areas_are_shares_of_the_whole(self):
        points = [(0, 0, 0)] * 3
        assert compare(points, points, areas=[3.0, 1.0, 0.0]).area.tolist() == [0.75, 0.25, 0]
        assert compare(points, points, areas=[0.0, 0.0, 0.0]).area.tolist() == [0, 0, 0]

    def test_meshes_with_different_numbers_of_vertices_are_refused_with_both_numbers(self):
        with pytest.raises(InvalidArrayError, match=r"\b3 .* 4 "):
            compare(np.zeros((3, 3)), np.zeros((4, 3)))
