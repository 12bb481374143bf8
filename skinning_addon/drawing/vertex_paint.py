"""Vertex values and colours that depend only on weights: computed once, not per frame. Pure numpy.

A vertex moved by several passes shows its worst pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.passes import Pass
from ..core.skinning.skin import SMALLEST_MOVING_SUM
from ..core.verdicts.dominant_bone import dominant_bones, moving_influences
from .count_classes import class_colors
from .display_settings import DisplaySettings
from .displays import DROPPED_WEIGHT

UNMOVED_COLOR = (0.25, 0.25, 0.25)
"""sRGB, of vertices without a bone."""

_GOLDEN_TURN = 0.618033988749895


def paint_influence_count(
    passes: Sequence[Pass], vertex_count: int, settings: DisplaySettings
) -> NDArray[np.float64]:
    """Return linear colours (V, 3) by the number of bones that move each vertex by Blender's weights: those
    that an engine drops are counted too.
    """
    counts = np.zeros(vertex_count, dtype=np.int64)
    for one in passes:
        counts = np.maximum(counts, _authored_counts(one, vertex_count))
    return linear_from_srgb(class_colors(counts, settings.influence_limit))


def _authored_counts(one: Pass, vertex_count: int) -> NDArray[np.integer]:
    if one.authored_counts is not None:
        return one.authored_counts
    vertex, bones, _ = moving_influences(one)
    bone_count = int(bones.max(initial=0)) + 1
    # A bendy bone has several joints.
    pairs = np.unique(vertex * bone_count + bones)
    return np.bincount(pairs // bone_count, minlength=vertex_count)


def paint_active_weight(
    passes: Sequence[Pass], vertex_count: int, settings: DisplaySettings
) -> NDArray[np.float64]:
    """Return the share (V, 1) that the active bone, with all its joints, has in moving each vertex."""
    share = np.zeros(vertex_count)
    if settings.active_bone is None:
        return share[:, None]
    armature, bone = settings.active_bone
    for one in passes:
        if one.armature == armature:
            vertex, bones, weight = moving_influences(one)
            own = np.bincount(vertex, weight * (bones == bone), minlength=vertex_count)
            share = np.maximum(share, own)
    return share[:, None]


def paint_dropped_weight(
    passes: Sequence[Pass], vertex_count: int, settings: DisplaySettings
) -> NDArray[np.float64]:
    """Return the share (V, 1) of each vertex's weight that is lost when influences are limited.

    For a mesh skinned as in an engine: the share of Blender's weights that the engine drops by its rules.
    """
    dropped = np.zeros(vertex_count)
    for one in passes:
        if one.dropped is not None:
            dropped = np.maximum(dropped, one.dropped)
            continue
        sums = one.skin.weight_sums
        if settings.influence_limit is None:
            continue
        kept = one.skin.limited(settings.influence_limit).weight_sums
        moving = sums > SMALLEST_MOVING_SUM
        lost = np.divide(sums - kept, sums, out=np.zeros(vertex_count), where=moving)
        dropped = np.maximum(dropped, lost)
    return dropped[:, None]


def paint_dominant_bone(
    passes: Sequence[Pass], vertex_count: int, _settings: DisplaySettings
) -> NDArray[np.float64]:
    """Return linear colours (V, 3): that of the bone with the largest share in each vertex."""
    dominant = dominant_bones(passes, vertex_count).bone
    colors = np.concatenate(([UNMOVED_COLOR], bone_colors(int(dominant.max(initial=-1)) + 1)))
    return linear_from_srgb(colors)[dominant + 1]


PAINTS: Mapping[str, Callable[[Sequence[Pass], int, DisplaySettings], NDArray[np.float64]]] = {
    "influence_count": paint_influence_count,
    "active_weight": paint_active_weight,
    DROPPED_WEIGHT: paint_dropped_weight,
    "dominant_bone": paint_dominant_bone,
}
"""By name of the display, whose vertex value is value_painted.glsl: computes numbers (V, 1) or linear colours
(V, 3)."""


def bone_colors(count: int) -> NDArray[np.float64]:
    """Return sRGB colours (count, 3) for the bones 0, 1, ...: always the same, of nearly equal lightness,
    with neighbours far apart.

    Hues go around by the golden ratio in Oklab (Ottosson, 2020), so that no two among the first dozens come
    close.
    """
    bone = np.arange(count)
    # A vertex's bones tend to be numbered consecutively: lightness and chroma set those further apart.
    lightness = np.array([0.70, 0.76, 0.64])[bone % 3]
    chroma = np.array([0.12, 0.09])[bone % 2]
    hue = 2 * np.pi * (bone * _GOLDEN_TURN % 1)
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = np.stack(
        (
            4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
        ),
        axis=1,
    )
    return srgb_from_linear(np.clip(linear, 0, 1))


def linear_from_srgb(color: NDArray[np.floating]) -> NDArray[np.float64]:
    """Decode sRGB, 0 to 1, as lib/output_color.glsl does."""
    return np.where(color <= 0.04045, color / 12.92, ((np.maximum(color, 0.04045) + 0.055) / 1.055) ** 2.4)


def srgb_from_linear(color: NDArray[np.floating]) -> NDArray[np.float64]:
    """Encode sRGB, 0 to 1, as lib/output_color.glsl does."""
    return np.where(
        color <= 0.0031308, 12.92 * color, 1.055 * np.maximum(color, 0.0031308) ** (1 / 2.4) - 0.055
    )
