"""A Rigify human as artists finish one: auto smooth, subdivision, a hook, a driven shape key; previewed,
checked and explained.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import text_of

CHECKOUT = Path(__file__).parents[2]
SETTLED = "figures()['settled'] and figures()['relative'] is not None"
LOOKING = """\
from skinning_addon.measurement.profiles.profile_report import profile_sentence
settings, profiles = bpy.context.scene.skinscope, bpy.context.scene.skinscope.profiles
settings.display, settings.show_figures = 'DEVIATION', True
results = session.checks.results
with view3d() as area:
    area.spaces.active.overlay.show_bones = False
    area.spaces.active.show_region_ui = True
    bpy.ops.view3d.view_selected()
def report():
    return results.of(bpy.context.scene.session_uid, profiles.profile)
def findings():
    return {one.rule: (one.deviation, one.frame) for one in report().findings}
"""
# Before the sidebar is drawn it has no tabs to choose from.
CHOOSE_TAB = """\
with view3d() as area:
    next(one for one in area.regions if one.type == 'UI').active_panel_category = 'Skinscope'
"""
CHECK = "results.clear()\nwith view3d(): bpy.ops.skinscope.profile_check('INVOKE_DEFAULT')"
MODIFIERS_AFTER_OFF = "for name in after: body.modifiers[name].show_viewport = False\n"
EVALUATED = """\
import numpy as np
def evaluated(frame):
    bpy.context.scene.frame_set(int(frame))
    one = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([one.matrix_world @ vertex.co for vertex in one.data.vertices])
after = [one.name for one in body.modifiers if one.type in {'SUBSURF', 'NODES'}]
"""


@pytest.fixture(scope="module")
def human(shared_blender: WindowedBlender) -> WindowedBlender:
    for name in ("bar_character.py", "finished_human.py"):
        shared_blender.run(text_of(name), timeout=400)
    shared_blender.run(text_of("preview_figures.py") + LOOKING)
    shared_blender.screenshot(timeout=120)
    shared_blender.run(CHOOSE_TAB)
    return shared_blender


@pytest.fixture(autouse=True)
def no_traceback(human: WindowedBlender) -> Iterator[None]:
    with no_complaint(human, ("traceback",)):
        yield
        human.run("session.stop_all()")


def checked(human: WindowedBlender) -> dict[str, Any]:
    human.run(CHECK, timeout=300)
    human.wait_until("report() is not None", timeout=400)
    return human.run("findings()")


def test_its_stack_is_what_the_operators_make(human: WindowedBlender) -> None:
    assert human.run("[one.type for one in body.modifiers]") == ["HOOK", "ARMATURE", "SUBSURF", "NODES"]
    assert human.run("len(body.modifiers[0].vertex_indices)") > 10
    driven = human.run("""
values = []
for frame in FRAMES:
    bpy.context.scene.frame_set(frame)
    values.append(body.data.shape_keys.key_blocks['Biceps.L'].value)
values""")
    assert abs(driven[0] - driven[1]) > 0.5


def test_the_preview_is_blenders_armature_result_wherever_it_plays(human: WindowedBlender) -> None:
    human.run("with view3d(): bpy.ops.skinscope.preview_start()", timeout=120)
    for frame in (20, 27, 32, 44):
        human.run(f"bpy.context.scene.frame_set({frame})", timeout=120)
        human.wait_until(f"{SETTLED} and figures()['frame'] == {frame}", timeout=180)
        figures = human.run("figures()")
        assert figures["relative"] < 1e-5
        assert figures["before"] == "Subdivision"
    assert not human.run("session.previews[0].error or session.previews[0].paused")
    human.screenshot(timeout=120)


def test_the_check_names_causes_that_are_none_once_they_are_turned_off(human: WindowedBlender) -> None:
    human.run("profiles.profile, profiles.scanned = 'threejs', 'SCENE'")
    found = checked(human)
    human.screenshot(timeout=120)
    assert {"preserve-volume", "bendy-bones", "influence-limit", "shape-key-order", "modifier-after"} <= set(
        found
    )
    deviation, frame = found["preserve-volume"]
    human.run(EVALUATED + MODIFIERS_AFTER_OFF)
    try:
        # Blender itself, with and without the one thing that the engine lacks.
        by_blender = human.run(f"""
armature = body.modifiers['Armature']
kept = evaluated({frame})
armature.use_deform_preserve_volume = False
lost = evaluated({frame})
armature.use_deform_preserve_volume = True
float(np.linalg.norm(lost - kept, axis=1).max())""")
    finally:
        human.run("for name in after: body.modifiers[name].show_viewport = True")
    assert deviation == pytest.approx(by_blender, rel=1e-3)


def test_what_is_called_the_main_cause_is_what_moves_the_worst_vertex(human: WindowedBlender) -> None:
    human.run("profiles.profile, profiles.scanned = 'threejs', 'SCENE'")
    checked(human)
    sentence = human.run("str(profile_sentence(report()))")
    vertex, frame, most = human.run(
        "(lambda one: (one.worst_vertex, one.frame, one.max))(report().worst_mesh.worst)"
    )
    human.run(EVALUATED + MODIFIERS_AFTER_OFF)
    try:
        moved = human.run(f"""
armature = body.modifiers['Armature']
kept = evaluated({frame})[{vertex}]
armature.use_deform_preserve_volume = False
volume = evaluated({frame})[{vertex}]
armature.use_deform_preserve_volume = True
segments = [one.bbone_segments for one in rig.data.bones]
for one in rig.data.bones: one.bbone_segments = 1
stiff = evaluated({frame})[{vertex}]
for one, number in zip(rig.data.bones, segments, strict=True): one.bbone_segments = number
[float(np.linalg.norm(volume - kept)), float(np.linalg.norm(stiff - kept))]""")
    finally:
        human.run("for name in after: body.modifiers[name].show_viewport = True")
    said = {
        "Preserve Volume does not reach the engine": moved[0],
        "Bendy bones become single rigid bones": moved[1],
    }
    main = next(words for words in said if words.lower() in sentence.lower())
    assert said[main] == max(moved)
    assert said[main] > most / 4


def test_the_command_line_agrees_about_the_saved_file(human: WindowedBlender, tmp_path: Path) -> None:
    human.run("profiles.profile, profiles.scanned = 'threejs', 'SCENE'")
    found = checked(human)
    most, frame, frames = human.run(
        "(lambda one: (one.max, one.frame, one.frames))(report().worst_mesh.worst)"
    )
    path = tmp_path / "human.blend"
    human.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r}, copy=True)", timeout=120)
    command = [sys.executable, "-m", "skinning_addon", "check", str(path), "--profile", "blender"]
    command += ["--profile", "threejs", "--format", "json", "--device", "cpu"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    file = json.loads(done.stdout)["files"][0]
    exact, engine = sorted(file["meshes"], key=lambda one: one["profile"] != "blender")
    assert exact["exact"]
    assert exact["deviation"]["passed"]
    assert frames == engine["deviation"]["frames"]
    assert engine["deviation"]["max"] == pytest.approx(most, rel=1e-3)
    assert engine["deviation"]["frame"] == frame
    by_command = {one["rule"]: one["deviation"] for one in file["findings"] if one["deviation"]}
    for rule in ("preserve-volume", "bendy-bones", "influence-limit"):
        assert by_command[rule] == pytest.approx(found[rule][0], rel=1e-3)
