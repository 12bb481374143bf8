"""`skinscope learn` from the outside: its numbers against manual calculation, and against Blender's mesh and
camera.
"""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from skinning_addon.command_line.main import run
from tests.scene.posed_arm import keyed_arm

NUMBER = re.compile(r"-?\d+\.\d+")


def learned(*arguments: str | Path) -> str:
    output = io.StringIO()
    assert run(["learn", *map(str, arguments)], output) == 0
    return output.getvalue()


def numbers_after(text: str, label: str) -> list[float]:
    """The numbers of the first line that begins with a label."""
    line = next(line for line in text.splitlines() if line.strip().startswith(label))
    return [float(one) for one in NUMBER.findall(line.strip()[len(label) :])]


def matrix_after(text: str, *labels: str) -> list[list[float]]:
    """The four rows below the line that begins with the last label, looked for after those before it."""
    lines = text.splitlines()
    at = 0
    for label in labels:
        at = next(number for number, line in enumerate(lines[at:], at + 1) if line.startswith(label))
    return [[float(one) for one in NUMBER.findall(line)] for line in lines[at : at + 4]]


def product(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    return [[sum(a[row][k] * b[k][column] for k in range(4)) for column in range(4)] for row in range(4)]


def moved(v: list[float], m: list[list[float]]) -> list[float]:
    return [sum(one * m[row][column] for row, one in enumerate((*v, 1.0))) for column in range(3)]


def turned(degrees: float, *, up: float) -> list[list[float]]:
    """A turn about Z, then a move along Y: what each bone of the rig is to its parent."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[c, s, 0, 0], [-s, c, 0, 0], [0, 0, 1, 0], [0, up, 0, 1]]


def vertex_by_hand(upper: float, fore: float) -> list[float]:
    """The traced vertex, (0.5, 3.5, 0), a quarter of it with the upper arm: the textbook's formula with nothing
    left out.
    """
    upper_to_root = turned(upper, up=1)
    fore_to_root = product(turned(fore, up=2), upper_to_root)
    final = (product(turned(0, up=-1), upper_to_root), product(turned(0, up=-3), fore_to_root))
    return [0.25 * a + 0.75 * b for a, b in zip(*(moved([0.5, 3.5, 0.0], one) for one in final), strict=True)]


def test_the_simple_rig_is_what_is_done_by_hand():
    text = learned()
    assert matrix_after(text, "upper arm, a root", "to_parent") == pytest.approx(np.array(turned(0, up=1)))
    upper, fore = turned(30, up=1), turned(60, up=2)
    assert matrix_after(text, "to_root = to_parent(upper arm)") == pytest.approx(np.array(upper), abs=2e-6)
    fore_to_root = product(fore, upper)
    shown = matrix_after(text, "to_root = to_parent(forearm) @ to_root(upper arm)")
    assert shown == pytest.approx(np.array(fore_to_root), abs=2e-6)
    assert matrix_after(text, "== offset", "forearm", "offset") == pytest.approx(np.array(turned(0, up=-3)))
    final = product(turned(0, up=-3), fore_to_root)
    assert matrix_after(text, "== final", "forearm", "final") == pytest.approx(np.array(final), abs=2e-6)
    after = vertex_by_hand(30, 60)
    assert numbers_after(text, "after") == pytest.approx(after, abs=2e-6)
    # Ten units away the camera sees ten: 128 pixels a unit.
    assert numbers_after(text, "pixel   ") == pytest.approx(
        [640 + 128 * after[0], 480 - 128 * (after[1] - 3)], abs=0.01
    )


def test_the_vertex_and_its_pixel_are_blenders_own(tmp_path: Path):
    text = learned("--output", tmp_path / "simple.blend")
    assert text.endswith(f"\n\nsaved: {tmp_path / 'simple.blend'}\n")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "simple.blend"))
    scene, mesh = bpy.context.scene, bpy.data.objects["Arm"]
    assert scene.frame_current == 13
    assert bpy.data.objects["Rig"].data.bones.active.name == "forearm"
    seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[9].co
    assert numbers_after(text, "after") == pytest.approx(list(seen), abs=2e-6)
    x, y, _ = world_to_camera_view(scene, scene.camera, Vector(seen))
    assert numbers_after(text, "pixel   ") == pytest.approx([1280 * x, 960 * (1 - y)], abs=0.01)


@pytest.fixture
def arm_file(tmp_path: Path) -> Path:
    armature = keyed_arm()
    armature.location, armature.rotation_euler = (1, 2, 3), (0.1, 0.2, 0.3)
    bpy.data.objects["Skin"].location = (0.5, 0, 0)
    camera = bpy.data.objects.new("Film", bpy.data.cameras.new("Film"))
    camera.location, camera.rotation_euler, camera.scale = (3, -9, 4), (1.4, 0.1, 0.2), (2, 2, 2)
    camera.data.shift_x = 0.1
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 640, 480, 50
    path = tmp_path / "arm.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.mark.parametrize("vertex", [0, 30, 77])
def test_any_vertex_of_any_rig_at_any_frame_is_followed_to_its_pixel(arm_file: Path, vertex: int):
    text = learned("--rig", arm_file, "--vertex", vertex, "--frame", 7.5, "--clip", "Bend")
    bpy.ops.wm.open_mainfile(filepath=str(arm_file))
    scene, mesh = bpy.context.scene, bpy.data.objects["Skin"]
    scene.frame_set(7, subframe=0.5)
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    seen = evaluated.data.vertices[vertex].co
    assert numbers_after(text, "after") == pytest.approx(list(seen), abs=5e-6)
    x, y, _ = world_to_camera_view(scene, scene.camera, evaluated.matrix_world @ seen)
    assert numbers_after(text, "pixel   ") == pytest.approx([320 * x, 240 * (1 - y)], abs=0.02)
    # The printed matrices of any bone multiply to the printed products.
    for name in re.findall(r"^(b\d)(?:, a child of b\d)? \(row", text.split("== offset")[1], re.MULTILINE):
        offset = matrix_after(text, "== offset", name, "offset")
        in_root = product(offset, matrix_after(text, "== to-root", name, "to_root"))
        assert matrix_after(text, "== final", name, "offset @ to_root") == pytest.approx(
            np.array(in_root), abs=2e-5
        )


def test_bone_combinations_of_two_joints_share_the_forearm():
    text = learned("--section", "combinations", "--joints", "2")
    rows = [line.split(maxsplit=4) for line in text.splitlines() if re.match(r"\s+\d+\s+\d+", line)]
    # Rows of vertices with the upper arm: five quads or ten triangles, from the first to the sixth. The last
    # two are gloved.
    assert sorted((int(row[1]), int(row[2]), int(row[3]), row[4]) for row in rows) == [
        (0, 4, 6, "0: forearm, 1: hand"),
        (0, 10, 12, "0: upper arm, 1: forearm"),
        (1, 4, 6, "0: forearm, 1: hand"),
    ]
    assert "4 vertices are stored in more than one draw call." in text
    assert re.search(r"joints \(1, 2, 0, 0\) of the mesh: in call [01] slots \(0, 1, 0, 0\)", text)
    # With room for all joints there is still a call for each material.
    whole = learned("--section", "combinations")
    assert len([line for line in whole.splitlines() if re.match(r"\s+\d+\s+\d+", line)]) == 2


def test_the_controller_moves_to_the_second_clip_as_the_sample_does():
    text = learned("--section", "controller")
    rows = {
        float(numbers[0]): [float(one) for one in numbers]
        for line in text.splitlines()
        if len(numbers := NUMBER.findall(line)) == 10
    }
    assert sorted(rows) == [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75]
    assert rows[0][-3:] == pytest.approx([0.5, 3.5, 0.0])
    # Half of the fade: both speeds are 0.5, and have been 0.75 and 0.25 on average for an eighth of a second.
    assert rows[0.375][1:7] == pytest.approx([0.25 + 0.09375, 0.5, 0.5, 0.03125, 0.5, 0.5], abs=1e-4)
    # At its end the second plays alone, 0.125 s or three frames in; Blender's easing from -30 to 30 degrees is
    # at its middle.
    assert rows[0.5][1:7] == pytest.approx([0.375, 0, 0, 0.125, 1, 1], abs=1e-4)
    assert rows[0.5][-3:] == pytest.approx(vertex_by_hand(60, 0), abs=2e-5)
    assert rows[0.625][-3:] == pytest.approx(vertex_by_hand(60, 30), abs=2e-5)
    assert "0.625  callback: out of Wave, track 1, weight 1.0000" in text


def test_a_profile_decides_what_the_slots_hold():
    assert "indices (1, 2, 0, 0), weights (0.2500, 0.7500, 0.0000)" in learned("--section", "weights")
    assert "reads 1 weight of 2; the last is implied: 1.0000 - 0.2500 = 0.7500." in learned(
        "--section", "weights"
    )
    packed = learned("--section", "weights", "--profile", "learnopengl")
    assert "As LearnOpenGL holds it: indices (1, 2, 0, 0), weights (0.2500, 0.7500, 0.0000, 0.0000)" in packed


@pytest.mark.gpu
def test_without_a_camera_the_pixel_is_that_of_what_render_draws(arm_file: Path, tmp_path: Path):
    bpy.ops.wm.open_mainfile(filepath=str(arm_file))
    bpy.data.objects.remove(bpy.data.objects["Film"])
    bpy.ops.wm.save_mainfile()
    corners = [
        one.index for one in bpy.data.objects["Skin"].data.vertices if abs(one.co.x) == abs(one.co.y) == 0.5
    ]
    pixels = [
        numbers_after(
            learned("--rig", arm_file, "--frame", 7, "--vertex", one, "--section", "pixel"), "pixel   "
        )
        for one in corners
    ]
    picture = tmp_path / "arm.png"
    assert run(["render", str(arm_file), "--frame", "7", "--output", str(picture)], io.StringIO()) == 0
    image = bpy.data.images.load(str(picture))
    width, height = image.size
    drawn = np.array(image.pixels).reshape(height, width, 4)[::-1, :, :3]
    # The arm fills the picture's middle; the text is in the corners.
    rows = slice(round(min(y for _, y in pixels)) + 5, round(max(y for _, y in pixels)) - 5)
    left, right = 360, 980
    assert left + 50 < min(x for x, _ in pixels) < max(x for x, _ in pixels) < right - 50
    inside = np.abs(drawn - drawn[rows.start, 0]).max(axis=2)[rows, left:right] > 0.1
    columns = left + np.flatnonzero(inside.any(axis=0))
    assert columns[0] == pytest.approx(min(x for x, _ in pixels), abs=1.5)
    assert columns[-1] + 1 == pytest.approx(max(x for x, _ in pixels), abs=1.5)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--vertex", "20"), "'Arm' has no vertex 20; choose one from 0 to 19."),
        (("--vertex", "-1"), "'-1' is not a vertex"),
        (("--vertex", "one"), "'one' is not a vertex"),
        (("--mesh", "Leg"), "'Leg' is not a mesh; there is only 'Arm'."),
        (("--section", "bone"), "did you mean 'bones'"),
        (("--clip", "Fly"), "no clip 'Fly'"),
        (("--rig", "no.blend"), "no.blend"),
        (("--output", "."), "another path with --output"),
    ],
)
def test_wrong_use_is_one_line_and_two(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
):
    assert run(["learn", *arguments], io.StringIO()) == 2
    assert says in capsys.readouterr().err
