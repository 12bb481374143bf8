"""`render`: a picture that contains the character, skinned by us."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.command_line.arguments import options
from skinning_addon.command_line.showing.render import EDGE, SIZE
from skinning_addon.drawing.vertex_paint import linear_from_srgb
from tests.command_line.conftest import Program
from tests.command_line.pictures import figure, read_picture
from tests.command_line.rig_files import rig_file
from tests.scene.random_rig import RandomRig, RigOptions

pytestmark = pytest.mark.gpu

EXACT, FAR_OFF = np.array((63, 116, 173)) / 255, np.array((98, 17, 10)) / 255
"""The ends of the heat map's ramp, sRGB."""
MIDDLE = np.s_[200 : SIZE[1] - 60, 100 : SIZE[0] - 250]
"""The area without a label or the legend."""


@pytest.fixture
def bar(tmp_path: Path) -> Path:
    """A thick bar that two bones bend at frame 9."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    armature = bpy.data.objects.new("Bones", bpy.data.armatures.new("Bones"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail in (("low", 0, 1), ("high", 1, 2)):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, head), (0, 0, tail)
    armature.data.edit_bones["high"].parent = armature.data.edit_bones["low"]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=2, location=(0, 0, 0))
    mesh = bpy.context.object
    mesh.data.transform(Matrix.Translation((0, 0, 1)))
    mesh.name = "막대"
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    high = mesh.vertex_groups.new(name="high")
    low = mesh.vertex_groups.new(name="low")
    for vertex in mesh.data.vertices:
        (high if vertex.co.z > 1 else low).add([vertex.index], 1, "REPLACE")
    bone = armature.pose.bones["high"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (9, 1.2)):
        bone.rotation_euler = (0, 0, angle)
        bone.keyframe_insert("rotation_euler", frame=frame)
    armature.animation_data.action.name = "Bend"
    scene.frame_start, scene.frame_end = 1, 9
    scene.frame_set(1)
    path = tmp_path / "막대 bar.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def rendered(skinscope: Program, path: Path, *options: object) -> np.ndarray:
    picture = path.parent / "그림" / "out.png"
    result = skinscope("render", path, "--output", picture, *options)
    assert (result.status, result.complaints) == (0, ())
    assert result.output.startswith(f"{picture}: exact: largest deviation ")
    pixels = read_picture(picture)
    assert pixels.shape == (SIZE[1], SIZE[0], 3)
    return pixels


def test_the_character_fills_the_picture(bar: Path, skinscope: Program):
    shape = figure(rendered(skinscope, bar)[MIDDLE])
    rows, columns = np.nonzero(shape)
    assert np.ptp(rows) > 0.8 * shape.shape[0]
    assert 0.05 < shape.mean() < 0.7
    assert abs(columns.mean() - (SIZE[0] / 2 - 100)) < 0.1 * SIZE[0]


def test_it_is_ours_and_not_blenders(bar: Path, skinscope: Program):
    pixels = rendered(skinscope, bar)[MIDDLE]
    colors = pixels[figure(pixels)]
    # Ours is blue, Blender's would be grey.
    assert np.median(colors[:, 2] - colors[:, 0]) > 0.05


def test_another_frame_is_another_picture(bar: Path, skinscope: Program):
    straight = figure(rendered(skinscope, bar)[MIDDLE])
    bent = figure(rendered(skinscope, bar, "--frame", "9")[MIDDLE])
    assert (straight ^ bent).sum() > 0.2 * straight.sum()
    by_clip = figure(rendered(skinscope, bar, "--clip", "Bend", "--frame", "9")[MIDDLE])
    assert np.array_equal(by_clip, bent)
    middle = figure(rendered(skinscope, bar, "--clip", "Bend")[MIDDLE])
    assert np.array_equal(middle, figure(rendered(skinscope, bar, "--frame", "5")[MIDDLE]))


def test_an_exact_heat_map_is_blue_and_has_its_legend(bar: Path, skinscope: Program):
    pixels = rendered(skinscope, bar, "--frame", "9", "--display", "deviation")
    inside = pixels[MIDDLE]
    colors = inside[figure(inside)]
    # Turned away from the camera the ramp's color is darkened: linear numbers keep their proportions.
    color = linear_from_srgb(colors)
    blue = linear_from_srgb(EXACT)
    assert np.median(np.abs(color / color.max(axis=1, keepdims=True) - blue / blue.max()).max(axis=1)) < 0.03
    far_end = np.abs(pixels - FAR_OFF).max(axis=2) < 0.04
    rows, columns = np.nonzero(far_end)
    assert rows.size > 20
    assert columns.min() > SIZE[0] - 250
    assert columns.max() < SIZE[0] - EDGE


def _displace_between(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Push", "DISPLACE").strength = 0.3
    rig.mesh.modifiers.move(2, 1)


def test_a_deviation_shows_in_the_heat_map(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(modifiers=2), _displace_between)
    picture = tmp_path / "out.png"
    result = skinscope("render", path, "--output", picture, "--display", "deviation")
    assert result.status == 0
    assert "exact" not in result.output
    inside = read_picture(picture)[MIDDLE]
    too_much = (inside[..., 0] > 0.3) & (inside[..., 2] < 0.6 * inside[..., 0])
    assert too_much.sum() > 0.02 * too_much.size


def test_a_wireframe_is_edges_alone(bar: Path, skinscope: Program):
    solid = figure(rendered(skinscope, bar)[MIDDLE])
    wires = figure(rendered(skinscope, bar, "--display", "wireframe")[MIDDLE])
    assert 0.01 * solid.sum() < wires.sum() < 0.5 * solid.sum()


@pytest.mark.parametrize("technique", options.TECHNIQUES[1:])
def test_every_technique_draws_the_same_picture(technique: str, bar: Path, skinscope: Program):
    usual = rendered(skinscope, bar, "--frame", "9")[MIDDLE]
    other = rendered(skinscope, bar, "--frame", "9", "--technique", technique, "--joints", "1")[MIDDLE]
    assert np.abs(usual - other).max() <= 2 / 255


def test_draw_groups_have_colours_of_their_own(bar: Path, skinscope: Program):
    arguments = ("--frame", "9", "--display", "draw_groups")
    for technique, joints, colours in (("uniform-buffer", 60, 1), ("partitioned", 1, 2)):
        pixels = rendered(skinscope, bar, *arguments, "--technique", technique, "--joints", joints)[MIDDLE]
        inside = pixels[figure(pixels)]
        hue = inside / np.linalg.norm(inside, axis=1, keepdims=True)
        directions, counts = np.unique(np.round(hue * 5), axis=0, return_counts=True)
        assert (counts > 0.1 * counts.sum()).sum() >= colours, directions


def test_a_chain_that_cannot_be_cut_up_is_refused(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(modifiers=2))
    result = skinscope("render", path, "--output", tmp_path / "out.png", "--technique", "four-matrices")
    assert result.status == 2
    (complaint,) = result.complaints
    assert complaint.startswith(
        "Palettes can only be partitioned for a single linear armature pass without a mask;"
    )
    assert not (tmp_path / "out.png").exists()


def test_modifiers_after_the_armature_are_named(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: rig.mesh.modifiers.new("Smooth", "SMOOTH"))
    result = skinscope("render", path, "--output", tmp_path / "out.png")
    assert result.status == 0
    assert len(result.complaints) == 1
    assert result.complaints[0].startswith(
        "'Smooth' changes 'Random mesh' after the armature, which engines don't do;"
    )


def test_nothing_is_written_where_there_is_nothing_to_draw(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: bpy.data.objects.remove(rig.mesh))
    result = skinscope("render", path, "--output", tmp_path / "out.png")
    assert (result.status, result.output) == (2, "")
    assert result.complaints == ("The active scene has no mesh with an armature.",)
    assert not (tmp_path / "out.png").exists()


def test_a_picture_that_cannot_be_written_is_told(tmp_path: Path, skinscope: Program):
    (tmp_path / "folder.png").mkdir()
    result = skinscope("render", tmp_path / "any.blend", "--output", tmp_path / "folder.png")
    assert result.status == 2
    assert result.complaints[0].startswith(f"'{tmp_path}/folder.png' can't be written (Is a directory)")


def test_an_engines_deviation_is_what_is_drawn_and_said(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7))
    arguments = ("render", path, "--frame", "5", "--display", "deviation")
    exact = skinscope(*arguments, "--output", tmp_path / "exact.png")
    engine = skinscope(*arguments, "--output", tmp_path / "engine.png", "--profile", "unity-1")
    assert (exact.status, engine.status) == (0, 0)
    assert "exact: largest deviation" in exact.output
    assert "exact" not in engine.output.split("engine.png", 1)[1]
    dark, bright = (read_picture(tmp_path / f"{name}.png")[MIDDLE].max() for name in ("exact", "engine"))
    assert bright > dark + 0.1
