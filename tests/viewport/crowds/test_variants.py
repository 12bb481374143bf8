"""Characters and variants of a scene's crowd: read, dealt, and drawn with the meshes that each has."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.animation.crowd.fixed_point import SCALE
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.crowds.choices import VariantChoices
from tests.command_line.crowding.walker_file import add_walker
from tests.drawing.canvas import PIXELS, canvas
from tests.viewport.crowds.test_scene_crowd import Chosen

HAT = ((-0.4, -0.4, 2.0), (0.4, -0.4, 2.0), (0.4, 0.4, 2.0), (-0.4, 0.4, 2.0))


@pytest.fixture
def chosen():
    made = Chosen()
    hat = bpy.data.objects.new("Hat", bpy.data.meshes.new("Hat"))
    hat.data.from_pydata(HAT, [], [(0, 1, 2, 3)])
    bpy.context.scene.collection.objects.link(hat)
    hat.vertex_groups.new(name="head").add(range(4), 1.0, "REPLACE")
    hat.modifiers.new("Armature", "ARMATURE").object = made.armature
    bpy.context.view_layer.update()
    yield made
    made.crowd.stop()


def other_walker() -> bpy.types.Object:
    other = add_walker(())
    other.name = "Other"
    other.animation_data_create()
    other.animation_data.action = bpy.data.actions["Walk"]
    bpy.context.view_layer.update()
    return other


def test_agents_are_dealt_to_the_rows_of_the_list(chosen):
    other = other_walker()
    rows = (VariantChoices(share=2), VariantChoices(other.session_uid, share=1, scale=(0.5, 0.75)))
    player = chosen.refreshed(variants=rows).player
    assert [one.character.name for one in player.characters] == ["Walker", "Other"]
    cast = player.crowd.state.cast
    assert np.bincount(cast.kind).tolist() == [20, 10]
    assert (cast.scale[cast.kind == 0] == SCALE).all()
    # Its head is at 1.8 m.
    heights = player.heights[cast.kind == 1]
    assert 0.9 <= heights.min() < heights.max() <= 1.35
    of_scale_1 = np.array([one.character.radius for one in player.variants])[cast.kind]
    np.testing.assert_allclose(player.radii, of_scale_1 * cast.scale / SCALE, atol=2e-6)


def test_rows_of_one_character_share_what_was_read(chosen):
    rows = (VariantChoices(), VariantChoices(chosen.armature.session_uid, tint=(1, 0, 0)))
    player = chosen.refreshed(variants=rows).player
    assert player.variants[0].character is player.variants[1].character
    (one,) = player.characters
    assert len(one.troupe.meshes) == 2
    # Nor is it read again for other rows.
    again = chosen.refreshed(variants=(*rows, VariantChoices())).player
    assert again is not player
    assert again.character is player.character


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (VariantChoices(without=("Cap",)), "'Walker' has no mesh 'Cap' to leave out"),
        (VariantChoices(without=("Body", "Hat")), "A variant of 'Walker' has no mesh left"),
        (VariantChoices(scale=(1.0, 0.5)), "Agents can't be scaled from 1 to 0.5"),
        (VariantChoices(share=0), "Nobody is of any variant"),
        (VariantChoices(armature=7), "The character is not in this scene; choose another"),
    ],
)
def test_a_row_that_makes_no_sense_is_a_sentence(chosen, row, told):
    crowd = chosen.refreshed(variants=(row,))
    assert crowd.player is None
    assert told in crowd.error


def drawn(chosen, **changes) -> np.ndarray:
    """Everybody from straight above, in float: the hats hide all else."""
    player = chosen.refreshed(display="shaded", **changes).player
    view = View(np.eye(4), np.diag((1 / 8, 1 / 8, -1 / 8, 1.0)), PIXELS)
    with canvas() as picture:
        with picture.drawing():
            player.draw(view, DisplaySettings(base_color=(0.8, 0.8, 0.8)))
        return picture.pixels()


@pytest.mark.gpu
@pytest.mark.parametrize("sampled", [False, True])
def test_tints_and_meshes_are_each_ones_own(chosen, sampled):
    """Every hat is red and nobody else's head is; those without are seen without."""
    rows = (VariantChoices(tint=(1, 0, 0)), VariantChoices(without=("Hat",), tint=(0, 1, 0)))
    pixels = drawn(chosen, variants=rows, sampled=sampled)[..., :3].astype(int)
    red, green = (pixels[..., one] > 3 * pixels[..., 1 - one] + 20 for one in (0, 1))
    each = chosen.crowd.player.crowd.state.cast.kind
    # A hat is 0.64 square metres large, of 256 square metres on the picture.
    assert red.sum() == pytest.approx((each == 0).sum() * 0.64 / 256 * PIXELS**2, rel=0.25)
    assert 0 < green.sum() < 0.8 * red.sum()
    hats = [one._palette.instances for mesh, one in _drawings(chosen) if mesh.name == "Hat"]
    assert sum(hats) == (each == 0).sum()
    assert sum(one._palette.instances for mesh, one in _drawings(chosen) if mesh.name == "Body") == len(each)


def _drawings(chosen):
    (one,) = chosen.crowd.player.characters
    return one._drawn.drawings


@pytest.mark.gpu
def test_one_draw_call_for_each_mesh_however_many_variants(chosen):
    rows = tuple(VariantChoices(tint=(one / 9, 1, 1), scale=(0.9, 1.1)) for one in range(10))
    drawn(chosen, variants=rows, shares_poses=False)
    assert len(_drawings(chosen)) == 2
