"""Names don't identify objects: a linked character beside a local one, with the same names throughout."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.checking.baseline import with_known, write_baseline
from skinning_addon.command_line.diffing.bundle_files import read_bundle
from skinning_addon.command_line.reports.report_json import read_json, write_json
from skinning_addon.core.text.identity import Identity
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.measurement.check.report import FileReport
from tests.scene.random_rig import RandomRig, RigOptions

from .conftest import Program
from .rig_files import rig_file

LIBRARY = "characters/hero.blend"


def linked(path: Path, names: list[str]) -> list[bpy.types.Object]:
    """Link objects into the scene that is open."""
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = names
    for one in wanted.objects:
        bpy.context.scene.collection.objects.link(one)
    return wanted.objects


@pytest.fixture
def two_of_a_name(tmp_path: Path) -> Path:
    """A local rig of 300 vertices beside a linked one of 200; meshes, armatures and actions are called the
    same.
    """
    (tmp_path / "characters").mkdir()
    library = rig_file(tmp_path / LIBRARY, RigOptions(seed=2, vertices=200, influences=8))
    return rig_file(
        tmp_path / "shot.blend", RigOptions(seed=1), lambda _: linked(library, ["Random mesh", "Random"])
    )


def test_both_are_measured_and_reported(two_of_a_name: Path, skinscope: Program):
    result = skinscope("check", two_of_a_name, "--format", "json", "--device", "cpu", "--profile", "unity-4")
    (file,) = result.json["files"]
    assert [
        (one["object"], one["library"], one["armature"], one["armature_libraries"], one["vertices"])
        for one in file["meshes"]
    ] == [
        ("Random mesh", None, "Random", [None], 300),
        ("Random mesh", LIBRARY, "Random", [LIBRARY], 200),
    ]
    limits = {one["library"] for one in file["findings"] if one["rule"] == "influence-limit"}
    assert LIBRARY in limits
    assert any(f"'Random mesh ({LIBRARY})'" in one["message"] for one in file["findings"])


def test_both_are_exact(two_of_a_name: Path, skinscope: Program):
    result = skinscope("check", two_of_a_name, "--format", "json", "--device", "cpu")
    (file,) = result.json["files"]
    assert result.status == 0
    assert [one["deviation"]["relative"] <= 1e-5 for one in file["meshes"]] == [True, True]


def test_every_format_tells_them_apart(two_of_a_name: Path, skinscope: Program):
    arguments = ("check", two_of_a_name, "--device", "cpu", "--frames", "5", "--profile", "unity-4")
    text = skinscope(*arguments).output
    assert "  Random mesh   " in text
    assert f"  Random mesh ({LIBRARY})  " in text
    cases = skinscope(*arguments, "--format", "junit").output
    assert 'name="Random mesh [unity-4]"' in cases
    assert f'name="Random mesh ({LIBRARY}) [unity-4]"' in cases
    results = json.loads(skinscope(*arguments, "--format", "sarif").output)["runs"][0]["results"]
    named = [one["locations"][0]["logicalLocations"][0] for one in results]
    assert {"name": "Random mesh", "kind": "object"} in named
    assert {
        "name": "Random mesh",
        "kind": "object",
        "fullyQualifiedName": f"Random mesh ({LIBRARY})",
    } in named
    assert len({one["partialFingerprints"]["skinscope/v1"] for one in results}) == len(results)


def test_clips_of_one_name_are_two(two_of_a_name: Path, skinscope: Program):
    arguments = ("check", two_of_a_name, "--device", "cpu", "--format", "json", "--clips")
    (file,) = skinscope(*arguments, f"Sway ({LIBRARY})").json["files"]
    assert {one["deviation"]["clip"] for one in file["meshes"]} == {f"Sway ({LIBRARY})"}
    (file,) = skinscope(*arguments, "Sway").json["files"]
    assert {one["deviation"]["clip"] for one in file["meshes"]} == {"Sway"}
    assert file["passed"]


def test_a_clip_that_is_only_linked_goes_by_its_name(tmp_path: Path, skinscope: Program):
    library = rig_file(tmp_path / "hero.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    linked(library, ["Random mesh", "Random"])
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    result = skinscope("check", path, "--device", "cpu", "--format", "json", "--clips", "Sway")
    assert result.json["files"][0]["meshes"][0]["deviation"]["clip"] == "Sway"


def test_one_mesh_under_two_armatures_of_one_name(tmp_path: Path, skinscope: Program):
    library = rig_file(tmp_path / "hero.blend", RigOptions(seed=2, bones=7))

    def under_both(rig: RandomRig) -> None:
        (armature,) = linked(library, ["Random"])
        rig.mesh.modifiers.new("Linked", "ARMATURE").object = armature

    path = rig_file(tmp_path / "shot.blend", RigOptions(seed=1, modifiers=1), under_both)
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    (file,) = result.json["files"]
    assert file["meshes"][0]["armature_libraries"] == [None, "hero.blend"]
    assert file["meshes"][0]["deviation"]["relative"] <= 1e-5


def test_export_writes_both(two_of_a_name: Path, tmp_path: Path, skinscope: Program):
    result = skinscope("export", two_of_a_name, "--output", tmp_path / "bundle", "--device", "cpu")
    assert result.status == 0
    meshes = json.loads((tmp_path / "bundle" / "bundle.json").read_text(encoding="utf-8"))["meshes"]
    assert [(one["object"], one["library"], one["folder"]) for one in meshes] == [
        ("Random mesh", None, "random-mesh"),
        ("Random mesh", LIBRARY, "random-mesh-2"),
    ]
    counts = [len(np.load(tmp_path / "bundle" / one["folder"] / "skin.npz")["positions"]) for one in meshes]
    assert counts == [300, 200]
    bundle = read_bundle(str(tmp_path / "bundle"))
    assert bundle.find_mesh("Random mesh")["folder"] == "random-mesh"
    assert bundle.find_mesh(f"Random mesh ({LIBRARY})")["folder"] == "random-mesh-2"


def test_a_baseline_knows_one_from_the_other(tmp_path: Path):
    def report(library: str | None) -> FileReport:
        one = Identity("Body", library)
        finding = Finding("influence-limit", Severity.ERROR, one, "Too many.", deviation=0.1)
        return FileReport(str(tmp_path / "a.blend"), (), (finding,))

    path = tmp_path / "known.json"
    baseline = write_baseline(path, [report(LIBRARY)])
    assert [one.known for one in with_known(report(LIBRARY), baseline).findings] == [True]
    assert [one.known for one in with_known(report(None), baseline).findings] == [False]
    read, *_ = read_json(write_json([report(LIBRARY)], "1", "2"))
    assert [one.known for one in with_known(read[0], baseline).findings] == [True]
