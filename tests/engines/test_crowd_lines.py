"""A crowd's lines and its texture are enough for an engine: read by three.js, everybody is where Blender has the same
crowd as armatures.
"""

from __future__ import annotations

import io
import json

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.main import run
from tests.command_line.crowding.test_crowd_out_of_several import VARIANTS
from tests.command_line.crowding.two_walkers import two
from tests.command_line.crowding.walker_file import walker_file
from tests.engines.test_bone_texture import read_by_threejs

__all__ = ["two"]

pytestmark = [pytest.mark.engines, pytest.mark.gpu, pytest.mark.usefixtures("threejs")]

SIZE = 1.8


def turned(points: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Turn points (V, 3) by a quaternion w, x, y, z."""
    w, axis = rotation[0], rotation[1:]
    twice = 2 * np.cross(axis, points)
    return points + w * twice + np.cross(axis, twice)


def heard_by(row: list[float], head: dict, column: dict[str, int]) -> list[dict]:
    """Return what an agent plays."""
    found = []
    for one in head["clips"]:
        phase = row[column["idle_phase" if one["role"] == "idle" else "stride_phase"]]
        weight = row[column[f"{one['role']}_weight"]]
        if weight > 0:
            found.append({"clip": one["name"], "seconds": phase * one["seconds"], "weight": weight})
    return found


@pytest.mark.parametrize("placed", ["as it is", "scaled and turned"])
def test_everybody_is_where_blender_has_the_armatures(tmp_path, placed):
    file = walker_file(tmp_path / "walker.blend")
    if placed != "as it is":
        armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        next(one for one in bpy.data.objects if one.type == "MESH").parent = armature
        armature.scale, armature.rotation_euler.z = (0.5, 0.5, 0.5), 0.7
        bpy.ops.wm.save_mainfile()
    options = ("--count", 5, "--seconds", 6, "--frames-per-second", 5, "--write", "lines,texture,armatures")
    out = tmp_path / "out"
    assert run([str(one) for one in ("crowd", file, "--output", out, *options)], io.StringIO()) == 0
    head, *frames = map(json.loads, (out / "crowd.jsonl").read_text(encoding="utf-8").splitlines())
    column = {name: number for number, name in enumerate(head["columns"])}
    chosen = [(frame, agent) for frame in range(0, len(frames), 5) for agent in range(5)]
    moments = [heard_by(frames[frame]["agents"][agent], head, column) for frame, agent in chosen]
    assert any(len(one) > 1 for one in moments)
    _, posed = read_by_threejs(out / "texture", moments)
    bpy.ops.wm.open_mainfile(filepath=str(out / "crowd-armatures.blend"))
    scene = bpy.context.scene
    meshes = sorted((one for one in scene.objects if one.type == "MESH"), key=lambda one: one.parent.name)
    for (frame, agent), vertices in zip(chosen, posed, strict=True):
        row = np.array(frames[frame]["agents"][agent])
        np.testing.assert_allclose(row[[column[f"s{axis}"] for axis in "xyz"]], 1, atol=1e-6)
        place = row[[column[axis] for axis in "xyz"]]
        x, y, z = (turned(vertices, row[[column[f"q{axis}"] for axis in "wxyz"]]) + place).T
        scene.frame_set(frame + 1)
        evaluated = meshes[agent].evaluated_get(bpy.context.evaluated_depsgraph_get())
        expected = np.array([(evaluated.matrix_world @ one.co)[:] for one in evaluated.data.vertices])
        apart = np.linalg.norm(np.stack((x, -z, y), axis=1)[:, None] - expected, axis=-1)
        # Drawn vertices are Blender's, some of them several times.
        assert max(apart.min(axis=1).max(), apart.min(axis=0).max()) < 1.5e-3 * SIZE


def test_everybody_of_two_characters_is_where_blender_has_the_armatures(two, tmp_path):
    variants, out = tmp_path / "variants.toml", tmp_path / "out"
    variants.write_text(VARIANTS, encoding="utf-8")
    options = ("--count", 6, "--seconds", 4, "--frames-per-second", 5, "--variants", variants)
    command = ["crowd", two, "--output", out, *options, "--write", "lines,texture,armatures"]
    assert run([str(one) for one in command], io.StringIO()) == 0
    head, *frames = map(json.loads, (out / "crowd.jsonl").read_text(encoding="utf-8").splitlines())
    column = {name: number for number, name in enumerate(head["columns"])}
    last = len(frames) - 1
    bpy.ops.wm.open_mainfile(filepath=str(out / "crowd-armatures.blend"))
    scene = bpy.context.scene
    scene.frame_set(last + 1)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    drawn = {}
    for one in (one for one in scene.objects if one.type == "MESH"):
        evaluated = one.evaluated_get(depsgraph)
        points = [(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices]
        drawn.setdefault(int(one.parent.name.rsplit(".", 1)[1]), []).extend(points)
    for number, character in enumerate(head["characters"]):
        own = [agent for agent, one in enumerate(head["agents"]) if one["character"] == number]
        moments = [heard_by(frames[last]["agents"][agent], character, column) for agent in own]
        _, posed = read_by_threejs(out / character["texture"], moments)
        assert own
        for agent, vertices in zip(own, posed, strict=True):
            row = np.array(frames[last]["agents"][agent])
            place, scale = (row[[column[f"{what}{axis}"] for axis in "xyz"]] for what in ("", "s"))
            rotation = row[[column[f"q{axis}"] for axis in "wxyz"]]
            x, y, z = (turned(vertices * scale, rotation) + place).T
            apart = np.linalg.norm(np.stack((x, -z, y), axis=1)[:, None] - np.array(drawn[agent]), axis=-1)
            assert apart.min(axis=0).max() < 3e-3 * SIZE
            # Who has no hat lacks it in Blender's file; the texture's mesh has it.
            if not head["variants"][head["agents"][agent]["variant"]]["without"]:
                assert apart.min(axis=1).max() < 3e-3 * SIZE
