"""three.js reads a bone texture by the documented reader, and puts vertices where Blender does."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils.kdtree import KDTree

from skinning_addon.command_line.main import run
from skinning_addon.scene.clips.clips import chosen_clips
from skinning_addon.scene.identification import action_of
from skinning_addon.scene.matrices import row_vectors
from skinning_addon.scene.objects.deformed_meshes import meshes_of_armature
from tests.command_line.crowding.walker_file import walker_file
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import HERE
from tests.engines.node_engine import NodeEngine
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs")]

READER = HERE.parents[1] / "docs" / "readers" / "bone-texture.mjs"
SHARE = 1e-4
"""Of the diagonal."""

TOLERANCE = "0.1"
"""In millimetres at 1.8 m."""

FRAMES = 6
"""Of each clip."""


def written(file: Path, folder: Path, *options: str) -> dict:
    """Write a bone texture; return its manifest."""
    assert run(["bone-texture", str(file), "--output", str(folder), *options], io.StringIO()) == 0
    return json.loads((folder / "bone-texture.json").read_text(encoding="utf-8"))


def read_by_threejs(folder: Path, moments: list[tuple[str, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices (V, 3) at rest, and (M, V, 3) at moments of clips, Y up."""
    output = folder / "posed.json"
    script = HERE / "bone_texture_capture.mjs"
    subprocess.run(["node", script, READER, folder, json.dumps(moments), output], check=True, cwd=HERE)
    found = json.loads(output.read_text(encoding="utf-8"))
    return np.array(found["rest"]), np.array(found["posed"])


def blenders(file: Path, clip: str, most: int) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Return seconds into a clip, and all vertices as Blender evaluates them: (V, 3) at rest, and (F, V, 3) at
    these times; Y up, in metres.
    """
    open_rig(file)
    scene = bpy.context.scene
    armature, (one,) = chosen_clips(scene, (clip,))
    meshes = meshes_of_armature(scene, armature)
    animation = armature.animation_data
    (part,) = one.parts
    action = action_of(part.action) if part.action else animation.nla_tracks[part.track].strips[0].action  # pyright: ignore[reportCallIssue]
    for track in animation.nla_tracks:
        track.mute = True
    animation.action = action
    if hasattr(animation, "action_slot") and animation.action_slot is None:
        animation.action_slot = action.slots[0]
    armature.data.pose_position = "REST"
    rest = _world(scene, meshes)
    armature.data.pose_position = "POSE"
    frames = np.unique(np.linspace(one.frame_start, one.frame_end, most).round()).astype(int).tolist()
    posed = []
    for frame in frames:
        scene.frame_set(frame)
        posed.append(_world(scene, meshes))
    rate = scene.render.fps / scene.render.fps_base
    return [(frame - one.frame_start) / rate for frame in frames], rest, np.array(posed)


def _world(scene: bpy.types.Scene, meshes: list[bpy.types.Object]) -> np.ndarray:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = []
    for one in meshes:
        evaluated = one.evaluated_get(depsgraph)
        place = row_vectors(evaluated.matrix_world)
        points = np.array([vertex.co for vertex in evaluated.data.vertices])
        found.append(points @ place[:3, :3] + place[3, :3])
    x, y, z = np.concatenate(found).T * scene.unit_settings.scale_length
    return np.stack((x, z, -y), axis=1)


def apart(rest: np.ndarray, posed: np.ndarray, blenders_rest: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return how far each drawn vertex is off, (M, D): from the vertex of Blender's at the same place at rest that
    is nearest; several may be there.
    """
    size = float(np.linalg.norm(np.ptp(blenders_rest, axis=0)))
    tree = KDTree(len(blenders_rest))
    for vertex, place in enumerate(blenders_rest):
        tree.insert(place, vertex)
    tree.balance()
    result = np.full(posed.shape[:2], np.inf)
    for vertex, place in enumerate(rest):
        same = [number for _, number, _ in tree.find_range(place, 1e-5 * size)]
        assert same
        distances = np.linalg.norm(posed[:, vertex, None] - expected[:, same], axis=-1)
        result[:, vertex] = distances.min(axis=1)
    return result


def worst(file: Path, folder: Path, manifest: dict) -> dict[str, tuple[float, float]]:
    """Return by clip how far any vertex is off at whole frames, in metres and as a share of the diagonal."""
    found = {}
    for clip in manifest["clips"]:
        seconds, rest, expected = blenders(file, clip["name"], FRAMES)
        mesh_rest, posed = read_by_threejs(
            folder, [(clip["name"], one) for one in seconds if one < clip["seconds"]]
        )
        off = float(apart(mesh_rest, posed, rest, expected[: len(posed)]).max())
        found[clip["name"]] = (off, off / float(np.linalg.norm(np.ptp(rest, axis=0))))
    return found


def test_the_mesh_has_no_errors_for_the_validator(tmp_path):
    validator = NodeEngine(("gltf-validator",), "validate.mjs")
    validator.install()
    written(walker_file(tmp_path / "walker.blend"), tmp_path / "out")
    command = [*validator.command, tmp_path / "out" / "mesh.glb"]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert list(json.loads(process.stdout).values()) == [[]]


@pytest.mark.parametrize("pixel_format", ["float32", "half", "unorm16"])
def test_a_walker_is_where_blender_has_it(tmp_path, pixel_format):
    file = walker_file(tmp_path / "walker.blend")
    manifest = written(file, tmp_path / "out", "--format", pixel_format, "--tolerance", TOLERANCE)
    found = worst(file, tmp_path / "out", manifest)
    assert len(found) == len(manifest["clips"]) > 1
    for clip in manifest["clips"]:
        off, share = found[clip["name"]]
        assert off <= clip["deviation"] + 1e-6
        assert pixel_format != "float32" or share <= SHARE


def test_vertices_that_no_bone_moves_stay(tmp_path):
    file = walker_file(tmp_path / "walker.blend")
    bpy.ops.wm.open_mainfile(filepath=str(file))
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.vertex_groups)
    for group in mesh.vertex_groups:
        group.remove([0, 1, 2, 3])
    bpy.ops.wm.save_mainfile()
    manifest = written(file, tmp_path / "out", "--tolerance", TOLERANCE)
    assert manifest["bones"][0]["name"] == "(none)"
    assert max(share for _, share in worst(file, tmp_path / "out", manifest).values()) <= SHARE


def test_more_than_four_influences(tmp_path):
    """Six bones on every vertex, in two pairs of attributes; sheared ones too, which matrices hold."""
    file = tmp_path / "rig.blend"
    animated_rig(RigOptions(seed=3, influences=6))
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    manifest = written(file, tmp_path / "out", "--tolerance", TOLERANCE)
    attributes = SkinnedGltf.read(tmp_path / "out" / "mesh.glb").document["meshes"][0]["primitives"][0][
        "attributes"
    ]
    assert {"JOINTS_1", "WEIGHTS_1"} <= set(attributes)
    found = worst(file, tmp_path / "out", manifest)
    for clip in manifest["clips"]:
        assert found[clip["name"]][0] <= clip["deviation"] + 1e-5 * manifest_size(manifest)


def test_a_texture_that_goes_on_in_strips_is_read_the_same(tmp_path):
    file = walker_file(tmp_path / "walker.blend")
    whole = written(file, tmp_path / "whole")
    parted = written(file, tmp_path / "parted", "--largest", "40")
    assert whole["texture"]["strips"] == 1 < parted["texture"]["strips"]
    moments = [(one["name"], share * one["seconds"]) for one in whole["clips"] for share in (0.0, 0.31, 0.77)]
    for one, other in zip(
        *(read_by_threejs(tmp_path / name, moments) for name in ("whole", "parted")), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.rigs
@pytest.mark.parametrize("pixel_format", ["float32", "half", "unorm16"])
def test_a_fox_is_where_blender_has_it(tmp_path, rigs_folder, pixel_format):
    file = rigs_folder / "Fox.glb"
    manifest = written(file, tmp_path / "out", "--format", pixel_format, "--tolerance", TOLERANCE)
    found = worst(file, tmp_path / "out", manifest)
    for clip in manifest["clips"]:
        off, share = found[clip["name"]]
        assert off <= clip["deviation"] + 1e-6 * manifest_size(manifest)
        assert pixel_format != "float32" or share <= SHARE


@pytest.mark.rigs
@pytest.mark.parametrize("pixel_format", ["float32", "half"])
def test_clips_that_turn_too_fast_are_as_far_off_as_announced(tmp_path, rigs_folder, pixel_format):
    file = rigs_folder / "mannequiny.glb"
    manifest = written(file, tmp_path / "out", "--format", pixel_format)
    found = worst(file, tmp_path / "out", manifest)
    assert max(clip["deviation"] for clip in manifest["clips"]) > 0.005
    for clip in manifest["clips"]:
        assert found[clip["name"]][0] <= clip["deviation"] + 1e-6 * manifest_size(manifest)


def manifest_size(manifest: dict) -> float:
    """The spread of the bones at rest, in metres."""
    places = np.array([one["rest"] for one in manifest["bones"]]).reshape(-1, 4, 4)[:, 3, :3]
    return float(np.linalg.norm(np.ptp(places, axis=0)))
