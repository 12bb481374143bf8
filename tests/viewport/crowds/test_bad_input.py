"""What can go wrong with a scene's crowd, one by one: each is a sentence, and nothing is lost."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.crowds.choices import VariantChoices
from tests.drawing.canvas import PIXELS, canvas, painted
from tests.viewport.crowds.test_scene_crowd import COUNT, Chosen


@pytest.fixture
def chosen():
    made = Chosen()
    yield made
    made.crowd.stop()


def comes_back(chosen, **changes) -> None:
    """After the mistake is taken back the crowd is as it was."""
    before = chosen.refreshed().player
    places = chosen.at(240)
    assert before is not None
    assert chosen.refreshed(**changes).player is None
    assert chosen.crowd.error
    plain = {"count": COUNT, "side": 14.0, "ground": 0, "roles": (), "variants": ()}
    assert not chosen.refreshed(**{name: plain[name] for name in changes}).error
    np.testing.assert_array_equal(chosen.at(240), places)


@pytest.mark.parametrize("missing", ["Idle", "Walk"])
def test_no_clip_for_a_role(chosen, missing):
    for name in {"Idle", "Walk", "Run"} - ({"Walk", "Run"} if missing == "Walk" else {"Idle"}):
        bpy.data.actions[name].name = f"kept {name}"
    for name in {"Walk", "Run"} if missing == "Walk" else {"Idle"}:
        bpy.data.actions.remove(bpy.data.actions[name])
    error = chosen.refreshed().error
    role = missing.lower()
    assert error.startswith(
        f"'Walker' has no clip to {role} with: none is called that, and none moves that way"
    )


@pytest.mark.parametrize("count", [0, 1_000_000])
def test_nobody_and_far_too_many_say_what_it_would_take(chosen, count):
    comes_back(chosen, count=count)
    error = chosen.refreshed(count=count).error
    assert error.startswith(
        f"A crowd of {count:,} agents needs {count * 280 / 1e6:,.0f} MB for a state alone"
    )


def test_an_area_too_small_for_the_count(chosen):
    comes_back(chosen, side=1.0)
    assert "There is no free place for 30 agents" in chosen.refreshed(side=1.0).error


def test_a_ground_without_faces(chosen):
    empty = bpy.data.objects.new("Empty", bpy.data.meshes.new("Empty"))
    empty.data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    comes_back(chosen, ground=empty.session_uid)
    assert chosen.refreshed(ground=empty.session_uid).error == "'Empty' has no faces; choose a mesh that has."


def test_a_character_without_a_binding(chosen):
    bpy.data.objects["Body"].modifiers.clear()
    bpy.context.view_layer.update()
    assert chosen.refreshed().error == "No mesh is bound to 'Walker'; give a mesh an Armature modifier."


def test_a_character_of_another_scene(chosen):
    other = bpy.data.scenes.new("Other")
    bpy.context.scene.collection.objects.unlink(chosen.armature)
    other.collection.objects.link(chosen.armature)
    assert chosen.refreshed().error == "The character is not in this scene; choose another"


@pytest.mark.gpu
def test_one_deleted_while_it_plays_is_drawn_until_settings_change(chosen):
    player = chosen.refreshed().player
    view = View(np.eye(4), np.diag((1 / 8, 1 / 8, -1 / 8, 1.0)), PIXELS)
    seen = []
    for step in (60, 60, 120):
        chosen.at(step)
        with canvas() as picture:
            with picture.drawing():
                player.draw(view, DisplaySettings())
            seen.append(painted(picture.pixels()))
        for one in list(bpy.data.objects):
            bpy.data.objects.remove(one)
    np.testing.assert_array_equal(seen[0], seen[1])
    assert (seen[1] != seen[2]).any()
    assert seen[2].any()
    assert "The character is not in this scene" in chosen.refreshed(count=COUNT + 1).error


def test_one_deleted_that_only_a_variant_names(chosen):
    rows = (VariantChoices(), VariantChoices(armature=987_654))
    comes_back(chosen, variants=rows)


def test_undo_in_the_middle_of_steering_leaves_a_crowd_that_nobody_steers(chosen, monkeypatch):
    crowd = chosen.refreshed()
    asked = []
    monkeypatch.setattr(crowd._refresh, "only_at", asked.append)
    crowd.player.crowd.steer(4, (0, 1), "run")
    crowd.controlled = 4
    chosen.at(60)
    crowd.note_undo()
    assert crowd.controlled is None
    assert asked
    # Undo has taken the settings back: what was steered since is not theirs.
    assert chosen.refreshed(seed=7).player.steered == ""
    assert not crowd.error
