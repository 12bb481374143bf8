"""The top of the tab: engine, verdict and buttons come first, and nothing in it is about another engine or rig."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.ui.engine.findings_panel import SKINSCOPE_UL_findings
from skinning_addon.ui.engine.verdict_operators import SKINSCOPE_OT_profile_evidence
from skinning_addon.ui.verdict_panel import WHAT_A_CHECK_SAYS
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.scene.random_rig import RigOptions
from tests.ui.recorded_tab import recorded_tab, sidebar_context

FRAMES = range(1, 10)


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the panels
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    without_flaws(rig)
    for one in bpy.context.view_layer.objects:
        one.select_set(one == rig.mesh)
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return rig


def check() -> None:
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}


def top() -> list[str]:
    """What the first panel says, in order; its sentences joined over their lines."""
    name, drawn = next(iter(recorded_tab().items()))
    assert name == "SKINSCOPE_PT_preview"
    return [one.text for one in drawn.texts if one.text and one.text != "Skinscope"]


def findings_listed() -> list[str]:
    """What the list of findings shows, as Blender asks it."""
    context = sidebar_context()
    rows = context.window_manager.skinscope_findings
    shown = SKINSCOPE_UL_findings.filter_items(_List, context, rows, "rows")[0]
    results = _session().checks.results
    profile = context.scene.skinscope.profiles.profile
    found = [
        results.finding(context.scene.session_uid, profile, row.number)
        for row, flag in zip(rows.rows, shown, strict=True)
        if flag
    ]
    return [one.rule for one in found]


class _List:
    bitflag_filter_item = 1 << 30


def _session():
    from skinning_addon.viewport.session import current_session

    return current_session()


def test_engine_verdict_and_buttons_come_first(rig, session):  # noqa: ARG001
    said = top()
    first = said.index("Jump")
    assert said[0] == "Not checked for this engine yet"
    assert " ".join(said[1:first]) == WHAT_A_CHECK_SAYS
    assert said[first : first + 5] == ["Jump", "Fix", "Verified", "Preview", "Check"]
    check()
    said = " ".join(top())
    worst = session.checks.results.of(bpy.context.scene.session_uid, "threejs").worst_mesh.worst
    assert f"in three.js at frame {worst.frame:g} " in said
    assert "Vertices have more influences than the shader receives" in said
    assert "Frames 1 to 9, checked at " in said
    assert top().index("Check Again") < 12
    buttons = [one.operator for one in next(iter(recorded_tab().values())).buttons]
    assert set(buttons[:3]) == {
        "skinscope.profile_jump",
        "skinscope.verdict_fix",
        "skinscope.profile_evidence",
    }
    assert "Old: frames 1 to 9, checked at " not in said


def test_findings_match_the_verdict_whatever_brings_another_engine(rig, session):  # noqa: ARG001
    profiles = bpy.context.scene.skinscope.profiles
    check()
    of_three = findings_listed()
    numbers = {"threejs": profiles["profile"]}
    profiles.profile = "unity-1"
    check()
    numbers["unity-1"] = profiles["profile"]
    of_unity = findings_listed()
    for name, expected in (("threejs", of_three), ("unity-1", of_unity)):
        # As undo does: without calling `update`.
        profiles["profile"] = numbers[name]
        report = session.checks.results.of(bpy.context.scene.session_uid, name)
        assert findings_listed() == [one.rule for one in report.findings] == expected
        assert f"in {report.profile.label} at" in " ".join(top())


def evaluated(mesh_object) -> np.ndarray:
    """(F, V, 3), Blender's own."""
    placed = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        one = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
        positions = np.empty((len(one.data.vertices), 3), dtype=np.float32)
        one.data.vertices.foreach_get("co", positions.reshape(-1))
        world = np.array(one.matrix_world.transposed())
        placed.append(positions @ world[:3, :3] + world[3, :3])
    return np.array(placed)


def test_a_fix_says_what_the_shape_lost_until_it_is_undone_or_accepted(rig):
    check()
    name, before = rig.mesh.name, evaluated(rig.mesh)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.skinscope.verdict_fix.poll()
    # With an undo step, as a button calls it.
    assert bpy.ops.skinscope.verdict_fix("EXEC_DEFAULT", True) == {"FINISHED"}
    mesh = bpy.data.objects[name]
    lost = float(np.linalg.norm(evaluated(mesh) - before, axis=2).max())
    assert mesh.skinscope_fixes.moved == pytest.approx(lost, rel=1e-3)
    assert lost > 1e-3
    assert f"{name}: " in " ".join(top())
    assert "off its authored shape since 'Limit Influences'" in " ".join(top())
    assert "Old: frames 1 to 9, checked at " in " ".join(top())
    bpy.ops.ed.undo()
    assert "authored shape" not in " ".join(top())
    bpy.ops.ed.redo()
    assert "authored shape" in " ".join(top())
    assert bpy.ops.skinscope.fix_accept(uid=bpy.data.objects[name].session_uid) == {"FINISHED"}
    assert "authored shape" not in " ".join(top())


def test_a_tooltip_says_what_each_stage_was_compared_with(rig):  # noqa: ARG001
    profiles = bpy.context.scene.skinscope.profiles
    for name in ("threejs", "unity-4"):
        profiles.profile = name
        verified = load_profile(name).verified
        told = SKINSCOPE_OT_profile_evidence.description(bpy.context, None).splitlines()
        for stage, line in zip(verified.stages.values(), told[1:], strict=False):
            if stage is None:
                assert "assumed" in line
            else:
                assert f"verified with {stage.by} {stage.version} on {stage.rigs} rigs" in line
        check()
        assert ("Verified" if verified.complete else "Assumed") in top()
