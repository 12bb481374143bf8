"""`skinscope play --profile` plays what the exported file does, as `skinned_gltf` reads it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.main import run
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.exported_gltf import exported_gltf
from tests.engines.exported_rig import from_y_up
from tests.engines.moving_meshes import slide
from tests.engines.partly_keyed import posed_arm

METRES = 3e-6
"""The arm is 3 m long."""

RATE = 24.0

Build = Callable[[], object]


def sheared() -> None:
    """A bone that takes no scale from its unevenly scaled parent: the file holds another pose."""
    armature = posed_arm("Wave", active="Wave")
    armature.data.bones["b2"].inherit_scale = "NONE"
    armature.pose.bones["b1"].scale = (1.5, 0.8, 1)
    for frame in (1, 12):
        armature.pose.bones["b1"].keyframe_insert("scale", frame=frame)


def sliding() -> None:
    """The mesh object moves: the file has it where it is at frame 0."""
    posed_arm("Wave", active="Wave")
    slide(bpy.data.objects["Skin"])
    bpy.context.scene.frame_set(4)


def stepped() -> None:
    """Every channel keeps each key up to the next."""
    posed_arm("Wave", active="Wave")
    for curve in fcurves(bpy.data.actions["Wave"]):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"


CASES: dict[str, tuple[Build, dict[str, object]]] = {
    "bones posed by hand in the sole action": (lambda: posed_arm("Wave", active="Wave"), {}),
    "bones at rest in an action that is not active": (lambda: posed_arm("Able", "Wave", active="Able"), {}),
    "bones not reset": (
        lambda: posed_arm("Able", "Wave", active="Able"),
        {"export_reset_pose_bones": False},
    ),
    "a key at every fifth frame": (
        lambda: posed_arm("Wave", active="Wave"),
        {"export_frame_step": 5},
    ),
    "steps": (stepped, {}),
    "steps at every fifth frame": (stepped, {"export_frame_step": 5}),
    "shear": (sheared, {}),
    "a mesh that slides": (sliding, {}),
}


@pytest.mark.parametrize("keys", [[], ["--keys"]])
@pytest.mark.parametrize("name", CASES)
def test_what_is_played_is_in_the_file(tmp_path: Path, name: str, keys: list[str]):
    build, chosen = CASES[name]
    build()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "arm.blend"))
    (mesh,) = deformed_meshes(bpy.context.scene)
    file = exported_gltf(tmp_path, [mesh], **chosen)
    options = [f"--export-option={one}={str(value).lower()}" for one, value in chosen.items()]
    played = play(tmp_path, "--profile", "threejs", "--clips", "Wave", *options, *keys)
    first, last = file.seconds("Wave")
    # At each key that a frame may have, and halfway between two.
    times = np.arange(len(played)) / (2 * RATE)
    assert times[-1] == pytest.approx(last - first, abs=1e-6)
    for seconds, positions in zip(times, played, strict=True):
        written, sources = file.positions("Wave", first + seconds)
        assert np.linalg.norm(positions[sources] - from_y_up(written), axis=1).max() <= METRES, seconds


def play(folder: Path, *arguments: str) -> np.ndarray:
    """Return what `play` writes at twice the scene's rate, (F, V, 3) in world space."""
    output, npz = io.StringIO(), folder / "frames.npz"
    words = ["play", folder / "arm.blend", *arguments, "--rate", 2 * RATE, "--output", npz, "--device", "cpu"]
    assert run([str(one) for one in words], output) == 0
    frames = np.load(npz)
    mesh = next(one for one in bpy.context.scene.objects if one.type == "MESH")
    to_world = np.array(mesh.matrix_world).T
    return frames["skinned_positions"] @ to_world[:3, :3] + to_world[3, :3]
