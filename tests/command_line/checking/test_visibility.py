"""`check --visibility`: a rig as the viewport shows it, or as rendered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.objects.render_visibility import rendered_objects
from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file
from tests.scene.random_rig import RandomRig

OF_EVERY_RANDOM_RIG = {"unweighted-vertices", "all-zero-weights", "groups-without-bone"}


def second(rig: RandomRig, *, viewport: bool, render: bool) -> bpy.types.ArmatureModifier:
    modifier = rig.mesh.modifiers.new("Second", "ARMATURE")
    modifier.object, modifier.show_viewport, modifier.show_render = rig.armature, viewport, render
    return modifier


def checked(program: Program, path: Path, visibility: str) -> dict:
    options = ("--device", "cpu", "--format", "json", "--visibility", visibility)
    (file,) = program("check", path, *options).json["files"]
    return file


def findings(file: dict) -> list[dict]:
    """Leave out what `check` says of every random rig's weights."""
    return [one for one in file["findings"] if one["rule"] not in OF_EVERY_RANDOM_RIG]


def rules(file: dict) -> list[str]:
    return [finding["rule"] for finding in findings(file)]


@pytest.mark.parametrize(
    ("viewport", "render", "words"),
    [
        (True, False, "on in the viewport and off in renders"),
        (False, True, "off in the viewport and on in renders"),
    ],
)
def test_a_modifier_counts_as_it_is_switched_and_the_difference_is_named(
    tmp_path: Path, skinscope: Program, viewport: bool, render: bool, words: str
):
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: second(rig, viewport=viewport, render=render))
    before = path.read_bytes()
    for visibility, on in (("viewport", viewport), ("render", render)):
        file = checked(skinscope, path, visibility)
        (mesh,) = file["meshes"]
        assert mesh["armatures"] == ["Random"]
        assert mesh["deviation"]["relative"] <= 1e-5
        # Two modifiers are two passes, and a palette each.
        assert mesh["joints"] == (20 if on else 10)
        (finding,) = findings(file)
        assert (finding["rule"], finding["severity"]) == ("visibility-differs", "warning")
        assert words in finding["message"]
        assert "'Second'" in finding["message"]
    assert path.read_bytes() == before


def _subdivided_before(rig: RandomRig) -> None:
    modifier = rig.mesh.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels, modifier.render_levels = 0, 1
    rig.mesh.modifiers.move(1, 0)


def test_subdivision_before_the_armature_has_its_render_levels(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=_subdivided_before)
    (shown,), (rendered,) = (checked(skinscope, path, one)["meshes"] for one in ("viewport", "render"))
    assert rendered["vertices"] > shown["vertices"] == 300
    assert rendered["deviation"]["relative"] <= 1e-5


def _switched_by_animation(rig: RandomRig) -> None:
    modifier = second(rig, viewport=False, render=False)
    for frame, on in ((1, False), (5, True)):
        modifier.show_render = on
        modifier.keyframe_insert("show_render", frame=frame)


def test_switches_that_are_animated_are_followed(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=_switched_by_animation)
    (mesh,) = checked(skinscope, path, "render")["meshes"]
    assert mesh["joints"] == 20, "the last frame's"
    assert mesh["deviation"]["relative"] <= 1e-5


def _smoothed_after(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Smooth", "SMOOTH").iterations = 5


def test_modifiers_after_the_armature_stay_switched_off(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=_smoothed_after)
    file = checked(skinscope, path, "render")
    assert rules(file) == ["modifier-after"]
    assert file["meshes"][0]["deviation"]["relative"] <= 1e-5


def _object(rig: RandomRig) -> None:
    rig.mesh.hide_render = True


def _collection(rig: RandomRig) -> None:
    outer, inner = (bpy.data.collections.new(name) for name in ("Outer", "Inner"))
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    bpy.context.scene.collection.objects.unlink(rig.mesh)
    inner.objects.link(rig.mesh)
    outer.hide_render = True


@pytest.mark.parametrize("hide", [_object, _collection])
def test_what_no_render_shows_is_left_out(
    tmp_path: Path, skinscope: Program, hide: Callable[[RandomRig], None]
):
    path = rig_file(tmp_path / "rig.blend", change=hide)
    file = checked(skinscope, path, "render")
    assert file["meshes"] == []
    assert "hidden-in-renders" in rules(file)
    assert not file["passed"], "a check that checked nothing"
    assert rules(checked(skinscope, path, "viewport")) == []


def test_one_collection_that_is_rendered_is_enough(tmp_path: Path):
    rig_file(tmp_path / "rig.blend", change=_collection)
    mesh = bpy.data.objects["Random mesh"]
    assert mesh not in rendered_objects(bpy.context.scene)
    bpy.context.scene.collection.objects.link(mesh)
    assert mesh in rendered_objects(bpy.context.scene)


def test_what_is_measured_is_what_a_render_makes(tmp_path: Path, skinscope: Program):
    """Blender itself, with the modifier switched off by hand, moves the mesh as the check of the render
    says.
    """
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: second(rig, viewport=True, render=False))
    bpy.data.objects["Random mesh"].modifiers["Second"].show_viewport = False
    bpy.context.view_layer.update()
    mesh = bpy.data.objects["Random mesh"].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    by_hand = np.array([vertex.co for vertex in mesh.vertices])
    frame = bpy.context.scene.frame_current
    checked(skinscope, path, "render")
    mesh = bpy.data.objects["Random mesh"]
    bpy.context.scene.frame_set(frame)
    now = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    np.testing.assert_allclose([vertex.co for vertex in now.vertices], by_hand, atol=1e-6)  # pyright: ignore[reportCallIssue]


def test_another_word_is_refused(skinscope: Program):
    result = skinscope("check", "rig.blend", "--visibility", "renders")
    assert result.status == 2
    assert "visibility" in result.complaints[0]
    assert "render" in result.complaints[0]
