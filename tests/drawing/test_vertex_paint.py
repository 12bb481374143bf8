"""Weight displays agree with the weights, computed from hand-written skins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.drawing.count_classes import class_colors, count_classes
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.vertex_paint import (
    UNMOVED_COLOR,
    bone_colors,
    linear_from_srgb,
    paint_active_weight,
    paint_dominant_bone,
    paint_dropped_weight,
    paint_influence_count,
    srgb_from_linear,
)

SETTINGS = DisplaySettings()


def bendy_joints(bones):
    """Joint 0, then two joints for each bone."""
    skeleton, _ = Skeleton.from_bones(
        [str(one) for one in range(bones)], [-1] * bones, np.tile(np.eye(4), (bones, 1, 1))
    )
    bone = np.concatenate(([-1], np.repeat(np.arange(bones), 2)))
    segment = np.concatenate(([0], np.tile((0, 1), bones)))
    return Joints.of_segments(skeleton, bone, segment, np.tile(np.eye(4), (len(bone), 1, 1)), np.eye(4))


def count_colors(limit=4):
    return np.array([one.color for one in count_classes(limit)])


def pass_of(rows, armature="Armature", bones=6):
    """rows: for each vertex the weights of its joints, {joint: weight}."""
    starts = np.cumsum([0, *map(len, rows)])
    joints = [joint for row in rows for joint in row]
    weights = [weight for row in rows for weight in row.values()]
    return Pass(Skin(starts, joints, weights), bendy_joints(bones), armature)


def test_influences_are_counted_as_far_as_they_move():
    one = pass_of(
        [{}, {1: 1e-5}, {1: 1.0, 2: 0.0}, {1: 0.5, 3: 0.5, 5: 2.0}, dict.fromkeys(range(1, 13), 0.1)]
    )
    # The twelve joints are those of six bones.
    expected = linear_from_srgb(count_colors())[[0, 0, 1, 3, 6]]
    np.testing.assert_array_equal(paint_influence_count((one,), 5, SETTINGS), expected)
    few = pass_of([{1: 1.0}] * 5)
    larger = paint_influence_count((one, few), 5, SETTINGS)
    np.testing.assert_array_equal(larger, linear_from_srgb(count_colors())[[1, 1, 1, 3, 6]])


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 8, 16])
def test_none_and_more_than_the_limit_stand_out(limit):
    counts = np.arange(30)
    red, _, blue = class_colors(counts, limit).T
    within = (counts > 0) & (counts <= limit)
    assert (blue[within] > red[within]).all()
    assert (red[~within] > blue[~within]).all()


def test_without_a_limit_only_none_stands_out():
    red, _, blue = class_colors(np.arange(30), None).T
    np.testing.assert_array_equal(red > blue, np.arange(30) == 0)


def test_the_legend_names_the_classes_and_the_limit():
    def labels(limit):
        return [one.label for one in count_classes(limit)]

    assert labels(4) == ["0", "1", "2", "3", "4 (limit)", "5", "6", "7", "8", "> 8"]
    assert labels(8) == ["0", "1–2", "3–4", "5–6", "7–8 (limit)", "9", "10", "11", "12", "> 12"]
    assert labels(1) == ["0", "1 (limit)", "2", "3", "4", "5", "> 5"]
    assert labels(None) == ["0", "1–2", "3–4", "5–6", "≥ 7"]


def test_what_an_engine_drops_is_counted():
    cut = replace(pass_of([{1: 1.0}, {1: 1.0}]), authored_counts=np.int32((1, 7)))
    expected = linear_from_srgb(count_colors())[[1, 7]]
    np.testing.assert_array_equal(paint_influence_count((cut,), 2, SETTINGS), expected)


@pytest.mark.parametrize("kind", ["all", "protan", "deutan", "tritan"])
def test_neighbouring_classes_differ_for_the_colour_blind(kind):
    # Machado, Oliveira, Fernandes (2009), severity 1; for linear RGB.
    seen = {
        "all": np.eye(3),
        "protan": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
        "deutan": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
        "tritan": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
    }[kind]
    colors = srgb_from_linear(np.clip(linear_from_srgb(count_colors()) @ seen.T, 0, 1))
    apart = np.linalg.norm(np.diff(colors, axis=0), axis=1)
    assert apart.min() > 0.12
    assert np.linalg.norm(colors[0] - colors[1:], axis=1).min() > 0.18
    assert np.linalg.norm(colors[4] - colors[5:], axis=1).min() > 0.2


def test_the_active_bone_counts_with_all_its_joints():
    rows = [{1: 1.0, 2: 2.0, 3: 1.0}, {3: 1.0}, {2: 1e-5}, {}, {4: 0.5, 1: 0.5, 5: 1.0}]
    one = pass_of(rows)
    settings = replace(SETTINGS, active_bone=("Armature", 0))
    np.testing.assert_allclose(paint_active_weight((one,), 5, settings)[:, 0], [0.75, 0, 0, 0, 0.25])
    other = replace(SETTINGS, active_bone=("Other", 0))
    assert not paint_active_weight((one,), 5, other).any()
    assert not paint_active_weight((one,), 5, SETTINGS).any()
    both = (one, pass_of([{1: 1.0, 3: 1.0}] * 5, "Other"))
    np.testing.assert_allclose(paint_active_weight(both, 5, other)[:, 0], 0.5)


def test_dropped_weight_is_the_share_of_the_smallest():
    one = pass_of([{1: 4.0, 2: 3.0, 3: 2.0, 4: 1.0}, {1: 1.0}, {}, {1: 1e-5, 2: 1e-5}])
    for limit, share in ((4, 0.0), (3, 0.1), (2, 0.3), (1, 0.6)):
        settings = replace(SETTINGS, influence_limit=limit)
        np.testing.assert_allclose(
            paint_dropped_weight((one,), 4, settings)[:, 0], [share, 0, 0, 0], atol=1e-7
        )


def test_under_an_engine_it_is_the_share_that_this_engine_drops():
    # Its skin has what is left of 0.5, 0.3 and 0.2, divided by the sum; its rules are
    # tests/core/profiles/test_weight_rules.py's.
    one = replace(pass_of([{1: 0.625, 2: 0.375}, {1: 1.0}]), dropped=np.array([0.2, 0.0], dtype=np.float32))
    for limit in (1, 4):
        painted = paint_dropped_weight((one,), 2, replace(SETTINGS, influence_limit=limit))
        np.testing.assert_allclose(painted[:, 0], [0.2, 0.0], atol=1e-7)


def test_the_dominant_bone_adds_up_its_joints():
    # Bone 0 has joints 1 and 2, which together outweigh joint 3 of bone 1.
    one = pass_of([{1: 0.3, 3: 0.4, 2: 0.3}, {5: 0.2, 3: 0.1}, {}, {1: 1e-5}])
    colors = srgb_from_linear(paint_dominant_bone((one,), 4, SETTINGS))
    expected = np.stack((bone_colors(3)[0], bone_colors(3)[2], UNMOVED_COLOR, UNMOVED_COLOR))
    np.testing.assert_allclose(colors, expected, atol=1e-9)


def test_a_bones_colour_never_changes_and_is_unique():
    colors = bone_colors(200)
    np.testing.assert_array_equal(bone_colors(7), colors[:7])
    luminance = linear_from_srgb(colors) @ (0.2126, 0.7152, 0.0722)
    assert luminance.min() > 0.15
    assert luminance.max() < 0.6
    apart = np.linalg.norm(colors[:30, None] - colors[None, :30], axis=2)
    assert apart[~np.eye(30, dtype=bool)].min() > 0.05
    assert np.linalg.norm(np.diff(colors, axis=0), axis=1).min() > 0.2


def test_a_mesh_without_weights_has_colours_too():
    nothing = pass_of([{}, {}])
    for paint in (paint_influence_count, paint_active_weight, paint_dropped_weight, paint_dominant_bone):
        for passes in ((), (nothing,)):
            assert np.isfinite(paint(passes, 2, SETTINGS)).all()
            assert len(paint(passes, 2, SETTINGS)) == 2
