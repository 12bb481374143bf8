"""Along a curved bendy bone, the planes of the joints determine where a vertex lies."""

import numpy as np
import pytest

from skinning_addon.core.bendy.bones import straight_locations
from skinning_addon.core.bendy.curved_mapping import RestCurves, curved_locations

ARC = np.radians(70)


def curve_of(origins, tangents):
    joints = np.tile(np.eye(4), (len(origins), 1, 1))
    joints[:, 1, :3] = tangents
    joints[:, 3, :3] = origins
    return RestCurves.of_joints(joints, np.array([len(origins) - 1], dtype=np.int32))


def circle(segments):
    """An arc of radius 1 about the origin; its planes all pass through the Z axis."""
    angles = np.linspace(0, ARC, segments + 1)
    turned = np.stack((np.cos(angles), np.sin(angles), 0 * angles), axis=1)
    tangents = np.stack((-np.sin(angles), np.cos(angles), 0 * angles), axis=1)
    return angles, curve_of(turned, tangents)


def locations_of(points, curve):
    locations = curved_locations(
        np.asarray(points, dtype=np.float64), np.zeros(len(points), dtype=int), curve
    )
    assert (locations.segment >= 0).all()
    assert (locations.segment < curve.segments[0]).all()
    assert ((locations.blend >= 0) & (locations.blend <= 1)).all()
    return locations.segment + locations.blend


@pytest.mark.parametrize("segments", [2, 3, 4, 5, 8, 13, 32])
def test_a_straight_bone_is_mapped_as_the_straight_mapping_does(segments):
    along = np.linspace(0, 1, segments + 1)
    curve = curve_of(along[:, None] * [0, 1, 0], [0, 1, 0])
    points = np.random.default_rng(0).uniform(-0.5, 1.5, (200, 3))
    straight = straight_locations(points[:, 1], np.ones(200), np.full(200, segments, dtype=np.int32))
    assert locations_of(points, curve) == pytest.approx(straight.segment + straight.blend, abs=1e-9)


@pytest.mark.parametrize("segments", [2, 3, 4, 8])
def test_outside_an_arc_the_distances_to_two_planes_decide(segments):
    """At an angle t and a radius r, a plane at angle a is r sin(t - a) away."""
    angles, curve = circle(segments)
    at = np.linspace(0, ARC, 50)[:-1]
    index = np.searchsorted(angles, at, side="right") - 1
    behind, ahead = np.sin(at - angles[index]), np.sin(angles[index + 1] - at)
    points = 2.5 * np.stack((np.cos(at), np.sin(at), 0 * at), axis=1)
    assert locations_of(points, curve) == pytest.approx(index + behind / (behind + ahead), abs=1e-9)


@pytest.mark.parametrize("segments", [2, 4, 8, 32])
def test_locations_change_smoothly_past_the_crossing_of_planes(segments):
    """A path past the center of the arc leads from the head to the tail, without a jump."""
    _, curve = circle(segments)
    across = np.array([-np.sin(ARC / 2), np.cos(ARC / 2), 0])
    away = np.array([np.cos(ARC / 2), np.sin(ARC / 2), 0])
    for radius in (0.5, 0.1, 0.0, -0.1, -2.0):
        path = radius * away + np.linspace(-1, 1, 20_001)[:, None] * across
        locations = locations_of(path, curve)
        assert locations[0] == 0
        assert locations[-1] == segments
        assert np.diff(locations).min() >= -1e-9
        assert np.diff(locations).max() < 0.01 * segments


@pytest.mark.parametrize("segments", [2, 4, 8])
def test_a_curve_read_from_its_tail_gives_the_same_locations_counted_from_there(segments):
    random = np.random.default_rng(segments)
    origins = np.cumsum(random.normal(size=(segments + 1, 3)) * 0.1 + [0, 0.3, 0], axis=0)
    tangents = random.normal(size=(segments + 1, 3)) * 0.4 + [0, 1, 0]
    points = random.uniform(-1, 2, (500, 3))
    forwards = locations_of(points, curve_of(origins, tangents))
    backwards = locations_of(points, curve_of(origins[::-1], -tangents[::-1]))
    assert backwards == pytest.approx(segments - forwards, abs=1e-9)


def test_influences_of_several_bones_are_located_together():
    random = np.random.default_rng(1)
    origins = random.normal(size=(8, 3))
    tangents = random.normal(size=(8, 3))
    joints = np.tile(np.eye(4), (8, 1, 1))
    joints[:, 1, :3], joints[:, 3, :3] = tangents, origins
    both = RestCurves.of_joints(joints, np.array([2, 4], dtype=np.int32))
    points = random.normal(size=(300, 3))
    bones = random.integers(0, 2, 300)
    locations = curved_locations(points, bones, both)
    for bone, part in enumerate((slice(0, 3), slice(3, 8))):
        own = bones == bone
        expected = locations_of(points[own], curve_of(origins[part], tangents[part]))
        assert (locations.segment + locations.blend)[own] == pytest.approx(expected, abs=1e-12)


def test_all_points_have_one_location_on_a_bone_without_length():
    curve = curve_of(np.zeros((5, 3)), np.zeros((5, 3)))
    assert len(set(locations_of(np.random.default_rng(0).normal(size=(20, 3)), curve))) == 1
