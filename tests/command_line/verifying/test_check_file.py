"""`check-file` on files that Blender's own exporters write."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

CLEAN = RigOptions(seed=12, influences=3, scale="none")


def exported(
    folder: Path, options: RigOptions = CLEAN, change=without_flaws, **settings: object
) -> tuple[Path, Path]:
    """Save a rig and export it; return both files."""
    rig = rig_file(folder / "rig.blend", options, change)
    bpy.ops.export_scene.gltf(filepath=str(folder / "rig.glb"), **settings)
    return rig, folder / "rig.glb"


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_clean_rig_survives_the_export(tmp_path: Path, skinscope: Program, suffix: str):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    file = tmp_path / f"rig{suffix}"
    kind = "GLB" if suffix == ".glb" else "GLTF_SEPARATE"
    bpy.ops.export_scene.gltf(filepath=str(file), export_format=kind)
    result = skinscope("check-file", file, "--against", rig, "--tolerance", "1e-5", "--format", "json")
    (told,) = result.json["files"]
    assert result.status == 0
    (mesh,) = told["meshes"]
    assert mesh["deviation"]["frames"] == 9
    assert 0 < mesh["deviation"]["relative"] < 1e-6
    assert told["verified"]["stage"] == "file"
    assert told["verified"]["clips"] == ["Sway"]
    assert told["verified"]["matched_by"] == {"Random mesh": "rest position"}


def test_dropped_influences_are_found_and_gone_when_all_are_exported(tmp_path: Path, skinscope: Program):
    rig, file = exported(tmp_path, RigOptions(seed=3, influences=8, scale="none"))
    result = skinscope("check-file", file, "--against", rig)
    assert result.status == 1
    assert "failed: 1 mesh is not within tolerance. The worst deviation from Blender is" in result.output
    assert "Verified by reading the file back (our own glTF reader)" in " ".join(result.output.split())
    bpy.ops.wm.open_mainfile(filepath=str(rig))
    bpy.ops.export_scene.gltf(filepath=str(file), export_all_influences=True)
    result = skinscope("check-file", file, "--against", rig, "--tolerance", "1e-5")
    assert result.status == 0


def test_numbers_in_the_file_match_vertices(tmp_path: Path, skinscope: Program):
    def numbered(rig: RandomRig) -> None:
        without_flaws(rig)
        attribute = rig.mesh.data.attributes.new("_SOURCE", "FLOAT", "POINT")
        attribute.data.foreach_set("value", range(len(rig.mesh.data.vertices)))

    rig, file = exported(tmp_path, change=numbered, export_attributes=True)
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    assert result.json["files"][0]["verified"]["matched_by"] == {"Random mesh": "number"}
    assert result.status == 0


def test_twins_are_told(tmp_path: Path, skinscope: Program):
    """Vertices at the same location, each moved by another bone: without numbers only the pose distinguishes them."""

    def with_twin(rig: RandomRig) -> None:
        without_flaws(rig)
        positions = [one.co.copy() for one in rig.mesh.data.vertices]
        for one in range(3):
            rig.mesh.data.vertices[200 + one].co = positions[one]
            for group in rig.mesh.vertex_groups:
                group.remove([200 + one])
            rig.mesh.vertex_groups[5].add([200 + one], 1.0, "REPLACE")

    rig, file = exported(tmp_path, change=with_twin, export_normals=False)
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    (finding,) = [one for one in result.json["files"][0]["findings"] if one["rule"] == "twin-vertices"]
    assert finding["count"] >= 2
    assert result.status == 0


def test_another_rig_is_told(tmp_path: Path, skinscope: Program):
    _, file = exported(tmp_path)
    (tmp_path / "b").mkdir()

    def renamed(rig: RandomRig) -> None:
        rig.armature.animation_data.action.name = "Sway"

    other = rig_file(tmp_path / "b" / "rig.blend", RigOptions(seed=5, vertices=500), renamed)
    result = skinscope("check-file", file, "--against", other)
    assert result.status == 2
    assert "The vertices of 'Random mesh' in '" in result.complaints[0]


def test_a_mesh_that_is_not_in_the_file(tmp_path: Path, skinscope: Program):
    def second(rig: RandomRig) -> None:
        without_flaws(rig)
        twin = rig.mesh.copy()
        twin.name = "Coat"
        bpy.context.scene.collection.objects.link(twin)
        bpy.ops.object.select_all(action="DESELECT")
        rig.mesh.select_set(True)
        rig.armature.select_set(True)

    rig, file = exported(tmp_path, change=second, use_selection=True)
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    (finding,) = result.json["files"][0]["findings"]
    assert (finding["rule"], finding["object"]) == ("mesh-not-in-file", "Coat")
    assert len(result.json["files"][0]["meshes"]) == 1


def test_a_file_without_animation(tmp_path: Path, skinscope: Program):
    rig, file = exported(tmp_path, export_animations=False)
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    (finding,) = result.json["files"][0]["findings"]
    assert finding["rule"] == "no-animation-in-file"
    assert result.status == 1


def test_frames_that_the_file_lacks(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    bpy.context.scene.frame_end = 6
    file = tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(filepath=str(file), export_frame_range=True)
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    (finding,) = result.json["files"][0]["findings"]
    assert finding["message"] == "The file has frames 1 to 6 of 'Sway', which runs from 1 to 9."
    assert result.json["files"][0]["meshes"][0]["deviation"]["frames"] == 6


def test_a_clip_that_begins_at_zero_in_the_file(tmp_path: Path, skinscope: Program):
    rig, file = exported(tmp_path, export_anim_slide_to_zero=True)
    result = skinscope("check-file", file, "--against", rig, "--tolerance", "1e-5", "--format", "json")
    assert result.json["files"][0]["meshes"][0]["deviation"]["frames"] == 9
    assert result.status == 0


def test_clips_and_frames_are_chosen(tmp_path: Path, skinscope: Program):
    rig, file = exported(tmp_path)
    arguments = ("check-file", file, "--against", rig, "--format", "json")
    result = skinscope(*arguments, "--clips", "Sway", "--frames", "2:8:3")
    assert result.json["files"][0]["meshes"][0]["deviation"]["frames"] == 3
    wrong = skinscope(*arguments, "--clips", "Swya")
    assert (wrong.status, wrong.complaints) == (2, ("There is no clip 'Swya'; did you mean 'Sway'?",))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none.glb", "No such file or directory"),
        ("rig.blend", "is not an exported file that can be read back"),
        ("empty.glb", "is empty; save or export it again."),
        ("text.glb", "is not a glTF file; choose a .glb or .gltf file."),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, skinscope: Program, name: str, told: str):
    rig = rig_file(tmp_path / "rig.blend", CLEAN)
    (tmp_path / "empty.glb").touch()
    (tmp_path / "text.glb").write_text("no glTF\n")
    result = skinscope("check-file", tmp_path / name, "--against", rig)
    assert result.status == 2
    assert told in result.complaints[0]
    assert name in result.complaints[0]


def test_bendy_bones_that_are_curved_in_rest_position(tmp_path: Path, skinscope: Program):
    """Blender curves them by their pose's settings even there; the file's vertices are where the mesh has them."""
    rig, file = exported(tmp_path, RigOptions(seed=4, bendy=4))
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    (told,) = result.json["files"]
    (mesh,) = told["meshes"]
    assert mesh["deviation"]["frames"] == 9
    assert mesh["deviation"]["max"] > 0.01
    assert not {"vertices-not-in-file", "vertices-not-in-scene"} & {one["rule"] for one in told["findings"]}


def test_vertices_that_share_a_place_are_not_missing(tmp_path: Path, skinscope: Program):
    """Importers split vertices along seams; another exporter's file has each once."""
    _, file = exported(tmp_path, export_normals=False)

    def split(rig: RandomRig) -> None:
        without_flaws(rig)
        bpy.context.view_layer.objects.active = rig.mesh
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.edge_split()
        bpy.ops.object.mode_set(mode="OBJECT")

    (tmp_path / "b").mkdir()
    rig = rig_file(tmp_path / "b" / "rig.blend", CLEAN, split)
    result = skinscope("check-file", file, "--against", rig, "--tolerance", "1e-5", "--format", "json")
    assert result.json["files"][0]["findings"] == []
    assert result.status == 0


def lifted(rig: RandomRig) -> None:
    """Add a shape key that is on."""
    without_flaws(rig)
    size = max(rig.mesh.dimensions)
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Lift")
    for number, point in enumerate(key.data):
        point.co.z += 0.3 * size * (number % 3)
    key.value = 0.7


@pytest.mark.parametrize("extension", [".glb", ".fbx"])
def test_shape_keys_that_are_on(tmp_path: Path, skinscope: Program, extension: str):
    """Exporters write the first one's positions, and the others' differences from it."""
    rig = rig_file(tmp_path / "rig.blend", CLEAN, lifted)
    file = tmp_path / f"rig{extension}"
    if extension == ".glb":
        bpy.ops.export_scene.gltf(filepath=str(file))
    else:
        bpy.ops.export_scene.fbx(filepath=str(file), bake_anim_simplify_factor=0.0)
    result = skinscope("check-file", file, "--against", rig, "--tolerance", "1e-4", "--format", "json")
    assert result.status == 0, result.output + str(result.complaints)
    (told,) = result.json["files"]
    assert [one["deviation"]["frames"] for one in told["meshes"]] == [9]
    assert not {"vertices-not-in-file", "vertices-not-in-scene"} & {one["rule"] for one in told["findings"]}


@pytest.mark.parametrize("report_format", ["junit", "sarif"])
def test_reports_for_other_programs(tmp_path: Path, skinscope: Program, report_format: str):
    rig, file = exported(tmp_path, RigOptions(seed=3, influences=8))
    result = skinscope("check-file", file, "--against", rig, "--format", report_format)
    assert result.status == 1
    assert "from Blender's result" in result.output.replace("\\'", "'")
    assert "under the profile" not in result.output


SUPPRESSED = """[[suppress]]
rule = "tolerance"
reason = "Seen from far away."
until = {until}
"""


@pytest.mark.parametrize(("until", "status"), [("2999-01-01", 0), ("2001-01-01", 1)])
def test_what_the_configuration_accepts_does_not_fail(
    tmp_path: Path, skinscope: Program, until: str, status: int
):
    rig, file = exported(tmp_path, RigOptions(seed=3, influences=8, scale="none"))
    (tmp_path / "skinscope.toml").write_text(SUPPRESSED.format(until=until), encoding="utf-8")
    result = skinscope("check-file", file, "--against", rig, "--format", "json")
    assert result.status == status
    (told,) = result.json["files"]
    (mesh,) = told["meshes"]
    assert not mesh["deviation"]["passed"]
    suppressed = mesh["deviation"]["suppressed"]
    assert (suppressed and suppressed["reason"]) == (None if status else "Seen from far away.")
    assert ("suppression-ended" in {one["rule"] for one in told["findings"]}) is bool(status)


@pytest.mark.parametrize("command", ["check-file", "check-export"])
def test_what_an_object_of_the_rig_accepts_does_not_fail(tmp_path: Path, skinscope: Program, command: str):
    def accepted(rig: RandomRig) -> None:
        without_flaws(rig)
        rules = ("tolerance", "influence-limit", "cause-unknown", "remainder")
        rig.mesh["skinscope_suppress"] = "; ".join(f"{rule}: far away" for rule in rules)

    rig, file = exported(tmp_path, RigOptions(seed=3, influences=8, scale="none"), accepted)
    files = (file, "--against", rig) if command == "check-file" else (rig,)
    result = skinscope(command, *files, "--format", "json")
    assert result.status == 0, result.output
    (told,) = result.json["files"]
    assert told["meshes"][0]["deviation"]["suppressed"] == {"reason": "far away", "until": None}
    assert told["suppressions"][0]["rule"] == "tolerance"
