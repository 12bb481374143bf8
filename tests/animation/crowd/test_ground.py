"""A crowd's ground: its heights against Blender's own ray casts, and nobody where it is not, whatever happens."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.ground import Ground
from skinning_addon.animation.crowd.recording_file import read_recording, recording_arrays
from skinning_addon.animation.crowd.state import Mode
from skinning_addon.animation.crowd.terrain import Walker, ground_of
from skinning_addon.core.text.errors import CrowdError

from .crowds import RADIUS, closest, places, rules

HALF = np.array([10_000_000, 10_000_000], dtype=np.int64)
NOTHING = np.zeros((0, 3, 3))


def walker(steepest: float = 35.0, radius: float = RADIUS, height: float = 1.8) -> Walker:
    return Walker(round(radius * 1e6), round(height * 1e6), round(math.tan(math.radians(steepest)) * 1e6))


def rectangle(
    low: tuple[float, float], high: tuple[float, float], bottom: float = 0.0, top: float | None = None
):
    """Return two triangles; top: the height at the high end of X, if it is a ramp."""
    end = bottom if top is None else top
    a, b = (low[0], low[1], bottom), (high[0], low[1], end)
    c, d = (high[0], high[1], end), (low[0], high[1], bottom)
    return np.array([(a, b, c), (a, c, d)], dtype=np.float64)


def box(
    low: tuple[float, float], high: tuple[float, float], bottom: float, top: float
) -> NDArray[np.float64]:
    """Return a box's walls and lids."""
    corners = [
        (x, y) for x, y in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
    ]
    walls = []
    for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
        a, b, c, d = (*one, bottom), (*other, bottom), (*other, top), (*one, top)
        walls += [(a, b, c), (a, c, d)]
    return np.concatenate([np.array(walls), rectangle(low, high, bottom)[:, ::-1], rectangle(low, high, top)])


def hills(count: int = 60, seed: int = 3) -> NDArray[np.float64]:
    """Return a bumpy surface over 24 x 24 m, its vertices at odd places, a few triangles upside down."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(-12, 12, count), np.linspace(-12, 12, count))
    x += rng.uniform(-0.05, 0.05, x.shape)
    y += rng.uniform(-0.05, 0.05, y.shape)
    z = np.sin(x * 0.7) * np.cos(y * 0.5) + rng.uniform(-0.02, 0.02, x.shape) + 3.0
    at = np.stack((x, y, z), axis=-1)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    triangles = np.concatenate(
        [np.stack((a, b, c), axis=2).reshape(-1, 3, 3), np.stack((a, c, d), axis=2).reshape(-1, 3, 3)]
    )
    triangles[::7] = triangles[::7, ::-1]
    return triangles


def test_heights_are_those_of_blenders_ray_casts():
    triangles = np.concatenate((hills(), hills(seed=4) - (0, 0, 4)))
    ground = ground_of(triangles, NOTHING, HALF, walker(80))
    tree = BVHTree.FromPolygons(
        [tuple(one) for one in triangles.reshape(-1, 3)],
        [(3 * one, 3 * one + 1, 3 * one + 2) for one in range(len(triangles))],
    )
    rows, columns = ground.heights.shape
    rng = np.random.default_rng(1)
    apart = []
    for row, column in zip(rng.integers(0, rows, 500), rng.integers(0, columns, 500), strict=True):
        x, y = (ground.low + np.array((column, row)) * ground.cell) / 1e6
        place, _, _, _ = tree.ray_cast(Vector((x, y, 50)), Vector((0, 0, -1)))
        assert place is not None
        apart.append(ground.heights[row, column] / 1e6 - place.z)
    # Blender's tree computes in float32, 50 m away.
    assert np.abs(apart).max() < 2e-5


def test_between_the_corners_of_a_plane_heights_are_the_planes():
    ground = ground_of(rectangle((-10, -10), (10, 10), 0.0, 2.0), NOTHING, HALF, walker())
    at = np.random.default_rng(2).uniform(-9.9, 9.9, (2, 1000))
    heights = ground.heights_at(np.rint(at * 1e6).astype(np.int64)) / 1e6
    assert np.abs(heights - (at[0] + 10) * 0.1).max() < 2e-6


def test_too_steep_is_not_walked_on_and_the_limit_is_the_slope():
    ramp = rectangle((-10, -10), (10, 10), 0.0, 20 * math.tan(math.radians(30)))
    assert ground_of(ramp, NOTHING, HALF, walker(30.1)).free.any()
    with pytest.raises(
        CrowdError, match="Nobody can stand on the ground: within the area it is too small, too steep"
    ):
        ground_of(ramp, NOTHING, HALF, walker(29.9))


def distances(
    at: NDArray[np.float64], low: tuple[float, float], high: tuple[float, float]
) -> NDArray[np.float64]:
    """Return how far (N,) places (N, 2) are from a rectangle, 0 inside."""
    beyond = np.maximum(np.maximum(np.array(low) - at, at - np.array(high)), 0)
    return np.sqrt((beyond * beyond).sum(axis=1))


HOLE = ((-2.0, -3.0), (1.0, 4.0))
STEEP = ((5.0, -10.0), (6.0, 10.0))
BOX = ((-7.0, -7.0), (-5.0, -5.5))
POLE = ((-6.05, 3.0), (-6.0, 3.05))
BRIDGE = ((-9.0, 6.0), (9.0, 8.0))


def course() -> Ground:
    """A plane with a hole, a bank that is too steep and leads up to a plateau, a box, a thin pole, and a beam
    overhead.
    """
    surface = [
        rectangle((-10, -10), (-2, 10)),
        rectangle((-2, -10), (1, -3)),
        rectangle((-2, 4), (1, 10)),
        rectangle((1, -10), (5, 10)),
        rectangle((5, -10), (6, 10), 0.0, 2.0),
        rectangle((6, -10), (10, 10), 2.0),
    ]
    obstacles = [
        box(*BOX, 0.0, 1.0),
        box(*POLE, -1.0, 3.0),
        box(*BRIDGE, 4.5, 5.0),
        rectangle((2, -2), (3, 2), 0.01),
    ]
    return ground_of(np.concatenate(surface), np.concatenate(obstacles), HALF, walker())


def wrong(at: NDArray[np.float64]) -> list[str]:
    """Name what agents overlap at places (N, 2), by geometry alone."""
    return [
        name
        for name, (low, high) in {"hole": HOLE, "steep": STEEP, "box": BOX, "pole": POLE}.items()
        if distances(at, low, high).min() < RADIUS
    ]


@pytest.mark.arithmetic
def test_nobody_gets_where_nobody_can_be_over_10000_steps():
    one = Crowd.populated(rules(run_share=50), 120, (20.0, 20.0), course())
    at = places(one)
    assert wrong(at) == []
    assert (at[:, 0] > 6).any()
    agent = int(np.argmin(np.abs(at[:, 0] + 3)))
    moved, least, plateau = np.zeros(120), np.inf, at[:, 0] > 6
    for number in range(1000):
        # Straight at the hole, then at the border, and so on, at a run.
        one.steer(agent, [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1)][number // 40 % 5], "run")
        before = places(one)
        for _ in range(10):
            one.advance(1 / 120)
            least = min(least, closest(places(one)))
            assert wrong(places(one)) == []
        assert np.abs(places(one)).max() <= 10 - RADIUS
        moved += np.sqrt(((places(one) - before) ** 2).sum(axis=1))
    assert least > 2 * RADIUS - 0.001
    # They do walk: on both sides of the bank, which nobody has crossed.
    assert np.median(moved) > 20
    assert moved[plateau].max() > 5
    np.testing.assert_array_equal(places(one)[:, 0] > 6, plateau)
    np.testing.assert_allclose(
        one.state.ground.heights_at(one.state.position) / 1e6, np.where(plateau, 2.0, 0.0), atol=1e-6
    )


def test_under_a_beam_and_over_a_kerb_one_walks():
    ground = course()
    for x, y in ((2.5, 0.0), (-8.0, 7.0), (8.0, 7.0)):
        assert ground.holds(np.array([[round(x * 1e6)], [round(y * 1e6)]])).all(), (x, y)


def test_inside_of_what_is_closed_nobody_stands_and_under_a_roof_one_does():
    plane = rectangle((-10, -10), (10, 10))
    roof, whole = rectangle((2, 2), (9, 9), 4.0), box((-9, -9), (-2, -2), -1.0, 5.0)
    house = np.concatenate((whole[:8], whole[10:]))
    closed, flipped = box((-9, 2), (-2, 9), -1.0, 5.0), box((2, -9), (9, -2), -1.0, 5.0)[:, ::-1]
    ground = ground_of(plane, np.concatenate((roof, house, closed, flipped)), HALF, walker())
    middles = {"roof": (5.5, 5.5), "house": (-5.5, -5.5), "closed": (-5.5, 5.5), "flipped": (5.5, -5.5)}
    held = {
        name: bool(ground.holds(np.rint(np.array(one)[:, None] * 1e6).astype(np.int64))[0])
        for name, one in middles.items()
    }
    assert held == {"roof": True, "house": True, "closed": False, "flipped": False}


def test_a_steered_agent_stops_at_the_edge_and_goes_along_it():
    one = Crowd.populated(rules(), 1, (20.0, 20.0), course())
    while not (places(one)[0, 0] < -3.5 and abs(places(one)[0, 1]) < 2.5):
        one.set_count(2)
        one.set_count(1)
        one = Crowd.populated(rules(seed=one.settings.seed + 1), 1, (20.0, 20.0), course())
    one.steer(0, (1, 0))
    one.advance(10)
    assert distances(places(one), *HOLE)[0] == pytest.approx(RADIUS, abs=0.45)
    assert one.state.mode[0] == Mode.STEERED
    stood = places(one)[0]
    one.steer(0, (-1, 0))
    one.advance(2)
    assert places(one)[0, 0] < stood[0] - 1


def test_a_change_of_the_ground_is_recorded_and_comes_back_bit_for_bit(tmp_path: Path):
    plane = ground_of(rectangle((-10, -10), (10, 10), 1.0), NOTHING, HALF, walker())
    one = Crowd.populated(rules(), 60, (20.0, 20.0))
    digests = {}
    for ground in (None, course(), plane, course(), None):
        one.set_ground(ground)
        one.advance(1)
        digests[one.state.step] = one.state.digest()
        one.advance(0.5)
    assert len(one.recording.grounds) == 2
    path = tmp_path / "crowd.npz"
    stream = io.BytesIO()
    np.savez(stream, **recording_arrays(one))
    path.write_bytes(stream.getvalue())
    again = read_recording(path)
    assert again.state.digest() == one.state.digest()
    for step in (300, 840, 120, 480, 660):
        again.seek(step)
        assert again.state.digest() == digests[step]
        one.seek(step)
        assert one.state.digest() == digests[step]
    # Without its snapshots all of it is played anew.
    again.recording.snapshots = {0: again.recording.latest(0)}
    again.seek(0)
    again.seek(480)
    assert again.state.digest() == digests[480]


def test_who_is_beside_a_new_ground_gets_a_place_on_it():
    one = Crowd.populated(rules(), 60, (20.0, 20.0))
    small = ground_of(rectangle((4, 4), (9.5, 9.5)), NOTHING, HALF, walker())
    with pytest.raises(CrowdError, match="There is no free place for 60 agents"):
        one.set_ground(small)
    assert one.state.ground is None
    one.set_count(8)
    one.set_ground(small)
    assert (places(one) >= 4 + RADIUS).all()
    assert (places(one) <= 9.5 - RADIUS).all()
    assert closest(places(one)) > 2 * RADIUS - 0.001


@pytest.mark.parametrize(
    ("surface", "sentence"),
    [
        (NOTHING, "The ground has no faces; choose a mesh that has."),
        (rectangle((20, 20), (30, 30)), "Nobody can stand on the ground: within the area it is too small,"),
        (rectangle((0, 0), (0.4, 0.4)), "Nobody can stand on the ground: within the area it is too small,"),
        (box((0, 0), (5, 5), 0, 0)[:8], "Nobody can stand on the ground:"),
    ],
)
def test_a_ground_that_nobody_can_stand_on_is_a_sentence(surface: NDArray[np.float64], sentence: str):
    with pytest.raises(CrowdError) as error:
        ground_of(surface, NOTHING, HALF, walker())
    assert str(error.value).startswith(sentence)


def test_on_a_plane_a_ground_changes_nothing_but_the_height():
    plane = ground_of(rectangle((-12, -12), (12, 12), 0.5), NOTHING, HALF, walker())
    with_ground = Crowd.populated(rules(), 100, (20.0, 20.0), plane)
    # The raster ends at the area's border, and is shrunk by whole cells there.
    assert np.abs(places(with_ground)).max() <= 10 - RADIUS
    with_ground.advance(5)
    assert np.abs(places(with_ground)).max() <= 10 - RADIUS


def test_the_same_triangles_give_the_same_ground_everywhere():
    assert course().digest == COURSE
    one = Crowd.populated(rules(), 100, (20.0, 20.0), course())
    one.advance(20)
    assert one.state.digest() == AFTER


COURSE = "938cbc84cb42350c7d98c6666f82005d2b119a9fb148dcca0fee6b12364dffb0"
AFTER = "4062e4be4b4f7cd7794f9b8b82c70b5150d292d42378236ab3ea618dabfab707"
"""As computed by Blender 5.2; 4.2 and 4.3 have to come to the same."""
