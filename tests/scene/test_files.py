"""Opening files of every kind, and refusing unreadable ones in a sentence."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.text.errors import SourceFileError
from skinning_addon.scene.files import BlenderOperator, open_file, readable_extensions


def is_empty_file() -> bool:
    return not bpy.data.objects and not bpy.data.filepath


def refusal(path: Path) -> str:
    """Open `path`, which must fail and leave an empty file; the message, which must be one line that names
    it.
    """
    bpy.ops.mesh.primitive_cube_add()
    with pytest.raises(SourceFileError) as caught:
        open_file(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert "Traceback" not in message
    assert message.endswith(".")
    assert is_empty_file()
    return message


def gltf(**extra: object) -> str:
    return json.dumps({"asset": {"version": "2.0"}, **extra})


def write_character(path: Path) -> None:
    """Export a bone and a mesh that it deforms as any file but .blend, and empty Blender again."""
    armature = bpy.data.objects.new("Bones", bpy.data.armatures.new("Bones"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("only")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.parent = armature
    cube.vertex_groups.new(name="only").add(range(8), 1.0, "REPLACE")
    cube.modifiers.new("Armature", "ARMATURE").object = armature
    exporters = {
        ".glb": bpy.ops.export_scene.gltf,
        ".vrm": bpy.ops.export_scene.gltf,
        ".fbx": bpy.ops.export_scene.fbx,
    }
    exported = path.with_suffix(".glb") if path.suffix == ".vrm" else path
    exporters.get(path.suffix, bpy.ops.wm.usd_export)(filepath=str(exported))
    exported.rename(path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


# Blender's exporter of FBX sets the shape of an array, which numpy 2.5 deprecates.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("extension", [".glb", ".vrm", ".fbx", ".usda", ".usdc"])
def test_imports_a_character_that_blender_exported(tmp_path: Path, extension: str):
    if extension not in readable_extensions():
        pytest.skip(f"this Blender does not read {extension}")
    path = tmp_path / f"character{extension}"
    write_character(path)

    open_file(path)

    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    assert "only" in armature.data.bones
    assert any(
        modifier.type == "ARMATURE" and modifier.object == armature
        for one in bpy.data.objects
        for modifier in one.modifiers
    )


@pytest.mark.parametrize("name", ["여우 한 마리.blend", "with space/a fox.BLEND"])
def test_opens_a_blend_file_of_any_name(tmp_path: Path, name: str):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.wm.save_as_mainfile(filepath=str(path.with_suffix(".blend")), copy=True)
    path.with_suffix(".blend").rename(path)

    open_file(path)

    assert Path(bpy.data.filepath) == path
    assert bpy.data.objects["Cube"]


def test_imports_into_an_empty_file_whatever_is_open(tmp_path: Path):
    path = tmp_path / "이름 with space.GLTF"
    path.write_text(gltf(nodes=[{"name": "lonely"}], scenes=[{"nodes": [0]}], scene=0))
    bpy.ops.mesh.primitive_cube_add()

    open_file(path)

    assert [one.name for one in bpy.data.objects] == ["lonely"]


def test_does_not_run_the_scripts_of_a_blend_file(tmp_path: Path):
    path = tmp_path / "scripted.blend"
    text = bpy.data.texts.new("script.py")
    text.write("import bpy\nbpy.data.objects.new('the script ran', None)\n")
    text.use_module = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)

    open_file(path)

    assert bpy.data.texts["script.py"].use_module
    assert not bpy.data.objects


def test_refuses_a_missing_file(tmp_path: Path):
    assert "does not exist" in refusal(tmp_path / "no such.blend")


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_refuses_a_pipe_instead_of_waiting_for_it(tmp_path: Path):
    for extension in readable_extensions():
        path = tmp_path / f"rig{extension}"
        os.mkfifo(path)
        assert "is a pipe or a device" in refusal(path)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are Unicode")
@pytest.mark.parametrize(
    "extension", [one for one in (".blend", ".fbx", ".usdc") if one in readable_extensions()]
)
def test_refuses_a_broken_file_whose_name_is_no_unicode(tmp_path: Path, extension: str):
    path = tmp_path / os.fsdecode(b"\xff" + extension.encode())
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(SourceFileError, match=r"can't be (read|imported).*\.$"):
        open_file(path)


def test_refuses_a_folder(tmp_path: Path):
    folder = tmp_path / "folder.glb"
    folder.mkdir()
    assert "is a folder" in refusal(folder)


@pytest.mark.parametrize("name", ["model.obj", "model"])
def test_refuses_an_unknown_kind_and_lists_the_known_ones(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text("v 0 0 0")
    message = refusal(path)
    assert ".blend, .glb, .gltf, .vrm" in message
    assert all(extension in message for extension in readable_extensions())


@pytest.mark.parametrize("extension", readable_extensions())
def test_refuses_an_empty_file(tmp_path: Path, extension: str):
    path = tmp_path / f"empty{extension}"
    path.touch()
    assert "is empty" in refusal(path)


@pytest.mark.parametrize("extension", readable_extensions())
def test_refuses_a_pointer_of_git_lfs(tmp_path: Path, extension: str):
    path = tmp_path / f"hero{extension}"
    digest = "4665a5ea423c2713d436b5ee50593a9640e0018c1550b5a0002f74190d6caea8"
    path.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12345\n")
    assert refusal(path) == (
        f"'{path}' is only a pointer of Git LFS, not the file itself; fetch it with 'git lfs pull'."
    )


@pytest.mark.parametrize("extension", readable_extensions())
def test_refuses_what_is_no_such_file(tmp_path: Path, extension: str):
    path = tmp_path / f"쓰레기 garbage{extension}"
    path.write_text("this is no model at all")
    assert "export it again" in refusal(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            gltf(
                buffers=[{"uri": "gone.bin", "byteLength": 36}],
                bufferViews=[{"buffer": 0, "byteLength": 36}],
                accessors=[{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
                meshes=[{"primitives": [{"attributes": {"POSITION": 0}}]}],
                nodes=[{"mesh": 0}],
                scenes=[{"nodes": [0]}],
                scene=0,
            ),
            "gone.bin",
        ),
        (json.dumps({"asset": {"version": "9.0"}}), "9.0"),
        (gltf(nodes=[{"mesh": 7}], scenes=[{"nodes": [0]}], scene=0), "its importer failed"),
    ],
    ids=["buffer missing", "version of the future", "index out of range"],
)
def test_names_the_reason_of_a_broken_gltf_file(tmp_path: Path, content: str, reason: str):
    path = tmp_path / "broken.gltf"
    path.write_text(content)
    assert reason in refusal(path)


@pytest.mark.parametrize("name", ["m2m_bird.blend", "Fox.glb", "ufbx_maya_dq_weights.fbx"])
def test_refuses_half_a_file(rigs_folder: Path, tmp_path: Path, name: str):
    whole = (rigs_folder / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(whole[: len(whole) // 2])
    assert "export it again" in refusal(path)


@pytest.mark.skipif(bpy.app.version >= (5, 0), reason="this Blender knows the format")
def test_says_that_a_file_is_too_new(rigs_folder: Path):
    assert "newer Blender" in refusal(rigs_folder / "mpfb_game_engine_53k.blend")


def test_switches_on_an_importer_that_is_switched_off(tmp_path: Path):
    path = tmp_path / "empty scene.gltf"
    path.write_text(gltf(scenes=[{"nodes": []}], scene=0, nodes=[]))
    bpy.ops.preferences.addon_disable(module="io_scene_gltf2")
    try:
        assert ".glb" in readable_extensions()
        open_file(path)
    finally:
        if "io_scene_gltf2" not in bpy.context.preferences.addons:
            bpy.ops.preferences.addon_enable(module="io_scene_gltf2")


def test_an_operator_that_does_not_exist_is_no_importer():
    assert BlenderOperator("wm.no_such_import").function() is None


def test_leaves_the_file_as_it_is(rigs_folder: Path, tmp_path: Path):
    path = tmp_path / "bird.blend"
    shutil.copyfile(rigs_folder / "m2m_bird.blend", path)
    before = path.read_bytes()
    open_file(path)
    assert path.read_bytes() == before
