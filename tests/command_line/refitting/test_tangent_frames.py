"""How far a copy's normals and tangents are turned, in the report. The judge is Blender's evaluated mesh of the
written file, of the original and of the copy.
"""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import KEYED_FRAMES, rig_file, without_flaws
from tests.measurement.refit.moving_scenes import FRAMES, SCENES
from tests.scene.random_rig import RandomRig, RigOptions
from tests.scene.refit.evaluated import play

__all__ = ["skinscope"]

BOTH = ("normals", "tangents")

LEAST = {"cloth": 1, "limb": 0.1, "face": 0.1, "nodes": 0}
"""Degrees that normals are turned by at least with ten bones. The wave of geometry nodes needs no more than these."""


def with_uv(rig: RandomRig) -> None:
    """Let the mesh have a UV map and turned objects."""
    without_flaws(rig)
    corners = rig.mesh.data.uv_layers.new(name="Atlas").uv
    corners.foreach_set("vector", np.random.default_rng(5).random(2 * len(corners)).astype(np.float32))


def in_the_world(mesh: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Return normals and tangents (C, 3) as Blender shows them."""
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    turn = evaluated.matrix_world.to_3x3()
    if evaluated.data.uv_layers:
        evaluated.data.calc_tangents()
    normals = [
        (turn.inverted().transposed() @ one.vector).normalized() for one in evaluated.data.corner_normals
    ]
    tangents = [(turn @ one.tangent).normalized() for one in evaluated.data.loops]
    return np.array(normals), np.array(tangents)


def degrees(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), (one * other).sum(axis=1)))


def refit(folder: Path, skinscope: Program, options: RigOptions, change=with_uv) -> dict:
    """Write folder/copy.blend; return its one entry in the report."""
    rig, report = rig_file(folder / "rig.blend", options, change), folder / "report.json"
    given = ("--output", folder / "copy.blend", "--report", report)
    result = skinscope("refit", rig, "--profile", "threejs", *given)
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert f"Normals are turned by at most {told['normals']['largest']:.1f} degrees" in result.output
    assert ("; tangents by " in result.output) == (told["tangents"] is not None)
    return told


def test_as_blender_shows_both(tmp_path: Path, skinscope: Program):
    told = refit(tmp_path, skinscope, RigOptions(seed=12, influences=8, scale="none", transformed=True))
    open_file(tmp_path / "copy.blend")
    scene = bpy.context.scene
    armatures = sorted(
        (one for one in scene.objects if one.type == "ARMATURE"), key=lambda one: len(one.name)
    )
    meshes = sorted((one for one in scene.objects if one.type == "MESH"), key=lambda one: len(one.name))
    for armature in armatures:
        (clip,) = find_clips(scene, ["all"], [armature])
        play(armature, clip)
    judge(told, meshes, range(KEYED_FRAMES[0], KEYED_FRAMES[-1] + 1), BOTH, 1)


def judge(
    told: dict, meshes: list[bpy.types.Object], frames: range, names: tuple[str, ...], least: float
) -> None:
    """Expect the angles between what Blender shows of an original and of its copy. least: of each largest one."""
    turned: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        original, copy = (in_the_world(one) for one in meshes)
        for number, name in enumerate(names):
            turned[name].append(degrees(original[number], copy[number]))
    for name, found in turned.items():
        every = np.concatenate(found)
        assert every.max() > least
        assert told[name]["largest"] == pytest.approx(every.max(), abs=0.02)
        assert told[name]["nearly_all"] == pytest.approx(
            np.quantile(every, 0.999, method="inverted_cdf"), abs=0.02
        )


@pytest.mark.arithmetic
@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("cloth", BOTH),
        ("limb", ("normals",)),
        ("face", BOTH),
        ("nodes", BOTH),
    ],
)
def test_of_bones_for_what_no_armature_moves(
    tmp_path: Path, skinscope: Program, name: str, names: tuple[str, ...]
):
    """Cloth, a lattice, shape keys and geometry nodes; flat and smooth faces."""
    mesh = SCENES[name]()
    mesh.data.shade_smooth()
    for polygon in list(mesh.data.polygons)[::2]:
        polygon.use_smooth = False
    source, report = tmp_path / "scene.blend", tmp_path / "report.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    given = ("--bones", 10, "--output", tmp_path / "bones.blend", "--report", report)
    result = skinscope("refit", source, "--profile", "threejs", *given)
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["meshes"]
    assert f"Normals are turned by at most {told['normals']['largest']:.1f} degrees" in result.output
    assert ("; tangents by " in result.output) == (told["tangents"] is not None) == ("tangents" in names)
    open_file(tmp_path / "bones.blend")
    meshes = sorted((one for one in bpy.data.objects if one.type == "MESH"), key=lambda one: len(one.name))
    judge(told, meshes, range(1, FRAMES + 1), names, LEAST[name])


def test_what_needs_no_fit_keeps_its_tangent_frames(tmp_path: Path, skinscope: Program):
    told = refit(tmp_path, skinscope, RigOptions(seed=12, influences=3, scale="none"))
    assert told["normals"]["largest"] < 0.1
    assert told["tangents"]["largest"] < 0.1


def test_without_a_uv_map_there_are_no_tangents(tmp_path: Path, skinscope: Program):
    told = refit(tmp_path, skinscope, RigOptions(seed=12, influences=3, scale="none"), without_flaws)
    assert told["normals"] is not None
    assert told["tangents"] is None
