"""What is said of an exported file in one sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.measurement.exported.first_look import FirstLook
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.viewport.choices.export_results import export_sentence, first_look_sentence

IN_SCENE = ScenePlayback(1, 40).name


def verdict(*meshes: str, clip: str = "Walk", level: Level = Level.FAIL) -> Any:
    """Of a file in which the first mesh is off most."""
    worst = SimpleNamespace(max=0.34, frame=40.0, frames=40, clip=clip, bone="hand.L", level=level)
    reports = [SimpleNamespace(object=name, worst=worst) for name in meshes]
    return SimpleNamespace(
        report=SimpleNamespace(meshes=reports),
        exporter="glTF 2.0",
        worst_mesh=reports[0] if reports else None,
    )


def seen(meshes: int, clip: str = "Walk", *, good: bool = False) -> FirstLook:
    return FirstLook("Human", "hand.L", 0.28, clip, 17.0, 16, meshes, good)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (verdict("Human"), "Left hand off by 34 cm in the exported glTF 2.0 file at frame 40 of 'Walk'"),
        (
            verdict("Human", "Robot"),
            "Human: Left hand off by 34 cm in the exported glTF 2.0 file at frame 40 of 'Walk'",
        ),
        (
            verdict("Human", "Robot", clip=IN_SCENE),
            "Human: Left hand off by 34 cm in the exported glTF 2.0 file at frame 40",
        ),
        (
            verdict("Human", "Robot", level=Level.SAME),
            "The exported glTF 2.0 file deforms as Blender does over 40 frames",
        ),
        (verdict(), "Nothing in the exported file could be compared"),
    ],
)
def test_a_verdict_names_the_mesh_where_there_are_several(one: Any, said: str):
    assert export_sentence(one) == said


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            seen(1),
            "Left hand off by 28 cm in the exported file at frame 17 of 'Walk'; the full check is running",
        ),
        (
            seen(3),
            "Human: Left hand off by 28 cm in the exported file at frame 17 of 'Walk'; the full check is running",
        ),
        (
            seen(1, IN_SCENE),
            "Left hand off by 28 cm in the exported file at frame 17; the full check is running",
        ),
    ],
)
def test_a_first_look_names_the_mesh_where_there_are_several_and_a_clip_where_it_has_one(
    one: FirstLook, said: str
):
    assert first_look_sentence(one) == said
