"""Real characters in a crowd: which clips and feet are found, how fast they go, and how much feet slide."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.fixed_point import STEPS_PER_SECOND
from skinning_addon.animation.crowd.kinds import IDLE, RUN, WALK
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.animation.crowd.terrain import Walker, ground_of
from skinning_addon.command_line.crowding.followed_feet import FollowedFeet
from skinning_addon.scene.crowd.character import Character, character_of_file
from skinning_addon.scene.crowd.variants import Variant
from skinning_addon.scene.files import open_file

pytestmark = pytest.mark.rigs


def _character(file: Path, **chosen: str) -> Character:
    open_file(file)
    return character_of_file(bpy.context.scene, file.name, chosen)


def test_a_fox_surveys_walks_and_runs_on_four_feet_towards_its_nose(rigs_folder: Path):
    fox = _character(rigs_folder / "Fox.glb")
    assert [one.clip.name for one in fox.strides] == ["Survey", "Walk", "Run"]
    assert len(fox.body.feet) == 4
    assert fox.strides[IDLE].speed == 0
    assert 1.5 * fox.strides[WALK].speed < fox.strides[RUN].speed
    nose = fox.body.skeleton.rest_to_root[fox.body.skeleton.index("b_Head_05"), 3, :2]
    for stride in fox.strides[WALK:]:
        assert stride.forward @ nose / np.linalg.norm(nose) > 0.99
        assert len(stride.contacts) == 4
        assert stride.drift_in_millimetres < 10
        assert stride.drift < stride.drift_before


def test_a_man_walks_with_his_feet_half_a_cycle_apart(rigs_folder: Path):
    # He has no other clip.
    man = _character(rigs_folder / "CesiumMan.glb", idle="Anim_0", walk="Anim_0", run="Anim_0")
    stride = man.strides[WALK]
    (_, first), (half, second) = stride.contacts
    assert first != second
    assert half == pytest.approx(0.5, abs=0.03)
    assert stride.drift_in_millimetres < 10
    assert 0.8 < stride.length * man.metres_per_unit < 2.2


def test_a_knight_comes_down_once_with_each_foot_though_it_rolls_from_heel_to_toe(rigs_folder: Path):
    """In the middle of a contact his soles are above the ground by 2% of his height."""
    knight = _character(rigs_folder / "KayKit_Knight.glb")
    for stride in knight.strides[WALK:]:
        (one, first), (other, second) = stride.contacts
        assert {first, second} == {"foot.l", "foot.r"}
        assert other - one == pytest.approx(0.5, abs=0.01)


def test_a_mannequin_without_a_walk_runs_always_and_it_is_said(rigs_folder: Path):
    mannequin = _character(rigs_folder / "mannequiny.glb")
    assert [one.clip.name.split("_")[0] for one in mannequin.strides] == ["idle", "run", "run"]
    assert [str(one) for one in mannequin.notes] == [
        "There is no clip to walk with, so 'run_root.001' serves for both."
    ]
    assert mannequin.strides[RUN].drift_in_millimetres < 10
    assert mannequin.height == pytest.approx(1.8, abs=0.01)


@pytest.mark.parametrize("file", ["Fox.glb", "KayKit_Knight.glb"])
def test_feet_of_steered_agents_that_turn_while_they_go_hardly_slide(rigs_folder: Path, file: str):
    """In circles at the pace of the keys, then to and fro: at most 40 mm at a height of 1.8 m."""
    variant = Variant(_character(rigs_folder / file))
    side = variant.character.radius * 60
    crowd = Crowd.populated(CrowdSettings(3, (variant.kind(0),)), 4, (side, side))
    feet = FollowedFeet([variant], 4)
    for step in range(700):
        for agent in range(4):
            angle = 0.012 * step + agent if step < 350 else (step // 60) % 2 * np.pi / 2 + agent
            if step % 6 == 0:
                crowd.steer(agent, (np.cos(angle), np.sin(angle)), "run" if agent % 2 else "walk")
        crowd.advance(Fraction(1, STEPS_PER_SECOND))
        feet.note(crowd)
    ((_, slides),) = feet.slides
    assert slides.other_contacts > 60
    assert slides.others < 40


@pytest.mark.parametrize(("file", "wave"), [("Fox.glb", 6), ("KayKit_Knight.glb", 3)])
def test_planted_feet_stay_on_hills(rigs_folder: Path, file: str, wave: float):
    """At most 10 mm straight ahead and 40 mm else, at a height of 1.8 m, on hills of up to 20 degrees, so many
    heights from one to the next.
    """
    character = _character(rigs_folder / file)
    variant = Variant(character)
    settings = CrowdSettings(3, (variant.kind(0),))
    side = 29 * character.radius
    often = 2 * np.pi / (wave * character.height)
    x, y = np.meshgrid(*2 * [np.linspace(-0.6 * side, 0.6 * side, 200)])
    at = np.stack(
        (x, y, np.tan(np.radians(20)) / often * np.sin(often * x) * np.cos(0.8 * often * y)), axis=-1
    )
    corners = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    hills = [np.stack([corners[one] for one in three], axis=2) for three in ((0, 1, 2), (0, 2, 3))]
    climbs = Walker(settings.widest, round(character.height * 1e6), 700_000)
    half = np.full(2, round(side / 2 * 1e6), dtype=np.int64)
    ground = ground_of(np.concatenate(hills).reshape(-1, 3, 3), np.zeros((0, 3, 3)), half, climbs)
    crowd = Crowd.populated(settings, 12, (side, side), ground)
    feet = FollowedFeet([variant], 12)
    for _ in range(12 * STEPS_PER_SECOND):
        crowd.advance(Fraction(1, STEPS_PER_SECOND))
        feet.note(crowd)
    ((_, slides),) = feet.slides
    assert slides.straight_contacts > 150
    assert slides.other_contacts > 80
    assert slides.straight < 10
    assert slides.others < 40
