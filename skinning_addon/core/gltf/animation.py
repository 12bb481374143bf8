"""Animations: channels of keys that set the transforms and morph weights of nodes (clause 3.11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..text.message import Message
from ..text.quoted import shown
from .accessors import read_accessor
from .container import GltfFile
from .node_tree import Locals

STEP, LINEAR, CUBICSPLINE = "STEP", "LINEAR", "CUBICSPLINE"

TRANSFORMS = {"translation": 3, "rotation": 4, "scale": 3}
WEIGHTS = "weights"

NEARLY_ALONG = 1 - 1e-9
"""Above this cosine rotations are interpolated in a straight line: the sine of their angle is too small."""


@dataclass(frozen=True, eq=False)
class Channel:
    """The keys of one property of a node.

    path: 'translation', 'rotation', 'scale' or 'weights'. times: (K,) seconds, ascending. values: (K, C), for
    cubic splines (K, 3, C): in-tangent, value, out-tangent.
    """

    node: int
    path: str
    interpolation: str
    times: NDArray[np.float64]
    values: NDArray[np.float64]

    def at(self, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values (F, C) at times (F,); the first and last key hold before and after."""
        return _values_at((self,), seconds)[:, 0]


@dataclass(frozen=True, eq=False)
class Animation:
    """name: '' if it has none. start, end: of its first and last key, in seconds."""

    name: str
    channels: tuple[Channel, ...]
    start: float
    end: float

    def nodes(self) -> frozenset[int]:
        """Return the nodes that it moves."""
        return frozenset(one.node for one in self.channels)


def read_animations(file: GltfFile) -> tuple[Animation, ...]:
    """Read all animations.

    Raises:
        SourceFileError: keys that contradict the specification.
    """
    times: dict[int, NDArray[np.float64]] = {}
    return tuple(_animation(file, one, times) for one in file.all_of("animations"))


def posed(rest: Locals, channels: Sequence[Channel], seconds: NDArray[np.float64]) -> Locals:
    """Return the transforms (F, N, ...) of all nodes at times (F,); later channels win.

    An animated node ignores its matrix.
    """
    times = len(seconds)
    values = {
        path: np.repeat(getattr(rest, path)[None], times, axis=0)
        for path in (*TRANSFORMS, "matrix", "has_matrix")
    }
    chosen = {(one.node, one.path): one for one in channels if one.path in TRANSFORMS}
    alike: defaultdict[tuple[str, str, int], list[Channel]] = defaultdict(list)
    for one in chosen.values():
        alike[one.path, one.interpolation, id(one.times)].append(one)
    for (path, _, _), several in alike.items():
        nodes = [one.node for one in several]
        values[path][:, nodes] = _values_at(several, seconds)
        values["has_matrix"][:, nodes] = False
    return Locals(**values)


def _values_at(channels: Sequence[Channel], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values (F, N, C) of channels that share times, interpolation and path.

    A rig has thousands, nearly all with the same times: one by one they take twenty times longer.
    """
    like = channels[0]
    last = len(like.times) - 1
    before = np.clip(np.searchsorted(like.times, seconds, side="right") - 1, 0, last)
    after = np.minimum(before + 1, last)
    span = like.times[after] - like.times[before]
    passed = np.clip(seconds, like.times[0], like.times[-1]) - like.times[before]
    share = np.divide(passed, span, out=np.zeros_like(passed), where=span > 0)[:, None, None]
    first, second = (np.stack([one.values[keys] for one in channels], axis=1) for keys in (before, after))
    if like.interpolation == CUBICSPLINE:
        values = _spline(first, second, share, span[:, None, None])
    elif like.interpolation == STEP:
        values = first
    elif like.path == "rotation":
        return _slerp(_unit(first), _unit(second), share)
    else:
        values = (1 - share) * first + share * second
    return _unit(values) if like.path == "rotation" else values


def morph_weights(
    channels: Sequence[Channel], node: int, seconds: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return a node's animated morph weights (F, T) at times (F,); None if nothing animates them."""
    own = [one for one in channels if one.path == WEIGHTS and one.node == node]
    return own[-1].at(seconds) if own else None


def _animation(
    file: GltfFile, animation: Mapping[str, Any], times: dict[int, NDArray[np.float64]]
) -> Animation:
    """times: those read so far, by accessor. Channels share them."""
    every = (_channel(file, animation, held, times) for held in animation["channels"])
    channels = [one for one in every if one is not None]
    return Animation(
        str(animation.get("name", "")),
        tuple(channels),
        min((float(one.times[0]) for one in channels), default=0.0),
        max((float(one.times[-1]) for one in channels), default=0.0),
    )


def _times(file: GltfFile, accessor: int, known: dict[int, NDArray[np.float64]]) -> NDArray[np.float64]:
    if accessor not in known:
        times = read_accessor(file, accessor).astype(np.float64).reshape(-1)
        if not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            file.invalid(Message("the times of an animation's keys do not ascend"))
        known[accessor] = times
    return known[accessor]


def _channel(
    file: GltfFile,
    animation: Mapping[str, Any],
    held: Mapping[str, Any],
    known: dict[int, NDArray[np.float64]],
) -> Channel | None:
    target, sampler = held["target"], animation["samplers"][held["sampler"]]
    node, path = target.get("node"), target["path"]
    if node is None or path not in (*TRANSFORMS, WEIGHTS):
        # Without a node, or with a path of an extension, a channel is to be ignored (clause 5.5).
        return None
    file.one_of("nodes", node)
    interpolation = sampler.get("interpolation", LINEAR)
    if interpolation not in (STEP, LINEAR, CUBICSPLINE):
        file.invalid(Message("an animation interpolates by {way}", way=shown(interpolation)))
    times = _times(file, sampler["input"], known)
    values = read_accessor(file, sampler["output"]).astype(np.float64)
    triple = 3 if interpolation == CUBICSPLINE else 1
    if not len(values) or values.size % (len(times) * triple) or not np.isfinite(values).all():
        file.invalid(
            Message("an animation has {values} values for {keys} keys", values=len(values), keys=len(times))
        )
    width = values.size // (len(times) * triple)
    if path in TRANSFORMS and width != TRANSFORMS[path]:
        file.invalid(Message("the {path} of an animation has {count} numbers a key", path=path, count=width))
    shape = (len(times), 3, width) if triple == 3 else (len(times), width)
    return Channel(node, path, interpolation, times, values.reshape(shape))


def _unit(rotations: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(rotations, axis=-1, keepdims=True)
    identity = np.array((0.0, 0.0, 0.0, 1.0))
    return np.where(length > 0, rotations / np.where(length > 0, length, 1), identity)


def _slerp(
    first: NDArray[np.float64], second: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn the short way from unit quaternions (F, N, 4) to others (appendix C.4); share: (F, 1, 1)."""
    cosine = np.einsum("fnc,fnc->fn", first, second)[..., None]
    second, cosine = np.where(cosine < 0, -second, second), np.abs(cosine)
    angle = np.arccos(np.minimum(cosine, 1.0))
    along = cosine > NEARLY_ALONG
    sine = np.where(along, 1.0, np.sin(angle))
    start = np.where(along, 1 - share, np.sin((1 - share) * angle) / sine)
    end = np.where(along, share, np.sin(share * angle) / sine)
    return _unit(start * first + end * second)


def _spline(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    share: NDArray[np.float64],
    span: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Evaluate cubic splines between keys (F, N, 3, C): in-tangent, value, out-tangent (appendix C.5)."""
    square, cube = share**2, share**3
    return (
        (2 * cube - 3 * square + 1) * before[:, :, 1]
        + span * (cube - 2 * square + share) * before[:, :, 2]
        + (-2 * cube + 3 * square) * after[:, :, 1]
        + span * (cube - square) * after[:, :, 0]
    )
