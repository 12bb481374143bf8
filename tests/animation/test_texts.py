"""Key frames and controllers as the texts describe them, in plain loops, against the program's result for the
same numbers.

Luna: F. D. Luna, Introduction to 3D Game Programming with DirectX, "Character Animation". LearnOpenGL:
"Skeletal Animation", bone.h and animator.h. D3DX, MultiAnimation: the animation controller of Direct3D 9's
extension library and the SDK's sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from skinning_addon.animation.clip import BoneKeys, Marker, sparse_clip
from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.rotations import RotationBlend
from skinning_addon.animation.sampling import ClipSampler
from tests.animation.builders import about, arm, turning
from tests.evidence_log import log_evidence

Vector = list[float]
Key = tuple[float, Vector]
"""Time in ticks, and a value; rotations are (w, x, y, z)."""

DURATION = 30.0
"""In ticks."""


def random_keys(rng: np.random.Generator, size: int) -> list[Key]:
    """Keys at different times, the first at 0 and the last at the end."""
    inner = np.sort(rng.choice(np.arange(1, 30), 5, replace=False)).tolist()
    values = rng.normal(size=(7, size))
    if size == 4:
        values /= np.linalg.norm(values, axis=1)[:, None]
    else:
        values = 1 + 0.3 * values
    return list(zip([0.0, *map(float, inner), DURATION], values.tolist(), strict=True))


def mix(a: Vector, b: Vector, factor: float) -> Vector:
    """glm::mix, XMVectorLerp."""
    return [x * (1 - factor) + y * factor for x, y in zip(a, b, strict=True)]


def slerp(a: Vector, b: Vector, factor: float) -> Vector:
    """glm::slerp, XMQuaternionSlerp: the shorter way round."""
    cosine = sum(x * y for x, y in zip(a, b, strict=True))
    if cosine < 0:
        b, cosine = [-one for one in b], -cosine
    if cosine > 1 - 1e-9:
        return mix(a, b, factor)
    angle = math.acos(cosine)
    first, second = math.sin((1 - factor) * angle), math.sin(factor * angle)
    return [(x * first + y * second) / math.sin(angle) for x, y in zip(a, b, strict=True)]


def normalize(q: Vector) -> Vector:
    length = math.sqrt(sum(one * one for one in q))
    return [one / length for one in q]


def local_transform(translation: Vector, q: Vector, scale: Vector) -> list[Vector]:
    """Scaled, turned, moved, for row vectors: XMMatrixAffineTransformation; translation * rotation * scale for
    columns.
    """
    w, x, y, z = normalize(q)
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ]
    rows = [[scale[i] * turn[i][j] for j in range(3)] + [0.0] for i in range(3)]
    return [*rows, [*translation, 1.0]]


def learnopengl_key(keys: list[Key], animation_time: float) -> tuple[Vector, Vector, float]:
    """GetPositionIndex, GetScaleFactor: the first key whose successor is later, and how far between the two."""
    p0 = next(i for i in range(len(keys) - 1) if animation_time < keys[i + 1][0])
    (last, a), (following, b) = keys[p0], keys[p0 + 1]
    return a, b, (animation_time - last) / (following - last)


def luna_key(keys: list[Key], t: float) -> tuple[Vector, Vector, float]:
    """BoneAnimation::Interpolate: held before the first key and after the last; else the pair around t."""
    if t <= keys[0][0]:
        return keys[0][1], keys[0][1], 0.0
    if t >= keys[-1][0]:
        return keys[-1][1], keys[-1][1], 0.0
    for (start, a), (end, b) in pairwise(keys):
        if start <= t <= end:
            return a, b, (t - start) / (end - start)
    raise AssertionError


@pytest.mark.parametrize(
    ("system", "key_of", "reach"),
    [("bone", learnopengl_key, (0.0, DURATION - 1e-6)), ("interpolate", luna_key, (-5.0, DURATION + 5))],
)
def test_keys_are_interpolated_as_in_the_texts(system: str, key_of, reach: tuple[float, float]):
    rng = np.random.default_rng(3)
    channels = [random_keys(rng, size) for size in (3, 4, 3)]
    columns = [([t for t, _ in keys], [value for _, value in keys]) for keys in channels]
    clip = sparse_clip(
        "keys", {"b0": BoneKeys(*columns)}, ticks_per_second=25.0, rotation_blend=RotationBlend.SLERP
    )
    ticks = np.linspace(*reach, 200)
    program = compose(ClipSampler(clip, arm(1)).sample(ticks))
    off = 0.0
    for number, t in enumerate(ticks.tolist()):
        (translation, rotation, scale) = (key_of(keys, t) for keys in channels)
        text = local_transform(mix(*translation), slerp(*rotation), mix(*scale))
        off = max(off, float(np.abs(program[number, 0] - np.array(text)).max()))
    assert off < 1e-6
    log_evidence(system, "test_keys_are_interpolated_as_in_the_texts", "200 times, 21 keys, float32", off)


def test_learnopengl_animator():
    """UpdateAnimation: m_CurrentTime += ticksPerSecond * dt, then fmod by the duration; in ticks."""
    clip = turning("walk", (0, 60, 0), 1.1)
    controller = Controller(arm(), (clip,), tracks=1)
    controller.set_track(0, "walk")
    rng = np.random.default_rng(4)
    current, off = 0.0, 0.0
    for dt in rng.uniform(0.001, 0.2, 500).tolist():
        current = math.fmod(current + 10.0 * dt, 11.0)
        controller.advance(dt)
        ticks = float(controller.position(0)[0]) * 10.0
        # At a seam one may be at the end where the other is at the start.
        apart = abs(ticks - current)
        off = max(off, min(apart, 11.0 - apart))
    assert off < 1e-10
    log_evidence("animator", "test_learnopengl_animator", "500 steps, ticks", off)


def test_learnopengl_bones_with_and_without_channel():
    """CalculateBoneTransform: a node that has a Bone takes its local transform, any other keeps its own; the
    mesh may lack some.

    ReadMissingBones takes in channels of bones that no vertex names; a channel that no node is called after
    moves nothing.
    """
    rng = np.random.default_rng(8)
    skeleton = arm(5)
    keyed = ("b1", "b3", "tail")
    values = {
        name: (rng.normal(size=3), normalize(rng.normal(size=4).tolist()), rng.uniform(0.5, 2, 3))
        for name in keyed
    }
    clip = sparse_clip(
        "partly",
        {name: BoneKeys(*(([0], [list(one)]) for one in each)) for name, each in values.items()},
        ticks_per_second=25.0,
    )
    controller = Controller(skeleton, (clip,), tracks=1)
    controller.set_track(0, "partly")
    assert controller.missing == {"partly": ("tail",)}
    to_root: list[list[Vector]] = []
    for bone in range(5):
        # At rest each lies one unit above its parent.
        node = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, float(bone > 0), 0, 1.0]]
        if f"b{bone}" in values:
            translation, rotation, scale = values[f"b{bone}"]
            node = local_transform(list(translation), list(rotation), list(scale))
        parent = to_root[-1] if to_root else [[float(i == j) for j in range(4)] for i in range(4)]
        to_root.append(
            [[sum(node[i][k] * parent[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
        )
    off = float(np.abs(controller.to_root()[0] - np.array(to_root)).max())
    assert off < 2e-6
    log_evidence(
        "channels",
        "test_learnopengl_bones_with_and_without_channel",
        "5 bones, 2 channels, 1 of none, float32",
        off,
    )


def ramp(now: float, start: float, duration: float, before: float, after: float) -> float:
    """D3DXTRANSITION_LINEAR."""
    if now <= start:
        return before
    return after if now >= start + duration else before + (after - before) * (now - start) / duration


def test_the_samples_move_to_another_track():
    """MultiAnimation, CTiny::SetMoveKey: MOVE_TRANSITION_TIME, 0.25 s; positions summed in steps of a tenth of
    a millisecond.
    """
    walk, jog = turning("walk", (0, 60, 0), 1.1), turning("jog", (0, -80, 30, 0), 0.7, "b1")
    controller = Controller(arm(), (walk, jog), tracks=2)
    controller.set_track(0, "walk")
    controller.advance(Fraction(2, 5))
    controller.set_track(1, "jog", speed=0.0, weight=0.0)
    now = controller.now
    controller.key(EventKind.ENABLE, 0, track=0, at=now + 0.25)
    controller.key(EventKind.SPEED, 0.0, track=0, duration=0.25)
    controller.key(EventKind.WEIGHT, 0.0, track=0, duration=0.25)
    controller.key(EventKind.SPEED, 1.0, track=1, duration=0.25)
    controller.key(EventKind.WEIGHT, 1.0, track=1, duration=0.25)
    step, positions, off = 1e-4, [0.4, 0.0], 0.0
    for number in range(1, 5001):
        middle = (number - 0.5) * step
        enabled = [middle < 0.25, True]
        for track, (before, after) in enumerate(((1.0, 0.0), (0.0, 1.0))):
            if enabled[track]:
                positions[track] += step * ramp(middle, 0.0, 0.25, before, after)
        if number % 200:
            continue
        controller.advance(Fraction(1, 50))
        passed = number * step
        weights = [ramp(passed, 0, 0.25, 1, 0), ramp(passed, 0, 0.25, 0, 1)]
        for track, length in enumerate((1.1, 0.7)):
            off = max(off, abs(float(controller.position(track)[0]) - math.fmod(positions[track], length)))
            off = max(off, abs(float(controller.weight(track)[0]) - weights[track]))
    assert off < 1e-8
    log_evidence("advance-time", "test_the_samples_move_to_another_track", "25 moments, 2 tracks", off)


def test_d3dx_priority_blend():
    """Low-priority tracks are mixed by weight, high-priority ones too; then low * (1 - blend) + high *
    blend.
    """
    moves = {"a": [1.0, 2.0, 3.0], "b": [-1.0, 0.5, 0.0], "c": [4.0, 0.0, -2.0], "d": [0.0, 1.0, 1.0]}
    turns = {"a": 20.0, "b": -35.0, "c": 70.0, "d": 10.0}
    clips = [
        sparse_clip(name, {"b0": BoneKeys(([0], [moves[name]]), ([0], [about((0, 0, 1), turns[name])]))})
        for name in moves
    ]
    weights, blend = {"a": 0.75, "b": 0.5, "c": 0.25, "d": 1.0}, 0.3
    controller = Controller(arm(1), clips, tracks=4)
    for track, name in enumerate(moves):
        controller.set_track(track, name, weight=weights[name], high=name in "cd")
    controller.key(EventKind.PRIORITY_BLEND, blend)

    def mixed(names: str, values: dict[str, Vector]) -> Vector:
        total = sum(weights[name] for name in names)
        return [
            sum(weights[name] * values[name][i] for name in names) / total for i in range(len(values["a"]))
        ]

    quaternions = {
        name: [math.cos(math.radians(turn) / 2), 0.0, 0.0, math.sin(math.radians(turn) / 2)]
        for name, turn in turns.items()
    }
    place = mix(mixed("ab", moves), mixed("cd", moves), blend)
    turn = mix(normalize(mixed("ab", quaternions)), normalize(mixed("cd", quaternions)), blend)
    text = local_transform(place, turn, [1.0, 1.0, 1.0])
    off = float(np.abs(controller.to_root()[0, 0] - np.array(text)).max())
    assert off < 1e-6
    log_evidence("priority-blend", "test_d3dx_priority_blend", "4 tracks, 2 of each priority, float32", off)


def test_d3dx_callback_keys():
    """ID3DXAnimationSet::GetCallback: every round of a loop passes each key once, with the application's
    data.
    """
    keys: Sequence[tuple[str, float]] = (("left", 2.5), ("right", 8.0))
    clip = sparse_clip(
        "walk",
        {"b0": BoneKeys(translation=([0, 11], [[0, 0, 0], [1, 0, 0]]))},
        ticks_per_second=10.0,
        markers=tuple(Marker(name, tick, {"foot": name}) for name, tick in keys),
    )
    controller = Controller(arm(1), (clip,), tracks=1)
    controller.set_track(0, "walk", speed=1.5, position=0.3)
    told = [one for _ in range(97) for one in controller.advance(Fraction(1, 7))]
    end, expected = 97 / 7, []
    for name, tick in keys:
        for turn in range(1000):
            moment = (tick / 10.0 + turn * 1.1 - 0.3) / 1.5
            if 0 < moment <= end:
                expected.append((moment, name))
    expected.sort()
    assert [one.data for one in told] == [{"foot": name} for _, name in expected]
    off = max(abs(one.time - moment) for one, (moment, _) in zip(told, expected, strict=True))
    assert off < 1e-9
    log_evidence("callbacks", "test_d3dx_callback_keys", f"{len(expected)} passings, seconds", off)


def test_d3dx_reset_time():
    """ResetTime: the clock is 0 again; tracks stay where they are, keyed events keep their distance."""
    controller = Controller(arm(), (turning("walk", (0, 60, 0), 100.0),), tracks=1)
    controller.set_track(0, "walk")
    controller.key(EventKind.SPEED, 2.0, track=0, at=1.0)
    controller.advance(Fraction(3, 4))
    controller.reset_time()
    assert controller.now == 0
    off = 0.0
    for number in range(1, 21):
        controller.advance(Fraction(1, 20))
        now = number / 20
        text = 0.75 + min(now, 0.25) + max(0.0, now - 0.25) * 2.0
        off = max(off, abs(float(controller.position(0)[0]) - text))
    assert off < 1e-12
    log_evidence("reset-time", "test_d3dx_reset_time", "20 moments, seconds", off)
