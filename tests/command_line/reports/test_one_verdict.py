"""`check` and the sidebar give one verdict on several meshes, and name the same mesh for it."""

import numpy as np
import pytest

from skinning_addon.command_line.reports.report_sentence import VERDICTS, verdict
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.verdicts.verdict import Level, judge
from skinning_addon.measurement.check.check import default_tolerance
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.worst_frame import WorstFrame
from skinning_addon.measurement.profiles.profile_report import (
    MeshProfileReport,
    ProfileReport,
    profile_sentence,
)

MILLIMETRE = 1e-3


def worst_of(distance: float, *, fine: bool, height_scale: float) -> WorstFrame:
    """One of ten thousand vertices is off by this, in mm."""
    distances = np.zeros(10_000)
    distances[7] = distance * MILLIMETRE
    areas = np.full(10_000, 1e-4)
    judgement = judge(distances, areas, np.full(10_000, fine), height_scale)
    return WorstFrame(distance * MILLIMETRE, 0.0, 0.0, 1e-3, 7, "Run", 3.0, 20, level=judgement.level)


@pytest.mark.parametrize(
    ("meshes", "decides", "level"),
    [
        # name: mm off, hands or face, height in units of 1.8 m
        ({"Body": (0.9, False, 1), "Hands": (0.5, True, 1)}, "Hands", Level.LOOK),
        ({"Giant": (1.6, False, 1.7), "Imp": (0.5, False, 0.2)}, "Imp", Level.LOOK),
        ({"Body": (4.0, False, 1), "Hands": (6.0, True, 1)}, "Hands", Level.FAIL),
        ({"Body": (6.0, False, 1), "Hands": (5.5, True, 1)}, "Hands", Level.FAIL),
        ({"Body": (0.9, False, 1), "Hands": (0.1, True, 1)}, "Body", Level.GOOD),
        ({"Body": (0.01, False, 1), "Hands": (0.001, True, 1)}, "Body", Level.SAME),
    ],
)
def test_both_judge_by_the_same_mesh(meshes, decides, level):
    profile = load_profile("threejs")
    worst = {
        name: worst_of(off, fine=fine, height_scale=scale) for name, (off, fine, scale) in meshes.items()
    }
    sidebar = ProfileReport(
        profile,
        tuple(
            MeshProfileReport(number, name, one, np.zeros(1, np.float32))
            for number, (name, one) in enumerate(worst.items())
        ),
        (),
    )
    file = FileReport(
        "file.blend",
        tuple(
            MeshReport(
                name, ("Rig",), 10_000, 20, True, (), "cpu", "CPU", profile.id, one,
                default_tolerance(profile, MILLIMETRE * meshes[name][2]),
            )
            for name, one in worst.items()
        ),
    )  # fmt: skip
    assert sidebar.level is level
    if level is not Level.SAME:
        assert f"'{decides}'" in str(profile_sentence(sidebar))
    told = verdict(file)
    assert f"'{decides}'" in told
    if file.passed:
        assert (VERDICTS[level] in told) is (level >= Level.LOOK)
    else:
        assert level >= Level.LOOK
