"""Anything that makes "exact" say little is a finding of its own, and an error under --strict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from skinning_addon.measurement.findings.file_findings import findings_of_importer
from tests.command_line.checking.test_processes import report_in, skinscope_process
from tests.command_line.conftest import Program, Result
from tests.command_line.rig_files import KEYED_FRAMES, rig_file
from tests.scene.random_rig import RandomRig, RigOptions, random_rig

PLAIN = RigOptions(vertices=60, bones=4)
TURNS = 3 * 3 * 2
"""Both ways about three axes, for the three deforming bones of that rig."""


def check(skinscope: Program, path: Path, *arguments: object) -> Result:
    return skinscope("check", path, "--device", "cpu", "--format", "json", *arguments)


def found(result: Result, rule: str) -> list[dict[str, Any]]:
    return [one for one in result.json["files"][0]["findings"] if one["rule"] == rule]


def is_an_error_if_strict(skinscope: Program, path: Path, rule: str) -> None:
    plain, strict = check(skinscope, path), check(skinscope, path, "--strict")
    assert (plain.status, {one["severity"] for one in found(plain, rule)}) == (0, {"warning"})
    assert (strict.status, {one["severity"] for one in found(strict, rule)}) == (1, {"error"})


def saved(path: Path) -> Path:
    bpy.context.view_layer.update()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def still_rig(path: Path) -> Path:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    random_rig(PLAIN)
    return saved(path)


def test_where_nothing_moves_a_range_of_motion_is_played(tmp_path: Path, skinscope: Program):
    path = still_rig(tmp_path / "still.blend")
    result = check(skinscope, path)
    (mesh,) = result.json["files"][0]["meshes"]
    # The present pose, and every way in which each bone that deforms turns by itself about three axes.
    assert mesh["deviation"]["frames"] == 1 + TURNS
    assert mesh["deviation"]["relative"] <= 1e-5
    (finding,) = found(result, "nothing-moves")
    assert "range of motion of 'Random' was played" in finding["message"]
    is_an_error_if_strict(skinscope, path, "nothing-moves")


def test_a_range_of_motion_can_be_asked_for(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", PLAIN)
    result = check(skinscope, path, "--clips", "range-of-motion")
    (mesh,) = result.json["files"][0]["meshes"]
    assert (mesh["deviation"]["clip"], mesh["deviation"]["frames"]) == ("Range of Motion", TURNS)
    assert found(result, "nothing-moves") == []
    both = check(skinscope, path, "--clips", "Sway,range-of-motion", "--frames", "1:9")
    assert both.json["files"][0]["meshes"][0]["deviation"]["frames"] == 9 + 9


def test_a_range_of_motion_turns_what_blender_turns(tmp_path: Path, skinscope: Program):
    # Each turn moves the mesh: were it not posed, all of them would be at rest.
    path = still_rig(tmp_path / "still.blend")
    output = tmp_path / "out"
    skinscope("export", path, "--output", output, "--clips", "range-of-motion", "--device", "cpu")
    frames = np.load(output / "random-mesh" / "frames.npz")
    rest = np.load(output / "random-mesh" / "skin.npz")["positions"]
    moved = np.abs(frames["blender_positions"] - rest).max(axis=(1, 2))
    assert len(moved) == TURNS
    assert (moved > 0.01).all()


def test_no_bone_that_can_be_turned_is_said_so(tmp_path: Path, skinscope: Program):
    def locked(rig: RandomRig) -> None:
        rig.armature.animation_data_clear()
        for bone in rig.armature.pose.bones:
            bone.lock_rotation = (True, True, True)

    path = rig_file(tmp_path / "rig.blend", PLAIN, locked)
    (finding,) = found(check(skinscope, path), "nothing-moves")
    assert "only the current pose was compared" in finding["message"]
    refused = skinscope("check", path, "--clips", "range-of-motion")
    assert (refused.status, "can be rotated" in refused.complaints[0]) == (2, True)


def test_a_mesh_that_stays_at_rest_beside_one_that_moves(tmp_path: Path, skinscope: Program):
    def beside_another(_: RandomRig) -> None:
        other = random_rig(RigOptions(seed=3, vertices=60, bones=4))
        for bone in other.armature.pose.bones:
            bone.matrix_basis.identity()

    path = rig_file(tmp_path / "rig.blend", PLAIN, beside_another)
    (finding,) = found(check(skinscope, path), "nothing-moves")
    assert finding["object"] == "Random mesh.001"
    is_an_error_if_strict(skinscope, path, "nothing-moves")


def test_clips_that_are_not_played_are_named(tmp_path: Path, skinscope: Program):
    def with_two_more(rig: RandomRig) -> None:
        sway = rig.armature.animation_data.action
        for name in ("Run", "Walk"):
            action = sway.copy()
            action.name, action.use_fake_user = name, True

    path = rig_file(tmp_path / "rig.blend", PLAIN, with_two_more)
    (finding,) = found(check(skinscope, path), "clips-not-played")
    assert (finding["message"], finding["count"]) == (
        "The scene plays 1 of the file's 3 clips; not played: 'Run', 'Walk'.",
        2,
    )
    is_an_error_if_strict(skinscope, path, "clips-not-played")
    assert found(check(skinscope, path, "--clips", "all"), "clips-not-played") == []


def linked_into_empty(library: Path, *, as_instance: bool) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["Hero"]
    if as_instance:
        empty = bpy.data.objects.new("Instance", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", wanted.collections[0]
        scene.collection.objects.link(empty)
    else:
        scene.collection.children.link(wanted.collections[0])
    scene.frame_start, scene.frame_end = 1, 9
    # As in the library: FBX counts turns from the pose that the scene shows.
    scene.frame_set(KEYED_FRAMES[1])


def hero(path: Path, options: RigOptions) -> Path:
    def into_a_collection(rig: RandomRig) -> None:
        collection = bpy.data.collections.new("Hero")
        bpy.context.scene.collection.children.link(collection)
        for one in (rig.mesh, rig.armature):
            collection.objects.link(one)
            bpy.context.scene.collection.objects.unlink(one)

    return rig_file(path, options, into_a_collection)


@pytest.mark.parametrize("influences", [5, 8])
def test_characters_in_instanced_collections_are_checked(tmp_path: Path, skinscope: Program, influences: int):
    library = hero(tmp_path / "hero.blend", RigOptions(influences=influences))
    directly = check(skinscope, library, "--profile", "unity-4").json["files"][0]["meshes"][0]
    linked_into_empty(library, as_instance=True)
    path = saved(tmp_path / "shot.blend")
    (mesh,) = check(skinscope, path, "--profile", "unity-4").json["files"][0]["meshes"]
    assert (mesh["object"], mesh["library"]) == ("Random mesh", "hero.blend")
    assert mesh["deviation"] == directly["deviation"]


def test_a_library_that_is_missing_is_named(tmp_path: Path, skinscope: Program):
    library = hero(tmp_path / "hero.blend", PLAIN)
    rig_file(tmp_path / "shot.blend", PLAIN)
    with bpy.data.libraries.load(str(library), link=True, relative=True) as (_, wanted):
        wanted.collections = ["Hero"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    path = saved(tmp_path / "shot.blend")
    assert found(check(skinscope, path), "library-missing") == []
    library.unlink()
    (finding,) = found(check(skinscope, path), "library-missing")
    assert finding["message"] == "The library '//hero.blend' is missing, and 'Hero' with it."
    is_an_error_if_strict(skinscope, path, "library-missing")


@pytest.mark.parametrize(
    ("driven_by", "told"),
    [
        (("SCRIPTED", "scale.real.real", "scale.x"), "need Python"),
        (("SCRIPTED", "scale + 1", "scale.x"), None),
        (("SCRIPTED", "max(scale, frame)", "scale.x"), None),
        (("SUM", "", "nothing"), "are invalid"),
    ],
)
def test_drivers_that_blender_does_not_run_are_named(
    tmp_path: Path, skinscope: Program, driven_by: tuple[str, str, str], told: str | None
):
    kind, expression, path = driven_by

    def driven(rig: RandomRig) -> None:
        driver = rig.armature.driver_add("location", 0).driver
        driver.type, driver.expression = kind, expression
        variable = driver.variables.new()
        variable.name = "scale"
        variable.targets[0].id, variable.targets[0].data_path = rig.mesh, path

    file = rig_file(tmp_path / "rig.blend", PLAIN, driven)
    findings = found(check(skinscope, file), "drivers-not-run")
    if told is None:
        assert findings == []
        return
    (finding,) = findings
    assert (finding["object"], finding["count"]) == ("Random", 1)
    assert told in finding["message"]
    is_an_error_if_strict(skinscope, file, "drivers-not-run")


@pytest.mark.processes
def test_what_the_importer_says_is_a_finding(tmp_path: Path):
    rig_file(tmp_path / "rig.blend", PLAIN)
    path = tmp_path / "rig.gltf"
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLTF_SEPARATE")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["images"] = [{"uri": "gone.png"}]
    document["textures"] = [{"source": 0}]
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    document["meshes"][0]["primitives"][0]["material"] = 0
    path.write_text(json.dumps(document), encoding="utf-8")
    # A process of its own: the importer's log goes to the streams that there were when it was first used.
    for strict, severity, status in (((), "warning", 0), (("--strict",), "error", 1)):
        ended = skinscope_process("check", path, "--device", "cpu", "--format", "json", *strict)
        findings = report_in(ended.stdout)["files"][0]["findings"]
        said = [one for one in findings if one["rule"] == "importer-complained"]
        assert said
        # Blender 4.2 says it twice, in other words.
        assert all("gone.png" in one["message"] for one in said)
        assert ({one["severity"] for one in said}, ended.returncode) == ({severity}, status)
        # The report has it, and a second time would be too many.
        assert "gone.png" not in ended.stderr
    ended = skinscope_process("export", path, "--device", "cpu", "--output", tmp_path / "bundle")
    assert "gone.png" in ended.stderr


def test_what_importers_say_alike_is_told_once_and_names_are_no_complaints():
    printed = (
        "19:54:37 | INFO: Blender create Mesh node missing error\n"
        "FBX version: 7400\n"
        "00:01.234  io.fbx           | WARNING Vertex 12 has weights without bone\n"
        "00:01.240  io.fbx           | WARNING Vertex 13 has weights without bone\n"
        "Warning: 3 positions are NaN\n"
        "FBX import of 'invalid.fbx' took 4.2 ms\n"
    )
    told = [(one.message, one.count) for one in findings_of_importer(printed)]
    assert told == [
        ("Blender's importer says: io.fbx           | WARNING Vertex 12 has weights without bone", 2),
        ("Blender's importer says: Warning: 3 positions are NaN", 1),
    ]


def test_a_configuration_can_ask_for_it(tmp_path: Path, skinscope: Program):
    path = still_rig(tmp_path / "still.blend")
    assert check(skinscope, path).status == 0
    (tmp_path / "skinscope.toml").write_text("[check]\nstrict = true\n", encoding="utf-8")
    strict = check(skinscope, path)
    assert (strict.status, {one["severity"] for one in found(strict, "nothing-moves")}) == (1, {"error"})


def test_what_a_configuration_switches_off_stays_off(tmp_path: Path, skinscope: Program):
    path = still_rig(tmp_path / "still.blend")
    (tmp_path / "skinscope.toml").write_text('[severity]\nnothing-moves = "off"\n', encoding="utf-8")
    assert check(skinscope, path, "--strict").status == 0
