"""Kept results: used as long as nothing they depend on has changed, and not a moment longer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import bpy
import pytest

from skinning_addon.command_line.checking import file_check, result_cache
from tests.command_line.conftest import Program, Result
from tests.command_line.rig_files import rig_file
from tests.scene.random_rig import RigOptions


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were really opened and measured."""
    names: list[str] = []
    measure = file_check.measured_file

    def counted(settings: object, *arguments: object) -> object:
        names.append(Path(settings.file).name)
        return measure(settings, *arguments)

    monkeypatch.setattr(file_check, "measured_file", counted)
    return names


def test_a_file_is_measured_once(tmp_path: Path, skinscope: Program, checked: list[str]):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7))
    cache = tmp_path / "made" / "by us"

    def check(*more: object) -> Result:
        return skinscope(
            "check", path, "--device", "cpu", "--frames", "5", "--format", "json", "--cache", cache, *more
        )

    first = check("--profile", "unity-4")
    second = check("--profile", "unity-4")
    assert len(checked) == 1
    assert second == first
    # Settings that change what is measured.
    for more in (("--profile", "unity-1"), ("--profile", "unity-4", "--tolerance", "1cm"), ("--profile", "unity-4", "--visibility", "render")):  # fmt: skip
        check(*more)
    assert len(checked) == 4
    # A copy is the same content under another name, and is reported under its own.
    copy = tmp_path / "copy.blend"
    shutil.copy(path, copy)
    (report,) = skinscope("check", copy, "--device", "cpu", "--frames", "5", "--format", "json", "--cache", cache, "--profile", "unity-4").json["files"]  # fmt: skip
    assert report["file"] == str(copy)
    assert len(checked) == 4
    # Severities and baselines judge what was measured: nothing is measured again.
    (tmp_path / "skinscope.toml").write_text('[severity]\ninfluence-limit = "off"\n', encoding="utf-8")
    rules = {one["rule"] for one in check("--profile", "unity-4").json["files"][0]["findings"]}
    assert "influence-limit" not in rules
    assert len(checked) == 4
    rig_file(path, RigOptions(seed=3, influences=7))
    check("--profile", "unity-4")
    assert len(checked) == 5


def test_another_version_of_the_program_measures_again(
    tmp_path: Path, skinscope: Program, checked: list[str], monkeypatch: pytest.MonkeyPatch
):
    path = rig_file(tmp_path / "rig.blend")
    arguments = ("check", path, "--device", "cpu", "--frames", "5", "--cache", tmp_path / "cache")
    skinscope(*arguments)
    monkeypatch.setattr(result_cache, "program_digest", lambda: "another")
    skinscope(*arguments)
    assert len(checked) == 2


def test_a_library_that_changed_is_noticed(tmp_path: Path, skinscope: Program, checked: list[str]):
    library = rig_file(tmp_path / "library.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(library), link=True, relative=False) as (held, wanted):
        wanted.objects = held.objects
    for one in wanted.objects:
        bpy.context.scene.collection.objects.link(one)
    path = tmp_path / "linked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    arguments = (
        "check",
        path,
        "--device",
        "cpu",
        "--frames",
        "5",
        "--cache",
        tmp_path / "cache",
        "--format",
        "json",
    )
    first = skinscope(*arguments).json["files"][0]["meshes"][0]["deviation"]
    skinscope(*arguments)
    assert len(checked) == 1
    rig_file(library, RigOptions(seed=4))
    second = skinscope(*arguments).json["files"][0]["meshes"][0]["deviation"]
    assert len(checked) == 2
    assert second != first


@pytest.mark.rigs
def test_a_buffer_beside_a_gltf_file_that_changed_is_noticed(
    rigs_folder: Path, tmp_path: Path, skinscope: Program, checked: list[str]
):
    document = json.loads((rigs_folder / "SimpleSkin.gltf").read_text(encoding="utf-8"))
    from base64 import b64decode

    for index, buffer in enumerate(document["buffers"]):
        (tmp_path / f"part {index}.bin").write_bytes(b64decode(buffer["uri"].partition(",")[2]))
        buffer["uri"] = f"part%20{index}.bin"
    path = tmp_path / "skin.gltf"
    path.write_text(json.dumps(document), encoding="utf-8")
    arguments = ("check", path, "--device", "cpu", "--frames", "5", "--cache", tmp_path / "cache")
    assert skinscope(*arguments).status == 0
    skinscope(*arguments)
    assert len(checked) == 1
    with (tmp_path / "part 0.bin").open("ab") as part:
        part.write(b"\0\0\0\0")
    skinscope(*arguments)
    assert len(checked) == 2


def test_what_is_no_result_counts_as_none(tmp_path: Path, skinscope: Program, checked: list[str]):
    path = rig_file(tmp_path / "rig.blend")
    cache = tmp_path / "cache"
    arguments = ("check", path, "--device", "cpu", "--frames", "5", "--cache", cache)
    assert skinscope(*arguments).status == 0
    (entry,) = cache.iterdir()
    for text in ("", "[]", '{"reads": {}}', '{"reads": {}, "report": {}}'):
        entry.write_text(text, encoding="utf-8")
        assert skinscope(*arguments).status == 0
    assert len(checked) == 5
    assert [one.name for one in cache.iterdir()] == [entry.name]


def test_a_cache_that_cannot_be_written_is_told_before_the_work(tmp_path: Path, skinscope: Program):
    (tmp_path / "file").touch()
    result = skinscope("check", tmp_path / "missing.blend", "--cache", tmp_path / "file")
    assert result.status == 2
    assert result.complaints[0].startswith(f"The folder '{tmp_path / 'file'}' can't be written to (")


def test_a_changed_entry_counts_as_none(tmp_path: Path, skinscope: Program, checked: list[str]):
    path = rig_file(tmp_path / "rig.blend")
    cache = tmp_path / "cache"
    arguments = ("check", path, "--device", "cpu", "--frames", "5", "--cache", cache)
    first = skinscope(*arguments)
    (entry,) = cache.iterdir()
    whole = entry.read_text(encoding="utf-8")
    changes = (('"vertices": 300', '"vertices": "many"'), ('"max": ', '"max": 1'), ('"findings": [', '"findings": [1, '), ('"reads": {}', '"reads": {"a": null}'))  # fmt: skip
    for before, behind in (*changes, (whole, "[" * 100_000)):
        assert before in whole
        entry.write_text(whole.replace(before, behind, 1), encoding="utf-8")
        assert skinscope(*arguments) == first
    assert len(checked) == 1 + len(changes) + 1


def test_a_cache_that_can_only_be_read_is_read(
    tmp_path: Path, skinscope: Program, checked: list[str], monkeypatch: pytest.MonkeyPatch
):
    path = rig_file(tmp_path / "rig.blend")
    cache = tmp_path / "cache"
    arguments = ("check", path, "--device", "cpu", "--cache", cache, "--frames")
    assert skinscope(*arguments, "5").status == 0

    from skinning_addon.command_line.program import output_files

    make = output_files._new_file

    def refuse(folder: Path, suffix: str) -> Path:
        if folder == cache:
            raise PermissionError(13, "Permission denied")
        return make(folder, suffix)

    # Whoever runs the tests may be allowed everything.
    monkeypatch.setattr(output_files, "_new_file", refuse)
    result = skinscope(*arguments, "5")
    assert result.status == 0
    assert len(checked) == 1
    assert result.complaints[0].startswith(
        "Cached results are used, but new ones can't be cached: The folder"
    )
    result = skinscope(*arguments, "6")
    assert result.status == 0
    assert result.complaints[-1].startswith(f"The result of '{path}' can't be cached: ")
    assert len(list(cache.iterdir())) == 1


def test_a_file_that_is_replaced_meanwhile_is_measured_again(
    tmp_path: Path, skinscope: Program, checked: list[str], monkeypatch: pytest.MonkeyPatch
):
    path = rig_file(tmp_path / "rig.blend")
    other = rig_file(tmp_path / "other.blend", RigOptions(seed=4))
    opened = file_check.open_quietly

    def replaced_behind_its_back(file: str, progress: object, **options: bool) -> None:
        opened(file, progress, **options)
        shutil.copy(other, path)

    monkeypatch.setattr(file_check, "open_quietly", replaced_behind_its_back)
    arguments = ("check", path, "--device", "cpu", "--frames", "5", "--cache", tmp_path / "cache")
    skinscope(*arguments)
    monkeypatch.setattr(file_check, "open_quietly", opened)
    skinscope(*arguments)
    assert len(checked) == 2
