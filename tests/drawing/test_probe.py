"""The GPU skins by the formula, for any skin, and every vertex can be read back."""

from __future__ import annotations

import gpu
import numpy as np
import pytest

from skinning_addon.core.blending.dual_quaternion import dual_quaternion_palette
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.blending.volume_palette import volume_palette
from skinning_addon.core.skinning.mesh import SourceMesh
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Blend, Pass, PassInput
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.text.errors import BindingError
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from tests.core.builders import random_transforms, rotation, scaling, translation
from tests.drawing.samples import (
    EXACT,
    palette_of,
    plain_joints,
    random_mesh,
    random_palette,
    random_pass,
    skinned_in_float64,
    whole_pass,
)

pytestmark = pytest.mark.gpu


def probe(passes, mesh, palettes):
    """With normals as the CPU has them."""
    skinner = GpuSkinner(passes, mesh, NormalPolicy.COFACTOR)
    try:
        return skinner.skin(palettes)
    finally:
        skinner.free()


def assert_close(skinned, positions, normals):
    size = np.abs(positions).max()
    assert np.abs(skinned.positions - positions).max() <= EXACT * size
    assert np.abs(skinned.normals - normals).max() <= EXACT


@pytest.mark.parametrize(
    ("joint_count", "fewest", "most"),
    [(2, 1, 1), (60, 1, 4), (341, 1, 4), (341, 0, 8), (342, 1, 4), (60, 0, 20), (2000, 1, 20)],
)
def test_any_number_of_joints_and_influences(joint_count, fewest, most):
    rng = np.random.default_rng(joint_count + most)
    mesh = random_mesh(rng, 1500)
    one = random_pass(rng, 1500, joint_count, fewest, most)
    palette = random_palette(rng, joint_count)
    skinner = GpuSkinner((one,), mesh)
    assert skinner.technique == ("uniform buffer" if joint_count <= 341 else "float texture")
    skinned = skinner.skin((palette,))
    skinner.free()
    positions, normals = skinned_in_float64(one, palette, mesh.positions, mesh.normals)
    # A blend of opposite turns can fall nearly flat; its normal then hangs on the last digits of float32.
    solid = normal_is_defined(one, palette, mesh)
    assert solid.mean() > 0.9
    assert skinned.positions.dtype == skinned.normals.dtype == np.float32
    assert np.abs(skinned.positions - positions).max() <= EXACT * np.abs(positions).max()
    assert np.abs(skinned.normals - normals)[solid].max() <= EXACT


def normal_is_defined(one, palette, mesh):
    """Where a millionth more or less in the matrices moves the normal by less than EXACT / 2."""
    nudged = Palette(palette.final + 1e-6 * np.random.default_rng(0).normal(size=(4, 4)))
    _, normals = skinned_in_float64(one, palette, mesh.positions, mesh.normals)
    _, others = skinned_in_float64(one, nudged, mesh.positions, mesh.normals)
    return np.abs(normals - others).max(axis=1) < EXACT / 2


def test_unmoved_vertices_stay_bit_for_bit():
    rng = np.random.default_rng(1)
    mesh = random_mesh(rng, 40)
    one = random_pass(rng, 40, 5, fewest=0, most=0)
    skinned = probe((one,), mesh, (random_palette(rng, 5),))
    np.testing.assert_array_equal(skinned.positions, mesh.positions)
    assert np.abs(skinned.normals - mesh.normals).max() < 1e-6


def test_a_mesh_that_nothing_deforms():
    mesh = random_mesh(np.random.default_rng(2), 10)
    np.testing.assert_array_equal(probe((), mesh, ()).positions, mesh.positions)


@pytest.mark.parametrize("vertex_count", [0, 1, 1023, 1024, 1025])
def test_every_vertex_has_its_pixel(vertex_count):
    rng = np.random.default_rng(3)
    mesh = random_mesh(rng, vertex_count)
    skinned = probe((whole_pass(vertex_count),), mesh, (palette_of(translation(1, 2, 3)),))
    assert skinned.positions.shape == skinned.normals.shape == (vertex_count, 3)
    np.testing.assert_allclose(skinned.positions, mesh.positions + np.float32((1, 2, 3)), atol=1e-6)


def test_normals_under_uneven_scale_stay_at_right_angles_to_the_surface():
    mesh = SourceMesh([(0, 0, 0)], [(np.sqrt(0.5), np.sqrt(0.5), 0)], np.empty((0, 2)), np.empty((0, 3)))
    skinned = probe((whole_pass(1),), mesh, (palette_of(scaling(2, 1, 1)),))
    # The tangent (1, -1, 0) becomes (2, -1, 0).
    np.testing.assert_allclose(skinned.normals, [np.array((1, 2, 0)) / np.sqrt(5)], atol=1e-6)


def test_a_mirroring_bone_turns_normals_as_it_turns_faces():
    mesh = SourceMesh([(0, 0, 1)], [(0, 0, 1)], np.empty((0, 2)), np.empty((0, 3)))
    skinned = probe((whole_pass(1),), mesh, (palette_of(scaling(-1, 1, 1)),))
    np.testing.assert_allclose(skinned.normals, [(0, 0, -1)], atol=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_normals_survive_bones_of_any_size(scale):
    mesh = random_mesh(np.random.default_rng(4), 20)
    skinned = probe((whole_pass(20),), mesh, (palette_of(scaling(scale, scale, scale)),))
    assert np.abs(skinned.normals - mesh.normals).max() < 1e-6


def test_a_bone_scaled_to_zero_leaves_finite_numbers():
    mesh = random_mesh(np.random.default_rng(5), 20)
    skinned = probe((whole_pass(20),), mesh, (palette_of(scaling(0, 0, 0)),))
    np.testing.assert_array_equal(skinned.positions, np.zeros((20, 3)))
    np.testing.assert_array_equal(skinned.normals, mesh.normals)


def test_mirrored_and_unevenly_scaled_bones():
    rng = np.random.default_rng(6)
    mesh = random_mesh(rng, 500)
    one = random_pass(rng, 500, 30, most=1)
    palette = random_palette(rng, 30, mirrored_share=0.5)
    assert_close(
        probe((one,), mesh, (palette,)), *skinned_in_float64(one, palette, mesh.positions, mesh.normals)
    )


def test_passes_chain_with_amounts():
    rng = np.random.default_rng(7)
    mesh = random_mesh(rng, 700)
    amount = rng.random(700).astype(np.float32)
    passes = (random_pass(rng, 700, 20, most=1), random_pass(rng, 700, 400, most=1, amount=amount))
    palettes = (random_palette(rng, 20), random_palette(rng, 400))
    first, first_normals = skinned_in_float64(passes[0], palettes[0], mesh.positions, mesh.normals)
    second, _ = skinned_in_float64(passes[1], palettes[1], first, first_normals)
    expected = first + amount[:, None] * (second - first)
    skinned = probe(passes, mesh, palettes)
    assert np.abs(skinned.positions - expected).max() <= EXACT * np.abs(expected).max()


def test_a_run_starts_every_pass_from_the_same_positions():
    rng = np.random.default_rng(8)
    mesh = random_mesh(rng, 300)
    amount = np.full(300, 0.5, dtype=np.float32)
    passes = (
        random_pass(rng, 300, 10, most=1),
        random_pass(rng, 300, 12, most=1),
        random_pass(rng, 300, 14, most=1, input=PassInput.RUN_START, amount=amount),
    )
    palettes = tuple(random_palette(rng, count) for count in (10, 12, 14))
    before, before_normals = skinned_in_float64(passes[0], palettes[0], mesh.positions, mesh.normals)
    one, _ = skinned_in_float64(passes[1], palettes[1], before, before_normals)
    other, _ = skinned_in_float64(passes[2], palettes[2], before, before_normals)
    skinned = probe(passes, mesh, palettes)
    assert np.abs(skinned.positions - (one + other) / 2).max() <= EXACT * np.abs(one).max()


@pytest.mark.parametrize("joint_count", [30, 253, 254])
@pytest.mark.parametrize("most", [4, 8, 12])
def test_volume_equals_the_processors(joint_count, most):
    rng = np.random.default_rng(joint_count + most)
    mesh = random_mesh(rng, 500)
    one = random_pass(rng, 500, joint_count, most=most, blend=Blend.VOLUME)
    mesh_to_root = scaling(1.5, 1.5, 1.5) @ rotation((1, 2, 3), 40) @ translation(1, 0, 2)
    pose = Pose(random_transforms(rng, joint_count))
    palette = volume_palette(one.joints, pose, mesh_to_root, np.linalg.inv(mesh_to_root))
    expected = SoftwareSkinner((one,), mesh).skin((palette,))
    assert_close(probe((one,), mesh, (palette,)), expected.positions, expected.normals)


@pytest.mark.parametrize("joint_count", [30, 507, 508])
@pytest.mark.parametrize("most", [4, 8, 12])
def test_dual_quaternions_equal_the_processors(joint_count, most):
    rng = np.random.default_rng(joint_count + most)
    mesh = random_mesh(rng, 500)
    one = random_pass(rng, 500, joint_count, most=most, blend=Blend.DUAL_QUATERNION)
    mesh_to_root = scaling(1.5, 1.2, 0.8) @ rotation((1, 2, 3), 40) @ translation(1, 0, 2)
    pose = Pose([rotation(rng.normal(size=3), rng.uniform(-60, 60)) for _ in range(joint_count)])
    palette = dual_quaternion_palette(one.joints, pose, mesh_to_root, np.linalg.inv(mesh_to_root))
    expected = SoftwareSkinner((one,), mesh).skin((palette,))
    skinner = GpuSkinner((one,), mesh)
    # 1023 rows: two matrices in two entries each, then two rows a joint.
    assert skinner.technique == ("uniform buffer" if joint_count <= 507 else "float texture")
    skinned = skinner.skin((palette,))
    skinner.free()
    assert np.abs(skinned.positions - expected.positions).max() <= 1e-6 * np.abs(expected.positions).max()
    assert np.abs(skinned.normals - expected.normals).max() <= 1e-6


def test_dual_quaternions_are_added_on_the_side_of_the_first_influence():
    """Turns by 0, 160 and 300 degrees: against the sum so far, or the last one, another side would be
    chosen.
    """
    turns = [rotation((0, 0, 1), angle) for angle in (0, 0, 160, 300)]
    skin = Skin([0, 3], [1, 2, 3], [0.1, 0.7, 0.2])
    one = Pass(skin, plain_joints(4), "Armature", blend=Blend.DUAL_QUATERNION)
    mesh = SourceMesh([(1, 0, 0)], [(1, 0, 0)], np.empty((0, 2)), np.empty((0, 3)))
    palette = dual_quaternion_palette(one.joints, Pose(turns), np.eye(4), np.eye(4))
    half = np.radians([0, 80, -30])
    angle = 2 * np.arctan2(np.sin(half) @ skin.weights, np.cos(half) @ skin.weights)
    expected = [(np.cos(angle), np.sin(angle), 0)]
    np.testing.assert_allclose(probe((one,), mesh, (palette,)).positions, expected, atol=1e-6)  # pyright: ignore[reportCallIssue]


def test_blends_may_change_within_a_chain():
    rng = np.random.default_rng(9)
    mesh = random_mesh(rng, 500)
    passes = (
        random_pass(rng, 500, 20),
        random_pass(rng, 500, 30, blend=Blend.VOLUME, amount=rng.random(500)),
        random_pass(rng, 500, 25, blend=Blend.DUAL_QUATERNION),
        random_pass(rng, 500, 10, most=1),
    )
    volume = volume_palette(plain_joints(30), Pose(random_transforms(rng, 30)), np.eye(4), np.eye(4))
    rigid = dual_quaternion_palette(plain_joints(25), Pose(random_transforms(rng, 25)), np.eye(4), np.eye(4))
    palettes = (random_palette(rng, 20), volume, rigid, random_palette(rng, 10))
    expected = SoftwareSkinner(passes, mesh).skin(palettes).positions
    assert np.abs(probe(passes, mesh, palettes).positions - expected).max() <= EXACT * np.abs(expected).max()


def test_volume_turns_normals_rightly_between_unevenly_scaled_spaces():
    # The tangent (1, -1, 0) of the surface is carried like a position, and its normal must stay at right angles
    # to it.
    normal = np.sqrt([0.5, 0.5, 0])
    mesh = SourceMesh([(0, 0, 0), (1, -1, 0)], [normal, normal], np.empty((0, 2)), np.empty((0, 3)))
    one = whole_pass(2)
    mesh_to_root = scaling(3, 1, 1)
    pose = Pose(np.stack((np.eye(4), rotation((0, 0, 1), 35))))
    palette = volume_palette(one.joints, pose, mesh_to_root, np.linalg.inv(mesh_to_root))
    volume = random_pass(np.random.default_rng(0), 2, 2, blend=Blend.VOLUME, skin=one.skin)
    skinned = probe((volume,), mesh, (palette,))
    tangent = skinned.positions[1] - skinned.positions[0]
    assert abs(tangent @ skinned.normals[0]) < 1e-6


def test_a_second_frame_replaces_the_first():
    mesh = random_mesh(np.random.default_rng(10), 50)
    skinner = GpuSkinner((whole_pass(50),), mesh)
    skinner.skin((palette_of(translation(5, 0, 0)),))
    again = skinner.skin((palette_of(translation(0, 7, 0)),))
    np.testing.assert_allclose(again.positions, mesh.positions + np.float32((0, 7, 0)), atol=1e-6)
    skinner.free()


def test_results_of_two_frames_are_two_arrays():
    mesh = random_mesh(np.random.default_rng(11), 50)
    skinner = GpuSkinner((whole_pass(50),), mesh)
    first = skinner.skin((palette_of(np.eye(4)),))
    kept = first.positions.copy()
    skinner.skin((palette_of(translation(0, 7, 0)),))
    np.testing.assert_array_equal(first.positions, kept)
    skinner.free()


def test_more_passes_than_the_shader_can_tell_apart_are_refused():
    rng = np.random.default_rng(12)
    with pytest.raises(BindingError, match="33 armature passes"):
        GpuSkinner(tuple(random_pass(rng, 3, 2) for _ in range(33)), random_mesh(rng, 3))


def test_a_missing_palette_is_refused():
    skinner = GpuSkinner((whole_pass(3),), random_mesh(np.random.default_rng(13), 3))
    with pytest.raises(ValueError, match="0 palettes for 1 passes"):
        skinner.skin(())
    skinner.free()


def test_state_and_framebuffer_are_left_as_they_were():
    mesh = random_mesh(np.random.default_rng(14), 50)
    skinner = GpuSkinner((whole_pass(50),), mesh)
    color = gpu.types.GPUTexture((64, 32), format="RGBA8")
    framebuffer = gpu.types.GPUFrameBuffer(color_slots=color)
    with framebuffer.bind():
        framebuffer.clear(color=(0.0, 1.0, 0.0, 1.0))
        gpu.state.viewport_set(3, 4, 20, 10)
        gpu.state.scissor_set(5, 6, 7, 8)
        gpu.state.depth_test_set("GREATER")
        gpu.state.depth_mask_set(False)
        gpu.state.blend_set("ADDITIVE")
        skinner.skin((palette_of(np.eye(4)),))
        assert gpu.state.depth_test_get() == "GREATER"
        assert not gpu.state.depth_mask_get()
        assert gpu.state.blend_get() == "ADDITIVE"
        assert tuple(gpu.state.viewport_get()) == (3, 4, 20, 10)
        assert tuple(gpu.state.scissor_get()) == (5, 6, 7, 8)
        pixels = framebuffer.read_color(0, 0, 64, 32, 4, 0, "UBYTE")
        gpu.state.depth_test_set("NONE")
        gpu.state.depth_mask_set(True)
        gpu.state.blend_set("NONE")
    pixels.dimensions = 64 * 32 * 4
    assert (np.frombuffer(pixels, dtype=np.uint8).reshape(-1, 4) == (0, 255, 0, 255)).all()  # pyright: ignore[reportCallIssue]
    skinner.free()
