"""`check --fix`: copies that Blender shows as the originals, in which what could be mended is."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.measurement.check import harmless_fixes
from tests.command_line.conftest import Program
from tests.command_line.rig_files import KEYED_FRAMES, rig_file
from tests.scene.random_rig import RandomRig, RigOptions


def with_flaws(rig: RandomRig) -> None:
    """Weights that add up to 0.7, a group that nothing uses, and an armature scaled to a tenth."""
    mesh = rig.mesh
    for vertex in mesh.data.vertices:
        for member in vertex.groups:
            member.weight *= 0.7
    mesh.vertex_groups.new(name="Nothing's")


def opened(path: Path) -> bpy.types.Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return next(one for one in bpy.context.scene.objects if one.type == "MESH")


def world_positions(path: Path) -> list[np.ndarray]:
    """Blender's own vertices in three frames."""
    mesh = opened(path)
    found = []
    for frame in KEYED_FRAMES:
        bpy.context.scene.frame_set(frame)
        evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append(np.array([evaluated.matrix_world @ one.co for one in evaluated.data.vertices]))
    return found


def test_a_copy_has_what_could_be_mended_and_blender_shows_the_same(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "hero.blend", RigOptions(influences=3, scale="none"), with_flaws)
    content = path.read_bytes()
    result = skinscope("check", path, "--device", "cpu", "--fix", tmp_path / "fixed", "--format", "json")
    copy = tmp_path / "fixed" / "hero.blend"
    (entry,) = result.json["files"]
    assert entry["fixed"][0] == f"'{copy}' was written."
    assert any(one.startswith("The weights of ") for one in entry["fixed"])
    assert any("without a bone removed" in one for one in entry["fixed"])
    assert path.read_bytes() == content
    for before, after in zip(world_positions(path), world_positions(copy), strict=True):
        assert np.abs(before - after).max() < 1e-5
    mesh = opened(copy)
    bones = {one.name for one in mesh.find_armature().data.bones if one.use_deform}
    deforming = {one.index for one in mesh.vertex_groups if one.name in bones}
    sums = [sum(one.weight for one in v.groups if one.group in deforming) for v in mesh.data.vertices]
    assert all(total < 1e-4 or abs(total - 1) < 1e-5 for total in sums)
    assert mesh.vertex_groups.get("Nothing's") is None
    again = skinscope("check", copy, "--device", "cpu", "--fix", tmp_path / "more", "--format", "json")
    assert again.json["files"][0]["fixed"] == []
    assert not list((tmp_path / "more").iterdir())
    told = skinscope("check", path, "--device", "cpu", "--fix", tmp_path / "fixed").output
    assert "was written." in " ".join(told.split())


def test_a_fix_that_moves_a_vertex_is_not_made(
    tmp_path: Path, skinscope: Program, monkeypatch: pytest.MonkeyPatch
):
    """The groups' removal is made to move a vertex by a millimetre at a height of some metres."""

    def removing(mesh: bpy.types.Object, _names: list[str]) -> None:
        mesh.data.vertices[0].co.x += 0.01

    monkeypatch.setattr(harmless_fixes, "remove_groups", removing)
    path = rig_file(tmp_path / "hero.blend", RigOptions(influences=3, scale="none"), with_flaws)
    result = skinscope("check", path, "--device", "cpu", "--fix", tmp_path / "fixed", "--format", "json")
    copy = tmp_path / "fixed" / "hero.blend"
    (entry,) = result.json["files"]
    assert any(one.startswith("Not kept, since it moves ") for one in entry["fixed"])
    for before, after in zip(world_positions(path), world_positions(copy), strict=True):
        assert np.abs(before - after).max() < 1e-5
    assert opened(copy).vertex_groups.get("Nothing's") is not None


def test_the_original_is_never_written_over(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "hero.blend", RigOptions(influences=3, scale="none"), with_flaws)
    content = path.read_bytes()
    result = skinscope("check", path, "--device", "cpu", "--fix", tmp_path, "--format", "json")
    assert path.read_bytes() == content
    assert any("is the file itself; choose another folder with --fix." in one for one in result.complaints)


def test_two_copies_of_one_name_are_refused(tmp_path: Path, skinscope: Program):
    for name in ("hero.glb", "hero.blend"):
        (tmp_path / name).touch()
    files = (tmp_path / "hero.glb", tmp_path / "hero.blend")
    result = skinscope("check", *files, "--fix", tmp_path / "fixed")
    assert result.status == 2
    assert "would both be" in result.complaints[0]
