"""Preserve Volume against closed forms; tests/scene compares it with Blender itself."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.blending.dense_blocks import dense_blocks
from skinning_addon.core.blending.pass_layout import PassLayout
from skinning_addon.core.blending.running_signs import MOST_SLOTS
from skinning_addon.core.blending.volume_blending import volume_positions, volume_vertices
from skinning_addon.core.blending.volume_palette import RIGID_SCALE_TOLERANCE, volume_palette
from skinning_addon.core.maths.orthonormal_axes import orthonormal_axes
from skinning_addon.core.maths.quaternion import dual_part, quaternions, rotate
from tests.core.builders import (
    X,
    Y,
    Z,
    palette_of_moves,
    property_test,
    random_transform,
    random_transforms,
    rotation,
    scaling,
    seeds,
    skin_of,
    skinned_by_moves,
    translation,
)

AXES = st.tuples(*(st.floats(-1, 1),) * 3).filter(lambda axis: np.linalg.norm(axis) > 0.1)


palette_of = partial(palette_of_moves, volume_palette)
skinned = partial(skinned_by_moves, volume_palette)


class TestOneJoint:
    @property_test
    @given(seeds, st.booleans())
    def test_it_moves_a_vertex_as_its_matrix_does_scale_and_mirroring_included(self, seed, mirrored):
        rng = np.random.default_rng(seed)
        rest, move, mesh_to_root = random_transforms(rng, 3)
        if mirrored:
            move = scaling(-1, 1, 1) @ move
        points = rng.normal(size=(5, 3))
        result = skinned(points, [[(1, 1.0)]] * 5, [move], rest=[rest], mesh_to_root=mesh_to_root).positions
        whole = mesh_to_root @ move @ np.linalg.inv(mesh_to_root)
        expected = (np.c_[points.astype(np.float32), np.ones(5)] @ whole)[:, :3]
        np.testing.assert_allclose(result, expected, atol=2e-5 * (1 + np.abs(expected).max()))

    @property_test
    @given(seeds, st.sampled_from([1, 1 + 3e-7, 1 + 1e-5, 1.001]))
    def test_hardly_any_scale_under_unevenly_scaled_objects(self, seed, scale):
        rng = np.random.default_rng(seed)
        mesh_to_root = scaling(0.01, 1, 100) @ random_transform(rng)
        move = scaling(scale, scale, scale) @ rotation(rng.normal(size=3), 70) @ translation(1, 2, 3)
        points = rng.normal(size=(5, 3)) @ np.diag((100, 1, 0.01))
        result = skinned(points, [[(1, 1.0)]] * 5, [move], mesh_to_root=mesh_to_root).positions
        in_root = np.c_[points.astype(np.float32), np.ones(5)] @ mesh_to_root
        apart = np.c_[result, np.ones(5)] @ mesh_to_root - in_root @ move
        # A scale of a ten-thousandth is dropped, as Blender drops it.
        dropped = (scale - 1) * math.sqrt(3) if scale < 1 + 1e-4 else 0
        limit = (dropped + 2e-6) * (1 + np.abs(in_root).max()) * 3
        assert np.abs(apart).max() <= limit

    def test_a_bone_scaled_to_nothing_gathers_its_vertices_in_a_point(self):
        result = skinned([(1, 2, 3), (4, 5, 6)], [[(1, 1.0)]] * 2, [scaling(0, 0, 0) @ translation(7, 8, 9)])
        np.testing.assert_allclose(result.positions, [[7, 8, 9]] * 2, atol=5e-6)

    def test_a_vertex_that_nothing_moves_stays(self):
        result = skinned([(1, 2, 3)], [[]], [translation(5, 0, 0)])
        np.testing.assert_array_equal(result.positions, [[1, 2, 3]])


class TestVolume:
    """What dual quaternions are for: between two turned bones a vertex keeps its distance from the axis (Kavan
    2008).
    """

    @property_test
    @given(st.floats(-179, 179), st.floats(0.1, 10), st.floats(-180, 180))
    def test_half_and_half_gives_half_the_angle_and_keeps_the_radius(self, twist, radius, around):
        start = np.array([0, 3, radius, 1]) @ rotation(Y, around)
        result = skinned([start[:3]], [[(1, 0.5), (2, 0.5)]], [np.eye(4), rotation(Y, twist)])
        expected = start @ rotation(Y, twist / 2)
        np.testing.assert_allclose(result.positions[0], expected[:3], atol=3e-6 * max(radius, 3))

    def test_a_sleeve_twisted_by_179_degrees_does_not_collapse(self):
        ring = [(math.cos(a), 0, math.sin(a)) for a in np.linspace(0, 2 * math.pi, 16, endpoint=False)]
        result = skinned(ring, [[(1, 0.5), (2, 0.5)]] * 16, [np.eye(4), rotation(Y, 179)]).positions
        np.testing.assert_allclose(np.linalg.norm(result, axis=1), 1, atol=1e-6)

    def test_an_elbow_keeps_its_thickness(self):
        """Bent by 90 degrees about (2, 0, 0): the point one unit off the joint stays so, half-way round."""
        bent = translation(-2, 0, 0) @ rotation(Z, 90) @ translation(2, 0, 0)
        result = skinned([(2, 1, 0)], [[(1, 0.5), (2, 0.5)]], [np.eye(4), bent]).positions
        np.testing.assert_allclose(result, [[2 - math.sqrt(0.5), math.sqrt(0.5), 0]], atol=1e-6)

    def test_two_moves_without_rotation_blend_as_positions_do(self):
        result = skinned([(1, 1, 1)], [[(1, 0.25), (2, 0.75)]], [translation(4, 0, 0), translation(0, 8, 0)])
        np.testing.assert_allclose(result.positions, [[2, 7, 1]], atol=1e-6)

    def test_scale_blends_linearly(self):
        result = skinned([(1, 1, 1)], [[(1, 0.5), (2, 0.5)]], [np.eye(4), scaling(3, 1, 0.5)])
        np.testing.assert_allclose(result.positions, [[2, 1, 0.75]], atol=1e-6)

    @property_test
    @given(seeds)
    def test_weights_count_by_their_share(self, seed):
        rng = np.random.default_rng(seed)
        moves, weights = random_transforms(rng, 2), rng.uniform(0.1, 1, 2)
        once, twice = (
            skinned([(1, 2, 3)], [[(1, weights[0] * f), (2, weights[1] * f)]], moves) for f in (1, 3)
        )
        np.testing.assert_allclose(once.positions, twice.positions, atol=1e-4)


class TestSigns:
    """Turns about z by 0, 160 and 300 degrees. A quaternion and its negative are the same turn; as circles go,
    they stand at half the angle, 0, 80 and 150 = -30 degrees, and each is added on the side of the sum so far.
    """

    TURNS = (rotation(Z, 0), rotation(Z, 160), rotation(Z, 300))
    WEIGHTS = (0.1, 0.6, 0.3)

    def blended_angle(self, order):
        """Degrees by which a vertex turns."""
        row = [(joint + 1, self.WEIGHTS[joint]) for joint in order]
        x, y, _ = skinned([(1, 0, 0)], [row], self.TURNS).positions[0].tolist()
        assert math.hypot(x, y) == pytest.approx(1, abs=1e-6)
        return math.degrees(math.atan2(y, x)) % 360

    def expected_angle(self, half_angles):
        weighted = sum(
            weight * np.exp(1j * math.radians(half))
            for weight, half in zip(self.WEIGHTS, half_angles, strict=True)
        )
        return 2 * math.degrees(np.angle(weighted)) % 360

    @pytest.mark.parametrize(
        ("order", "half_angles"),
        [
            # The first two lie at 71 degrees together: the third is nearer at 150 than at -30.
            ((0, 1, 2), (0, 80, 150)),
            ((1, 0, 2), (0, 80, 150)),
            # The first and the third lie at -23 degrees together: the second is nearer at -100 than at 80.
            ((0, 2, 1), (0, -100, -30)),
            ((2, 0, 1), (0, -100, -30)),
        ],
    )
    def test_the_sign_is_taken_against_the_sum_so_far_in_stored_order(self, order, half_angles):
        assert self.blended_angle(order) == pytest.approx(self.expected_angle(half_angles), abs=1e-3)

    def test_against_the_first_alone_it_would_be_another_blend(self):
        against_first = self.expected_angle((0, 80, -30))
        for order in ((0, 1, 2), (0, 2, 1)):
            assert abs(self.blended_angle(order) - against_first) > 30

    @pytest.mark.parametrize("strength", [20, 90, 180])
    @pytest.mark.parametrize(("most", "repeated"), [(5, False), (5, True), (MOST_SLOTS, False), (12, False)])
    def test_dense_blocks_and_slots_blend_alike_however_far_bones_turn(self, strength, most, repeated):
        """Slots add up quaternions in stored order. Blocks whose bones lie on all sides find out signs from
        products of two; with many influences a vertex they are summed slot by slot too.
        """
        rng = np.random.default_rng(strength)
        moves = [rotation(rng.normal(size=3), rng.uniform(0, strength)) for _ in range(12)]
        palette = palette_of([move @ translation(*rng.normal(size=3)) for move in moves])
        rows = [
            [
                (int(j), float(w))
                for j, w in zip(rng.choice(12, n, replace=repeated) + 1, rng.random(n), strict=True)
            ]
            for n in rng.integers(0, most + 1, 600)
        ]
        positions = rng.normal(size=(600, 3)).astype(np.float32)
        normals = positions / np.linalg.norm(positions, axis=1, keepdims=True)
        blocks, slots = (PassLayout(skin_of(rows), positions) for _ in range(2))
        blocks.__dict__.update(dense=dense_blocks(blocks.skin, at_any_cost=True))
        slots.__dict__.update(dense=None)
        by_blocks = volume_vertices(blocks, palette, positions, normals)
        by_slots = volume_vertices(slots, palette, positions, normals)
        for ours, others in zip(by_blocks, by_slots, strict=True):
            # Where turns nearly cancel out, rounding has no limit.
            assert np.quantile(np.abs(ours - others), 0.99) < 1e-5
            assert np.median(np.abs(ours - others)) < 1e-6
        np.testing.assert_array_equal(volume_positions(blocks, palette, positions), by_blocks[0])


class TestNormals:
    @property_test
    @given(seeds)
    def test_under_scaled_objects_a_normal_stays_at_right_angles_to_the_surface(self, seed):
        """The bone only turns; mesh and armature objects are scaled along different axes."""
        rng = np.random.default_rng(seed)
        mesh_to_root = random_transform(rng, 0.3, 3)
        turned = rotation(rng.normal(size=3), rng.uniform(-180, 180))
        normal, tangent = rng.normal(size=(2, 3))
        normal /= np.linalg.norm(normal)
        tangent -= normal * (normal @ tangent)
        result = skinned([(0, 0, 0)], [[(1, 1.0)]], [turned], [normal], mesh_to_root=mesh_to_root).normals[0]
        moved = tangent @ (mesh_to_root @ turned @ np.linalg.inv(mesh_to_root))[:3, :3]
        assert np.linalg.norm(result) == pytest.approx(1, abs=1e-6)
        assert abs(result @ moved) / np.linalg.norm(moved) < 2e-5

    def test_between_two_bones_a_normal_turns_half_way(self):
        result = skinned([(0, 1, 0)], [[(1, 0.5), (2, 0.5)]], [np.eye(4), rotation(X, 90)], [(0, 1, 0)])
        np.testing.assert_allclose(result.normals, [[0, math.sqrt(0.5), math.sqrt(0.5)]], atol=1e-6)


class TestQuaternions:
    @property_test
    @given(AXES, st.floats(0, 180))
    def test_axis_and_angle(self, axis, degrees):
        axis = np.array(axis) / np.linalg.norm(axis)
        (quaternion,) = quaternions(rotation(axis, degrees)[None, :3, :3])
        half = math.radians(degrees / 2)
        expected = np.array([*(axis * math.sin(half)), math.cos(half)])
        # At 180 degrees the axis may point either way.
        if degrees > 180 - 1e-6:
            quaternion = quaternion * np.sign(quaternion @ expected)
        np.testing.assert_allclose(quaternion, expected, atol=1e-9)
        assert quaternion[3] >= -1e-9

    @pytest.mark.parametrize(
        "axis", [X, Y, Z, (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1), (1, -1, 0), (-1, 2, -3)]
    )
    def test_a_half_turn_keeps_full_precision(self, axis):
        turned = rotation(axis, 180)[None, :3, :3]
        (quaternion,) = quaternions(turned)
        assert abs(quaternion[3]) < 1e-15
        basis = np.eye(3)
        np.testing.assert_allclose(rotate(np.tile(quaternion, (3, 1)), basis), turned[0], atol=1e-15)

    @property_test
    @given(AXES, st.floats(-180, 180), seeds)
    def test_turning_by_a_quaternion_is_turning_by_its_matrix(self, axis, degrees, seed):
        turned = rotation(axis, degrees)[:3, :3]
        vectors = np.random.default_rng(seed).normal(size=(4, 3))
        quaternion = np.tile(quaternions(turned[None]), (4, 1))
        np.testing.assert_allclose(rotate(quaternion, vectors), vectors @ turned, atol=1e-12)

    def test_the_dual_part_is_half_the_translation_times_the_rotation(self):
        """(1, 2, 3) after a half turn about z: (1 i + 2 j + 3 k) * k / 2 = (2 i - 1 j - 3) / 2."""
        dual = dual_part(np.array([[1.0, 2, 3]]), np.array([[0.0, 0, 1, 0]]))
        np.testing.assert_allclose(dual, [[1, -0.5, 0, -1.5]])


class TestRigid:
    """Blender drops the scale of a bone whose axes are up to a ten-thousandth from length one."""

    @pytest.mark.parametrize(
        ("share", "dropped"), [(0.0, True), (0.99, True), (1.01, False), (-0.99, True), (-1.01, False)]
    )
    def test_scale_along_one_axis(self, share, dropped):
        stretch = share * RIGID_SCALE_TOLERANCE
        result = skinned([(100, 0, 0)], [[(1, 1.0)]], [scaling(1 + stretch, 1, 1)]).positions[0, 0]
        assert result == pytest.approx(100 if dropped else 100 * (1 + stretch), abs=2e-5)

    @pytest.mark.parametrize(("share", "dropped"), [(0.99, True), (1.01, False)])
    def test_scale_along_all_three_counts_as_a_distance(self, share, dropped):
        stretch = share * RIGID_SCALE_TOLERANCE / math.sqrt(3)
        result = skinned([(100, 0, 0)], [[(1, 1.0)]], [scaling(*(1 + stretch,) * 3)]).positions[0, 0]
        assert result == pytest.approx(100 if dropped else 100 * (1 + stretch), abs=2e-5)

    def test_a_mirrored_bone_is_never_rigid(self):
        result = skinned([(1, 2, 3)], [[(1, 1.0)]], [scaling(-1, 1, 1)])
        np.testing.assert_allclose(result.positions, [[-1, 2, 3]], atol=1e-6)

    def test_a_sheared_bone_is_not_rigid(self):
        sheared = np.eye(4)
        sheared[0, 1] = 0.01
        result = skinned([(1, 2, 3)], [[(1, 1.0)]], [sheared])
        np.testing.assert_allclose(result.positions, [[1, 2.01, 3]], atol=1e-6)


class TestAxes:
    @property_test
    @given(seeds)
    def test_a_frame_keeps_its_y_and_is_right_handed(self, seed):
        axes = np.random.default_rng(seed).normal(size=(6, 3, 3))
        frame = orthonormal_axes(axes)
        np.testing.assert_allclose(frame @ frame.transpose(0, 2, 1), np.tile(np.eye(3), (6, 1, 1)), atol=1e-9)
        np.testing.assert_allclose(np.linalg.det(frame), 1, atol=1e-9)
        np.testing.assert_allclose(frame[:, 1], axes[:, 1] / np.linalg.norm(axes[:, 1], axis=1)[:, None])

    @pytest.mark.parametrize("flat", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1), (0, 0, 0)])
    def test_axes_scaled_to_nothing_still_have_a_frame(self, flat):
        frame = orthonormal_axes((rotation((1, 2, 3), 50) @ scaling(*flat))[None, :3, :3])
        np.testing.assert_allclose(frame[0] @ frame[0].T, np.eye(3), atol=1e-9)
