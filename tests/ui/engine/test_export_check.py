"""Check My Export, as a script calls it and as a user does: in a Blender of its own, on a copy of the file."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

from skinning_addon.command_line.verifying.background import BackgroundExport
from skinning_addon.core.text.errors import SkinscopeError
from skinning_addon.core.text.message import Message
from skinning_addon.core.text.message_record import recorded, restored
from skinning_addon.ui.engine.export_check_operator import SKINSCOPE_OT_export_check, _progress
from skinning_addon.ui.engine.export_check_panel import _why_none, findings_of_export
from skinning_addon.ui.engine.export_watch import WatchedExport, checked_later
from skinning_addon.viewport.choices.export_results import first_look_sentence
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.scene.random_rig import RigOptions


@pytest.fixture
def rig(session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: ARG001 - registers the operators
    """A rig whose default export is off; temporary files go to a folder that other tests do not use."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    rig = animated_rig(RigOptions(seed=3, influences=8, scale="none"))
    without_flaws(rig)
    return rig


def test_a_refusal_and_the_progress_can_be_translated(rig, session, tmp_path: Path):  # noqa: ARG001
    """They come from another process."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"), copy=True)
    arguments = ["check-export", str(tmp_path / "rig.blend"), "--preset", "Nothing"]
    background = BackgroundExport(tmp_path, arguments, {})
    while not background.is_done:
        time.sleep(0.1)
    with pytest.raises(SkinscopeError) as refused:
        background.answer()
    told = refused.value.args[0]
    assert told.template.startswith("There are no presets of the {exporter} exporter")
    assert told.arguments["preset"] == "Nothing"
    line = Message("{file}: {doing}", file="rig.blend", doing=Message("exporting"))
    frames = Message("{what}: frame {done} of {total}", what=line, done=3, total=9)
    assert _progress("", 0.3).text == "Checking the export: starting Blender, 0 s. Esc to cancel"
    # An exporter doesn't say how far it is.
    assert _progress(line, 61.2).text == "Checking the export: exporting, 61 s. Esc to cancel"
    told = _progress(restored(recorded(frames)), 90)
    assert (told.text, told.done, told.total) == (
        "Checking the export: exporting: frame 3 of 9, 90 s. Esc to cancel",
        3,
        9,
    )


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("check-export", "while exporting; export by hand"),
        ("check-file", "while comparing the exported file"),
    ],
)
def test_a_blender_that_crashes_is_told_by_what_it_did(
    session,  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    told: str,
):
    monkeypatch.setattr(
        "skinning_addon.command_line.program.background_blender.EXPRESSION", "import os; os._exit(11)"
    )
    background = BackgroundExport(tmp_path, [command], {})
    while not background.is_done:
        time.sleep(0.05)
    with pytest.raises(SkinscopeError, match=f"Blender exited with status 11 {told}"):
        background.answer()


def left_behind() -> list[str]:
    return [one.name for one in Path(tempfile.gettempdir()).glob("skinscope-export-*")]


def test_an_export_is_checked_without_touching_the_file(rig, session, tmp_path: Path):
    scene = bpy.context.scene
    before = left_behind()
    scene.frame_set(3)
    scene.skinscope.export_check.keep = str(tmp_path / "kept.glb")
    assert bpy.ops.skinscope.export_check("EXEC_DEFAULT") == {"FINISHED"}
    verdict = session.checks.exports.of(scene.session_uid)
    assert verdict.worst_mesh.object == rig.mesh.name
    assert verdict.worst_mesh.worst.max > 0.01
    assert (tmp_path / "kept.glb").exists()
    assert scene.frame_current == 3
    assert "_SOURCE" not in rig.mesh.data.attributes
    assert bpy.data.filepath == ""
    assert left_behind() == before
    assert bpy.ops.skinscope.export_jump() == {"FINISHED"}
    assert scene.frame_current == verdict.worst_mesh.worst.frame


def test_the_settings_of_the_sessions_last_export_are_used(rig, session, tmp_path: Path):  # noqa: ARG001
    """With all influences, as the user last exported, the file is exact."""
    # With an undo step, as the window manager calls it: only then does Blender remember the operator.
    path = str(tmp_path / "rig.glb")
    bpy.ops.export_scene.gltf("EXEC_DEFAULT", True, filepath=path, export_all_influences=True)
    assert bpy.ops.skinscope.export_check("EXEC_DEFAULT") == {"FINISHED"}
    verdict = session.checks.exports.of(bpy.context.scene.session_uid)
    assert verdict.worst_mesh.worst.relative < 1e-5
    assert verdict.sources == ("the last export of this session",)


def test_the_sidebars_own_settings_override_those_of_the_last_export(rig, session, tmp_path: Path):  # noqa: ARG001
    """So that what *Try Export Settings* has set is what is checked."""
    scene = bpy.context.scene
    path = str(tmp_path / "rig.glb")
    bpy.ops.export_scene.gltf("EXEC_DEFAULT", True, filepath=path, export_influence_nb=1)
    own = scene.skinscope.profiles.exporter
    own.use_own, own.export_all_influences = True, True
    assert bpy.ops.skinscope.export_check("EXEC_DEFAULT") == {"FINISHED"}
    verdict = session.checks.exports.of(scene.session_uid)
    assert verdict.worst_mesh.worst.relative < 1e-5
    assert verdict.sources == ("the last export of this session", "My Export Settings")


def test_sets_among_the_settings_of_the_last_export_are_used(rig, session, tmp_path: Path):  # noqa: ARG001
    """Such as which types of objects the FBX exporter writes."""
    path = str(tmp_path / "rig.fbx")
    bpy.ops.export_scene.fbx(
        "EXEC_DEFAULT", True, filepath=path, object_types={"ARMATURE", "MESH"}, bake_anim_simplify_factor=0
    )
    bpy.context.scene.skinscope.export_check.exporter = "fbx"
    assert bpy.ops.skinscope.export_check("EXEC_DEFAULT") == {"FINISHED"}
    verdict = session.checks.exports.of(bpy.context.scene.session_uid)
    assert verdict.worst_mesh.worst.relative < 1e-5


def test_what_is_wrong_is_one_sentence(rig, session):  # noqa: ARG001
    scene = bpy.context.scene
    scene.skinscope.export_check.preset = "Nothing"
    with pytest.raises(
        RuntimeError, match="There are no presets of the glTF exporter; save 'Nothing' in its dialog first"
    ) as refused:
        bpy.ops.skinscope.export_check("EXEC_DEFAULT")
    assert "Traceback" not in str(refused.value)
    scene.skinscope.export_check.preset = ""
    bpy.data.objects.remove(rig.mesh)
    with pytest.raises(RuntimeError, match="The scene has no mesh with an armature"):
        bpy.ops.skinscope.export_check("EXEC_DEFAULT")


def test_an_exporter_that_is_switched_off_stays_so(rig, session):  # noqa: ARG001
    add_on = next(
        (one for one in ("io_scene_fbx", "io_scene_gltf2") if one in bpy.context.preferences.addons), ""
    )
    exporter = {"io_scene_fbx": "fbx", "io_scene_gltf2": "gltf"}[add_on]
    bpy.context.scene.skinscope.export_check.exporter = exporter
    bpy.ops.preferences.addon_disable(module=add_on)
    try:
        with pytest.raises(RuntimeError, match="exporter; enable its add-on in the preferences"):
            bpy.ops.skinscope.export_check("EXEC_DEFAULT")
        assert add_on not in bpy.context.preferences.addons
    finally:
        bpy.ops.preferences.addon_enable(module=add_on)


def test_escape_ends_the_other_blender(rig, session, monkeypatch: pytest.MonkeyPatch):  # noqa: ARG001
    started: list[BackgroundExport] = []
    start = BackgroundExport.__init__

    def noted(self, *arguments) -> None:
        start(self, *arguments)
        started.append(self)

    monkeypatch.setattr(BackgroundExport, "__init__", noted)
    before = left_behind()
    steps = SKINSCOPE_OT_export_check._steps_of(None, ["--exporter", "gltf"], {}, {})
    next(steps)
    process = started[0]._process
    assert process.poll() is None
    steps.close()
    deadline = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is not None
    assert left_behind() == before


def watched(file: Path) -> WatchedExport:
    """An export that began a minute ago, so that there is time for a first look."""
    options = {"export_influence_nb": 4}
    return WatchedExport(file, None, time.time() - 60, bpy.context.scene.session_uid, options)


def test_every_export_is_checked_once_it_is_written(rig, session, tmp_path: Path):
    scene = bpy.context.scene
    before = left_behind()
    assert list(checked_later(watched(tmp_path / "not written.glb"))) == []
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    one = watched(tmp_path / "rig.glb")
    one.look()
    # The exporter of Blender 4.4 and later asks when it has written the file; its message comes right after.
    seen = session.checks.exports.first(scene.session_uid)
    assert seen is one.seen
    assert seen.object == rig.mesh.name
    assert "the full check is running" in str(first_look_sentence(seen))
    # A finding of an earlier export doesn't stand below it.
    kept = session.checks.exports._kept
    kept[session.checks.exports.key(scene.session_uid)] = SimpleNamespace(
        report=SimpleNamespace(findings=(1,))
    )
    assert findings_of_export(bpy.context) is None
    assert str(_why_none(bpy.context)) == "The full check is running"
    kept.clear()
    for _ in checked_later(one):
        time.sleep(0.1)
    verdict = session.checks.exports.of(scene.session_uid)
    assert verdict.worst_mesh.object == rig.mesh.name
    assert verdict.worst_mesh.worst.max == pytest.approx(seen.distance, rel=1e-5)
    assert verdict.kept == str(tmp_path / "rig.glb")
    assert verdict.sources is None
    # With the exporter's settings the cause is known, and can be translated here.
    (finding,) = verdict.report.findings
    assert finding.rule == "influence-limit"
    assert isinstance(finding.message, Message)
    assert "{" in finding.message.template
    assert isinstance(finding.fix, Message)
    assert isinstance(verdict.reader, Message)
    assert session.checks.exports.first(scene.session_uid) is None
    assert session.checks.exports.worst_moments(scene.session_uid) == [(seen.clip, seen.frame)]
    assert left_behind() == before


def test_a_later_export_of_the_scene_ends_the_check_of_an_earlier_one(rig, session, tmp_path: Path):  # noqa: ARG001
    before = left_behind()
    steps = []
    for name in ("first.glb", "second.glb"):
        bpy.ops.export_scene.gltf(filepath=str(tmp_path / name))
        one = watched(tmp_path / name)
        session.checks.exports.begin(one.scene_uid, one)
        steps.append(checked_later(one))
        next(steps[-1])
        next(steps[-1])
    first, second = steps
    assert list(first) == []
    assert len(left_behind()) == len(before) + 1
    for _ in second:
        time.sleep(0.1)
    assert session.checks.exports.of(bpy.context.scene.session_uid).kept == str(tmp_path / "second.glb")
    assert left_behind() == before


def test_an_export_that_fails_is_not_taken_for_the_file_that_was_there(rig, session, tmp_path: Path):  # noqa: ARG001
    file = tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(filepath=str(file))
    state = file.stat()
    failed = WatchedExport(
        file, (state.st_size, state.st_mtime_ns), time.time() - 60, bpy.context.scene.session_uid
    )
    assert list(checked_later(failed)) == []
    assert failed.seen is None


def test_a_file_that_cannot_be_read_is_told_once(
    rig,  # noqa: ARG001
    session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    (tmp_path / "rig.glb").write_bytes(b"glTF")
    told: list[str] = []
    monkeypatch.setattr(
        "skinning_addon.ui.engine.export_watch.tell_in_status_bar",
        lambda message, good: told.append(str(message)) if not good else None,
    )
    assert list(checked_later(watched(tmp_path / "rig.glb"))) == []
    (sentence,) = told
    assert "is truncated: it has 4 bytes" in sentence
    assert session.checks.exports.of(bpy.context.scene.session_uid) is None


def test_a_timer_that_is_dropped_ends_the_other_blender(rig, session, tmp_path: Path):  # noqa: ARG001
    """As when another file is loaded."""
    before = left_behind()
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    steps = checked_later(watched(tmp_path / "rig.glb"))
    next(steps)
    next(steps)
    assert left_behind() != before
    del steps
    assert left_behind() == before
