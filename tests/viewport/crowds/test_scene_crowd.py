"""A scene's crowd without a window: made as settings say, at any frame, and refused in sentences."""

from __future__ import annotations

import json
from dataclasses import replace

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.armature_state import REST_CHANNELS
from skinning_addon.viewport.crowds.choices import CrowdChoices
from skinning_addon.viewport.crowds.scene_crowd import SceneCrowd, step_of
from skinning_addon.viewport.objects.object_lookup import ObjectLookup
from tests.command_line.crowding.walker_file import add_walker

COUNT = 30


class Chosen:
    """A crowd and its settings."""

    def __init__(self) -> None:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        self.armature = add_walker()
        bpy.context.view_layer.update()
        self.choices = CrowdChoices(is_on=True, armature=self.armature.session_uid, count=COUNT, side=14.0)
        self.crowd = SceneCrowd(ObjectLookup(), lambda _scene: self.choices)

    def refreshed(self, **changes: object) -> SceneCrowd:
        self.choices = replace(self.choices, **changes)
        self.crowd.refresh()
        return self.crowd

    def at(self, step: int) -> np.ndarray:
        assert self.crowd.player is not None
        assert self.crowd.player.follow(step, lambda: False)
        return self.crowd.player.places.copy()


@pytest.fixture
def chosen():
    made = Chosen()
    yield made
    made.crowd.stop()


def state_of_scene() -> list[object]:
    """All that reading a character could have left behind."""
    armature = bpy.data.objects["Walker"]
    pose = []
    for channel in REST_CHANNELS:
        values = np.empty(len(armature.pose.bones) * len(REST_CHANNELS[channel]), dtype=np.float32)
        armature.pose.bones.foreach_get(channel, values)
        pose.append(values.tolist())
    return [
        pose,
        armature.animation_data.action.name,
        bpy.context.scene.frame_current_final,
        sorted(one.name for one in bpy.data.objects),
        sorted(one.name for one in bpy.data.actions),
        sorted(one.name for one in bpy.data.scenes),
    ]


def test_reading_the_character_changes_nothing(chosen):
    bpy.context.scene.frame_set(7)
    before = state_of_scene()
    assert not chosen.refreshed().error
    assert state_of_scene() == before


def test_agents_stand_apart_inside_and_walk(chosen):
    player = chosen.refreshed().player
    start, later = chosen.at(0), chosen.at(1200)
    for places in (start, later):
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(COUNT, 1)]
        assert apart.min() >= 2 * player.radii.max() - 0.001
        assert np.abs(places).max() <= 7 - player.radii.max() + 1e-6
    assert (np.linalg.norm(later - start, axis=1) > 1).sum() > COUNT / 2
    np.testing.assert_array_equal(chosen.at(0), start)
    np.testing.assert_array_equal(chosen.at(1200), later)


def test_a_long_way_is_gone_in_pieces(chosen):
    player = chosen.refreshed().player
    left = [3]

    def enough() -> bool:
        left[0] -= 1
        return left[0] < 0

    assert not player.follow(500, enough)
    assert player.crowd.state.step == 3
    assert player.follow(500, lambda: False)
    assert player.crowd.state.step == 500


def test_a_timer_goes_the_rest_of_the_way(chosen, monkeypatch):
    crowd = chosen.refreshed()
    scene = bpy.context.scene
    scene.frame_start = 1
    scene.frame_set(101)
    turns = []
    monkeypatch.setattr(crowd._catch_up, "at", turns.append)
    monkeypatch.setattr("skinning_addon.viewport.crowds.scene_crowd.SECONDS_AT_ONCE", 0.02)
    for _ in range(200):
        crowd.catch_up()
        if not crowd.behind:
            break
    assert crowd.player.crowd.state.step == 500
    assert len(turns) >= 1
    places = crowd.player.places
    np.testing.assert_array_equal(chosen.at(500), places)


def test_what_was_just_steered_is_no_other_crowd(chosen):
    crowd = chosen.refreshed()
    player = crowd.player
    player.crowd.steer(4, (0, 1), "run")
    crowd.steering_kept(player.steered)
    assert chosen.refreshed(inputs=player.steered).player is player
    assert chosen.refreshed(inputs="").player is not player


def test_clips_that_no_rate_holds_are_named(chosen):
    player = chosen.refreshed(sampled=True, tolerance=1e-9).player
    (one,) = player.characters
    assert {"Walk", "Run"} <= set(one.unsampled)
    assert one.sampling_deviation <= 1e-9
    player = chosen.refreshed(tolerance=1e-2).player
    (one,) = player.characters
    assert one.unsampled == ()
    assert 0 < one.sampling_deviation <= 1e-2


def test_steering_is_played_again_also_from_the_first_frame(chosen):
    player = chosen.refreshed().player
    player.crowd.steer(4, (0, 1), "run")
    steered = chosen.at(240)
    player.crowd.release(4)
    inputs = player.steered
    assert [one[1] for one in json.loads(inputs)] == ["steer", "release"]
    chosen.crowd.stop()
    chosen.refreshed(inputs=inputs)
    np.testing.assert_array_equal(chosen.at(240), steered)
    alone = chosen.refreshed(inputs="")
    assert alone.player.steered == ""
    assert np.abs(chosen.at(240)[4] - steered[4]).max() > 0.1


def test_what_was_steered_of_agents_that_are_gone_is_left_out(chosen):
    inputs = '[[0, "steer", 29, 0, 1, 1], [10, "steer", 3, 0, 1, 1]]'
    player = chosen.refreshed(inputs=inputs, count=10).player
    chosen.at(120)
    assert [one[2] for one in json.loads(player.steered)] == [3]


def test_the_same_settings_keep_the_crowd_and_others_make_it_anew(chosen):
    player = chosen.refreshed().player
    assert chosen.refreshed().player is player
    character = player.character
    other = chosen.refreshed(seed=2).player
    assert other is not player
    # The clips are not read again for that.
    assert other.character is character
    assert not np.array_equal(chosen.at(0), player.places)
    assert chosen.refreshed(is_on=False).player is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"armature": 0}, "Choose the armature of a character that walks"),
        ({"count": 5000}, "no free place for 5,000 agents"),
        ({"count": 1_000_000}, "MB for a state alone; ask for 1 to 100,000"),
        ({"side": 0.2}, "no free place for 30 agents in an area of 0.2 by 0.2"),
        ({"roles": (("walk", "Idle"),)}, "Idle"),
        ({"roles": (("walk", "Nowhere"),)}, "Nowhere"),
        ({"inputs": "[[1, 'steer']]"}, "What was steered can't be read"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(chosen, changes, told):
    crowd = chosen.refreshed(**changes)
    assert crowd.player is None
    assert told in crowd.error


def test_a_character_without_meshes_or_clips_is_refused_by_name(chosen):
    bpy.data.objects.remove(bpy.data.objects["Body"])
    assert "'Walker'" in chosen.refreshed().error
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    assert chosen.refreshed(seed=3).error


def test_a_deleted_character_goes_on_until_settings_change(chosen):
    player = chosen.refreshed().player
    bpy.data.objects.remove(chosen.armature)
    assert chosen.refreshed().player is player
    chosen.at(60)
    assert chosen.refreshed(seed=4).error == "The character is not in this scene; choose another"


@pytest.mark.parametrize("gone", ["character", "ground"])
def test_what_comes_back_with_undo_has_a_crowd_again(chosen, gone):
    """Unlinked and linked again, an object has the session uid that it had, as after undo."""
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [], [(0, 1, 2, 3)])
    ground = bpy.data.objects.new("Ground", mesh)
    objects = bpy.context.scene.collection.objects
    objects.link(ground)
    one = chosen.armature if gone == "character" else ground
    objects.unlink(one)
    assert gone in chosen.refreshed(ground=ground.session_uid).error
    objects.link(one)
    bpy.context.view_layer.update()
    crowd = chosen.refreshed()
    assert crowd.error == ""
    assert crowd.player is not None


def test_an_error_while_drawing_leaves_a_sentence(chosen):
    chosen.refreshed().fail("It broke.")
    assert chosen.crowd.player is None
    assert chosen.crowd.error == "It broke."


@pytest.mark.parametrize(("frame", "rate", "step"), [(1, 24, 0), (25, 24, 120), (2, 30, 4), (-5, 24, 0)])
def test_the_crowd_begins_where_the_scene_does(frame, rate, step):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start = rate, 1
    scene.frame_set(frame)
    assert step_of(scene) == step


def ground_object(size: float = 16.0, height: float = 2.0) -> bpy.types.Object:
    bpy.ops.mesh.primitive_plane_add(size=size, location=(0, 0, height))
    return bpy.context.object


def test_on_a_chosen_ground_everybody_stands_and_is_drawn_at_its_height(chosen):
    ground = ground_object()
    crowd = chosen.refreshed(ground=ground.session_uid)
    assert not crowd.error
    np.testing.assert_allclose(chosen.at(240)[:, 2], 2.0)
    player = crowd.player
    places = player.character.poser.places(player.crowd.state)
    bare = chosen.refreshed(ground=0).player
    assert places[:, 3, 2] - bare.character.poser.places(bare.crowd.state)[0, 3, 2] == pytest.approx(2.0)


def test_obstacles_are_those_of_the_collection_and_never_the_character(chosen):
    ground = ground_object(height=0.0)
    bpy.ops.mesh.primitive_cube_add(size=6, location=(0, 0, 1))
    things = bpy.data.collections.new("Things")
    bpy.context.scene.collection.children.link(things)
    for one in (bpy.context.object, ground, *chosen.armature.children):
        things.objects.link(one)
    crowd = chosen.refreshed(ground=ground.session_uid, obstacles=things.session_uid)
    assert not crowd.error
    assert np.abs(chosen.at(600)[:, :2]).max(axis=1).min() > 3
    assert not chosen.refreshed(obstacles=0).error
    assert np.abs(chosen.at(600)[:, :2]).max(axis=1).min() < 3


def test_a_ground_that_is_gone_or_carries_nobody_is_a_sentence(chosen):
    ground = ground_object(size=0.2)
    assert chosen.refreshed(ground=ground.session_uid).error.startswith("Nobody can stand on the ground")
    bpy.data.objects.remove(ground)
    assert chosen.refreshed(seed=2).error == "The ground is not in this scene; choose another"
    assert not chosen.refreshed(ground=0).error
