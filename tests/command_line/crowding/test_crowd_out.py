"""`skinscope crowd --write`: Blender opens the scenes and has everybody where the crowd has them; lines say the same."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.animation.crowd.recording_file import read_recording
from skinning_addon.command_line.main import run
from skinning_addon.scene.crowd.character import character_of_file
from skinning_addon.scene.crowd.point_crowd import POSES
from tests.command_line.conftest import Program
from tests.command_line.crowding.walker_file import walker_file
from tests.core.builders import skin_by_the_book

COUNT, SECONDS, RATE = 6, 2.0, 12
FRAMES = int(SECONDS * RATE) + 1
WRITTEN = ("--write", "lines,texture,armatures,points")
SIZE = 1.8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("crowd")
    file = walker_file(place / "walker.blend")
    options = ("--count", COUNT, "--seconds", SECONDS, "--frames-per-second", RATE, *WRITTEN)
    output = io.StringIO()
    assert run([str(one) for one in ("crowd", file, "--output", place / "out", *options)], output) == 0
    assert (
        "crowd.jsonl, texture/bone-texture.json, crowd-armatures.blend, crowd-points.blend written."
        in output.getvalue()
    )
    return place / "out"


def opened(path: Path) -> bpy.types.Scene:
    """Open a file and return the scene that its window shows."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    (scene,) = bpy.data.scenes
    assert bpy.context.scene == scene
    return scene


def vertices_at(scene: bpy.types.Scene, frame: int) -> np.ndarray:
    """Return every agent's vertices as Blender evaluates them, (N, V, 3)."""
    scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = []
    for one in sorted((one for one in scene.objects if one.type == "MESH"), key=lambda one: one.parent.name):
        evaluated = one.evaluated_get(depsgraph)
        found.append([(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices])
    return np.array(found)


@pytest.mark.gpu
def test_only_files_are_there(folder: Path):
    names = {"strip.png", "positions.csv", "events.json", "crowd.npz", "crowd.jsonl"}
    assert {one.name for one in folder.iterdir()} == names | {
        "crowd-armatures.blend",
        "crowd-points.blend",
        "texture",
    }


@pytest.mark.gpu
def test_lines_have_what_the_positions_have(folder: Path):
    head, *frames = map(json.loads, (folder / "crowd.jsonl").read_text(encoding="utf-8").splitlines())
    assert (head["frames"], len(frames), head["frames_per_second"]) == (FRAMES, FRAMES, RATE)
    with (folder / "positions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    agents = np.array([one["agents"] for one in frames])
    columns = {name: number for number, name in enumerate(head["columns"])}
    assert agents.shape == (FRAMES, COUNT, len(columns))
    expected = np.array([[float(row[axis]) for axis in "xyz"] for row in rows]).reshape(FRAMES, COUNT, 3)
    # The walker's root stands between its feet.
    x, y, z = np.moveaxis(agents[:, :, [columns[axis] for axis in "xyz"]], -1, 0)
    np.testing.assert_allclose(np.stack((x, -z, y), axis=-1), expected, atol=2e-6)
    gaits = agents[:, :, [columns[f"{role}_weight"] for role in ("idle", "walk", "run")]]
    np.testing.assert_allclose(gaits.sum(axis=2), 1, atol=2e-6)
    heard = [("idle", "walk", "run")[one] for one in gaits.argmax(axis=2).ravel()]
    assert heard == [row["gait"] for row in rows]
    phase = np.where(
        gaits.argmax(axis=2) == 0, agents[..., columns["idle_phase"]], agents[..., columns["stride_phase"]]
    )
    np.testing.assert_allclose(phase.ravel(), [float(row["phase"]) for row in rows], atol=1e-4)


@pytest.mark.gpu
def test_armatures_move_everybody_as_the_crowd_poses_them(folder: Path):
    scene = opened(folder / "crowd-armatures.blend")
    assert (scene.frame_start, scene.frame_end) == (1, FRAMES)
    assert scene.render.fps / scene.render.fps_base == pytest.approx(RATE)
    assert len({one.data for one in scene.objects if one.type == "ARMATURE"}) == 1
    last = vertices_at(scene, FRAMES)
    bpy.ops.wm.open_mainfile(filepath=str(folder.parent / "walker.blend"))
    character = character_of_file(bpy.context.scene, "walker.blend", {})
    crowd = read_recording(folder / "crowd.npz")
    poser = character.poser
    parts = [one.binding.passes[0] for one in character.meshes]
    palettes = poser.palettes(crowd.state, crowd.settings, [one.joints for one in parts])
    (mesh,) = character.meshes
    skin = parts[0].skin.normalised()
    for agent in range(COUNT):
        expected = skin_by_the_book(skin, palettes[0][agent], mesh.binding.mesh.positions)
        np.testing.assert_allclose(last[agent], expected, atol=1e-4 * SIZE)


@pytest.mark.gpu
def test_points_stand_where_the_armatures_do_and_show_the_nearest_pose(folder: Path):
    scene = opened(folder / "crowd-armatures.blend")
    places = {}
    for frame in (1, FRAMES // 2, FRAMES):
        scene.frame_set(frame)
        armatures = sorted((one for one in scene.objects if one.type == "ARMATURE"), key=lambda one: one.name)
        places[frame] = np.array([np.array(one.matrix_world) for one in armatures])
    scene = opened(folder / "crowd-points.blend")
    points = scene.objects["Crowd"].data
    frames = np.array([one.value for one in points.attributes["frame"].data])
    poses = np.array([one.value for one in points.attributes["pose"].data])
    clips, phases = (
        np.array([one.value for one in points.attributes[name].data]) for name in ("clip", "phase")
    )
    np.testing.assert_array_equal(poses, clips * POSES + np.rint(phases * POSES).astype(int) % POSES)
    weights = np.array([one.vector[:] for one in points.attributes["gait_weights"].data])
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    for frame, expected in places.items():
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found = [
            (np.array(one.matrix_world), one.object.name)
            for one in depsgraph.object_instances
            if one.is_instance
        ]
        assert len(found) == COUNT
        np.testing.assert_allclose([place for place, _ in found], expected, atol=1e-5 * SIZE)
        shown = [name for _, name in found]
        # One mesh for each pose, numbered as the points say.
        assert [int(name.split(".")[-1]) for name in shown] == poses[frames == frame].tolist()


@pytest.mark.gpu
def test_who_plays_one_clip_looks_as_its_armature_up_to_half_a_step_between_poses(folder: Path):
    frames = range(1, FRAMES + 1, 3)
    scene = opened(folder / "crowd-armatures.blend")
    expected = {frame: vertices_at(scene, frame) for frame in frames}
    scene = opened(folder / "crowd-points.blend")
    library = []
    for number in range(POSES * len(scene.objects["Crowd"]["clips"])):
        (one,) = bpy.data.collections[f"pose.{number:04d}"].objects
        library.append([vertex.co[:] for vertex in one.data.vertices])
    by_clip = np.array(library).reshape(-1, POSES, *np.shape(library)[1:])
    step = np.linalg.norm(np.roll(by_clip, -1, axis=1) - by_clip, axis=-1).max(axis=(1, 2))
    points = scene.objects["Crowd"].data.attributes
    weights = np.array([one.vector[:] for one in points["gait_weights"].data]).reshape(FRAMES, COUNT, 3)
    poses = np.array([one.value for one in points["pose"].data]).reshape(FRAMES, COUNT)
    compared = 0
    for frame in frames:
        scene.frame_set(frame)
        instances = bpy.context.evaluated_depsgraph_get().object_instances
        places = [np.array(one.matrix_world) for one in instances if one.is_instance]
        for agent in np.flatnonzero(weights[frame - 1].max(axis=1) > 0.999):
            pose = poses[frame - 1, agent]
            place = places[agent]
            shown = np.array(library[pose]) @ place[:3, :3].T + place[:3, 3]
            off = np.linalg.norm(shown - expected[frame][agent], axis=1).max()
            assert off <= 0.55 * step[pose // POSES] + 1e-4
            compared += 1
    assert compared > 2 * COUNT


@pytest.mark.gpu
def test_eevee_renders_the_points(folder: Path, tmp_path: Path):
    scene = opened(folder / "crowd-points.blend")
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale, camera.location = "ORTHO", 40, (0, 0, 50)
    scene.collection.objects.link(camera)
    scene.camera = camera
    engines = scene.render.bl_rna.properties["engine"].enum_items.keys()
    scene.render.engine = next(one for one in ("BLENDER_EEVEE_NEXT", "BLENDER_EEVEE") if one in engines)
    scene.eevee.taa_render_samples = 1
    scene.render.resolution_x = scene.render.resolution_y = 96
    scene.render.film_transparent = True
    scene.render.image_settings.color_mode = "RGBA"
    shares = []
    for name in ("with", "without"):
        scene.objects["Crowd"].hide_render = name == "without"
        scene.render.filepath = str(tmp_path / f"{name}.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        pixels = np.empty(96 * 96 * 4, dtype=np.float32)
        image.pixels.foreach_get(pixels)
        shares.append((pixels[3::4] > 0.5).mean())
    assert shares[0] > 0.0005 > shares[1]


@pytest.mark.gpu
def test_more_armatures_than_can_be_played_are_refused(tmp_path: Path, skinscope: Program):
    file = walker_file(tmp_path / "walker.blend")
    options = ("--count", 65, "--seconds", 0, "--write", "armatures")
    result = skinscope("crowd", file, "--output", tmp_path / "out", *options)
    assert result.status == 2
    assert "65 armatures would be too slow to play; write up to 64 with --count, or points." in " ".join(
        result.complaints
    )
    assert not (tmp_path / "out").exists()


def test_what_is_not_known_is_refused(tmp_path: Path, skinscope: Program):
    result = skinscope("crowd", "walker.blend", "--output", tmp_path / "out", "--write", "alembic")
    assert result.status == 2
    assert "'alembic' can't be written; choose lines, texture, armatures, points." in " ".join(
        result.complaints
    )
