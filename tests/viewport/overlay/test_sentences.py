from __future__ import annotations

from functools import partial

import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.skinning.deviation import Deviation
from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.viewport.character.figures import Figures
from skinning_addon.viewport.overlay.sentences import compared_with, summary, verdict, when


def deviation(distance, relative=0.1):
    return Deviation(np.array([0.0, distance]), np.array([0.5, 0.5]), relative)


def same():
    return deviation(2e-7, relative=1e-7)


def test_what_only_differs_by_rounding_is_called_the_same():
    assert verdict(Figures(same(), "", 17.0)) == "Same as Blender's at frame 17"


def test_what_is_off_says_how_far_and_when():
    assert verdict(Figures(deviation(0.0041), "", 17.5)) == "Off by 4.1 mm at frame 17.5"


def test_the_body_part_comes_first_where_the_bone_tells():
    assert (
        verdict(Figures(deviation(0.0041), "", 17.0, find_bone=lambda: "mixamorig:LeftHand"))
        == "Left hand off by 4.1 mm at frame 17"
    )
    assert (
        verdict(Figures(deviation(0.0041), "", 17.0, find_bone=lambda: "Bone.003"))
        == "'Bone.003' off by 4.1 mm at frame 17"
    )


def test_a_deviation_that_a_wrong_unit_would_make_stands_beside_the_character_s_height():
    far = Figures(deviation(71.0), "", 17.0, find_bone=lambda: "mixamorig:LeftHand", height=1.8)
    assert verdict(far) == "Left hand off by 71 m on a character 1.8 m tall at frame 17"
    assert summary([("Body", far)])[0].text == "Body: left hand off by 71 m on a character 1.8 m tall"


def test_without_a_comparison_the_reason_is_told():
    assert (
        verdict(Figures(None, "Blender's result has 3 vertices.", 1.0)) == "Blender's result has 3 vertices."
    )


def texts(measured):
    figures = [(name, Figures(one, "", 1.0, find_bone=partial(str, bone))) for name, one, bone in measured]
    return [line.text for line in summary(figures)]


def test_a_summary_names_what_is_off_worst_first_and_counts_the_rest():
    measured = [
        ("Hat", same(), "head"),
        ("Coat", deviation(0.002), "Bone"),
        ("Body", deviation(0.03), "hand.L"),
        ("Shoes", same(), ""),
    ]
    assert texts(measured) == [
        "Body: left hand off by 3 cm",
        "Coat: off by 2 mm",
        "2 others: same as Blender's",
    ]


def test_a_summary_stays_short():
    measured = [(f"part {number}", deviation(number / 1000), "") for number in range(1, 31)]
    assert texts(measured) == [
        "part 30: off by 3 cm",
        "part 29: off by 2.9 cm",
        "part 28: off by 2.8 cm",
        "27 more: off by 2.7 cm or less",
    ]
    assert texts([(f"part {number}", same(), "") for number in range(6)]) == ["6 meshes: same as Blender's"]
    assert texts([("Body", same(), "")]) == ["Body: same as Blender's"]


def test_what_a_check_calls_good_is_no_warning():
    near = Figures(deviation(3e-5), "", 1.0, level=Level.SAME)
    far = Figures(deviation(0.03), "", 1.0, level=Level.FAIL)
    lines = summary([("Body", near), ("Coat", far), ("Hat", near), ("Shoe", Figures(same(), "", 1.0))])
    assert [(line.text, line.level) for line in lines] == [
        ("Coat: off by 3 cm", Level.FAIL),
        ("2 more: off by 0.03 mm or less", Level.GOOD),
        ("Shoe: same as Blender's", Level.SAME),
    ]
    (line,) = summary([("Body", near)])
    assert (line.text, line.fine) == ("Body: off by 0.03 mm", True)


def test_figures_say_which_frame_they_are_of():
    measured = [Figures(same(), "", 17.0), Figures(same(), "", 12.0)]
    assert when(measured[:1], 17.0) == "At this frame"
    assert when(measured, 17.0) == "At frame 12"


def test_what_could_not_be_compared_is_in_no_summary():
    assert summary([("Body", Figures(None, "Blender's result has 3 vertices.", 1.0))]) == []


def test_behind_an_engines_name_no_word_begins_with_a_capital():
    engine = load_profile("unity-2")
    assert compared_with([""]) == "Compared with Blender's final mesh"
    assert compared_with([""], engine) == f"{engine.label}: compared with Blender's final mesh"
    assert compared_with(["Cast"], engine) == f"{engine.label}: compared with Blender's mesh before 'Cast'"
