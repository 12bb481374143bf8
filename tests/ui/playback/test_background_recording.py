"""Record in Background: another Blender records a copy of the file, and its frames are those shown here."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.ui.playback.background_recording import recording
from skinning_addon.ui.playback.cached_panel import reasons_of
from skinning_addon.viewport.cached.awaited_frames import AwaitedFrames
from skinning_addon.viewport.cached.frames_file import RecordedFrames, read_frames, write_frames
from skinning_addon.viewport.cached.stored_frame import StoredPose, StoredVertices
from tests.scene.opened_rigs import open_rig
from tests.viewport.cached.recorded import FRAMES, bending_rig, blenders, shown

MODULE = "skinning_addon.ui.playback.background_recording"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(f"{MODULE}.tell_in_status_bar", lambda text, **_: found.append(str(text)))
    return found


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("skinning_addon.viewport.cached.groups.foreign_handlers", lambda _package: [])
    yield
    recording.stop()


@pytest.fixture
def body(session) -> bpy.types.Object:  # noqa: ARG001 - registers operators
    return bending_rig()[1]


def begin(session) -> None:
    bpy.context.scene.skinscope.cached_playback = True
    session.cached.refresh()
    assert bpy.ops.skinscope.cached_playback_record() == {"FINISHED"}


def wait() -> None:
    end = time.monotonic() + 120
    while recording.is_running:
        assert time.monotonic() < end
        time.sleep(0.05)
        recording.look()


def meshes_of(session):
    cache = session.cached.cache
    return [mesh for group in cache.groups for mesh in cache.meshes_of(group)]


def assert_frames_are_blenders(session, frames) -> None:
    """What came from the other Blender, before this one shows any of it; then bit for bit as this one records it."""
    kept = {mesh.name: {one: shown(mesh, one) for one in frames} for mesh in meshes_of(session)}
    assert kept
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for name, found in kept.items():
            expected = blenders(bpy.data.objects[name])
            size = float(np.linalg.norm(np.ptp(expected, axis=0)))
            assert np.abs(found[frame] - expected).max() <= 1e-5 * size
    assert session.cached.cache.distrusted == ()
    assert all(not mesh.unseen and set(frames) <= set(mesh.frames) for mesh in meshes_of(session))


@pytest.mark.parametrize("modifier", [None, "SUBSURF"])
def test_another_blender_records_what_is_shown_here(session, body, told, modifier):
    if modifier is not None:
        body.modifiers.new("After", modifier)
        bpy.context.view_layer.update()
    begin(session)
    before = bpy.context.scene.frame_current
    wait()
    assert told == ["All frames are recorded"]
    assert bpy.context.scene.frame_current == before
    assert session.cached.known_frames(bpy.context) == set(range(1, FRAMES + 1))
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert_frames_are_blenders(session, range(1, FRAMES + 1))


def test_frames_that_are_known_are_not_recorded_again(session, body, told):  # noqa: ARG001
    bpy.context.scene.skinscope.cached_playback = True
    session.cached.refresh()
    for frame in (3, 4):
        bpy.context.scene.frame_set(frame)
    begin(session)
    assert recording.progress == (0, FRAMES - 2)
    (mesh,) = meshes_of(session)
    own = mesh.frames[3]
    wait()
    assert mesh.frames[3] is own
    assert mesh.unseen == set(range(1, FRAMES + 1)) - {3, 4}


def test_frames_of_a_character_that_is_edited_meanwhile_are_refused(session, body, told):
    begin(session)
    body.vertex_groups["upper"].add([0, 1, 2], 0.5, "REPLACE")
    body.data.update()
    bpy.context.view_layer.update()
    wait()
    assert session.cached.known_frames(bpy.context) == set()
    assert told == ["Recording in the background ended early; play, and the rest are recorded"]


def test_stopping_ends_the_other_blender_and_keeps_what_has_come(session, body, told):  # noqa: ARG001
    begin(session)
    process = recording._blender._process
    assert bpy.ops.skinscope.cached_playback_stop_recording() == {"FINISHED"}
    assert process.poll() is not None
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert told == []
    assert not bpy.ops.skinscope.cached_playback_stop_recording.poll()


def test_a_frame_that_is_not_what_this_blender_shows_takes_all_with_it(session, body):
    scene = bpy.context.scene
    scene.skinscope.cached_playback = True
    session.cached.refresh()
    (group,), (mesh,) = session.cached.cache.groups, meshes_of(session)
    scene.frame_set(2)
    right = mesh.frames[2]
    wrong = StoredPose(right.mesh_to_world, right.rows + np.float32(0.01))
    awaited = AwaitedFrames(session.cached.cache, scene, (group,))
    awaited.take(scene, RecordedFrames({body.name: {5.0: wrong, 6.0: wrong}}))
    assert set(mesh.frames) == {2, 5, 6}
    scene.frame_set(5)
    assert session.cached.cache.distrusted == ("Rig",)
    assert session.cached.known_frames(bpy.context) == set()
    sentence = (
        "Frames of 'Rig' recorded in the background differ from what Blender shows; play to record them again"
    )
    assert sentence in reasons_of(session.cached)


@pytest.mark.usefixtures("body")
def test_a_frame_of_another_shape_is_refused(session):
    bpy.context.scene.skinscope.cached_playback = True
    session.cached.refresh()
    (mesh,) = meshes_of(session)
    place = np.eye(4)
    mesh.take(1.0, StoredPose(place, np.zeros((3, 4), dtype=np.float32)))
    mesh.take(2.0, StoredVertices(place, np.zeros((60, 3), dtype=np.float32), np.zeros((60, 3), np.float16)))
    assert mesh.frames == {}


def test_nothing_is_recorded_of_a_character_that_is_previewed(session, body, monkeypatch):
    bpy.context.scene.skinscope.cached_playback = True
    session.cached.refresh()
    record = bpy.ops.skinscope.cached_playback_record
    assert record.poll()
    monkeypatch.setattr(session.cached, "_previewed", lambda: [body.session_uid])
    assert not record.poll()


def test_it_says_so_if_some_frames_did_not_come(session, body, told, monkeypatch):  # noqa: ARG001
    """Such as those that this Blender's mesh can't have."""
    begin(session)
    (mesh,) = meshes_of(session)
    monkeypatch.setattr(mesh, "as_own", lambda _stored: None)
    wait()
    assert mesh.frames == {}
    # The second where Blender 4.2 as a Python module crashes as it exits.
    (sentence,) = told
    assert sentence.endswith(("ended early; play, and the rest are recorded", "play them instead."))


def test_another_frame_rate_refuses_what_comes(session, body, told):  # noqa: ARG001
    begin(session)
    bpy.context.scene.render.fps += 1
    wait()
    assert session.cached.known_frames(bpy.context) == set()


def test_frames_come_back_from_a_file_as_they_were(tmp_path):
    rng = np.random.default_rng(1)
    pose = {
        float(one): StoredPose(rng.normal(size=(4, 4)), rng.normal(size=(6, 4)).astype("f4"))
        for one in (1, 2)
    }
    vertices = {
        1.5: StoredVertices(
            np.eye(4), rng.normal(size=(5, 3)).astype("f4"), rng.normal(size=(5, 3)).astype("f2")
        )
    }
    write_frames(tmp_path / "one.npz", RecordedFrames({"Body": pose, "Kopf": vertices}, {"Hand": "why"}))
    found = read_frames(tmp_path / "one.npz")
    assert found.withdrawn == {"Hand": "why"}
    for name, frames in (("Body", pose), ("Kopf", vertices)):
        assert set(found.meshes[name]) == set(frames)
        assert all(found.meshes[name][one].same_as(frames[one]) for one in frames)
    assert [one.name for one in tmp_path.glob("*.*")] == ["one.npz"]


@pytest.mark.rigs
@pytest.mark.parametrize("name", ["mpfb_rigify_plain.blend", "m2m_bird.blend", "raylib_robot.blend"])
def test_real_rigs(session, told, rigs_folder, name):
    open_rig(rigs_folder / name)
    scene = bpy.context.scene
    scene.frame_end = min(scene.frame_end, scene.frame_start + 5)
    frames = range(scene.frame_start, scene.frame_end + 1)
    scene.frame_set(scene.frame_start)
    begin(session)
    wait()
    assert told == ["All frames are recorded"]
    assert session.cached.known_frames(bpy.context) == set(frames)
    assert_frames_are_blenders(session, frames)
