"""*Suppress* in Findings: kept on the object, undone whole, and what `check` then reads."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.verdicts.suppression import PROPERTY
from skinning_addon.ui.engine.finding_operators import finding_in_focus
from skinning_addon.ui.engine.suppression_operators import suppression_of
from skinning_addon.ui.undone import follow_undo
from tests.command_line.conftest import Program
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RandomRig, RigOptions
from tests.ui.test_undo_steps import choose_finding


@pytest.fixture
def rig(session) -> RandomRig:  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 4
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    choose_finding(lambda: focused().rule == "influence-limit")
    return rig


def focused():
    finding = finding_in_focus(bpy.context)
    assert finding is not None
    return finding


def test_it_is_kept_on_the_object_and_undone(rig: RandomRig):
    mesh = rig.mesh.name
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.skinscope.finding_suppress("EXEC_DEFAULT", True, reason=" Seen;  from afar ", until="2999-01-31")
    assert rig.mesh[PROPERTY] == "influence-limit until 2999-01-31: Seen, from afar"
    suppression = suppression_of(bpy.context.scene, focused())
    assert suppression is not None
    assert suppression.reason == "Seen, from afar"
    bpy.ops.ed.undo()
    follow_undo()
    assert PROPERTY not in bpy.data.objects[mesh]
    assert suppression_of(bpy.context.scene, focused()) is None


def test_another_reason_replaces_it_and_others_stay(rig: RandomRig):
    rig.mesh[PROPERTY] = "envelopes: Old; influence-limit until 2000-01-01: Once"
    assert suppression_of(bpy.context.scene, focused()) is None
    assert not bpy.ops.skinscope.finding_count.poll()
    bpy.ops.skinscope.finding_suppress(reason="Now")
    assert rig.mesh[PROPERTY] == "envelopes: Old; influence-limit: Now"
    bpy.ops.skinscope.finding_count()
    assert rig.mesh[PROPERTY] == "envelopes: Old"
    bpy.ops.skinscope.finding_suppress(reason="Now")
    rig.mesh[PROPERTY] = "influence-limit: Now"
    bpy.ops.skinscope.finding_count()
    assert PROPERTY not in rig.mesh


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"reason": "  "}, "A suppression needs a reason; write one"),
        ({"reason": "x", "until": "in May"}, "'in May' is not a day; write one such as 2027-03-01"),
        ({"reason": "x", "until": "2027-02-30"}, "'2027-02-30' is not a day"),
    ],
)
def test_what_is_no_suppression_changes_nothing(rig: RandomRig, told: dict[str, str], says: str):
    with pytest.raises(RuntimeError, match=says):
        bpy.ops.skinscope.finding_suppress(**told)
    assert PROPERTY not in rig.mesh


def test_a_property_that_means_something_else_is_left_alone(rig: RandomRig):
    rig.mesh[PROPERTY] = "mine"
    with pytest.raises(RuntimeError, match="holds something else; edit or remove it first"):
        bpy.ops.skinscope.finding_suppress(reason="x")
    assert rig.mesh[PROPERTY] == "mine"


def test_check_reads_what_the_button_wrote(rig: RandomRig, tmp_path: Path, skinscope: Program):
    bpy.ops.skinscope.finding_suppress(reason="Seen from afar.")
    name = rig.mesh.name
    paths = [tmp_path / "rig.blend", tmp_path / "rig.glb"]
    bpy.ops.wm.save_as_mainfile(filepath=str(paths[0]), copy=True)
    bpy.ops.export_scene.gltf(filepath=str(paths[1]), export_extras=True, export_all_influences=True)
    for path in paths:
        arguments = ("--device", "cpu", "--frames", "1:4", "--profile", "threejs", "--format", "json")
        (file,) = skinscope("check", path, *arguments).json["files"]
        (found,) = (one for one in file["findings"] if one["rule"] == "influence-limit")
        assert found["object"] == name
        assert found["suppressed"] == {"reason": "Seen from afar.", "until": None}
