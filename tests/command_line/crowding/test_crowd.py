"""`skinscope crowd` from the outside: its files, what it says, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.animation.crowd.recording_file import read_recording
from skinning_addon.core.text.errors import DeviceError
from tests.command_line.conftest import Program
from tests.command_line.crowding.walker_file import FRAMES, HEIGHT, STRIDE, walker_file

COUNT, SECONDS, RATE = 12, 6.0, 10


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    return walker_file(tmp_path / "walker.blend")


def _positions(folder: Path) -> list[dict[str, str]]:
    with (folder / "positions.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.gpu
def test_a_crowd_walks_apart_inside_at_its_feet_own_speed(walker: Path, tmp_path: Path, skinscope: Program):
    folder = tmp_path / "out"
    result = skinscope(
        "crowd", walker, "--count", COUNT, "--seconds", SECONDS, "--output", folder, "--area", 12,
        "--radius", 0.4, "--frames-per-second", RATE, "--seed", 5,
    )  # fmt: skip
    assert result.status == 0, result.complaints
    assert {one.name for one in folder.iterdir()} == {
        "strip.png",
        "positions.csv",
        "events.json",
        "crowd.npz",
    }
    assert "nobody was outside" in result.output
    rows = _positions(folder)
    times = sorted({float(one["time"]) for one in rows})
    assert len(times) == SECONDS * RATE + 1
    assert len(rows) == COUNT * len(times)
    places = np.array([(float(one["x"]), float(one["y"])) for one in rows]).reshape(len(times), COUNT, 2)
    apart = np.linalg.norm(places[:, :, None] - places[:, None], axis=-1)[:, *np.triu_indices(COUNT, 1)]
    assert apart.min() >= 0.8 - 1e-3
    assert np.abs(places).max() <= 6 - 0.4 + 1e-6
    # Whoever walks for two rows goes as fast as the clip's planted feet: a stride a second.
    gaits = np.array([one["gait"] for one in rows]).reshape(len(times), COUNT)
    fastest = np.linalg.norm(np.diff(places, axis=0), axis=-1)[(gaits[1:] == "walk") & (gaits[:-1] == "walk")]
    assert np.median(fastest) * RATE == pytest.approx(STRIDE * 24 / FRAMES, rel=0.02)


def test_without_a_gpu_all_but_the_pictures_is_written(
    walker: Path, tmp_path: Path, skinscope: Program, monkeypatch: pytest.MonkeyPatch
):
    def none(_device: str) -> str:
        raise DeviceError("No GPU.")

    monkeypatch.setattr("skinning_addon.command_line.crowding.crowd.started_device", none)
    folder = tmp_path / "out"
    result = skinscope("crowd", walker, "--count", 3, "--seconds", 1, "--output", folder)
    assert result.status == 0, result.complaints
    assert {one.name for one in folder.iterdir()} == {"positions.csv", "events.json", "crowd.npz"}
    assert "positions.csv, events.json, crowd.npz written.\nNo strip.png: " in result.output


def on_hills(walker: Path, folder: Path) -> Path:
    """Save the walker's file with a wavy ground, a box on it, and a beam overhead; return the path."""
    bpy.ops.wm.open_mainfile(filepath=str(walker))
    bpy.ops.mesh.primitive_grid_add(size=14, x_subdivisions=70, y_subdivisions=70)
    ground = bpy.context.object
    ground.name = "Hills"
    ground.location.z = 1.0
    for one in ground.data.vertices:
        one.co.z = 0.4 * np.sin(one.co.x) * np.cos(0.8 * one.co.y)
    things = bpy.data.collections.new("Things")
    bpy.context.scene.collection.children.link(things)
    for name, place, scale in (("Box", (2, 1, 1.5), (1, 1, 1)), ("Beam", (-3, 0, 5), (0.2, 7, 0.2))):
        bpy.ops.mesh.primitive_cube_add(size=2, location=place, scale=scale)
        bpy.context.object.name = name
        things.objects.link(bpy.context.object)
    path = folder / "hills.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.mark.gpu
def test_on_a_ground_they_stand_where_blender_says_it_is_and_go_round_what_is_on_it(
    walker: Path, tmp_path: Path, skinscope: Program
):
    file, folder = on_hills(walker, tmp_path), tmp_path / "out"
    result = skinscope(
        "crowd", file, "--count", COUNT, "--seconds", SECONDS, "--output", folder, "--area", 12,
        "--radius", 0.4, "--seed", 5, "--ground", "Hills", "--slope", 40, "--obstacles", "Things",
        "--frames-per-second", RATE,
    )  # fmt: skip
    assert result.status == 0, result.complaints
    places = np.array([[float(one[name]) for name in "xyz"] for one in _positions(folder)])
    bpy.ops.wm.open_mainfile(filepath=str(file))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    ground = bpy.data.objects["Hills"].evaluated_get(depsgraph)
    for x, y, z in places[::7].tolist():
        hit, place, _, _ = ground.ray_cast((x, y, 50.0), (0.0, 0.0, -1.0))
        assert hit
        # Between a raster's corners, 0.2 m apart, lie other points than between the mesh's.
        assert z == pytest.approx(place.z + 1.0, abs=0.02)
    assert places[:, 2].max() - places[:, 2].min() > 0.3
    beside = np.maximum(np.abs(places[:, :2] - (2, 1)) - 1, 0)
    assert np.sqrt((beside * beside).sum(axis=1)).min() >= 0.4 - 1e-6
    # Under the beam one walks.
    assert (np.abs(places[:, 0] + 3) < 0.4).any()
    # The heights are part of what is recorded.
    assert read_recording(folder / "crowd.npz").state.ground is not None


@pytest.mark.gpu
def test_pictures_show_the_ground_and_the_crowd_alone(walker: Path, tmp_path: Path, skinscope: Program):
    """With a tower in the file that is neither, they are the same."""
    pictures: list[np.ndarray] = []
    for tower in (False, True):
        file, folder = on_hills(walker, tmp_path), tmp_path / f"out {tower}"
        if tower:
            bpy.ops.mesh.primitive_cube_add(size=4, location=(0, 0, 3))
            bpy.ops.wm.save_as_mainfile(filepath=str(file))
        result = skinscope(
            "crowd", file, "--count", 2, "--seconds", 0, "--output", folder, "--area", 12, "--ground", "Hills"
        )
        assert result.status == 0, result.complaints
        image = bpy.data.images.load(str(folder / "strip.png"))
        pixels = np.empty(len(image.pixels), dtype=np.float32)
        image.pixels.foreach_get(pixels)
        pictures.append(pixels)
    assert np.ptp(pictures[0]) > 0.5
    assert np.abs(pictures[1] - pictures[0]).max() < 0.02


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--ground", "Hill"], "'Hill' is not an object of the scene; did you mean 'Hills'?"),
        (
            ["--ground", "Hills", "--obstacles", "Thing"],
            "'Thing' is not an object or collection of the scene; did",
        ),
        (["--obstacles", "Things"], "--obstacles stand on a ground; name it with --ground."),
        (["--ground", "Walker"], "'Walker' is no mesh; choose a mesh to walk on."),
        (["--ground", "Hills", "--slope", "0"], "A slope of 0 degrees can't be the limit;"),
        (
            ["--ground", "Hills", "--slope", "2"],
            "Nobody can stand on the ground: within the area it is too small,",
        ),
        (["--ground", "Hills", "--slope", "steep"], "'steep' is not a turn; write degrees from 0 to 180"),
        (["--ground", "Hills", "--obstacles", ","], "',' names nothing; write names, separated by commas."),
    ],
)
@pytest.mark.gpu
def test_a_ground_that_can_not_be_is_a_sentence(
    walker: Path, tmp_path: Path, skinscope: Program, arguments: list[str], sentence: str
):
    file = on_hills(walker, tmp_path)
    result = skinscope("crowd", file, "--count", 5, "--seconds", 1, "--output", tmp_path / "out", *arguments)
    assert result.status == 2
    assert result.complaints[-1].startswith(sentence)
    assert not (tmp_path / "out").exists()


@pytest.mark.gpu
def test_events_and_recording_are_those_of_the_positions(walker: Path, tmp_path: Path, skinscope: Program):
    folder = tmp_path / "out"
    skinscope("crowd", walker, "--count", COUNT, "--seconds", SECONDS, "--output", folder, "--area", 12)
    events = json.loads((folder / "events.json").read_text(encoding="utf-8"))
    assert [one["clip"] for one in events["gaits"]] == ["Idle", "Walk", "Run"]
    assert events["gaits"][1]["stride"] == pytest.approx(STRIDE, rel=0.01)
    assert events["gaits"][1]["drift"] < 10
    assert events["feet"] == ["foot.L", "foot.R"]
    # The ways of feet are long, and for `crowd.npz` alone.
    assert [one["feet"] for kind in events["settings"]["kinds"] for one in kind["gaits"]] == [[], [], []]
    steps = [one for one in events["events"] if one["event"] == "footstep"]
    assert {one["name"] for one in steps} == {"foot.L", "foot.R"}
    crowd = read_recording(folder / "crowd.npz")
    last = np.array([(float(one["x"]), float(one["y"])) for one in _positions(folder)[-COUNT:]])
    assert np.abs(crowd.state.position.T / 1e6 - last).max() < 1e-6
    crowd.seek(0)
    first = np.array([(float(one["x"]), float(one["y"])) for one in _positions(folder)[:COUNT]])
    assert np.abs(crowd.state.position.T / 1e6 - first).max() < 1e-6


@pytest.mark.gpu
def test_the_height_and_the_feet_are_told(walker: Path, tmp_path: Path, skinscope: Program):
    result = skinscope("crowd", walker, "--count", 2, "--seconds", 0, "--output", tmp_path / "out")
    assert f"Walker, {HEIGHT:g} m tall; feet found by name: foot.L, foot.R." in result.output


@pytest.mark.gpu
def test_a_missing_run_is_a_walk_and_it_is_said(tmp_path: Path, skinscope: Program):
    file = walker_file(tmp_path / "walker.blend", ("Idle", "Walk"))
    result = skinscope("crowd", file, "--count", 2, "--seconds", 1, "--output", tmp_path / "out")
    assert result.status == 0
    assert "There is no clip to run with, so 'Walk' serves for both." in result.complaints


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("clips", "options", "sentence"),
    [
        (("Idle",), (), "'Walker' has no clip to walk with"),
        (
            ("Idle", "Walk"),
            ("--walk", "Stroll"),
            "There is no clip 'Stroll' of 'Walker' to walk with; there are 'Idle' and 'Walk'.",
        ),
        (("Idle", "Walk"), ("--area", 2, "--radius", 0.5), "There is no free place for 9 agents"),
    ],
)
def test_what_can_not_be_a_crowd_is_refused_and_nothing_is_left(
    tmp_path: Path, skinscope: Program, clips: tuple[str, ...], options: tuple[object, ...], sentence: str
):
    file = walker_file(tmp_path / "walker.blend", clips)
    result = skinscope("crowd", file, "--count", 9, "--output", tmp_path / "out", *options)
    assert result.status == 2
    assert result.complaints[-1].startswith(sentence)
    assert not (tmp_path / "out").exists()


@pytest.mark.gpu
def test_a_character_without_a_binding_is_refused_by_its_name(tmp_path: Path, skinscope: Program):
    file = walker_file(tmp_path / "walker.blend", bound=False)
    result = skinscope("crowd", file, "--output", tmp_path / "out")
    assert result.status == 2
    assert result.complaints == ("No mesh is bound to 'Walker'; give a mesh an Armature modifier.",)


@pytest.mark.parametrize(
    ("count", "begins"),
    [
        (0, "A crowd has at least one agent; ask for 1 to 100,000"),
        (1_000_000, "A crowd of 1,000,000 agents would need about "),
    ],
)
def test_too_many_and_nobody_are_refused_before_the_file_is_opened(
    tmp_path: Path, skinscope: Program, count: int, begins: str
):
    result = skinscope("crowd", "missing.blend", "--count", count, "--output", tmp_path / "out")
    assert result.status == 2
    (complaint,) = result.complaints
    assert complaint.startswith(begins)
    assert complaint.endswith("ask for 1 to 100,000 with --count.")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_can_not_be_written_to_is_named(tmp_path: Path, skinscope: Program):
    (tmp_path / "file").write_text("", encoding="utf-8")
    folder = tmp_path / "file" / "out"
    result = skinscope("crowd", "missing.blend", "--output", folder)
    assert result.status == 2
    assert result.complaints[0].startswith(f"The folder '{folder}' can't be written to (")


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--count", "many", "'many' is not a number of agents"),
        ("--area", "-3", "'-3' is not a length"),
        ("--radius", "0", "'0' is not a length"),
        ("--seed", "x", "'x' is not a seed"),
    ],
)
def test_values_that_make_no_sense_are_refused(
    tmp_path: Path, skinscope: Program, option: str, value: str, sentence: str
):
    result = skinscope("crowd", "missing.blend", "--output", tmp_path / "out", f"{option}={value}")
    assert result.status == 2
    assert result.complaints[0].startswith(sentence)
