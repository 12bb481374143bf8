"""Whatever is edited of an F-curve: outside the frames that are named, Blender evaluates it as before."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.clips.curve_spans import ALL, changed_spans, read_curves

TIMES = np.arange(-6, 30, 0.25)


@pytest.fixture
def animated() -> bpy.types.Object:
    one = bpy.data.objects.new("Animated", None)
    bpy.context.scene.collection.objects.link(one)
    for frame, value in ((1, 0.0), (5, 2.0), (9, -1.0), (14, 0.5), (20, 3.0)):
        one.location.x = value
        one.keyframe_insert("location", index=0, frame=frame)
    return one


def curve_of(one: bpy.types.Object) -> bpy.types.FCurve:
    return next(iter(fcurves(one.animation_data.action)))


def edit(curve: bpy.types.FCurve, random: np.random.Generator) -> None:
    points = curve.keyframe_points
    point = points[int(random.integers(len(points)))]
    match int(random.integers(9)):
        case 0:
            point.co.y += random.uniform(-2, 2)
        case 1:
            point.co.x += random.uniform(-6, 6)
        case 2:
            points.insert(float(random.uniform(-3, 25)), float(random.uniform(-2, 2)))
        case 3 if len(points) > 2:
            points.remove(point)
        case 4:
            point.interpolation = str(
                random.choice(["CONSTANT", "LINEAR", "BEZIER", "ELASTIC", "BACK", "BOUNCE"])
            )
        case 5:
            point.easing = str(random.choice(["EASE_IN", "EASE_OUT", "AUTO"]))
            point.back, point.amplitude, point.period = random.uniform(0, 3, 3)
        case 6:
            point.handle_left_type = point.handle_right_type = "FREE"
            point.handle_right = point.co.x + random.uniform(0, 9), random.uniform(-3, 3)
        case 7:
            point.handle_left_type = point.handle_right_type = str(
                random.choice(["AUTO", "AUTO_CLAMPED", "VECTOR", "ALIGNED"])
            )
        case 8:
            curve.extrapolation = str(random.choice(["CONSTANT", "CONSTANT", "LINEAR"]))
    curve.update()


def test_outside_the_spans_blender_evaluates_the_curve_as_before(animated):
    action, random = animated.animation_data.action, np.random.default_rng(5)
    narrow = 0
    for number in range(600):
        curve = curve_of(animated)
        before, values = read_curves(action), [curve.evaluate(time) for time in TIMES]
        edit(curve, random)
        spans = changed_spans(before, read_curves(action))
        for time, value in zip(TIMES, values, strict=True):
            if not any(low < time < high for low, high in spans):
                assert curve.evaluate(time) == value, (number, time)
        narrow += any(low > -math.inf and high < math.inf for low, high in spans)
    assert narrow > 50


def test_a_key_decides_the_frames_up_to_its_neighbors(animated):
    action = animated.animation_data.action
    for point in curve_of(animated).keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    before = read_curves(action)
    curve_of(animated).keyframe_points[2].co.y += 1
    assert changed_spans(before, read_curves(action)) == ((5.0, 14.0),)
    before = read_curves(action)
    curve_of(animated).keyframe_points[0].co.y += 1
    assert changed_spans(before, read_curves(action)) == ((-math.inf, 5.0),)
    before = read_curves(action)
    curve_of(animated).keyframe_points.insert(30, 1.0)
    assert changed_spans(before, read_curves(action)) == ((20.0, math.inf),)
    before = read_curves(action)
    assert changed_spans(before, read_curves(action)) == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda curve: setattr(curve, "mute", True),
        lambda curve: setattr(curve, "extrapolation", "LINEAR"),
        lambda curve: curve.modifiers.new("CYCLES"),
    ],
)
def test_what_reaches_beyond_keys_decides_all(animated, change):
    action = animated.animation_data.action
    before = read_curves(action)
    change(curve_of(animated))
    assert changed_spans(before, read_curves(action)) == (ALL,)


@pytest.mark.parametrize("reach", ["extrapolation", "modifier"])
def test_keys_of_a_curve_that_reaches_beyond_them_decide_all(animated, reach):
    action = animated.animation_data.action
    if reach == "modifier":
        curve_of(animated).modifiers.new("CYCLES")
    else:
        curve_of(animated).extrapolation = "LINEAR"
    before = read_curves(action)
    curve_of(animated).keyframe_points[2].co.y += 1
    assert changed_spans(before, read_curves(action)) == (ALL,)


def test_another_curve_decides_all(animated):
    action = animated.animation_data.action
    before = read_curves(action)
    animated.keyframe_insert("location", index=1, frame=3)
    assert changed_spans(before, read_curves(action)) == (ALL,)
