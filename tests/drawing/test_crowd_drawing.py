"""A crowd drawn at once is what its members are one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.blending.blend_palette import AnyPalette
from skinning_addon.core.skinning.passes import Blend
from skinning_addon.core.text.errors import BindingError, DeviceError
from skinning_addon.drawing.crowd_drawing import CrowdDrawing
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.instance_palette import INSTANCE_TEXTURE_WIDTH, InstancePalette
from skinning_addon.drawing.materials import MaterialLook
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.drawing.shader_source import SHADER_FOLDER
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from skinning_addon.drawing.storage import Storage
from tests.core.builders import rotation, translation
from tests.drawing.canvas import block, canvas, draw_into, painted
from tests.drawing.samples import (
    EXACT,
    palette_of,
    quad,
    random_mesh,
    random_palette,
    random_pass,
    skinned_in_float64,
    whole_pass,
)

pytestmark = pytest.mark.gpu

PLACES = (translation(-1, -1, 0), rotation((0, 0, 1), 45) @ translation(1, 0.5, 0), translation(0.2, 1.2, -2))


def crowd_of_squares(**settings: object) -> CrowdDrawing:
    mesh, drawn = quad(0.8)
    drawing = CrowdDrawing((whole_pass(4),), mesh, replace(drawn, **settings))
    drawing.update(np.stack([palette_of(one).final for one in PLACES]))
    return drawing


def test_all_are_drawn_as_one_by_one():
    with canvas() as together, canvas() as alone:
        draw_into(together, crowd_of_squares())
        for one in PLACES:
            mesh, drawn = quad(0.8)
            single = SkinnedDrawing((whole_pass(4),), mesh, drawn)
            single.update((palette_of(one),))
            draw_into(alone, single)
        np.testing.assert_array_equal(together.pixels(), alone.pixels())
        assert len(np.unique(alone.pixels().reshape(-1, 4), axis=0)) > 1


def test_a_crowd_that_shrinks_and_grows_leaves_nobody_behind():
    drawing = crowd_of_squares()
    for places in (PLACES[:1], PLACES, PLACES[:0]):
        drawing.update(np.array([palette_of(one).final for one in places]).reshape(-1, 2, 4, 4))
        with canvas() as picture:
            draw_into(picture, drawing)
            assert painted(picture.pixels()).any() == bool(places)
    drawing.update(palette_of(translation(1, 0, 0)).final[None])
    with canvas() as picture:
        draw_into(picture, drawing)
        np.testing.assert_array_equal(painted(picture.pixels()), block(0.6, -0.4, 1.4, 0.4))


def test_the_crowds_own_place_carries_it_further():
    drawing = crowd_of_squares()
    drawing.update(palette_of(translation(1, 0, 0)).final[None])
    with canvas() as picture:
        draw_into(picture, drawing, mesh_to_world=translation(-1, 1, 0))
        np.testing.assert_array_equal(painted(picture.pixels()), block(-0.4, 0.6, 0.4, 1.4))


def test_each_material_has_its_colour_on_everybody():
    drawing = crowd_of_squares(material=np.array((1, 0)))
    drawing.set_materials([MaterialLook((1.0, 0.0, 0.0)), MaterialLook((0.0, 1.0, 0.0))])
    with canvas() as picture:
        draw_into(picture, drawing, "base_color")
        pixels = picture.pixels()
    red = (pixels[..., 0] > 100) & (pixels[..., 1] < 50)
    green = (pixels[..., 1] > 100) & (pixels[..., 0] < 50)
    # Three squares of 0.64 square units, 256 pixels each, half of each colour.
    for color in (red, green):
        assert color.sum() == pytest.approx(3 * 0.64 * 256 / 2, rel=0.1)


TINTS = np.array(((1.0, 0.2, 0.1), (0.3, 0.9, 1.0), (0.5, 0.5, 0.5)))


@pytest.mark.parametrize("display", ["shaded", "base_color"])
def test_each_ones_tint_multiplies_its_colour(display: str):
    """As if each were drawn alone in the product."""
    tinted = crowd_of_squares()
    tinted.update(np.stack([palette_of(one).final for one in PLACES]), TINTS)
    base = np.array((0.8, 0.6, 0.4))
    tinted.set_materials([MaterialLook((0.8, 0.6, 0.4))])
    with canvas() as together, canvas() as alone:
        draw_into(together, tinted, display, settings=DisplaySettings(base_color=tuple(base.tolist())))
        for one, tint in zip(PLACES, TINTS, strict=True):
            mesh, drawn = quad(0.8)
            single = SkinnedDrawing((whole_pass(4),), mesh, drawn)
            single.set_materials([MaterialLook(tuple((base * tint).tolist()))])
            single.update((palette_of(one),))
            own = DisplaySettings(base_color=tuple((base * tint).tolist()))
            draw_into(alone, single, display, settings=own)
        apart = together.pixels().astype(int) - alone.pixels()
        assert np.abs(apart).max() <= 1
        # The background and three colours.
        assert len(np.unique(alone.pixels().reshape(-1, 4), axis=0)) >= 4


class _OneOfAll(InstancePalette):
    """A probe's palette: poses come from elsewhere."""

    def upload(self, palettes: Sequence[AnyPalette]) -> None:
        pass


@pytest.mark.parametrize("most", [4, 8, 11], ids="{} influences".format)
def test_everyone_read_back_is_as_the_formula_says(most: int):
    """In float64, without our code: 40 instances of 61 joints, whose palettes wrap around rows of the texture."""
    random = np.random.default_rng(5)
    mesh = random_mesh(random, 300)
    one = random_pass(random, 300, 62, 1, most)
    palettes = [random_palette(random, 62) for _ in range(40)]
    assert INSTANCE_TEXTURE_WIDTH < 40 * 62 * 3
    made: list[_OneOfAll] = []
    probe = GpuSkinner(
        (one,), mesh, NormalPolicy.COFACTOR, Storage(lambda layout: made.append(_OneOfAll(layout)) or made[0])
    )
    made[0].upload_instances(np.stack([each.final for each in palettes]))
    for number in (0, 1, 17, 39):
        made[0].first = number
        found = probe.skin(())
        positions, normals = skinned_in_float64(one, palettes[number], mesh.positions, mesh.normals)
        size = np.abs(positions).max()
        np.testing.assert_allclose(found.positions, positions, atol=EXACT * size)
        np.testing.assert_allclose(found.normals, normals, atol=1e-4)


def test_a_single_pose_is_a_crowd_of_one():
    random = np.random.default_rng(6)
    mesh, one, palette = random_mesh(random, 50), random_pass(random, 50, 9), random_palette(random, 9)
    probe = GpuSkinner((one,), mesh, NormalPolicy.COFACTOR, Storage(InstancePalette))
    positions, _ = skinned_in_float64(one, palette, mesh.positions, mesh.normals)
    np.testing.assert_allclose(
        probe.skin((palette,)).positions, positions, atol=EXACT * np.abs(positions).max()
    )


def test_what_no_texture_holds_is_refused_in_a_sentence():
    drawing = crowd_of_squares()
    with pytest.raises(DeviceError, match="The palettes don't fit into a texture"):
        drawing.update(np.broadcast_to(np.zeros((1, 2, 4, 4), dtype=np.float32), (20_000_000, 2, 4, 4)))
    with pytest.raises(ValueError, match="3 joints"):
        drawing.update(np.zeros((1, 3, 4, 4), dtype=np.float32))


def test_what_no_crowd_can_have_is_refused_in_a_sentence():
    mesh, drawn = quad()
    for passes in ((), (whole_pass(4), whole_pass(4)), (replace(whole_pass(4), blend=Blend.VOLUME),)):
        with pytest.raises(BindingError, match="game-ready copy"):
            CrowdDrawing(passes, mesh, drawn)


def test_the_texture_is_as_wide_as_the_shader_thinks():
    text = (SHADER_FOLDER / InstancePalette.shader_file).read_text(encoding="utf-8")
    wide = INSTANCE_TEXTURE_WIDTH
    assert f"& {wide - 1}u), int(texel >> {wide.bit_length() - 1}u)" in text
