"""Profiles as files: the shipped ones give their sources, and wrong ones are refused in a sentence."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

import pytest

from skinning_addon.core.profiles.catalogue import SHIPPED, load_profile, profile_ids
from skinning_addon.core.profiles.hierarchy import HierarchyRule
from skinning_addon.core.profiles.profile import BLENDER, Group, ShaderNormalise
from skinning_addon.core.profiles.weight_quantisation import Rounding, WeightFormat
from skinning_addon.core.text.errors import ProfileError
from tests.installed_package import CHECKOUT

ENGINES = {
    "threejs", "babylonjs", "playcanvas", "godot4", "godot4-8", "unity-1", "unity-2", "unity-4", "unity-unlimited",
    "unreal", "unreal-16bit", "unreal-mobile", "filament", "bevy", "o3de", "raylib", "ozz", "vtk", "usd", "panda3d",
}  # fmt: skip
HISTORIC = {"d3d9-26", "d3d9-35", "d3d9-indexed-12", "d3d9-four-matrix", "learnopengl"}

WHOLE = """
label = "Mine"
version = "1"
sources = ["the wiki"]
"""


def written(folder: Path, text: str, name: str = "mine") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_those_shipped():
    assert set(profile_ids()) == {"blender"} | ENGINES | HISTORIC
    assert profile_ids()[0] == "blender"
    for name in profile_ids():
        profile = load_profile(name)
        assert profile.id == name
        assert profile.label
        assert profile.version
        assert profile.sources
        expected = (
            Group.BLENDER if name == "blender" else Group.HISTORIC if name in HISTORIC else Group.ENGINE
        )
        assert profile.group is expected


def test_a_file_says_what_it_says():
    godot = load_profile("godot4")
    assert (godot.importer.influences, godot.exporter.influences) == (8, 4)
    assert (godot.weights.format, godot.weights.rounding) == (WeightFormat.UNORM16, Rounding.TRUNCATE)
    assert godot.shader.normalise is ShaderNormalise.NEVER
    assert godot.hierarchy is HierarchyRule.TRS
    assert godot.palette.entries is None
    assert godot.lost.bendy_bones


@pytest.mark.parametrize("name", sorted(HISTORIC))
def test_the_samples_know_vertex_groups_and_stiff_bones_alone(name: str):
    lost = load_profile(name).lost
    assert (lost.bendy_bones, lost.envelopes, lost.masks) == (True, True, True)


def test_a_profile_that_extends_another_differs_by_what_it_says():
    four, eight = load_profile("godot4"), load_profile("godot4-8")
    assert (eight.importer.influences, eight.exporter.influences) == (8, 8)
    assert eight.importer.keep is four.importer.keep
    assert (eight.weights, eight.shader, eight.lost, eight.hierarchy) == (
        four.weights,
        four.shader,
        four.lost,
        four.hierarchy,
    )


def test_what_is_left_out_is_as_in_blender(tmp_path: Path):
    profile = load_profile(str(written(tmp_path, WHOLE)))
    assert (profile.id, profile.label, profile.group) == ("mine", "Mine", Group.ENGINE)
    assert (profile.exporter, profile.importer, profile.weights) == (
        BLENDER.exporter,
        BLENDER.importer,
        BLENDER.weights,
    )
    assert (profile.hierarchy, profile.lost) == (BLENDER.hierarchy, BLENDER.lost)


def test_a_users_folder_adds_profiles_and_replaces_shipped_ones(tmp_path: Path):
    written(tmp_path, WHOLE)
    written(tmp_path, 'extends = "mine"\n[importer]\ninfluences = "all"\n', "threejs")
    assert "mine" in profile_ids([tmp_path])
    assert load_profile("threejs", [tmp_path]).label == "Mine"
    assert load_profile("threejs").label == "three.js"


def test_blender_cannot_be_replaced(tmp_path: Path):
    written(tmp_path, WHOLE, "blender")
    assert load_profile("blender", [tmp_path]) is BLENDER


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[importer]\ninfluencs = 4", "[importer] has no key 'influencs'; its keys are influences, keep, "),
        ("colour = 1", "there is no key 'colour'; the keys are label, group, version, "),
        (
            "[importer]\ninfluences = 0",
            'importer.influences is 0; it must be a whole number from 1 to 255, or "all".',
        ),
        (
            "[importer]\ninfluences = 4.0",
            "importer.influences is 4.0; it must be a whole number from 1 to 255",
        ),
        ("[importer]\ninfluences = true", "importer.influences is True; it must be a whole number"),
        ("[importer]\nminimum_weight = 2", "importer.minimum_weight is 2; it must be a number from 0 to 1."),
        (
            "[importer]\nminimum_weight = nan",
            "importer.minimum_weight is nan; it must be a number from 0 to 1.",
        ),
        ('[weights]\nformat = "f16"', 'weights.format is \'f16\'; it must be "f32", "unorm16" or "unorm8".'),
        ("[weights]\nformat = 16", 'weights.format is 16; it must be "f32", "unorm16" or "unorm8".'),
        ('[lost]\nmasks = "yes"', "lost.masks is 'yes'; it must be true or false."),
        ('hierarchy = "trs"', "hierarchy is 'trs'; it must be a table, [hierarchy]."),
        ('[hierarchy]\nrule = "euler"', 'hierarchy.rule is \'euler\'; it must be "matrices", "trs",'),
        ('extends = "thrjs"', "extends is 'thrjs', which is not a profile; write the id of a profile."),
        ('extends = "mine"', "extends leads back to 'mine' itself; extend another profile."),
        ("[importer", "is not a valid TOML file ("),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, sentence: str):
    path = written(tmp_path, WHOLE + text)
    with pytest.raises(ProfileError) as error:
        load_profile(str(path))
    message = str(error.value)
    assert message.startswith(f"'{path}'")
    assert sentence in message
    assert message.endswith(".")


def test_every_key_and_word_is_documented():
    """The table of docs/profiles.md, written by hand, has what a file may say; a key is a field of its
    stage.
    """
    page = (CHECKOUT / "docs" / "profiles.md").read_text(encoding="utf-8")
    documented: dict[str, set[str]] = {}
    table = ""
    for _, name, keys, *told in (line.split("|") for line in page.splitlines() if line.startswith("|")):
        table = name.strip(" `") or table
        for key in re.findall(r"`([a-z_]+)`", keys):
            documented[f"{table}.{key}"] = set(re.findall(r"`([a-z0-9-]+)`", "|".join(told)))
    stages = {one.name: getattr(BLENDER, one.name) for one in fields(BLENDER)}
    expected = {"hierarchy.rule": BLENDER.hierarchy}
    for name, stage in stages.items():
        # docs/profiles.md describes `verified` in words.
        if is_dataclass(stage) and name != "verified":
            expected |= {f"{name}.{one.name}": getattr(stage, one.name) for one in fields(stage)}
    assert documented.keys() >= expected.keys()
    for key, value in expected.items():
        if isinstance(value, Enum):
            assert {one.value for one in type(value)} <= documented[key], key


def test_a_text_that_is_missing_is_named(tmp_path: Path):
    with pytest.raises(ProfileError, match="the key sources is missing; it must be a list of strings"):
        load_profile(str(written(tmp_path, 'label = "Mine"\nversion = "1"\n')))


def test_files_and_names_that_do_not_exist(tmp_path: Path):
    with pytest.raises(ProfileError, match="can't be read"):
        load_profile(str(tmp_path / "missing.toml"))
    with pytest.raises(ProfileError, match="'thrjs' is not a profile; choose one of blender, "):
        load_profile("thrjs")


def test_profiles_that_extend_each_other(tmp_path: Path):
    written(tmp_path, 'extends = "other"\n')
    written(tmp_path, 'extends = "mine"\n', "other")
    with pytest.raises(ProfileError, match="leads back to 'mine' itself"):
        load_profile("mine", [tmp_path])


def test_they_are_shipped_beside_the_code():
    assert {path.stem for path in SHIPPED.glob("*.toml")} == ENGINES | HISTORIC
