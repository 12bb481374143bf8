"""A check that can't continue ends in one sentence, and leaves nothing behind."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.text.errors import StaleBindingError
from skinning_addon.scene.staging.clip_recording import ClipRecorder
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.scene.random_rig import RigOptions


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(scale="none"))
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return rig


def names() -> list[str]:
    return sorted(
        one.name for one in (*bpy.data.scenes, *bpy.data.objects, *bpy.data.meshes, *bpy.data.armatures)
    )


@pytest.mark.parametrize("how", ["EXEC_DEFAULT", "INVOKE_DEFAULT"])
def test_a_check_that_fails_at_once(rig, session, monkeypatch: pytest.MonkeyPatch, how: str):
    def fail(_recorder: ClipRecorder, _frame: float) -> None:
        raise StaleBindingError("'{armature}' has other bones by now; check again.", armature="Rig")

    monkeypatch.setattr(ClipRecorder, "record", fail)
    before = names()
    with pytest.raises(RuntimeError, match="'Rig' has other bones by now; check again") as refused:
        bpy.ops.skinscope.profile_check(how)
    assert "Traceback" not in str(refused.value)
    assert names() == before
    scene = bpy.context.scene
    assert session.checks.results.of(scene.session_uid, "threejs") is None
    monkeypatch.undo()
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    assert session.checks.results.of(scene.session_uid, "threejs").worst_mesh.mesh == rig.mesh.name


def test_a_clip_that_is_gone_is_refused_before_anything_is_copied(rig):  # noqa: ARG001
    settings = bpy.context.scene.skinscope.profiles
    settings.scanned, settings.clip = "CLIP", "Waltz"
    before = names()
    with pytest.raises(RuntimeError, match="There is no clip 'Waltz'"):
        bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    assert names() == before


def test_a_check_tells_the_height_of_a_character_that_a_wrong_unit_makes_a_giant(rig, session):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 100.0
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    report = session.checks.results.of(scene.session_uid, "threejs")
    corners = [(rig.mesh.matrix_world @ one.co).z for one in rig.mesh.data.vertices]
    height = 100.0 * (max(corners) - min(corners))
    assert report.worst_mesh.worst.height == pytest.approx(height, rel=1e-5)
    assert height > 20


def test_each_frame_has_the_verdict_that_a_check_of_it_alone_gives(rig, session):  # noqa: ARG001
    scene = bpy.context.scene

    def report():
        assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
        return session.checks.results.of(scene.session_uid, "threejs")

    (levels,) = report().frames.values()
    assert sorted(levels) == list(range(1, 10))
    for frame in (2, 5, 9):
        scene.frame_start = scene.frame_end = frame
        assert report().level == levels[frame]


def test_the_timeline_marks_the_frames_of_the_clip_that_it_shows(rig, session):
    scene, data = bpy.context.scene, rig.armature.animation_data
    action = data.action
    data.nla_tracks.new().name = "Dance"
    data.nla_tracks["Dance"].strips.new("Dance", 1, action)
    data.nla_tracks["Dance"].mute = True
    scene.skinscope.profiles.scanned = "CLIPS"
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    check = session.checks.results.check_of(scene.session_uid, "threejs")
    assert "Dance" in check.report.frames
    assert session.checks.marked_frames(check)
    data.action = None
    assert session.checks.marked_frames(check) == []
    data.nla_tracks["Dance"].is_solo = True
    assert session.checks.marked_frames(check)


def test_a_check_names_a_game_ready_copy_as_the_cure_and_leaves_nothing_behind(session):
    rig = animated_rig(RigOptions(seed=5, influences=5, inherit_scale="NONE"))
    without_flaws(rig)
    scene = bpy.context.scene
    bpy.context.view_layer.objects.active = rig.mesh
    scene.skinscope.profiles.profile = "threejs"
    scene.skinscope.profiles.scanned = "CLIPS"
    before, frame = names(), scene.frame_current
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    assert (names(), scene.frame_current) == (before, frame)
    report = session.checks.results.of(scene.session_uid, "threejs")
    (cure,) = (one for one in report.findings if one.rule == "game-ready-copy")
    assert cure.object == rig.mesh.name
    assert bpy.ops.skinscope.game_ready_copy(fit_weights=False) == {"FINISHED"}
    after = session.checks.copies.of(scene.session_uid).after
    assert 0.5 * after <= cure.deviation <= 1.01 * after
