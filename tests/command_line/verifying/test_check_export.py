"""`check-export`: exports with the user's settings, and measures the file."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

CLEAN = RigOptions(seed=12, influences=3, scale="none")
NEEDS_USD = pytest.mark.skipif(not bpy.app.build_options.usd, reason="this Blender is built without USD")
MANY_INFLUENCES = RigOptions(seed=3, influences=8, scale="none")


@pytest.mark.parametrize(
    ("exporter", "relative", "options"),
    [
        ("gltf", 1e-6, ()),
        ("fbx", 1e-5, ("bake_anim_simplify_factor=0",)),
        pytest.param("usd", 1e-5, ("export_animation=true",), marks=NEEDS_USD),
    ],
)
def test_a_clean_rig(
    tmp_path: Path, skinscope: Program, exporter: str, relative: float, options: tuple[str, ...]
):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    before = rig.read_bytes()
    given = [text for one in options for text in ("--export-option", one)]
    result = skinscope("check-export", rig, "--exporter", exporter, *given, "--format", "json")
    (told,) = result.json["files"]
    assert result.status == 0, told
    (mesh,) = told["meshes"]
    assert mesh["deviation"]["frames"] == 9
    assert 0 < mesh["deviation"]["relative"] < relative
    assert told["verified"]["matched_by"] == {"Random mesh": "number"}
    assert told["verified"]["kept"] is None
    assert rig.read_bytes() == before


@pytest.mark.parametrize(
    ("exporter", "options"), [("gltf", ()), ("fbx", ("bake_anim_simplify_factor=0",))], ids=["gltf", "fbx"]
)
def test_an_action_moves_only_the_armature_that_it_is_assigned_to(
    tmp_path: Path, skinscope: Program, exporter: str, options: tuple[str, ...]
):
    """Two characters with the same bones, each with its own action: either fits both."""

    def company(rig: RandomRig) -> None:
        without_flaws(rig)
        mesh, armature = rig.mesh.copy(), rig.armature.copy()
        # FBX's exporter writes one skin for objects that share a mesh.
        mesh.data = rig.mesh.data.copy()
        for one in (mesh, armature):
            bpy.context.scene.collection.objects.link(one)
        armature.animation_data.action = rig.armature.animation_data.action.copy()
        armature.location.x += 3.0
        mesh.location.x += 3.0
        if mesh.parent is not None:
            mesh.parent = armature
        mesh.modifiers[0].object = armature

    rig = rig_file(tmp_path / "rig.blend", CLEAN, company)
    given = [text for one in options for text in ("--export-option", one)]
    result = skinscope("check-export", rig, "--exporter", exporter, *given, "--format", "json")
    (told,) = result.json["files"]
    assert result.status == 0, told
    assert len(told["meshes"]) == 2
    for mesh in told["meshes"]:
        assert mesh["deviation"]["relative"] < 1e-5


def test_simplified_keys_are_measured(tmp_path: Path, skinscope: Program):
    """FBX's exporter drops keys by default; with all keys kept, the file is exact."""
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    results = [
        skinscope(
            "check-export",
            rig,
            "--exporter",
            "fbx",
            "--export-option",
            f"bake_anim_simplify_factor={one}",
            "--format",
            "json",
        )
        for one in (10, 0)
    ]
    simplified, whole = (one.json["files"][0]["meshes"][0]["deviation"]["relative"] for one in results)
    assert simplified > 1e-4
    assert whole < 1e-5


def test_settings_are_taken_from_where_the_user_keeps_them(tmp_path: Path, skinscope: Program, monkeypatch):
    """The scene's memory is overridden by a collection's exporter, that by a preset, and that by an option."""

    def remembering(rig: RandomRig) -> None:
        without_flaws(rig)
        bpy.context.scene["glTF2ExportSettings"] = {"export_all_influences": True, "no_longer_there": 1}

    rig = rig_file(tmp_path / "rig.blend", MANY_INFLUENCES, remembering)
    result = skinscope("check-export", rig, "--tolerance", "1e-5", "--format", "json")
    assert result.status == 0
    assert result.json["files"][0]["verified"]["settings_from"] == ["the scene's remembered settings"]

    def with_exporter(rig: RandomRig) -> None:
        remembering(rig)
        hero = bpy.data.collections.new("Hero")
        bpy.context.scene.collection.children.link(hero)
        for one in (rig.mesh, rig.armature):
            hero.objects.link(one)
        layer = bpy.context.view_layer
        layer.active_layer_collection = layer.layer_collection.children["Hero"]
        bpy.ops.collection.exporter_add(name="IO_FH_gltf2")
        hero.exporters[0].export_properties.export_all_influences = False

    rig = rig_file(tmp_path / "rig.blend", MANY_INFLUENCES, with_exporter)
    result = skinscope("check-export", rig, "--format", "json")
    assert result.status == 1
    assert result.json["files"][0]["verified"]["options"]["collection"] == "Hero"
    presets = tmp_path / "presets"
    presets.mkdir()
    script = (
        "import bpy\nop = bpy.context.active_operator\nop.export_all_influences = True\nop.filepath = 'x'\n"
    )
    (presets / "Everything.py").write_text(script)
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda _: [str(presets)])
    result = skinscope(
        "check-export", rig, "--preset", "Everything", "--tolerance", "1e-5", "--format", "json"
    )
    assert result.status == 0
    assert len(result.json["files"][0]["verified"]["settings_from"]) == 3
    result = skinscope(
        "check-export", rig, "--preset", "Everything", "--export-option", "export_all_influences=false"
    )
    assert result.status == 1
    wrong = skinscope("check-export", rig, "--preset", "Nothing")
    assert wrong.complaints == (
        "There is no preset 'Nothing' of the glTF exporter; there are: 'Everything'.",
    )
    (presets / "Everything.py").unlink()
    wrong = skinscope("check-export", rig, "--preset", "Nothing")
    assert wrong.complaints == (
        "There are no presets of the glTF exporter; save 'Nothing' in its dialog first.",
    )


def mirrored(rig: RandomRig) -> None:
    without_flaws(rig)
    modifier = rig.mesh.modifiers.new("Array", "ARRAY")
    modifier.relative_offset_displace = (3, 0, 0)
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)


def test_vertices_that_modifiers_make(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, mirrored)
    result = skinscope("check-export", rig, "--format", "json")
    (finding,) = result.json["files"][0]["findings"]
    assert finding["rule"] == "vertices-not-in-file"
    assert finding["count"] >= 250
    result = skinscope(
        "check-export", rig, "--export-option", "export_apply=true", "--tolerance", "1e-5", "--format", "json"
    )
    (told,) = result.json["files"]
    assert (result.status, told["findings"]) == (0, [])
    assert told["verified"]["matched_by"] == {"Random mesh": "number"}
    assert told["meshes"][0]["vertices"] == 2 * 300


def test_the_file_is_kept_on_request(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    kept = tmp_path / "new" / "rig.gltf"
    result = skinscope("check-export", rig, "--keep", kept)
    assert result.status == 0
    # As File > Export calls it.
    assert f"Exported to '{kept}' as glTF 2.0 with the exporter's defaults." in " ".join(
        result.output.split()
    )
    assert {one.suffix for one in kept.parent.iterdir()} == {".gltf", ".bin"}
    assert skinscope("check-file", kept, "--against", rig).status == 0
    wrong = skinscope("check-export", rig, "--exporter", "fbx", "--keep", kept)
    assert "is not a file that the FBX exporter writes; choose a name ending in .fbx." in wrong.complaints[0]


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (
            "export_def_bone=true",
            "The exporter has no option 'export_def_bone'; did you mean 'export_def_bones'",
        ),
        (
            "export_def_bones=maybe",
            "'maybe' is not a value of the exporter's option 'export_def_bones', which takes true or false.",
        ),
        ("export_def_bones", "write NAME=VALUE"),
        ("export_animation_mode=DANCES", "Blender's glTF exporter failed"),
        ("export_skins=false", "leave them or their skins out, such as Selected Objects and Skinning"),
    ],
)
def test_what_cannot_be_exported_or_read_back(tmp_path: Path, skinscope: Program, option: str, told: str):
    rig = rig_file(tmp_path / "rig.blend", CLEAN)
    result = skinscope("check-export", rig, "--export-option", option)
    assert result.status == 2
    assert told in result.complaints[-1]


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN)
    (tmp_path / "file").touch()
    result = skinscope("check-export", rig, "--keep", tmp_path / "file" / "rig.glb")
    assert result.status == 2
    assert str(tmp_path / "file") in result.complaints[0]


def test_the_cause_of_a_deviation_is_named(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", MANY_INFLUENCES, without_flaws)
    result = skinscope("check-export", rig, "--format", "json")
    (told,) = result.json["files"]
    (finding,) = [one for one in told["findings"] if one["rule"] == "influence-limit"]
    (mesh,) = told["meshes"]
    assert finding["deviation"] == pytest.approx(mesh["deviation"]["max"], rel=1e-3)
    assert finding["frame"] == mesh["deviation"]["frame"]
    assert "cause-unknown" not in {one["rule"] for one in told["findings"]}
    assert "more influences" in skinscope("check-export", rig).output.splitlines()[0]


def test_bones_that_a_clip_does_not_key(tmp_path: Path, skinscope: Program):
    """glTF's exporter puts them at rest when it switches to the second action; the scene shows their pose."""

    def with_nod(rig: RandomRig) -> None:
        without_flaws(rig)
        rig.armature.animation_data.action = bpy.data.actions.new("Nod")
        bone = rig.armature.pose.bones[0]
        for frame in (1, 9):
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        bpy.data.actions["Nod"].use_fake_user = True
        rig.armature.animation_data.action = bpy.data.actions["Sway"]

    rig = rig_file(tmp_path / "rig.blend", CLEAN, with_nod)
    result = skinscope("check-export", rig, "--clips", "Nod", "--format", "json")
    (told,) = result.json["files"]
    (finding,) = told["findings"]
    assert finding["rule"] == "pose-not-keyed"
    measured = told["meshes"][0]["deviation"]
    assert finding["deviation"] == pytest.approx(measured["max"], rel=1e-3)
    assert (finding["clip"], finding["frame"]) == (measured["clip"], measured["frame"])
    headline = skinscope("check-export", rig, "--clips", "Nod").output.splitlines()[0]
    assert "mostly because bones are posed without keys" in headline
    assert "the file for the file" not in finding["message"]
    assert skinscope("check-export", rig, "--clips", "Sway", "--tolerance", "1e-5").status == 0


@pytest.mark.parametrize(
    ("option", "rule"),
    [("export_frame_step=4", "frames-between-keys"), ("export_force_sampling=false", "curves-not-sampled")],
)
def test_keys_that_are_left_out_explain_the_deviation(
    tmp_path: Path, skinscope: Program, option: str, rule: str
):
    """With a key at every fourth frame, the keys at frame 5 survive, and what is bent between does not. So it
    is with those of the curves alone.
    """
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    result = skinscope("check-export", rig, "--export-option", option, "--format", "json")
    (told,) = result.json["files"]
    (finding,) = told["findings"]
    assert finding["rule"] == rule
    assert finding["deviation"] == pytest.approx(told["meshes"][0]["deviation"]["max"], rel=1e-3)
    assert result.status == 1


@pytest.mark.skipif(
    "export_sampling_interpolation_fallback" not in bpy.ops.export_scene.gltf.get_rna_type().properties,  # pyright: ignore[reportCallIssue]
    reason="this Blender's glTF exporter always keys linearly",
)
def test_a_deviation_that_nothing_known_explains_is_said(tmp_path: Path, skinscope: Program):
    """Keys that hold their pose up to the next one are not what is known of the exporter."""
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    settings = ("export_frame_step=4", "export_sampling_interpolation_fallback=STEP")
    given = [text for one in settings for text in ("--export-option", one)]
    result = skinscope("check-export", rig, *given, "--format", "json")
    assert "cause-unknown" in {one["rule"] for one in result.json["files"][0]["findings"]}
    assert result.status == 1


@pytest.mark.parametrize("exporter", ["gltf", "fbx"])
def test_settings_that_leave_the_meshes_out(tmp_path: Path, skinscope: Program, exporter: str):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    given = ("--export-option", "use_selection=true")
    result = skinscope("check-export", rig, "--exporter", exporter, *given)
    assert result.status == 2
    (complaint,) = result.complaints
    assert complaint.startswith("The exported ")
    assert "holds none of the meshes of this scene that an armature deforms ('Random mesh')" in complaint
    assert "Selected Objects" in complaint


def test_a_place_where_nothing_can_be_kept(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    result = skinscope("check-export", rig, "--keep", tmp_path / "rig.blend" / "rig.glb")
    assert result.status == 2
    (complaint,) = result.complaints
    assert complaint.endswith("rig.blend/rig.glb' (File exists); choose another place for it.")
    assert complaint.startswith("The exported file can't be kept as '")


@NEEDS_USD
@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (RigOptions(seed=1, influences=4, inherit_scale="AVERAGE"), "scaled-in-usd"),
        (RigOptions(seed=3, influences=4, scale="none", preserve_volume=True), "preserve-volume"),
    ],
    ids=("scaled", "preserve volume"),
)
def test_causes_in_a_usd_file(tmp_path: Path, skinscope: Program, options: RigOptions, rule: str):
    rig = rig_file(tmp_path / "rig.blend", options, without_flaws)
    given = ("--export-option", "export_animation=true")
    result = skinscope(
        "check-export", rig, "--exporter", "usd", *given, "--tolerance", "1e-5", "--format", "json"
    )
    (told,) = result.json["files"]
    (mesh,) = told["meshes"]
    found = {one["rule"]: one for one in told["findings"]}
    assert rule in found, found
    assert "cause-unknown" not in found
    assert found[rule]["deviation"] == pytest.approx(mesh["deviation"]["max"], rel=0.1)
    assert found[rule]["message"][0].isupper() or found[rule]["message"][0] == "'"


@NEEDS_USD
def test_a_usd_file_without_animation_needs_no_other_cause(tmp_path: Path, skinscope: Program):
    """Blender's exporter writes none by default."""
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=1, influences=4), without_flaws)
    result = skinscope("check-export", rig, "--exporter", "usd", "--format", "json")
    assert [one["rule"] for one in result.json["files"][0]["findings"]] == ["no-animation-in-file"]


@pytest.mark.skipif(bpy.app.build_options.usd, reason="this Blender is built with USD")
def test_an_exporter_that_this_blender_lacks_is_named(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN)
    result = skinscope("check-export", rig, "--exporter", "usd")
    assert (result.status, result.output) == (2, "")
    assert "USD" in result.complaints[0]
