"""Parts are laid out again only when they change or an armature moves."""

from __future__ import annotations

import gc

import numpy as np

from skinning_addon.viewport.character.step_layout import StepLayout
from tests.core.inspection.test_spaces import Rig

HERE = np.eye(4)


def moved_along(x: float) -> np.ndarray:
    place = np.eye(4)
    place[3, 0] = x
    return place


def test_two_meshes_of_one_armature_whose_transforms_are_rounded_differently_do_not_take_turns() -> None:
    rng = np.random.default_rng(4)
    first, second, layout = Rig(rng), Rig(rng), StepLayout()
    layout.moved(first.parts, HERE)
    layout.moved(second.parts, HERE + 1e-8)
    one, other = layout.moved(first.parts, HERE), layout.moved(second.parts, HERE + 1e-8)
    layout.changed = False
    for _ in range(3):
        assert layout.moved(first.parts, HERE) is one
        assert layout.moved(second.parts, HERE + 1e-8) is other
    assert not layout.changed


def test_one_armature_in_two_scenes_that_stands_elsewhere_in_each_does_not_ask_for_redraws_for_ever() -> None:
    rng = np.random.default_rng(4)
    here, there, layout = Rig(rng), Rig(rng), StepLayout()
    for _ in range(3):
        layout.changed = False
        layout.moved(here.parts, HERE)
        layout.moved(there.parts, moved_along(5.0))
    assert not layout.changed


def test_draw_calls_that_are_no_longer_drawn_make_room() -> None:
    rng = np.random.default_rng(4)
    first, second, layout = Rig(rng), Rig(rng), StepLayout()
    alone = StepLayout().moved(second.parts, HERE)
    layout.moved(first.parts, HERE)
    layout.moved(second.parts, HERE)
    del first
    gc.collect()
    assert np.array_equal(layout.moved(second.parts, moved_along(0.1)), alone)
