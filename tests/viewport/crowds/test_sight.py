"""What a view sees of agents: nobody who is in it is left out, and whoever shares poses is off by a pixel at most."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest

from skinning_addon.animation.crowd.gaits import fading, weights
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.drawing.sampled_palette import SampledPalette
from skinning_addon.drawing.storage import Storage
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.crowds.choices import VariantChoices
from skinning_addon.viewport.crowds.drawn_agents import PosedAgents
from skinning_addon.viewport.crowds.sight import Sight, Spheres
from tests.drawing.canvas import PIXELS, canvas
from tests.viewport.crowds.test_scene_crowd import COUNT, Chosen

WIDTH, HEIGHT = 1600.0, 900.0
NEAR, FAR = 0.1, 500.0


def perspective(focal: float = 2.0, shift: float = 0.0, width: float = WIDTH, height: float = HEIGHT):
    """Blender's window matrix for row vectors. focal: of half the width."""
    result = np.zeros((4, 4))
    result[0, 0], result[1, 1] = focal, focal * width / height
    result[2, 0] = shift
    result[2, 2], result[3, 2] = -(FAR + NEAR) / (FAR - NEAR), -2 * FAR * NEAR / (FAR - NEAR)
    result[2, 3] = -1
    return result


def looking(at: np.ndarray, back: np.ndarray) -> np.ndarray:
    """World to view, row vectors, from `at` + `back`, with Z up."""
    z = back / np.linalg.norm(back)
    x = np.cross((0, 0, 1), z)
    x /= np.linalg.norm(x)
    to_view = np.eye(4)
    to_view[:3, :3] = np.stack((x, np.cross(z, x), z), axis=1)
    to_view[3, :3] = -(at + back) @ to_view[:3, :3]
    return to_view


ORTHOGRAPHIC = np.diag((1 / 8, WIDTH / HEIGHT / 8, -1 / 100, 1.0))

VIEWS = {
    "from afar": View(looking(np.zeros(3), np.array((3.0, -30.0, 12.0))), perspective(), WIDTH),
    "wide": View(looking(np.zeros(3), np.array((0.5, -3.0, 2.0))), perspective(0.6), WIDTH),
    "shifted": View(looking(np.zeros(3), np.array((3.0, 9.0, 2.0))), perspective(1.5, 0.4), WIDTH),
    "orthographic": View(looking(np.zeros(3), np.array((3.0, -30.0, 12.0))), ORTHOGRAPHIC, WIDTH),
}


def clipped(view: View, points: np.ndarray) -> np.ndarray:
    homogeneous = np.concatenate((points, np.ones((*points.shape[:-1], 1))), axis=-1)
    return homogeneous @ view.world_to_view @ view.view_to_clip


def pixels_of(view: View, points: np.ndarray) -> np.ndarray:
    clip = clipped(view, points)
    return clip[..., :2] / clip[..., 3:] * (WIDTH / 2, HEIGHT / 2)


def is_inside(view: View, points: np.ndarray) -> np.ndarray:
    clip = clipped(view, points)
    return (np.abs(clip[..., :3]) <= clip[..., 3:]).all(axis=-1)


def directions(random: np.random.Generator, *shape: int) -> np.ndarray:
    found = random.normal(size=(*shape, 3))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_nobody_with_a_point_in_the_view_is_left_out(view: View):
    random = np.random.default_rng(2)
    spheres = Spheres(random.uniform(-25, 25, (3000, 3)), random.uniform(0.1, 2.0, 3000))
    seen = Sight(view).sees(spheres)
    points = spheres.middles + directions(random, 400, 3000) * spheres.radii[:, None]
    inside = is_inside(view, points).any(axis=0) | is_inside(view, spheres.middles)
    assert not (inside & ~seen).any()
    # Few are kept that aren't in it.
    assert 0 < inside.sum() <= seen.sum() < 1.3 * inside.sum() + 30 < 3000


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_what_may_be_off_moves_no_point_by_more_than_a_pixel(view: View):
    """In closed form: points anywhere in the spheres and the view, moved in all directions by all of it."""
    random = np.random.default_rng(3)
    spheres = Spheres(random.uniform(-6, 6, (2000, 3)), random.uniform(0.1, 1.5, 2000))
    allowed = Sight(view).unnoticed(spheres)
    share = random.uniform(0, 1, (200, 2000, 1)) ** (1 / 3)
    points = spheres.middles + directions(random, 200, 2000) * spheres.radii[:, None] * share
    moved = points + directions(random, 200, 2000) * allowed[:, None]
    seen = is_inside(view, points)
    apart = np.linalg.norm(pixels_of(view, moved) - pixels_of(view, points), axis=-1)[seen]
    assert seen.sum() > 10_000
    assert apart.max() <= 1.0
    # In proportion to the distance, not some constant.
    assert apart.max() > 0.5


def test_the_bound_is_reached_in_a_corner():
    """A point in the nearest of a small sphere at the view's edge, moved away from the view's middle."""
    view = View(np.eye(4), perspective(), WIDTH)
    ray = np.array((0.5, 0.5 * HEIGHT / WIDTH, -1.0))
    spheres = Spheres((10 * ray)[None], np.array([1e-6]))
    (allowed,) = Sight(view).unnoticed(spheres)
    # The image moves most towards the viewer and outwards, across the ray.
    across = np.array((0.5, 0.5 * HEIGHT / WIDTH, 0.5**2 * (1 + (HEIGHT / WIDTH) ** 2)))
    moved = 10 * ray + across / np.linalg.norm(across) * allowed
    apart = np.linalg.norm(pixels_of(view, moved) - pixels_of(view, 10 * ray))
    assert 0.97 < apart <= 1.0


@pytest.fixture
def chosen():
    made = Chosen()
    yield made
    made.crowd.stop()


def placed_vertices(player, state) -> np.ndarray:
    """Return all vertices (N, V, 3) of some agents, by the formula, in float64."""
    (mesh,) = player.character.meshes
    skin, joints = mesh.binding.passes[0].skin, mesh.binding.passes[0].joints
    (palettes,) = player.character.poser.palettes(state, player.crowd.settings, (joints,))
    at = np.concatenate((mesh.binding.mesh.positions, np.ones((mesh.binding.mesh.vertex_count, 1))), axis=1)
    joint, vertex = skin.joints, skin.vertex_of_influence
    each = np.einsum("vi,nvij->nvj", at[vertex], palettes.astype(np.float64)[:, joint])[..., :3]
    result = np.zeros((len(palettes), len(at), 3))
    np.add.at(result, (slice(None), vertex), each * skin.weights[:, None])
    return result


def test_spheres_hold_every_vertex_whatever_agents_play(chosen):

    assert not chosen.refreshed(variants=(VariantChoices(scale=(0.5, 2.0)),), side=30.0).error
    player = chosen.crowd.player
    (drawn,) = player.characters
    fullest = 0.0
    for step in range(0, 2000, 40):
        assert player.follow(step, lambda: False)
        state = player.crowd.state
        spheres = drawn.spheres(state)
        away = np.linalg.norm(placed_vertices(player, state) - spheres.middles[:, None], axis=2).max(axis=1)
        assert (away <= spheres.radii * (1 + 1e-6)).all()
        fullest = max(fullest, float((away / spheres.radii).max()))
    # Nor is a sphere much larger than its agent.
    assert fullest > 0.4


@pytest.mark.gpu
@pytest.mark.parametrize("sampled", [False, True])
def test_whoever_is_out_of_view_is_neither_posed_nor_missed(chosen, sampled: bool):
    player = chosen.refreshed(variants=(), sampled=sampled, shares_poses=False).player
    assert player.follow(700, lambda: False)
    view = View(
        looking(np.array((3.0, 2.0, 1.0)), np.array((0.5, -5.0, 3.0))), perspective(5.0, 0, 1, 1), PIXELS
    )
    look = DisplaySettings(base_color=(0.8, 0.8, 0.8))
    everybody = PosedAgents(player.characters[0].troupe)
    everybody.send(player.crowd.state, player.crowd.settings)
    pictures = []
    for draw in (
        lambda: player.draw(view, look),
        lambda: everybody.draw("base_color", view, look, lambda _mesh: ()),
    ):
        with canvas() as picture:
            with picture.drawing():
                draw()
            pictures.append(picture.pixels().astype(int))
    posed = sum(one._palette.instances for _, one in player.characters[0]._drawn.drawings)
    assert 0 < posed < 2 * COUNT / 3
    assert len(np.unique(pictures[1].reshape(-1, 4), axis=0)) > 2
    differs = np.abs(pictures[0] - pictures[1]).max(axis=-1) > 3
    assert differs.sum() <= (0 if not sampled else 0.01 * PIXELS**2)
    everybody.free()


def test_who_poses_agents_changes_nothing_that_they_do(chosen):
    """Feet are held in both, and shown where it may be seen."""
    digests: list[str] = []
    for sampled in (False, True):
        player = chosen.refreshed(variants=(), sampled=sampled).player
        assert all(one.height > 0 for one in player.crowd.settings.kinds)
        assert player.follow(700, lambda: False)
        digests.append(player.crowd.state.digest())
    assert digests[0] == digests[1]


class _Probed(SampledPalette):
    """A probe's palette: poses come from elsewhere."""

    def upload(self, palettes: object) -> None:
        pass


@pytest.mark.gpu
@pytest.mark.parametrize(("distance", "finer"), [(4.0, 12), (12.0, 12), (60.0, 12), (60.0, 0.02)])
def test_who_shares_poses_is_read_back_within_a_pixel(chosen, distance: float, finer: float):
    """From the GPU, against the exact pose, on a view whose pixels are small enough that some don't share, and on
    one whose pixels are as large as what fades are off.
    """
    # A fade between positions is the same for matrices; one between turns is not.
    for clip, turn in (("Walk", 1.4), ("Run", -1.4)):
        chosen.armature.animation_data.action = bpy.data.actions[clip]
        head = chosen.armature.pose.bones["head"]
        head.rotation_mode, head.rotation_euler.z = "XYZ", turn
        head.keyframe_insert("rotation_euler", frame=0)
    player = chosen.refreshed(variants=(), sampled=False, shares_poses=True, display="shaded").player
    assert player.follow(700, lambda: False)
    back = np.array((0.2, -1.0, 0.5))
    view = View(looking(np.zeros(3), back / np.linalg.norm(back) * distance), perspective(6.0), finer * WIDTH)
    (drawn,) = player.characters
    sight, state, settings = Sight(view), player.crowd.state, player.crowd.settings
    with canvas() as picture, picture.drawing():
        player.draw(view, DisplaySettings())
    seen, allowed = drawn.seen(state, sight)
    fades = player.character.poser.fade_deviations(player.character.boxes)
    off = player.character.poser.deviation(seen, settings, np.array(drawn.sampled.deviations), fades)
    shared = seen.of(np.flatnonzero(off <= allowed))
    counts = [one._palette.instances for _, one in drawn._drawn.drawings]
    assert counts == [shared.count, seen.count - shared.count]
    assert fading(weights(shared, settings)).any() == (finer < 1)
    (mesh,) = player.character.meshes
    made: list[_Probed] = []
    samples = drawn.sampled.palettes(mesh.binding.passes[0].joints)
    probe = GpuSkinner(
        mesh.binding.passes,
        mesh.binding.mesh,
        NormalPolicy.COFACTOR,
        Storage(lambda layout: made.append(_Probed(layout, samples)) or made[0]),
    )
    made[0].upload_heard(player.character.poser.heard(shared, settings, drawn.sampled))
    exact = placed_vertices(player, shared)
    wide = replace(view, width=finer * WIDTH)
    worst = 0.0
    for agent in range(shared.count):
        made[0].first = agent
        found = probe.skin(()).positions.astype(np.float64)
        inside = is_inside(wide, exact[agent])
        apart = np.linalg.norm(pixels_of(wide, found) - pixels_of(wide, exact[agent]), axis=-1)
        apart *= finer
        worst = max(worst, float(apart[inside].max(initial=0.0)))
    assert worst <= 1.0
    # Near ones don't share unless they stand, far ones all do but those that fade; and it is no coincidence.
    near = ~fading(weights(seen, settings)) & (off > allowed)
    assert near.any() == (distance < 20)
    assert worst > 0.0005
