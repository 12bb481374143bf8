"""Bones found from positions alone. The judges are closed forms: skins that made the positions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from skinning_addon.core.refit.channels import nearest_channels
from skinning_addon.core.refit.decomposition import Decomposition, decompose
from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.text.errors import InvalidArrayError, UsageError
from tests.core.refit.limb import blended, dense, turns, wanted_of

FRAMES = 12


def still(frames: int) -> np.ndarray:
    return np.tile(np.eye(4), (frames, 1, 1, 1))


def sheet(across: int = 11) -> np.ndarray:
    """Rest positions (across^2, 3) of a flat square of side 1."""
    steps = np.linspace(0, 1, across)
    return np.array([(x, y, 0.0) for x in steps for y in steps])


def waving(rest: np.ndarray) -> np.ndarray:
    """Positions (F, V, 3) of a sheet that waves as no few bones can."""
    times = np.arange(FRAMES)[:, None] * (2 * np.pi / FRAMES)
    x, y = rest[:, 0], rest[:, 1]
    bent = 0.8 * np.sin(times) * x
    height = 0.1 * np.sin(5 * x + times) * x + 0.1 * np.sin(4 * y + 2 * times)
    return np.stack([x * np.cos(bent), y + 0.03 * np.sin(6 * x + times), height + x * np.sin(bent)], axis=2)


def of(rest: np.ndarray, positions: np.ndarray) -> Wanted:
    return wanted_of(rest, positions, still(len(positions)))


def lifted(rest: np.ndarray) -> np.ndarray:
    """Positions (F, V, 3) of a sheet that is lifted in a wave: two bones that only move make it exactly, and all
    others have nothing to add.
    """
    times = np.arange(FRAMES)[:, None] * 0.03
    height = 0.1 * np.sin(5 * rest[:, 0] + times)
    return np.stack([*np.broadcast_arrays(rest[:, 0], rest[:, 1], height)], axis=2)


def off(rest: np.ndarray, positions: np.ndarray, found: Decomposition) -> np.ndarray:
    """Distances (F, V), the sum over bones written out."""
    weights = dense(found.skin, found.finals.shape[1])
    return np.linalg.norm(blended(rest, weights, found.finals) - positions, axis=2)


def root_mean_square(distances: np.ndarray) -> float:
    return float(np.sqrt(np.square(distances).mean()))


def rigid_parts() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rest (120, 3), the part of each vertex, and positions of four parts that move freely."""
    rest = np.random.default_rng(2).normal(size=(120, 3))
    part = np.arange(120) // 30
    rest[:, 0] += 6 * part
    weights = np.eye(5)[part + 1]
    return rest, part, blended(rest, weights, turns(4, FRAMES))


def smooth_skin() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rest (200, 3) of a strip, weights over joints 1 to 3 that fade into each other, and finals that bend it."""
    rest = np.random.default_rng(3).normal(size=(200, 3)) * [0.0, 0.3, 0.3]
    rest[:, 0] = np.linspace(0, 3, 200)
    middle = np.clip(1 - np.abs(rest[:, :1] - [0.5, 1.5, 2.5]), 0, None)
    weights = np.c_[np.zeros(200), middle / middle.sum(axis=1, keepdims=True)]
    finals = np.tile(np.eye(4), (FRAMES, 4, 1, 1))
    random = np.random.default_rng(4)
    for frame in range(FRAMES):
        for joint in range(1, 4):
            angles = random.normal(size=3) * 0.5
            for axis, angle in enumerate(angles):
                turn = np.eye(3)
                one, other = (axis + 1) % 3, (axis + 2) % 3
                turn[[one, other], [one, other]] = np.cos(angle)
                turn[one, other], turn[other, one] = np.sin(angle), -np.sin(angle)
                finals[frame, joint, :3, :3] = finals[frame, joint, :3, :3] @ turn
            centre = np.array([joint - 0.5, 0, 0])
            finals[frame, joint, 3, :3] = centre - centre @ finals[frame, joint, :3, :3]
    return rest, weights, finals


@pytest.mark.parametrize("scale", [False, True])
def test_rigid_parts_are_found_again(scale):
    rest, part, positions = rigid_parts()
    found = decompose(of(rest, positions), 4, 4, scale=scale)
    assert off(rest, positions, found).max() < 1e-5 * 20
    weights = dense(found.skin, 5)[:, 1:]
    assert weights.max(axis=1) == pytest.approx(1, abs=1e-4)
    bone_of_part = [set(weights[part == one].argmax(axis=1).tolist()) for one in range(4)]
    assert sorted(bone for one in bone_of_part for bone in one) == [0, 1, 2, 3], (
        "each part has one of its own"
    )


def test_a_smooth_skin_is_found_again():
    """Three bones of two influences made the positions, so three bones of two can."""
    rest, weights, finals = smooth_skin()
    positions = blended(rest, weights, finals)
    found = decompose(of(rest, positions), 3, 2, scale=False)
    moved = root_mean_square(np.linalg.norm(positions - rest, axis=2))
    assert root_mean_square(off(rest, positions, found)) < 0.01 * moved


@pytest.mark.parametrize("scale", [False, True])
def test_each_bone_turns_moves_and_scales_along_its_own_axes(scale):
    rest = sheet()
    found = decompose(of(rest, waving(rest)), 6, 4, scale=scale)
    own = found.rest_to_root @ found.finals[:, 1:] @ np.linalg.inv(found.rest_to_root)
    assert nearest_channels(own).matrices() == pytest.approx(own, abs=1e-9), "no shear"
    assert np.linalg.det(found.rest_to_root[:, :3, :3]) == pytest.approx(1)
    assert np.linalg.det(own[..., :3, :3]).min() > 0, "nothing is mirrored"
    if not scale:
        assert own[..., :3, :3] @ own[..., :3, :3].swapaxes(2, 3) == pytest.approx(
            np.broadcast_to(np.eye(3), (*own.shape[:2], 3, 3)), abs=1e-9
        )


def test_weights_are_few_and_add_up_to_one():
    rest = sheet()
    skin = decompose(of(rest, waving(rest)), 8, 3).skin
    assert skin.largest_count <= 3
    assert skin.weight_sums == pytest.approx(1, abs=1e-6)
    assert skin.weights.min() > 0
    assert skin.joints.min() >= 1


def error_of(bones: int, influences: int) -> float:
    rest = sheet()
    positions = waving(rest)
    return root_mean_square(off(rest, positions, decompose(of(rest, positions), bones, influences)))


@pytest.mark.arithmetic
def test_more_bones_come_nearer():
    errors = [error_of(bones, 4) for bones in (1, 2, 4, 8, 16)]
    for fewer, more in pairwise(errors):
        assert more < 0.9 * fewer, errors


@pytest.mark.arithmetic
def test_more_influences_come_nearer():
    errors = [error_of(8, influences) for influences in (1, 2, 4)]
    for fewer, more in pairwise(errors):
        assert more < 0.95 * fewer, errors


@pytest.mark.arithmetic
def test_a_mesh_that_turns_as_a_whole_is_no_harder():
    rest = sheet()
    positions = waving(rest)
    spin = turns(1, FRAMES)[:, 1]
    spun = positions @ spin[:, :3, :3] + 10 * spin[:, None, 3, :3]
    errors = [
        root_mean_square(off(rest, moved, decompose(of(rest, moved), 5, 4))) for moved in (positions, spun)
    ]
    assert errors[1] == pytest.approx(errors[0], rel=0.02)


@pytest.mark.arithmetic
def test_the_same_input_gives_the_same_bones():
    rest = sheet()
    one, other = (decompose(of(rest, waving(rest)), 5, 4) for _ in range(2))
    assert one.skin.weights.tobytes() == other.skin.weights.tobytes()
    assert one.finals.tobytes() == other.finals.tobytes()


def test_seams_stay_closed():
    rest = sheet()
    twice = np.concatenate([rest, rest[:50]])
    positions = waving(rest)
    found = decompose(of(twice, np.concatenate([positions, positions[:, :50]], axis=1)), 6, 4)
    weights = dense(found.skin, 7)
    assert np.array_equal(weights[121:], weights[:50])


def test_a_straight_line_that_bends():
    """Its turn around itself is seen nowhere, and must not become any number."""
    rest = np.c_[np.linspace(0, 1, 40), np.zeros((40, 2))]
    positions = waving(rest)
    found = decompose(of(rest, positions), 4, 4)
    assert np.isfinite(found.finals).all()
    assert off(rest, positions, found).max() < 0.05


class StoppedError(Exception):
    pass


def stop_at(moment: float, done: float) -> None:
    assert 0 <= done <= 1
    if done >= moment:
        raise StoppedError


@pytest.mark.parametrize("moment", [0.05, 0.3])
def test_it_can_be_stopped(moment):
    rest = sheet()
    progress: Callable[[float], None] = partial(stop_at, moment)
    with pytest.raises(StoppedError):
        decompose(of(rest, waving(rest)), 6, 4, progress=progress)


def test_what_has_no_bones_is_refused():
    rest = sheet(3)
    with pytest.raises(UsageError, match="9 vertices are too few for 4 bones; ask for 3 at most"):
        decompose(of(rest, waving(rest)), 4, 4)
    with pytest.raises(UsageError, match="Nothing moves"):
        decompose(of(rest, np.tile(rest, (3, 1, 1))), 2, 4)
    positions = waving(rest)
    positions[3, 4, 1] = np.nan
    with pytest.raises(InvalidArrayError, match="finite"):
        of(rest, positions)


def bent_tube() -> tuple[np.ndarray, np.ndarray]:
    """Rest (248, 3) of a tube, and positions of one that is sheared sideways and twisted, more towards its end."""
    angles = np.arange(8) * (np.pi / 4)
    ring = np.stack([0.1 * np.cos(angles), 0.1 * np.sin(angles), np.zeros(8)], axis=1)
    rest = np.concatenate([ring + np.array([0, 0, height]) for height in np.linspace(0, 1, 31)])
    strength = np.linspace(-0.6, 1, FRAMES)[:, None] * rest[:, 2] ** 2
    cos, sin = np.cos(1.2 * strength), np.sin(1.2 * strength)
    x, y = rest[:, 0] * cos - rest[:, 1] * sin, rest[:, 0] * sin + rest[:, 1] * cos
    return rest, np.stack([x + 0.5 * strength, y, np.broadcast_to(rest[:, 2], x.shape)], axis=2)


@pytest.mark.arithmetic
def test_with_two_influences_more_bones_are_never_worse():
    """A ring that follows two bones is where a ring between them is: few bones are enough."""
    rest, positions = bent_tube()
    errors = [
        root_mean_square(off(rest, positions, decompose(of(rest, positions), bones, 2)))
        for bones in (3, 5, 10, 20)
    ]
    for fewer, more in pairwise(errors):
        assert more <= 1.001 * fewer, errors
    assert errors[1] < 3e-4, errors


@pytest.mark.parametrize("influences", [2, 4])
def test_no_bone_goes_anywhere_for_next_to_nothing(influences: int):
    rest = sheet(17)
    positions = lifted(rest)
    found = decompose(of(rest, positions), 10, influences)
    assert found.skin.weights.min() > 1e-4, "exporters leave smaller ones out"
    went = np.abs(found.finals[:, :, :3, :3] @ np.full(3, 0.5) + found.finals[:, :, 3, :3]).max()
    assert went < 10, "of a sheet whose side is 1"
    assert off(rest, positions, found).max() < 0.02
