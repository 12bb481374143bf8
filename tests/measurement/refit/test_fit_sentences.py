"""What is said of a fit: clips, frames of them that it has not seen, and poses that no clip plays, each by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.refit.judging import Figures
from skinning_addon.measurement.profiles.game_ready import GameReadyCopy
from skinning_addon.measurement.refit.fit_sentences import (
    apart_sentences,
    clip_bone_sentence,
    fit_sentence,
    missed,
    pose_sentence,
)
from skinning_addon.measurement.refit.fitting import RefittedMesh
from skinning_addon.measurement.refit.recording import VARIED
from skinning_addon.measurement.refit.refit import Refit
from skinning_addon.scene.refit.plain_plan import PlainPlan
from skinning_addon.scene.refit.plan import CopyPlan


def of(clip: float, pose: float) -> dict[str, Figures]:
    return {"Walk": Figures(clip, clip / 2, clip / 4), VARIED: Figures(pose, pose / 2, pose / 4)}


NOTHING = CopyPlan("", (), (), ())
MESH = RefittedMesh("Body", of(0.04, 0.4), of(0.01, 0.2), of(0.03, 0.3), of(0.008, 0.1), 0, 0, 5, 9)
FIT = Refit(NOTHING, (MESH,), ())


def test_clips_and_poses_are_told_apart():
    assert str(fit_sentence(FIT, 1.0)) == (
        "Weights fitted: clips are off by at most 1 cm, by 4 cm with the largest weights; in frames that the fit "
        "has not seen by 8 mm (99.9% within 4 mm), by 3 cm with the largest"
    )
    assert str(pose_sentence(FIT, 1.0)) == (
        "Poses of the range of motion, which no clip plays, are off by at most 20 cm, by 40 cm with the largest "
        "weights"
    )
    said = [str(one) for one in missed(FIT, load_profile("threejs"), 1.0)]
    assert "Up to 1 cm is left in clips where more than 4 bones move the skin, or a modifier does" in said


def test_what_clip_bones_leave_where_they_rest():
    assert clip_bone_sentence(FIT, 1.0) is None
    with_them = replace(FIT, meshes=(replace(MESH, uncorrected=of(0.02, 0.3)),))
    said = str(clip_bone_sentence(with_them, 1.0))
    assert said.endswith("helper bones alone would leave up to 2 cm in them (99.9% within 1 cm)")
    assert said in [str(one) for one in missed(with_them, load_profile("threejs"), 1.0)]
    without_helpers = replace(FIT, asked_clip_bones=True, helpers=0)
    assert "they hang on helper bones, and there are none" in str(clip_bone_sentence(without_helpers, 1.0))
    in_vain = replace(without_helpers, helpers=4)
    assert str(clip_bone_sentence(in_vain, 1.0)) == "There are no clip bones: clips come no nearer by them"


def test_frames_that_there_are_not_are_no_zero():
    """A baked clip too short to hold out a block of it."""
    unheld = replace(FIT, meshes=(replace(MESH, held_out={}, held_out_before={}),))
    assert str(fit_sentence(unheld, 1.0)) == (
        "Weights fitted: clips are off by at most 1 cm, by 4 cm with the largest weights"
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (0.02, 0.01, "at most 1 cm after"),
        (0.74, 1.0, "at most 1 m after, so the copy may be no help"),
        # What is left is an upper bound, so a little more proves nothing; nor does rounding.
        (0.02, 0.021, "at most 2.1 cm after"),
        (5e-6, 4e-5, "at most 0.04 mm after"),
    ],
)
def test_a_copy_that_is_further_off_is_no_success(before: float, after: float, told: str):
    copy = GameReadyCopy("Hero game-ready", PlainPlan(NOTHING, np.zeros(0), 0), before, 0.0, after)
    assert str(copy.sentence(load_profile("threejs"))).endswith(told)


def test_shape_keys_that_move_are_said_to_be_apart():
    (said,) = apart_sentences(replace(FIT, without_keys=("Face",)))
    assert str(said) == (
        "Distances of the fit are without shape keys that are keyed or driven, such as those of 'Face': the copy has "
        "them as well, and what it is off by in all counts them"
    )
    assert list(apart_sentences(FIT)) == []
