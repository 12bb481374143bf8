"""Normals on the GPU: every policy does what it says, and none moves a vertex."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.blending.volume_palette import volume_palette
from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Blend, FollowingWeights, Pass, PassInput
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.skinning.skin import BoneSkin, Skin
from skinning_addon.core.surface.gradient_normals import gradient_normals
from skinning_addon.core.surface.weight_gradient import weight_gradient
from skinning_addon.core.text.errors import BindingError
from skinning_addon.drawing import normal_policy
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from tests.core.builders import rotation, scaling, translation
from tests.drawing.canvas import pixels_of
from tests.drawing.samples import palette_of, plain_joints, quad, random_palette, whole_pass

pytestmark = pytest.mark.gpu

CELLS = 24


def wavy_sheet():
    """A square sheet with hills, of CELLS x CELLS squares cut in two; normals are those of the formula."""
    across, along = np.meshgrid(np.linspace(-1, 1, CELLS + 1), np.linspace(-1, 1, CELLS + 1))
    x, y = across.ravel(), along.ravel()
    positions = np.stack((x, y, 0.2 * np.sin(3 * x) * np.cos(2 * y)), axis=1)
    normals = np.stack(
        (-0.6 * np.cos(3 * x) * np.cos(2 * y), 0.4 * np.sin(3 * x) * np.sin(2 * y), 0 * x + 1), axis=1
    )
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corner = (np.arange(CELLS)[:, None] * (CELLS + 1) + np.arange(CELLS)).ravel()
    quads = np.stack((corner, corner + 1, corner + CELLS + 2, corner + CELLS + 1), axis=1)
    triangles = np.concatenate((quads[:, (0, 1, 2)], quads[:, (0, 2, 3)]))
    return SourceMesh(positions, normals, np.empty((0, 2)), triangles)


def spread_pass(mesh, joints, each, seed=0):
    """Every vertex has `each` of `joints` bones, weighted smoothly by its place."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-1, 1, (joints, 2))
    distance = np.linalg.norm(mesh.positions[:, None, :2] - centres, axis=2)
    nearest = np.argsort(distance, axis=1)[:, :each]
    weights = np.exp(-2 * np.take_along_axis(distance, nearest, axis=1) ** 2)
    vertices = np.repeat(np.arange(mesh.vertex_count), each)
    skin = Skin.from_entries(vertices, nearest.ravel() + 1, weights.ravel(), mesh.vertex_count)
    return Pass(skin, plain_joints(joints + 1), "Armature")


def probe(one, mesh, palette, normals=None):
    skinner = GpuSkinner((one,), mesh, normals)
    try:
        return skinner.skin((palette,))
    finally:
        skinner.free()


@pytest.mark.parametrize("each", [2, 4, 8, 11])
@pytest.mark.parametrize("joints", [15, 400])
def test_the_weight_gradient_equals_the_processors(each, joints):
    mesh = wavy_sheet()
    one = spread_pass(mesh, joints, each)
    palette = random_palette(np.random.default_rng(each), joints + 1)
    gradient = weight_gradient((one,), mesh)
    expected = gradient_normals((one,), gradient, (palette,), mesh)
    normals = probe(one, mesh, palette).normals
    # Where a blend falls nearly flat, the normal hangs on the last digits of float32.
    nudged = Palette(palette.final * (1 + 1e-6 * np.random.default_rng(0).normal(size=palette.final.shape)))
    sensitivity = gradient_normals((one,), gradient, (nudged,), mesh) - expected
    defined = np.abs(sensitivity).max(axis=1) < 3e-5
    assert defined.mean() > 0.9
    assert np.abs(normals - expected)[defined].max() <= 1e-4


@pytest.mark.parametrize("policy", NormalPolicy)
@pytest.mark.parametrize("each", [2, 8, 11])
def test_no_policy_moves_a_vertex_by_a_bit(policy, each):
    mesh = wavy_sheet()
    one = spread_pass(mesh, 30, each)
    palette = random_palette(np.random.default_rng(each), 31)
    cofactor = probe(one, mesh, palette, NormalPolicy.COFACTOR)
    np.testing.assert_array_equal(probe(one, mesh, palette, policy).positions, cofactor.positions)


def test_the_blended_matrix_leans_the_wrong_way_under_uneven_scale():
    mesh = SourceMesh([(0, 0, 0)], [(np.sqrt(0.5), np.sqrt(0.5), 0)], np.empty((0, 2)), np.empty((0, 3)))
    palette = palette_of(scaling(2, 1, 1))
    blended = probe(whole_pass(1), mesh, palette, NormalPolicy.BLENDED).normals
    np.testing.assert_allclose(blended, [np.array((2, 1, 0)) / np.sqrt(5)], atol=1e-6)
    for policy in (NormalPolicy.COFACTOR, NormalPolicy.WEIGHT_GRADIENT):
        normals = probe(whole_pass(1), mesh, palette, policy).normals
        np.testing.assert_allclose(normals, [np.array((1, 2, 0)) / np.sqrt(5)], atol=1e-6)


def sheared_square():
    """A square whose right side has weight 1 and whose left has none: lifting the bone tilts it like a ramp."""
    mesh, _ = quad()
    right = mesh.positions[:, 0] > 0
    skin = Skin.from_entries(
        np.repeat(np.arange(4), 2), np.tile((1, 2), 4), np.stack((~right, right), 1).ravel(), 4
    )
    # Both joints at every vertex, as the gradient needs; the other's weight next to nothing.
    skin = replace(skin, weights=np.maximum(skin.weights, 1e-6))
    return mesh, Pass(skin, plain_joints(3), "Armature")


@pytest.mark.parametrize("rise", [-2.0, 0.5, 1.0])
def test_a_surface_that_only_weights_tilt_has_the_normal_of_the_ramp(rise):
    mesh, one = sheared_square()
    palette = Palette(np.stack((np.eye(4), np.eye(4), translation(0, 0, rise))))
    ramp = np.array((-rise, 0, 1)) / np.hypot(rise, 1)
    np.testing.assert_allclose(probe(one, mesh, palette).normals, np.tile(ramp, (4, 1)), atol=1e-5)
    upright = probe(one, mesh, palette, NormalPolicy.COFACTOR).normals
    np.testing.assert_allclose(upright, mesh.normals, atol=1e-6)


def test_custom_normals_of_corners_follow():
    # A custom normal perpendicular to the tangent (1, 0, c) stays perpendicular to the transformed tangent.
    rise = 1.0
    mesh, one = sheared_square()
    palette = Palette(np.stack((np.eye(4), np.eye(4), translation(0, 0, rise))))
    # The plane through (1, 0, 0.5) and (0, 1, 0) is taken to the one through (1, 0, 0.5 + rise) and (0, 1, 0).
    custom = np.tile(np.float32((-0.5, 0, 1)) / np.float32(np.hypot(0.5, 1)), (4, 1))
    expected = np.tile(np.float32((-1.5, 0, 1)) / np.float32(np.hypot(1.5, 1)), (4, 1))
    followed = SkinnedDrawing((one,), mesh, DrawMesh(np.arange(4), mesh.triangles, custom, np.zeros((4, 2))))
    followed.update((palette,))
    # The same shape without a bone, with the normals that are expected.
    still = SourceMesh(mesh.positions, expected, mesh.edges, mesh.triangles)
    known = SkinnedDrawing(
        (whole_pass(4),), still, DrawMesh(np.arange(4), mesh.triangles, expected, np.zeros((4, 2)))
    )
    known.update((palette_of(np.eye(4)),))
    np.testing.assert_allclose(
        pixels_of(followed)[32, 32].astype(int), pixels_of(known)[32, 32].astype(int), atol=1
    )


def test_a_mirroring_bone_turns_normals_as_it_turns_faces():
    mesh = wavy_sheet()
    one = spread_pass(mesh, 1, 1)
    turned = scaling(-1, 1, 1) @ rotation((1, 2, 3), 50)
    normals = probe(one, mesh, palette_of(turned)).normals
    np.testing.assert_allclose(normals, -(mesh.normals @ turned[:3, :3]), atol=1e-6)


def gentle_palette(one, rng):
    """Bones that turn by up to 40 degrees and scale a little, seen from an unevenly scaled mesh object."""
    moves = [np.eye(4)]
    for _ in range(len(one.joints) - 1):
        turned = rotation(rng.normal(size=3), rng.uniform(-40, 40))
        moves.append(scaling(*rng.uniform(0.8, 1.25, 3)) @ turned @ translation(*rng.uniform(-0.2, 0.2, 3)))
    space = scaling(1.5, 1, 0.7) @ rotation((1, 2, 3), 50) @ translation(0.3, 0.2, 0.1)
    back = np.linalg.inv(space)
    if one.blend is Blend.LINEAR:
        return Palette(np.array([np.eye(4), *(space @ move @ back for move in moves[1:])]))
    return volume_palette(one.joints, Pose(np.array(moves)), space, back)


CHAINS = {
    "masked": [{"masked": True}],
    "volume": [{"blend": Blend.VOLUME}],
    "volume, masked": [{"blend": Blend.VOLUME, "masked": True}],
    "two": [{}, {}],
    "a run": [{}, {"masked": True, "input": PassInput.RUN_START}],
    "all of it": [
        {"blend": Blend.VOLUME, "masked": True},
        {},
        {"masked": True, "blend": Blend.VOLUME, "input": PassInput.RUN_START},
    ],
}


@pytest.mark.parametrize("each", [3, 11])
@pytest.mark.parametrize("joints", [12, 300])
@pytest.mark.parametrize("chain", CHAINS)
def test_the_weight_gradient_of_a_chain_equals_the_processors(chain, joints, each):
    rng = np.random.default_rng(each)
    mesh = wavy_sheet()
    passes = []
    for fields in CHAINS[chain]:
        amount = rng.random(mesh.vertex_count) if fields.get("masked") else None
        others = {name: value for name, value in fields.items() if name != "masked"}
        passes.append(replace(spread_pass(mesh, joints, each, len(passes)), amount=amount, **others))
    palettes = [gentle_palette(one, rng) for one in passes]
    expected = gradient_normals(passes, weight_gradient(passes, mesh), palettes, mesh)
    skinner = GpuSkinner(passes, mesh)
    skinned = skinner.skin(palettes)
    skinner.free()
    np.testing.assert_allclose(skinned.normals, expected, atol=1e-4)
    positions = SoftwareSkinner(tuple(passes), mesh).skin(tuple(palettes)).positions
    np.testing.assert_allclose(skinned.positions, positions, atol=1e-5)


def test_what_the_gradient_is_not_made_for_says_why():
    mesh = wavy_sheet()
    one = spread_pass(mesh, 10, 3)
    rigid = replace(one, blend=Blend.DUAL_QUATERNION)
    follows = replace(
        one, following=FollowingWeights(BoneSkin([0] * (mesh.vertex_count + 1), [], []), by_envelopes=False)
    )
    for passes, words in (
        ((), "nothing deforms"),
        ((rigid,), "blended rotation"),
        ((one, follows), "follow the pose"),
    ):
        assert normal_policy.best_policy(passes) is NormalPolicy.COFACTOR
        assert words in str(normal_policy.reason_against_gradient(passes))
    with pytest.raises(BindingError, match="blended rotation"):
        GpuSkinner((rigid,), mesh, NormalPolicy.WEIGHT_GRADIENT)
