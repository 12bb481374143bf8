"""Normals with the weight gradient on surfaces with a known posed shape; tests/scene/binding/test_normals.py
compares with Blender.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.blending.dual_quaternion import dual_quaternion_palette
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.blending.volume_palette import volume_palette
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Blend, Pass, PassInput
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.surface import surface_derivative as module
from skinning_addon.core.surface.gradient_normals import gradient_normals
from skinning_addon.core.surface.surface_derivative import SurfaceDerivative
from skinning_addon.core.surface.weight_gradient import weight_gradient
from tests.core.builders import (
    X,
    Y,
    grid,
    mesh_of,
    property_test,
    random_transform,
    random_transforms,
    rotation,
    rows_of,
    scaling,
    seeds,
    skeleton_of,
    skin_of,
    translation,
)

COLUMNS, ROWS = 8, 6


def palette_of(*matrices):
    return Palette(np.array([np.eye(4), *matrices]))


def sheet(spacing=1.0):
    return mesh_of(*grid(COLUMNS, ROWS, spacing))


def faded_skin(mesh):
    """From bone 1 at x = 0 to bone 2 at the other side, evenly."""
    share = mesh.positions[:, 0] / mesh.positions[:, 0].max()
    return skin_of([[(1, 1 - s), (2, s)] for s in share.tolist()]).normalised()


def inside(mesh):
    """Vertices that have both bones."""
    return (mesh.positions[:, 0] > 0) & (mesh.positions[:, 0] < mesh.positions[:, 0].max())


def pass_of(skin, **fields):
    bones = int(skin.joints.max(initial=0))
    return Pass(
        skin, Joints.of_bones(skeleton_of([-1] * bones), range(bones), np.eye(4)), "Armature", **fields
    )


def derivative_of(skin, mesh):
    return SurfaceDerivative(mesh).of_weights(skin)


def normals_of(mesh, skin, palette):
    passes = (pass_of(skin),)
    return gradient_normals(passes, weight_gradient(passes, mesh), (palette,), mesh)


class TestGradient:
    @pytest.mark.parametrize("spacing", [1.0, 0.01, 100.0])
    def test_weights_that_change_evenly_have_that_slope_everywhere(self, spacing):
        mesh = sheet(spacing)
        skin = faded_skin(mesh)
        surface, derivative = SurfaceDerivative(mesh), derivative_of(skin, mesh)
        both = inside(mesh)[skin.vertex_of_influence]
        slope = np.einsum("na,nac->nc", derivative[both], surface.tangents[skin.vertex_of_influence[both]])
        expected = np.where(skin.joints[both] == 2, 1, -1) / (COLUMNS * spacing)
        np.testing.assert_allclose(slope[:, 0], expected, rtol=1e-5)
        np.testing.assert_allclose(slope[:, 1:], 0, atol=1e-6 / spacing)

    @property_test
    @given(seeds)
    def test_tangents_span_the_plane_below_the_normal(self, seed):
        rng = np.random.default_rng(seed)
        positions, triangles = grid(3, 3)
        normals = rng.normal(size=(len(positions), 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        mesh = mesh_of(positions, triangles, normals)
        tangents = SurfaceDerivative(mesh).tangents
        np.testing.assert_allclose(np.cross(tangents[:, 0], tangents[:, 1]), normals, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(tangents, axis=2), 1, atol=1e-6)

    @property_test
    @given(seeds)
    def test_what_one_joint_gains_others_lose(self, seed):
        """Nothing can be known of joints that a vertex lacks; the rest still adds up to nothing."""
        rng = np.random.default_rng(seed)
        mesh = sheet()
        rows = [
            [(int(j), float(w)) for j, w in zip(rng.permutation(6)[:n], rng.uniform(0.1, 1, n), strict=True)]
            for n in rng.integers(0, 5, mesh.vertex_count)
        ]
        skin = skin_of(rows).normalised()
        derivative = derivative_of(skin, mesh)
        for axis in range(2):
            sums = np.bincount(skin.vertex_of_influence, derivative[:, axis], minlength=mesh.vertex_count)
            np.testing.assert_allclose(sums, 0, atol=1e-6)

    def test_it_is_a_matter_of_the_surface_and_not_of_how_it_is_cut_into_triangles(self):
        mesh = sheet()
        skin = faded_skin(mesh)
        other_way = mesh.triangles.reshape(-1, 2, 3)
        a, b, c, d = other_way[:, 0, 0], other_way[:, 0, 1], other_way[:, 0, 2], other_way[:, 1, 2]
        turned = np.concatenate((np.stack((a, b, d), axis=1), np.stack((b, c, d), axis=1)))
        np.testing.assert_allclose(
            derivative_of(skin, mesh_of(mesh.positions, turned)),
            derivative_of(skin, mesh),
            atol=1e-6,
        )

    @pytest.mark.parametrize("block", [1, 5, 64])
    def test_the_size_of_a_block_changes_nothing(self, block, monkeypatch):
        mesh = sheet()
        skin = faded_skin(mesh)
        whole = derivative_of(skin, mesh)
        monkeypatch.setattr(module, "CORNERS_AT_ONCE", block)
        np.testing.assert_allclose(derivative_of(skin, mesh), whole, atol=1e-7)

    def test_loose_vertices_and_faces_without_area_have_none_and_break_nothing(self):
        positions, triangles = grid(2, 2)
        mesh = mesh_of([*positions, (9, 9, 9)], [*triangles, (0, 0, 1), (0, 1, 2)])
        skin = skin_of([[(1, 0.5), (2, 0.5)]] * mesh.vertex_count).normalised()
        derivative = derivative_of(skin, mesh)
        assert np.isfinite(derivative).all()
        assert not derivative[-2:].any()

    def test_a_vertex_without_a_normal_has_some_tangents(self):
        mesh = mesh_of([(0, 0, 0)], normals=[(0, 0, 0)])
        skin = skin_of([[(1, 1.0)]])
        assert np.isfinite(SurfaceDerivative(mesh).tangents).all()
        np.testing.assert_array_equal(normals_of(mesh, skin, palette_of(rotation(X, 20))), [[0, 0, 0]])

    def test_a_mesh_of_no_vertices(self):
        mesh, skin = mesh_of([]), skin_of([])
        assert SurfaceDerivative(mesh).tangents.shape == (0, 2, 3)
        assert normals_of(mesh, skin, palette_of()).shape == (0, 3)


class TestNormals:
    @property_test
    @given(st.floats(-20, 20))
    def test_a_sheet_lifted_at_one_side_becomes_a_ramp(self, height):
        """Bones 1 and 2 do not turn at all, so the textbook's normals would stay upright."""
        mesh = sheet()
        normals = normals_of(mesh, faded_skin(mesh), palette_of(np.eye(4), translation(0, 0, height)))
        slope = height / COLUMNS
        expected = np.array([-slope, 0, 1]) / math.hypot(slope, 1)
        np.testing.assert_allclose(normals[inside(mesh)], [expected] * inside(mesh).sum(), atol=1e-5)

    @property_test
    @given(st.floats(-80, 80))
    def test_a_sheet_twisted_at_one_side_has_the_normals_of_its_closed_form(self, twist):
        """Linear blending makes (x, c y, s y) of (x, y, 0), c and s depending on x: their derivatives span the
        surface.
        """
        mesh = sheet()
        normals = normals_of(mesh, faded_skin(mesh), palette_of(np.eye(4), rotation(X, twist)))
        x, y, _ = mesh.positions[inside(mesh)].astype(np.float64).T
        share, angle = x / COLUMNS, math.radians(twist)
        along_y = np.stack((0 * x, 1 - share + share * math.cos(angle), share * math.sin(angle)), axis=1)
        along_x = np.stack(
            (1 + 0 * x, (math.cos(angle) - 1) * y / COLUMNS, math.sin(angle) * y / COLUMNS), axis=1
        )
        expected = np.cross(along_x, along_y)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        np.testing.assert_allclose(normals[inside(mesh)], expected, atol=1e-5)

    @property_test
    @given(seeds)
    def test_where_all_bones_move_as_one_normals_turn_by_the_cofactors(self, seed):
        rng = np.random.default_rng(seed)
        matrix = random_transform(rng)
        mesh = sheet()
        normals = normals_of(mesh, faded_skin(mesh), palette_of(matrix, matrix))
        turned = np.linalg.det(matrix[:3, :3]) * np.linalg.inv(matrix[:3, :3])[:, 2]
        np.testing.assert_allclose(normals, [turned / np.linalg.norm(turned)] * mesh.vertex_count, atol=2e-5)

    def test_in_the_rest_pose_normals_are_those_of_the_mesh_custom_ones_too(self):
        positions, triangles = grid(COLUMNS, ROWS)
        custom = np.random.default_rng(2).normal(size=(len(positions), 3))
        custom /= np.linalg.norm(custom, axis=1, keepdims=True)
        mesh = mesh_of(positions, triangles, custom)
        normals = normals_of(mesh, faded_skin(mesh), palette_of(np.eye(4), np.eye(4)))
        np.testing.assert_allclose(normals, custom, atol=1e-6)

    @property_test
    @given(seeds)
    def test_they_do_not_depend_on_where_the_character_stands(self, seed):
        rng = np.random.default_rng(seed)
        mesh = sheet()
        skin = faded_skin(mesh)
        moves = [one @ translation(0, 0, 1) for one in random_transforms(rng, 2, distance=1)]
        here = normals_of(mesh, skin, palette_of(*moves))
        there = normals_of(mesh, skin, palette_of(*(move @ translation(100, -50, 20) for move in moves)))
        assert np.median(np.abs(here - there)) < 1e-5

    def test_a_mirrored_sheet_faces_the_way_its_triangles_wind(self):
        mesh = sheet()
        mirrored = normals_of(mesh, faded_skin(mesh), palette_of(scaling(-1, 1, 1), scaling(-1, 1, 1)))
        np.testing.assert_allclose(mirrored, [[0, 0, -1]] * mesh.vertex_count, atol=1e-6)

    def test_a_vertex_that_one_bone_alone_moves_follows_it(self):
        mesh = sheet()
        skin = faded_skin(mesh)
        alone = np.array([len(row) == 1 for row in rows_of(skin)])
        normals = normals_of(mesh, skin, palette_of(rotation(Y, 30), rotation(Y, 30)))
        assert alone.any()
        np.testing.assert_allclose(normals[alone], [[0.5, 0, math.sqrt(0.75)]] * alone.sum(), atol=1e-6)


SIDE = 48


def wavy_sheet():
    """A sheet of SIDE x SIDE cells with hills, of size 1 x 1 or so; normals are those of its faces."""
    positions, triangles = grid(SIDE, SIDE, 1 / SIDE)
    x, y, _ = np.array(positions).T
    positions = np.stack((x, y, 0.1 * np.sin(5 * x) * np.cos(4 * y)), axis=1)
    return mesh_of(positions, triangles, normals_of_faces(positions, mesh_of(positions, triangles).triangles))


def normals_of_faces(positions, triangles):
    """Averages by the angles of the triangles around each vertex, written out."""
    corners = np.asarray(positions, dtype=np.float64)[triangles]
    normals = np.zeros((len(positions), 3))
    for turn in range(3):
        at, after, before = (corners[:, (turn + step) % 3] for step in range(3))
        one, other = after - at, before - at
        across = np.cross(one, other)
        size = np.linalg.norm(across, axis=1)
        angle = np.arctan2(size, np.einsum("tc,tc->t", one, other))
        np.add.at(normals, triangles[:, turn], across / size[:, None] * angle[:, None])
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def smooth_pass(mesh, rng, bones=3, **fields):
    """Every vertex has all bones, weighted smoothly by its place."""
    centres = rng.uniform(0, 1, (bones, 2))
    distance = np.linalg.norm(mesh.positions[:, None, :2] - centres, axis=2)
    weights = np.exp(-2 * distance**2)
    return pass_of(skin_of([list(enumerate(row, 1)) for row in weights.tolist()]), **fields)


def gentle_palette(one, rng):
    """Bones that turn by up to 40 degrees, move and scale a little; the mesh object is scaled unevenly."""
    moves = [np.eye(4)] + [
        random_transform(rng, 0.8, 1.25, distance=0.2) @ translation(0, 0, 0.1)
        for _ in range(len(one.joints) - 1)
    ]
    for move in moves[1:]:
        turned = rotation(rng.normal(size=3), rng.uniform(-40, 40))
        move[:3, :3] = scaling(*rng.uniform(0.8, 1.25, 3))[:3, :3] @ turned[:3, :3]
    space = scaling(1.5, 1, 0.7) @ rotation((1, 2, 3), 50) @ translation(0.3, 0.2, 0.1)
    back = np.linalg.inv(space)
    if one.blend is Blend.LINEAR:
        return Palette(np.array([np.eye(4), *(space @ move @ back for move in moves[1:])]))
    make = volume_palette if one.blend is Blend.VOLUME else dual_quaternion_palette
    return make(one.joints, Pose(np.array(moves)), space, back)


RUN = {"input": PassInput.RUN_START}
CHAINS = {
    "linear": [{}],
    "linear, masked": [{"masked": True}],
    "volume": [{"blend": Blend.VOLUME}],
    "dual quaternions": [{"blend": Blend.DUAL_QUATERNION}],
    "volume, masked": [{"blend": Blend.VOLUME, "masked": True}],
    "two in sequence": [{}, {}],
    "volume after a mask": [{"masked": True}, {"blend": Blend.VOLUME}],
    "a run": [{}, {"masked": True, **RUN}, {"masked": True, "blend": Blend.VOLUME, **RUN}],
    "all of it": [
        {"blend": Blend.VOLUME, "masked": True},
        {"blend": Blend.DUAL_QUATERNION},
        {"masked": True, **RUN},
    ],
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("chain", CHAINS)
def test_any_chain_of_passes_has_the_normals_of_its_posed_faces(chain, seed):
    rng = np.random.default_rng(seed)
    mesh = wavy_sheet()
    x, y, _ = mesh.positions.T
    passes = tuple(
        smooth_pass(
            mesh,
            rng,
            amount=0.5 + 0.5 * np.sin(3 * x + 2 * y + index) if fields.get("masked") else None,
            **{name: value for name, value in fields.items() if name != "masked"},
        )
        for index, fields in enumerate(CHAINS[chain])
    )
    palettes = tuple(gentle_palette(one, rng) for one in passes)
    normals = gradient_normals(passes, weight_gradient(passes, mesh), palettes, mesh)
    skinned = SoftwareSkinner(passes, mesh).skin(palettes)
    truth = normals_of_faces(skinned.positions, mesh.triangles)
    inner = (np.minimum(x, y) > 1.5 / SIDE) & (np.maximum(x, y) < 1 - 1.5 / SIDE)
    assert mean_angle(normals, truth, inner) < 0.1
    assert mean_angle(skinned.normals, truth, inner) > 10 * mean_angle(normals, truth, inner)


def mean_angle(one, other, where):
    across = np.linalg.norm(np.cross(one, other), axis=1)
    return np.degrees(np.arctan2(across, np.einsum("vc,vc->v", one, other)))[where].mean()
