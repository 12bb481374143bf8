"""The first look at an exported file: as the full check says at those frames, and nothing of the scene changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.core.text.errors import SourceFileError
from skinning_addon.measurement.exported import time_allowance
from skinning_addon.measurement.exported.file_check import FileCheckSettings, check_file
from skinning_addon.measurement.exported.first_look import FirstLook, first_look
from skinning_addon.measurement.exported.gltf_file import GltfExport
from skinning_addon.measurement.exported.opened_file import opener_of
from skinning_addon.measurement.exported.time_allowance import TimeAllowance
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.command_line.verifying.tubes import empty_scene, ready_tube, stored_tube
from tests.scene.random_rig import RandomRig, RigOptions

LONG = 60.0


@pytest.fixture
def rig() -> RandomRig:
    rig = animated_rig(RigOptions(seed=3, influences=8, scale="none"))
    without_flaws(rig)
    return rig


def look(file: Path, seconds: float = LONG) -> FirstLook | None:
    return first_look(bpy.context.scene, str(file), TimeAllowance(seconds))


def test_the_worst_frame_is_the_full_checks(rig: RandomRig, tmp_path: Path):
    file = tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(filepath=str(file))
    seen = look(file)
    scene = bpy.context.scene
    verdict = check_file(scene, str(file), opener_of(str(file)), FileCheckSettings())
    (mesh,) = verdict.report.meshes
    assert seen is not None
    assert (seen.object, seen.clip, seen.frame) == (rig.mesh.name, mesh.worst.clip, mesh.worst.frame)
    assert seen.distance == pytest.approx(mesh.worst.max, rel=1e-5)
    assert seen.distance > 0.01
    assert seen.bone in rig.armature.data.bones
    assert seen.meshes == 1
    assert not seen.good


def test_a_clean_export_is_good(tmp_path: Path):
    without_flaws(animated_rig(RigOptions(seed=12, influences=3, scale="none")))
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    seen = look(tmp_path / "rig.glb")
    assert seen is not None
    assert seen.good
    assert seen.distance < 1e-5
    assert seen.frames == 9


def test_shape_keys_that_are_on_at_this_frame(rig: RandomRig, tmp_path: Path):
    """The file's vertices are where the first shape key has them."""
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Lift")
    for point in key.data:
        point.co.z += 0.3
    key.value = 0.7
    rig.mesh.active_shape_key_index = 1
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"), export_all_influences=True)
    seen = look(tmp_path / "rig.glb")
    assert seen is not None
    assert seen.distance < 1e-5
    assert (rig.mesh.show_only_shape_key, rig.mesh.active_shape_key_index) == (False, 1)


def test_the_scene_stays_as_the_user_left_it(rig: RandomRig, tmp_path: Path):
    scene = bpy.context.scene
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    scene.frame_set(4, subframe=0.25)
    # A pose that is not keyed, which playing would lose.
    bone = rig.armature.pose.bones[1]
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    bpy.context.view_layer.update()

    def shown() -> list[object]:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        mesh = rig.mesh.evaluated_get(depsgraph)
        positions = np.array([one.co[:] for one in mesh.data.vertices])
        blocks = {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "armatures", "scenes")}
        return [scene.frame_current_final, positions.tobytes(), blocks, tuple(bone.rotation_quaternion)]

    before = shown()
    assert look(tmp_path / "rig.glb") is not None
    assert shown() == before


def test_it_stops_when_its_time_is_over(rig: RandomRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: ARG001
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    assert look(tmp_path / "rig.glb", 0.0) is None
    now = 0.0

    def a_second_later() -> float:
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr(time_allowance.time, "perf_counter", a_second_later)
    seen = look(tmp_path / "rig.glb", 60.0)
    assert seen is not None
    assert 0 < seen.frames < 9
    assert now <= 60.0 + 5.0


def test_it_begins_nothing_that_takes_longer_than_is_left(rig, tmp_path: Path, monkeypatch):  # noqa: ARG001
    """The first time of everything takes longest, and there is no measure of it yet but what was similar."""
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    now = 0.0
    positions = GltfExport.positions

    def slow(self: GltfExport, *arguments: Any) -> list[NDArray[np.float64]]:
        nonlocal now
        now += 1.0
        return positions(self, *arguments)

    monkeypatch.setattr(time_allowance.time, "perf_counter", lambda: now)
    monkeypatch.setattr(GltfExport, "positions", slow)
    for seconds in (1.0, 1.5, 2.5, 4.0, 8.0):
        now = 0.0
        look(tmp_path / "rig.glb", seconds)
        assert now <= seconds


def test_frames_that_were_the_worst_before_come_first(rig: RandomRig, tmp_path: Path, monkeypatch):  # noqa: ARG001
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    monkeypatch.setattr("skinning_addon.measurement.exported.first_look.FRAMES_AT_MOST", 1)
    scene = bpy.context.scene
    seen = first_look(scene, str(tmp_path / "rig.glb"), TimeAllowance(LONG), [("Sway", 2.0), ("Gone", 3.0)])
    assert seen is not None
    assert (seen.clip, seen.frame, seen.frames) == ("Sway", 2.0, 1)


def test_a_compressed_file_is_refused_in_a_sentence(rig: RandomRig, tmp_path: Path):  # noqa: ARG001
    file = tmp_path / "rig.gltf"
    bpy.ops.export_scene.gltf(filepath=str(file), export_format="GLTF_SEPARATE")
    text = file.read_text().replace('"asset"', '"extensionsRequired":["EXT_meshopt_compression"],"asset"', 1)
    file.write_text(text)
    with pytest.raises(SourceFileError, match="compressed by meshopt"):
        look(file)


def test_another_characters_file_is_left_to_the_full_check(rig: RandomRig, tmp_path: Path):  # noqa: ARG001
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"))
    without_flaws(animated_rig(RigOptions(seed=12, influences=3, scale="none")))
    assert look(tmp_path / "rig.glb") is None


def test_a_copy_plays_its_own_animation(tmp_path: Path):
    """A game-ready copy's actions have names of their own, and so have their animations in the file."""
    empty_scene()
    stored_tube("Tube", "Bend", 0.5)
    ready_tube("Tube", "Bend", 0.6)
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rig.glb"), export_all_influences=True)
    seen = look(tmp_path / "rig.glb")
    assert seen is not None
    assert (seen.clip, seen.meshes) == ("Bend", 2)
    assert seen.good
    assert seen.distance < 1e-5
