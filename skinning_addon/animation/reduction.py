"""Fewer keys for the same movement, within a tolerance on vertices, not on curves.

An error at the hip turns the whole leg, one at a fingertip almost nothing: each channel's budget depends on
its reach. The reduced clip is then compared with the whole one by its effect on what the bones move, and the
budgets shrink until that is within tolerance.

Source of the idea, not of the method: N. Frechette, Animation Compression Library, "Error metrics".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton
from .bone_boxes import BoneBoxes
from .clip import COMPONENTS, Clip, Keys
from .local_pose import compose
from .rotations import RotationBlend, aligned, interpolate_aligned
from .sampling import ClipSampler

ATTEMPTS = 12
SHRINK = 0.7


@dataclass(frozen=True, eq=False)
class Reduction:
    """A clip with fewer keys.

    distance: a bound on how far any linearly blended vertex is from its position in the whole clip, measured at
    and between all keys. keys_before, keys_after; bytes_before, bytes_after: of both clips.
    """

    clip: Clip
    distance: float
    keys_before: int
    keys_after: int
    bytes_before: int
    bytes_after: int


def reduce_clip(clip: Clip, skeleton: Skeleton, boxes: BoneBoxes, tolerance: float) -> Reduction:
    """Remove keys as long as no vertex moves by more than `tolerance`, in root space units.

    A clip that can't be reduced within it is returned whole.
    """
    whole = _poses(clip, skeleton)
    reach = np.maximum(boxes.reach(skeleton), 1e-6 * max(boxes.size, 1e-9))
    index_of = {name: bone for bone, name in enumerate(skeleton.names)}
    of_bone = np.array([reach[index_of[name]] if name in index_of else np.inf for name in clip.bones])
    budget = tolerance
    for _ in range(ATTEMPTS):
        reduced = _without_keys(clip, of_bone, budget)
        distance = float(boxes.distances(_poses(reduced, skeleton, clip.times), whole).max(initial=0.0))
        if distance <= tolerance:
            return _reduction(clip, reduced, distance)
        budget *= min(SHRINK, 0.9 * tolerance / distance)
    return _reduction(clip, clip, 0.0)


def _reduction(before: Clip, after: Clip, distance: float) -> Reduction:
    return Reduction(after, distance, before.key_count, after.key_count, before.nbytes, after.nbytes)


def _poses(clip: Clip, skeleton: Skeleton, times: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return to_root at all of the times and halfway between them."""
    at = clip.times if times is None else times
    every = np.sort(np.concatenate((at, (at[1:] + at[:-1]) / 2)))
    return skeleton.to_root(compose(ClipSampler(clip, skeleton).sample(every)))


def _without_keys(clip: Clip, reach: NDArray[np.float64], budget: float) -> Clip:
    allowed = {
        "translation": np.full(len(reach), budget),
        "rotation": budget / reach,
        "scale": budget / reach,
    }
    keys = {
        kind: _fewer(
            clip.keys(kind), clip.times, allowed[kind], clip.rotation_blend if kind == "rotation" else None
        )
        for kind in COMPONENTS
    }
    return _without_unused_times(replace(clip, **keys))


def _fewer(
    keys: Keys, times: NDArray[np.float64], allowed: NDArray[np.float64], blend: RotationBlend | None
) -> Keys:
    kept: list[NDArray[np.intp]] = []
    counts: list[int] = []
    for channel, bone in enumerate(keys.bones.tolist()):
        start, end = int(keys.starts[channel]), int(keys.starts[channel + 1])
        values = keys.values[:, start:end].astype(np.float64)
        chosen = _chosen(values, times[keys.time_indices[start:end]], float(allowed[bone]), blend)
        kept.append(start + chosen)
        counts.append(len(chosen))
    picked = np.concatenate(kept) if kept else np.empty(0, dtype=np.intp)
    values = keys.values[:, picked]
    if blend is not None:
        values = np.concatenate(
            [aligned(part) for part in np.split(values, np.cumsum(counts)[:-1], axis=1)], axis=1
        )
    return Keys(keys.bones, np.cumsum([0, *counts]), keys.time_indices[picked], values.astype(np.float32))


def _chosen(
    values: NDArray[np.float64], times: NDArray[np.float64], allowed: float, blend: RotationBlend | None
) -> NDArray[np.intp]:
    """Choose the keys of one channel (D, n): the ends, and wherever interpolating between chosen ones is off
    by too much.
    """
    last = values.shape[1] - 1
    if last == 0 or _gap(values, values[:, :1], blend).max() <= allowed:
        return np.zeros(1, dtype=np.intp)
    chosen, open_spans = {0, last}, [(0, last)]
    while open_spans:
        start, end = open_spans.pop()
        if end - start < 2:
            continue
        share = (times[start + 1 : end] - times[start]) / (times[end] - times[start])
        first, second = values[:, start, None], values[:, end, None]
        if blend is None:
            between = first * (1 - share) + second * share
        else:
            second = second if (first * second).sum() >= 0 else -second
            between = interpolate_aligned(first, second, share, blend)
        gap = _gap(values[:, start + 1 : end], between, blend)
        worst = int(np.argmax(gap))
        if gap[worst] > allowed:
            middle = start + 1 + worst
            chosen.add(middle)
            open_spans += [(start, middle), (middle, end)]
    return np.array(sorted(chosen), dtype=np.intp)


def _gap(
    values: NDArray[np.float64], others: NDArray[np.floating], blend: RotationBlend | None
) -> NDArray[np.float64]:
    """Return the difference of values: distance for vectors, angle in radians for rotations, whatever their
    sign.
    """
    apart = np.sqrt(((values - others) ** 2).sum(axis=0))
    if blend is None:
        return np.asarray(apart, dtype=np.float64)
    turned = np.sqrt(((values + others) ** 2).sum(axis=0))
    return np.asarray(4 * np.arcsin(np.minimum(np.minimum(apart, turned) / 2, 1)), dtype=np.float64)


def _without_unused_times(clip: Clip) -> Clip:
    """Drop times that no channel has a key at; the first and the last stay, since they define the clip's
    length.
    """
    used = np.zeros(len(clip.times), dtype=np.bool_)
    used[[0, -1]] = True
    for kind in COMPONENTS:
        used[clip.keys(kind).time_indices] = True
    new_index = np.cumsum(used) - 1
    keys = {
        kind: replace(clip.keys(kind), time_indices=new_index[clip.keys(kind).time_indices].astype(np.int32))
        for kind in COMPONENTS
    }
    return replace(clip, times=clip.times[used], **keys)
