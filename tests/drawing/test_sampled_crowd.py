"""What the GPU makes of sampled clips, read back and drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.animation.sampled_clips import Heard, heard_of
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Blend
from skinning_addon.core.text.errors import BindingError
from skinning_addon.drawing.crowd_drawing import CrowdDrawing, SampledCrowdDrawing
from skinning_addon.drawing.instance_palette import INSTANCE_TEXTURE_WIDTH
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.drawing.sampled_palette import SampledPalette
from skinning_addon.drawing.shader_source import SHADER_FOLDER
from skinning_addon.drawing.storage import Storage
from tests.animation.builders import arm, sampled_at, turning
from tests.core.builders import random_transforms, translation
from tests.drawing.canvas import canvas, draw_into
from tests.drawing.samples import EXACT, quad, random_mesh, random_pass, skinned_in_float64, whole_pass

pytestmark = pytest.mark.gpu

JOINTS = 61


class _Probed(SampledPalette):
    """A probe's palette: poses come from elsewhere."""

    def upload(self, palettes: object) -> None:
        pass


def random_samples(random: np.random.Generator, count: int) -> np.ndarray:
    samples = np.stack([random_transforms(random, JOINTS) for _ in range(count)])
    samples[:, 0] = np.eye(4)
    return samples.astype(np.float32)


def random_heard(random: np.random.Generator, count: int, samples: int, tracks: int) -> Heard:
    weight = random.uniform(0.1, 1, (count, tracks))
    weight[random.uniform(size=weight.shape) < 0.3] = 0
    weight[weight.sum(axis=1) == 0, 0] = 1
    return Heard(
        random.integers(0, samples, (count, tracks)),
        random.integers(0, samples, (count, tracks)),
        random.uniform(0, 1, (count, tracks)),
        weight / weight.sum(axis=1, keepdims=True),
        np.stack([random_transforms(random, 1)[0] for _ in range(count)]),
    )


def blended(samples: np.ndarray, heard: Heard, instance: int) -> np.ndarray:
    """The instance's palette by the formula, in float64, without its place."""
    matrices = np.zeros(samples.shape[1:])
    for track, weight in enumerate(heard.weight[instance]):
        ends = (samples[heard.before[instance, track]], samples[heard.after[instance, track]])
        share = heard.fraction[instance, track]
        matrices += weight * ((1 - share) * ends[0].astype(np.float64) + share * ends[1])
    return matrices


@pytest.mark.parametrize("tracks", [1, 3], ids="{} tracks".format)
def test_everyone_read_back_is_as_the_formula_says(tracks: int):
    """In float64, without our code; samples and instances wrap around rows of their textures."""
    random = np.random.default_rng(5)
    mesh, one = random_mesh(random, 300), random_pass(random, 300, JOINTS, 1, 4)
    samples = random_samples(random, 50)
    count = 2000
    assert min(50 * JOINTS * 3, count * (tracks + 4)) > INSTANCE_TEXTURE_WIDTH
    made: list[_Probed] = []
    probe = GpuSkinner(
        (one,),
        mesh,
        NormalPolicy.COFACTOR,
        Storage(lambda layout: made.append(_Probed(layout, samples)) or made[0]),
    )
    heard = random_heard(random, count, 50, tracks)
    made[0].upload_heard(heard)
    for number in (0, 1, 1033, count - 1):
        made[0].first = number
        found = probe.skin(())
        palette = Palette(blended(samples, heard, number).astype(np.float32))
        positions, normals = skinned_in_float64(one, palette, mesh.positions, mesh.normals)
        place = heard.places[number]
        positions = positions @ place[:3, :3] + place[3, :3]
        normals = normals @ np.linalg.inv(place[:3, :3]).T
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        np.testing.assert_allclose(found.positions, positions, atol=EXACT * np.abs(positions).max())
        np.testing.assert_allclose(found.normals, normals, atol=1e-3)


def sampled_and_posed(tints: np.ndarray | None = None) -> tuple[SampledCrowdDrawing, CrowdDrawing]:
    """Three squares in their places, which turn; at a time that is a sample's."""
    mesh, drawn = quad(0.8)
    one = whole_pass(4)
    skeleton = arm(1)
    clips = sampled_at(skeleton, (turning(degrees=(0, 40, 80)), turning("still", (0, 0))), (4, 1))
    places = np.stack([translation(-1, -1, 0), translation(1, 0.5, 0), translation(0.2, 1.2, -2)])
    at = np.array([0.0, 0.25, 0.75])
    sampled = SampledCrowdDrawing((one,), mesh, drawn, clips)
    heard = heard_of(clips, [(0, at), (1, at)], np.tile((1, 0), (3, 1)), places)
    sampled.update(heard, tints)
    posed = CrowdDrawing((one,), mesh, drawn)
    palettes = clips.palettes(one.joints)
    posed.update(palettes[[0, 1, 3]] @ places[:, None].astype(np.float32), tints)
    return sampled, posed


def test_at_samples_the_picture_is_that_of_the_processors_palettes():
    pixels = []
    for drawing in sampled_and_posed():
        with canvas() as picture:
            draw_into(picture, drawing)
            pixels.append(picture.pixels())
    np.testing.assert_array_equal(*pixels)
    assert len(np.unique(pixels[0].reshape(-1, 4), axis=0)) > 1


def test_tinted_at_samples_the_picture_is_that_of_the_processors_palettes():
    tints = np.array(((1.0, 0.2, 0.1), (0.3, 0.9, 1.0), (0.5, 0.5, 0.5)))
    plain, tinted = [], []
    for pictures, own in ((plain, None), (tinted, tints)):
        for drawing in sampled_and_posed(own):
            with canvas() as picture:
                draw_into(picture, drawing)
                pictures.append(picture.pixels())
    np.testing.assert_array_equal(*tinted)
    assert (tinted[0] != plain[0]).any()


def test_a_crowd_that_shrinks_to_nobody_draws_nothing():
    sampled, _ = sampled_and_posed()
    nobody = np.zeros((0, 2))
    sampled.update(Heard(nobody.astype(int), nobody.astype(int), nobody, nobody, np.zeros((0, 4, 4))))
    with canvas() as picture:
        before = picture.pixels()
        draw_into(picture, sampled)
        np.testing.assert_array_equal(picture.pixels(), before)


def test_what_no_crowd_can_have_is_refused_in_a_sentence():
    mesh, drawn = quad()
    clips = sampled_at(arm(1), (turning(),), (4,))
    with pytest.raises(BindingError, match="game-ready copy"):
        SampledCrowdDrawing((replace(whole_pass(4), blend=Blend.VOLUME),), mesh, drawn, clips)


def test_the_textures_are_as_wide_as_the_shader_thinks():
    text = (SHADER_FOLDER / SampledPalette.shader_file).read_text(encoding="utf-8")
    wide = INSTANCE_TEXTURE_WIDTH
    assert text.count(f"texel & {wide - 1}, texel >> {wide.bit_length() - 1})") == 2
