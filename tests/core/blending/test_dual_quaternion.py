"""Published dual quaternions against closed forms, and against the paper's formulas written out scalar by
scalar.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.blending.dense_blocks import dense_blocks
from skinning_addon.core.blending.dual_quaternion import dual_quaternion_palette, nearest_rotations
from skinning_addon.core.blending.dual_quaternion_blending import (
    dual_quaternion_positions,
    dual_quaternion_vertices,
)
from skinning_addon.core.blending.pass_layout import PassLayout
from skinning_addon.core.profiles.binding import Binding, with_blend
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.passes import Blend, Pass
from tests.core.builders import (
    X,
    Y,
    Z,
    mesh_of,
    palette_of_moves,
    property_test,
    random_transform,
    rotation,
    scaling,
    seeds,
    skeleton_of,
    skin_of,
    skinned_by_moves,
    translation,
)

palette_of = partial(palette_of_moves, dual_quaternion_palette)
skinned = partial(skinned_by_moves, dual_quaternion_palette)


class Turn:
    """A rotation about an axis through the origin, then a translation: as numbers of the paper, and as a
    matrix.
    """

    def __init__(self, rng, largest_angle=math.pi):
        self.axis = rng.normal(size=3)
        self.axis /= np.linalg.norm(self.axis)
        self.angle = rng.uniform(-largest_angle, largest_angle)
        self.shift = rng.uniform(-3, 3, 3)

    @property
    def matrix(self):
        return rotation(self.axis, math.degrees(self.angle)) @ translation(*self.shift)

    @property
    def dual_quaternion(self):
        """(w, x, y, z) of q0, and of qe = 1/2 t q0 (equations 3 and 4 of the paper's appendix)."""
        half = self.angle / 2
        real = (math.cos(half), *(math.sin(half) * axis for axis in self.axis))
        return real, tuple(0.5 * part for part in product((0.0, *self.shift), real))


def product(a, b):
    """Hamilton's product of quaternions (w, x, y, z)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def by_the_paper(position, row, turns):
    """Algorithm 1 of Kavan et al. 2008: blend, divide by the length of the real part, make it a matrix,
    transform.
    """
    pivot, _ = turns[row[0][0] - 1].dual_quaternion
    real, dual = [0.0] * 4, [0.0] * 4
    for joint, weight in row:
        q0, qe = turns[joint - 1].dual_quaternion
        sign = -1.0 if sum(a * b for a, b in zip(q0, pivot, strict=True)) < 0 else 1.0
        for part in range(4):
            real[part] += sign * weight * q0[part]
            dual[part] += sign * weight * qe[part]
    length = math.sqrt(sum(part * part for part in real))
    w, x, y, z = (part / length for part in real)
    w_e, x_e, y_e, z_e = (part / length for part in dual)
    t = (
        2 * (-w_e * x + x_e * w - y_e * z + z_e * y),
        2 * (-w_e * y + x_e * z + y_e * w - z_e * x),
        2 * (-w_e * z - x_e * y + y_e * x + z_e * w),
    )
    matrix = (
        (1 - 2 * y * y - 2 * z * z, 2 * x * y - 2 * w * z, 2 * x * z + 2 * w * y, t[0]),
        (2 * x * y + 2 * w * z, 1 - 2 * x * x - 2 * z * z, 2 * y * z - 2 * w * x, t[1]),
        (2 * x * z - 2 * w * y, 2 * y * z + 2 * w * x, 1 - 2 * x * x - 2 * y * y, t[2]),
    )
    return [sum(row[i] * (*position, 1.0)[i] for i in range(4)) for row in matrix]


def random_rows(rng, vertices, joints, most):
    rows = []
    for count in rng.integers(1, most + 1, vertices):
        chosen, weights = rng.permutation(joints)[:count] + 1, rng.uniform(0.1, 1, count)
        rows.append(list(zip(chosen.tolist(), (weights / weights.sum()).tolist(), strict=True)))
    return rows


class TestThePaper:
    @property_test
    @given(seeds)
    def test_it_is_the_papers_algorithm(self, seed):
        rng = np.random.default_rng(seed)
        turns = [Turn(rng) for _ in range(6)]
        rows = random_rows(rng, 20, 6, 4)
        positions = rng.normal(size=(20, 3)).astype(np.float32)
        result = skinned(positions, rows, [turn.matrix for turn in turns]).positions
        expected = [
            by_the_paper(position.tolist(), row, turns) for position, row in zip(positions, rows, strict=True)
        ]
        # Opposite turns that nearly cancel out leave few digits.
        np.testing.assert_allclose(np.median(np.abs(result - expected)), 0, atol=1e-6)
        assert np.quantile(np.abs(result - expected), 0.9) < 1e-4

    def test_the_sign_is_taken_against_the_first_influence(self):
        """Turns about z by 0, 160 and 300 degrees: quaternions at 0, 80 and 150 degrees, the last turned to
        -30.
        """
        moves = [rotation(Z, angle) for angle in (0, 160, 300)]
        weights = (0.1, 0.7, 0.2)
        row = [(joint + 1, weight) for joint, weight in enumerate(weights)]
        x, y, _ = skinned([(1, 0, 0)], [row], moves).positions[0]
        half = [math.radians(angle) for angle in (0, 80, -30)]
        blended = math.atan2(
            sum(w * math.sin(a) for w, a in zip(weights, half, strict=True)),
            sum(w * math.cos(a) for w, a in zip(weights, half, strict=True)),
        )
        assert math.atan2(y, x) == pytest.approx(2 * blended, abs=1e-5)


class TestClosedForms:
    @property_test
    @given(seeds)
    def test_one_joint_moves_as_its_matrix_does(self, seed):
        rng = np.random.default_rng(seed)
        turn, rest = Turn(rng), Turn(rng).matrix
        mesh_to_root = random_transform(rng, 0.3, 3)
        points = rng.normal(size=(5, 3))
        result = skinned(points, [[(1, 1.0)]] * 5, [turn.matrix], rest=[rest], mesh_to_root=mesh_to_root)
        whole = mesh_to_root @ turn.matrix @ np.linalg.inv(mesh_to_root)
        expected = (np.c_[points.astype(np.float32), np.ones(5)] @ whole)[:, :3]
        np.testing.assert_allclose(result.positions, expected, atol=1e-5 * (1 + np.abs(expected).max()))

    @property_test
    @given(st.floats(-179, 179), st.floats(0.05, 0.95), st.floats(0, 360))
    def test_a_twisted_cylinder_keeps_its_radius_whatever_the_weights(self, twist, share, around):
        start = np.array([1, 0, 0, 1]) @ rotation(Y, around) @ translation(0, 2, 0)
        rows = [[(1, 1 - share), (2, share)]]
        x, y, z = skinned([start[:3]], rows, [np.eye(4), rotation(Y, twist)]).positions[0]
        assert math.hypot(x, z) == pytest.approx(1, abs=2e-6)
        assert y == pytest.approx(2, abs=2e-6)

    @property_test
    @given(seeds, st.floats(1, 170), st.floats(-4, 4))
    def test_half_of_a_screw_is_the_screw_of_half_the_angle_and_half_the_pitch(self, seed, angle, pitch):
        rng = np.random.default_rng(seed)
        axis, through = rng.normal(size=3), rng.uniform(-2, 2, 3)
        axis /= np.linalg.norm(axis)

        def screw(share):
            turned = rotation(axis, share * angle) @ translation(*(share * pitch * axis))
            return translation(*-through) @ turned @ translation(*through)

        point = rng.uniform(-2, 2, 3).astype(np.float32)
        result = skinned([point], [[(1, 0.5), (2, 0.5)]], [np.eye(4), screw(1)]).positions[0]
        expected = (np.append(point, 1) @ screw(0.5))[:3]
        np.testing.assert_allclose(result, expected, atol=1e-5)

    def test_a_normal_turns_half_way(self):
        moves = [np.eye(4), rotation(X, 90)]
        result = skinned([(0, 1, 0)], [[(1, 0.5), (2, 0.5)]], moves, [(0, 1, 0)])
        np.testing.assert_allclose(result.normals, [[0, math.sqrt(0.5), math.sqrt(0.5)]], atol=1e-6)

    def test_a_vertex_that_nothing_moves_stays(self):
        result = skinned([(1, 2, 3)], [[]], [translation(5, 0, 0)])
        np.testing.assert_array_equal(result.positions, [[1, 2, 3]])


class TestWhatIsRigid:
    @property_test
    @given(seeds)
    def test_scale_and_shear_along_the_bones_axes_are_dropped_and_its_head_stays(self, seed):
        rng = np.random.default_rng(seed)
        turn, rest = Turn(rng), Turn(rng).matrix
        stretch = rng.normal(size=(3, 3))
        deformed = np.eye(4)
        deformed[:3, :3] = stretch @ stretch.T + 0.1 * np.eye(3)
        # In the bone's own frame: the deformation, then the rest matrix and the turn.
        move = np.linalg.inv(rest) @ deformed @ rest @ turn.matrix
        point = rng.normal(size=3)
        [result] = skinned([point], [[(1, 1.0)]], [move], rest=[rest]).positions
        np.testing.assert_allclose(result, (np.append(point, 1) @ turn.matrix)[:3], atol=2e-5)
        [head] = skinned([rest[3, :3]], [[(1, 1.0)]], [move], rest=[rest]).positions
        np.testing.assert_allclose(head, (rest[3] @ move)[:3], atol=2e-5)

    def test_a_bone_mirrored_along_x_turns_as_if_it_were_not(self):
        move = scaling(-2, 1, 1) @ rotation(Z, 30)
        [result] = skinned([(1, 0, 0)], [[(1, 1.0)]], [move]).positions
        np.testing.assert_allclose(result, [math.cos(math.radians(30)), 0.5, 0], atol=1e-6)

    @pytest.mark.parametrize("flat", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1), (0, 0, 0), (-1, 0, 0)])
    def test_a_bone_scaled_to_nothing_still_is_a_rigid_motion(self, flat):
        move = scaling(*flat) @ rotation((1, 2, 3), 40) @ translation(1, 2, 3)
        corner = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=np.float32)
        result = skinned(corner, [[(1, 1.0)]] * 4, [move], np.tile(Z, (4, 1)))
        edges = result.positions[1:] - result.positions[0]
        np.testing.assert_allclose(edges @ edges.T, np.eye(3), atol=1e-5)
        assert np.linalg.det(edges.astype(np.float64)) == pytest.approx(1, abs=1e-5)
        np.testing.assert_allclose(result.positions[0], (1, 2, 3), atol=1e-5)
        assert np.isfinite(result.normals).all()

    def test_two_axes_are_enough_to_know_the_third(self):
        turned = rotation((1, 2, 3), 40)[:3, :3]
        np.testing.assert_allclose(
            nearest_rotations((scaling(1, 0, 2)[:3, :3] @ turned)[None]), [turned], atol=1e-9
        )

    def test_what_is_not_a_number_stays_with_its_own_bone(self):
        broken = np.full((4, 4), np.nan)
        points = np.array([(1, 2, 3), (4, 5, 6)], dtype=np.float32)
        result = skinned(points, [[(1, 1.0)], [(2, 1.0)]], [broken, translation(1, 0, 0)]).positions
        assert np.isnan(result[0]).all()
        np.testing.assert_allclose(result[1], (5, 5, 6), atol=1e-6)


@pytest.mark.parametrize("strength", [20, 90, 180])
def test_dense_blocks_and_slots_blend_alike_however_far_bones_turn(strength):
    rng = np.random.default_rng(strength)
    palette = palette_of([Turn(rng, math.radians(strength)).matrix for _ in range(12)])
    rows = [
        row[:count] for row, count in zip(random_rows(rng, 600, 12, 5), rng.integers(0, 6, 600), strict=True)
    ]
    positions = rng.normal(size=(600, 3)).astype(np.float32)
    normals = positions / np.linalg.norm(positions, axis=1, keepdims=True)
    blocks, slots = (PassLayout(skin_of(rows), positions) for _ in range(2))
    blocks.__dict__.update(dense=dense_blocks(blocks.skin, at_any_cost=True))
    slots.__dict__.update(dense=None)
    by_blocks = dual_quaternion_vertices(blocks, palette, positions, normals)
    by_slots = dual_quaternion_vertices(slots, palette, positions, normals)
    for ours, others in zip(by_blocks, by_slots, strict=True):
        assert np.quantile(np.abs(ours - others), 0.99) < 1e-5
    np.testing.assert_array_equal(dual_quaternion_positions(blocks, palette, positions), by_blocks[0])


class TestAskingForAnotherBlend:
    def binding(self, **fields):
        skeleton = skeleton_of([-1])
        one = Pass(skin_of([[(1, 1.0)]]), Joints.of_bones(skeleton, [0], np.eye(4)), "Armature")
        return Binding("Body", mesh_of([(0, 0, 0)]), {"Armature": skeleton}, (replace(one, **fields),))

    def test_every_pass_gets_it_and_the_binding_is_not_blenders_any_more(self):
        before = self.binding()
        after = with_blend(before, Blend.DUAL_QUATERNION)
        assert [one.blend for one in after.passes] == [Blend.DUAL_QUATERNION]
        assert after.passes[0].skin is before.passes[0].skin
        assert before.exact
        assert not after.exact
        assert [reason.message for reason in after.reasons] == [
            "'Body' is blended with dual quaternions here, which Blender's Armature modifier does not use."
        ]

    def test_the_blend_that_it_has_changes_nothing(self):
        before = self.binding(blend=Blend.VOLUME)
        assert with_blend(before, Blend.VOLUME) is before

    def test_a_part_that_a_bone_carries_along_has_nothing_to_blend(self):
        before = self.binding(rest_mesh_to_root=np.eye(4))
        assert with_blend(before, Blend.DUAL_QUATERNION) is before
