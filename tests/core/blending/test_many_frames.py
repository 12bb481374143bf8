"""Many frames skinned at once, against a textbook implementation and against one frame after the other."""

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SkinnedFrames, SoftwareSkinner
from skinning_addon.core.skinning.mesh import SourceMesh
from skinning_addon.core.skinning.normals import Normals
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from tests.core.builders import mesh_of, pass_of, random_palette, random_skin, skin_by_the_book, skin_of

FRAMES, JOINTS = 5, 9


def one_by_one(passes: tuple[Pass, ...], mesh: SourceMesh, palettes: list, rule: Normals) -> SkinnedFrames:
    skinned = [SoftwareSkinner(passes, mesh, rule).skin(one) for one in palettes]
    return SkinnedFrames(
        np.array([one.positions for one in skinned]), np.array([one.normals for one in skinned])
    )


@pytest.mark.parametrize("rule", list(Normals))
@pytest.mark.parametrize("vertices", [1, 7, 128, 129, 1000, 3000])
def test_frames_at_once_are_the_book_s_and_those_one_by_one_to_the_last_bit(vertices: int, rule: Normals):
    rng = np.random.default_rng(vertices)
    skin = random_skin(rng, rng.integers(0, 5, vertices).tolist(), joints=JOINTS)
    positions = rng.uniform(-1, 1, (vertices, 3)).astype(np.float32)
    passes, mesh = (pass_of(skin),), mesh_of(positions)
    palettes = [(random_palette(rng, JOINTS),) for _ in range(FRAMES)]
    found = SoftwareSkinner(passes, mesh, rule).skin_frames(palettes)
    for frame, (palette,) in enumerate(palettes):
        by_the_book = skin_by_the_book(skin, palette.final, positions)
        np.testing.assert_allclose(found.positions[frame], by_the_book, atol=1e-5)
    expected = one_by_one(passes, mesh, palettes, rule)
    np.testing.assert_array_equal(found.positions, expected.positions)
    np.testing.assert_array_equal(found.normals, expected.normals)


def test_without_normals_the_positions_are_the_same():
    rng = np.random.default_rng(0)
    skin = random_skin(rng, [3] * 200, joints=JOINTS)
    passes, mesh = (pass_of(skin),), mesh_of(rng.normal(size=(200, 3)).astype(np.float32))
    palettes = [(random_palette(rng, JOINTS),) for _ in range(FRAMES)]
    skinner = SoftwareSkinner(passes, mesh)
    alone = skinner.skin_frames(palettes, with_normals=False)
    np.testing.assert_array_equal(alone.positions, skinner.skin_frames(palettes).positions)
    assert not alone.normals.size


def test_a_frame_that_is_not_finite_leaves_the_others_alone():
    skin = skin_of([[(0, 1.0)], [(1, 1.0)]])
    mesh = mesh_of(np.float32([[1, 0, 0], [0, 1, 0]]))
    broken = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1))
    whole = broken.copy()
    broken[1, 3, 0] = np.inf
    skinner = SoftwareSkinner((pass_of(skin),), mesh)
    found = skinner.skin_frames([(Palette(whole),), (Palette(broken),)]).positions
    np.testing.assert_array_equal(found[0], mesh.positions)
    np.testing.assert_array_equal(found[1, 0], mesh.positions[0])
    assert np.isinf(found[1, 1, 0])
