"""What `refit` can't work with, or only in another way: a sentence and no file, or the same figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.maths import scratch
from skinning_addon.core.refit import mesh_motion
from skinning_addon.measurement.refit import points_of_anything
from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.measurement.refit.moving_scenes import FRAMES, face
from tests.measurement.refit.played_meshes import frames_of
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

NINE = RigOptions(seed=12, influences=9, scale="none")
"""More influences than three.js takes, so weights have to be fitted."""


def refit(skinscope: Program, source: Path, output: Path, *given: str):
    return skinscope("refit", source, "--profile", "threejs", "--output", output, *given)


def refused(skinscope: Program, source: Path, sentence: str, *given: str) -> None:
    """Expect a sentence, and no file."""
    written = source.parent / "written"
    written.mkdir()
    result = refit(skinscope, source, written / "copy.glb", *given)
    assert result.status == 2, result.output
    assert sentence in result.complaints[-1]
    assert list(written.iterdir()) == []


def a_vertex_nowhere(mesh: bpy.types.Object) -> None:
    """Give the mesh a shape key that plays at frame 5 and puts one vertex at no number."""
    if mesh.data.shape_keys is None:
        mesh.shape_key_add(name="Basis")
    key = mesh.shape_key_add(name="Nowhere")
    key.data[7].co.x = float("nan")
    for frame, value in ((4, 0.0), (5, 1.0), (6, 0.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def save(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_places_that_are_no_numbers(tmp_path: Path, skinscope: Program):
    a_vertex_nowhere(face())
    source = save(tmp_path / "face.blend")
    refused(skinscope, source, "places that are no numbers at frame 5", "--bones", "5")


def test_vertices_of_a_character_at_no_numbers(tmp_path: Path, skinscope: Program):
    """As a lattice or a cage that breaks would put them: behind the armature, and animated."""

    def broken(rig: RandomRig) -> None:
        without_flaws(rig)
        cage = bpy.data.objects.new("Cage", bpy.data.lattices.new("Cage"))
        bpy.context.scene.collection.objects.link(cage)
        rig.mesh.modifiers.new("Lattice", "LATTICE").object = cage
        cage.data.points[0].co_deform.x = float("nan")

    source = rig_file(tmp_path / "rig.blend", NINE, broken)
    refused(skinscope, source, "Blender's own result for 'Random mesh' contains invalid numbers")


@pytest.mark.parametrize("in_key", [False, True])
def test_a_vertex_of_a_character_whose_own_place_is_no_number(
    tmp_path: Path, skinscope: Program, in_key: bool
):
    def broken(rig: RandomRig) -> None:
        without_flaws(rig)
        if in_key:
            a_vertex_nowhere(rig.mesh)
        else:
            rig.mesh.data.vertices[11].co.y = float("nan")

    source = rig_file(tmp_path / "rig.blend", NINE, broken)
    said = (
        "The shape key 'Nowhere' of 'Random mesh' puts vertex 7 where coordinates are infinite or not a number"
        if in_key
        else "Vertex 11 of 'Random mesh' has coordinates that are infinite or not a number"
    )
    if not in_key:
        refused(skinscope, source, said)
    checked = skinscope("check", source, "--profile", "threejs")
    assert said in " ".join(checked.output.split())


@pytest.mark.parametrize("given", [(), ("--tolerance", "1mm"), ("--kind", "baked", "--most-drift", "5mm")])
def test_an_armature_that_is_scaled_to_zero(tmp_path: Path, skinscope: Program, given: tuple[str, ...]):
    def nothing(rig: RandomRig) -> None:
        without_flaws(rig)
        rig.armature.scale = (0, 0, 0)

    source = rig_file(tmp_path / "rig.blend", NINE, nothing)
    refused(
        skinscope, source, "is scaled to zero along an axis, so it can't be skinned; scale it up.", *given
    )


@pytest.mark.parametrize("given", [(), ("--bones", "5")], ids=["character", "anything"])
def test_a_scene_that_ends_before_it_begins(tmp_path: Path, skinscope: Program, given: tuple[str, ...]):
    """One frame is left, in which nothing moves. A character without actions plays the scene."""
    if given:
        face()
    else:
        source = rig_file(tmp_path / "rig.blend", NINE, lambda rig: rig.armature.animation_data_clear())
        open_file(source)
    scene = bpy.context.scene
    scene.frame_start = 40
    scene.frame_preview_start = scene.frame_end = 40
    source = save(tmp_path / "scene.blend")
    refused(skinscope, source, "there is nothing to find bones for" if given else "no clip", *given)


def linked(folder: Path, library: Path, names: list[str]) -> Path:
    """Save a file into which objects are linked from another, by a relative path."""
    (folder / "shots").mkdir()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    shot = save(folder / "shots" / "shot.blend")
    with bpy.data.libraries.load(str(library), link=True, relative=True) as (_, there):
        there.objects = names
    for one in there.objects:
        bpy.context.scene.collection.objects.link(one)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    return save(shot)


def test_bones_for_a_linked_mesh(tmp_path: Path, skinscope: Program):
    face()
    source = linked(tmp_path, save(tmp_path / "face.blend"), ["Face"])
    open_file(source)
    wanted = frames_of(bpy.data.objects["Face"])
    copy = tmp_path / "copy.blend"
    result = refit(skinscope, source, copy, "--bones", "10")
    assert result.status == 0, result.complaints
    open_file(copy)
    (found,) = (one for one in bpy.context.scene.objects if one.find_armature())
    assert found.library is None
    assert np.linalg.norm(frames_of(found) - wanted, axis=2).max() < 0.006


def test_a_linked_character(tmp_path: Path, skinscope: Program):
    library = rig_file(tmp_path / "rig.blend", NINE, without_flaws)
    names = [one.name for one in bpy.data.objects if one.type in {"MESH", "ARMATURE"}]
    copy = tmp_path / "copy.blend"
    result = refit(skinscope, linked(tmp_path, library, names), copy)
    assert result.status == 0, result.complaints
    assert "Weights fitted: clips are off by at most" in result.output
    open_file(copy)
    made = [one for one in bpy.context.scene.objects if one.name.endswith(" game-ready")]
    assert {one.type: one.library for one in made} == {"MESH": None, "ARMATURE": None}


def in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let memory hold no positions, nor what is computed from them."""
    monkeypatch.setattr(scratch, "IN_MEMORY", 0)
    monkeypatch.setattr(mesh_motion, "KEPT_VALUES", 0)


def test_frames_that_memory_does_not_hold(
    tmp_path: Path, skinscope: Program, monkeypatch: pytest.MonkeyPatch
):
    face()
    source = save(tmp_path / "face.blend")
    mapped: list[bool] = []
    record: Callable[..., object] = points_of_anything.RecordedPoints

    def noting(*given):
        mapped.append(isinstance(given[2], np.memmap))
        return record(*given)

    monkeypatch.setattr(points_of_anything, "RecordedPoints", noting)
    said = [refit(skinscope, source, tmp_path / "copy.blend", "--bones", "10").output]
    in_files(monkeypatch)
    said.append(refit(skinscope, source, tmp_path / "copy.blend", "--bones", "10").output)
    assert mapped == [False, True]
    assert "moves with 10 bones within" in said[0]
    assert said[1] == said[0]
