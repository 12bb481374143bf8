"""`skinscope.toml`: found beside a file or above it, applied, and refused in one sentence if it is wrong."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path

import pytest

from skinning_addon.command_line.arguments.config import read_config
from skinning_addon.command_line.arguments.file_settings import FileSettings, asked_for
from skinning_addon.core.profiles.profile import BLENDER
from skinning_addon.core.text.errors import ConfigError
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.core.verdicts.verdict import Thresholds
from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file, without_flaws
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RigOptions

WRONG = {
    "chek = 1": "'chek' is not a table of a configuration; did you mean 'check'?",
    "check = 1": "check is 1; it must be a table, [check].",
    "[check]\nprofile = 'threejs'": "'profile' is not a key of [check]; did you mean 'profiles'?",
    "[check]\nprofiles = 'threejs'": (
        "check.profiles: 'threejs' is not a list of profiles; write a list such as"
    ),
    "[check]\nprofiles = ['thrjs']": "check.profiles: 'thrjs' is not a profile; did you mean 'threejs'",
    "[check]\nprofiles = ['own.toml']": "check.profiles: '{folder}/own.toml' can't be read",
    "[check]\nclips = 3": 'check.clips: 3 is not a list of clips; write "all" or a list of names.',
    "[check]\nframes = 12": "check.frames: 12 is not text; write FIRST:LAST",
    "[check]\nframes = '9:1'": "check.frames: Frames can't run from 9 to 1;",
    "[check]\ntolerance = '0mm'": "check.tolerance: '0mm' is not a tolerance; write a length",
    "[check]\nvisibility = 'rendr'": "check.visibility: 'rendr' is not a visibility; did you mean 'render'?",
    "[check]\nexport_option = 'apply'": "check.export_option: 'apply' is not a table; write a table such as {{",
    "[check]\nexport_option = {export_skin = true}": (
        "check.export_option: 'export_skin' is not a setting of Blender's exporters that changes"
    ),
    "[check]\nexport_option = {export_apply = 1}": (
        "check.export_option: export_apply is 1; it must be true or false."
    ),
    "[check]\nretarget = 1": "check.retarget: 1 is neither true nor false; write one of the two.",
    "[check]\nclips_from = ''": "check.clips_from: '' is not a path; write the path of a file or folder.",
    "[check]\nbaseline = true": "check.baseline: True is not text; write the path of a file",
    "[thresholds]\ngood = '1%'": "thresholds.good: '1%' is not a length; write one with its unit, such as 1mm.",
    "[thresholds]\ngood = '6mm'": (
        "the thresholds invisible 0.1 mm, good 6 mm, fail 5 mm are not in ascending order; put them in order."
    ),
    "[thresholds]\nbad = '6mm'": "'bad' is not a key of [thresholds]; choose 'invisible', 'good' or 'fail'.",
    (
        "[severity]\ninfluence-limits = 'off'"
    ): "'influence-limits' is not a key of [severity]; did you mean 'influence-limit'",
    (
        "[severity]\ninfluence-limit = 'of'"
    ): "severity.influence-limit: 'of' is not a severity; did you mean 'off'",
    (
        "[severity]\ninfluence-limit = false"
    ): 'severity.influence-limit: False is not text; write "error", "warning", "info" or "off".',
    "[check": "is not a valid TOML file (",
    "extends = 5": "extends is 5; it must be the path of another configuration, such as",
    "extends = ''": "extends is ''; it must be the path of another configuration, such as",
    "extends = 'skinscope.toml'": "extends 'skinscope.toml', which extends it in turn; let one of them stand",
    "override = 5": "override is 5; it must be a list of tables, [[override]].",
    "[override]\nfiles = ['a']": "override is {{'files': ['a']}}; it must be a list of tables, [[override]].",
    "[[override]]\nfile = ['a']": "override 1: 'file' is not a key of [[override]]; did you mean 'files'?",
    "[[override]]\nfiles = 'a'": "override 1: files is 'a'; it must be a list of patterns, such as",
    "[[override]]\ncheck.strict = true": "override 1 has no files; write a list of patterns, such as",
    "[[override]]\nfiles = ['a']\ncheck = 1": "override 1: check is 1; it must be a table",
    "[[override]]\nfiles = ['a']\ncheck.strict = 1": "override 1: check.strict: 1 is neither true nor false",
    "[[override]]\nfiles = ['a']\ncheck.exclude = ['b']": "override 1 sets exclude, which holds for all files",
    "[[override]]\nfiles = ['a']\nthresholds.good = '9mm'": "the thresholds invisible 0.1 mm, good 9 mm, fail",
    "[[suppress]]\nrule = 'envelopes'": "suppress 1 has no reason; a suppression needs a rule and a reason.",
    "[[suppress]]\nreason = 'x'": "suppress 1 has no rule; a suppression needs a rule and a reason.",
    "[[suppress]]\nrule = 'envelops'\nreason = 'x'": "suppress 1: rule: 'envelops' is not a rule; did you mean",
    "[[suppress]]\nrule = 'envelopes'\nreason = ' '": "suppress 1: reason: there is no reason; write why",
    "[[suppress]]\nrule = 'envelopes'\nreason = 'x'\nuntil = 'May'": "until: 'May' is not a day; write one",
    "[[suppress]]\nrule = 'envelopes'\nreason = 'x'\nuntil = 2027-02-01T10:00:00": "is not a day; write one",
    "[[suppress]]\nrule = 'envelopes'\nreason = 'x'\nup_to = '1%'": "up_to: '1%' is not a length; write one",
    "[[suppress]]\nrule = 'envelopes'\nreason = 'x'\nfiles = []": "suppress 1: files is []; it must be a list",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named_before_the_work(text: str, tmp_path: Path, skinscope: Program):
    config = tmp_path / "skinscope.toml"
    config.write_text(text, encoding="utf-8")
    (tmp_path / "below").mkdir()
    for arguments in ((tmp_path / "below" / "rig.blend",), ("rig.blend", "--config", config)):
        result = skinscope("check", *arguments)
        assert (result.status, result.output) == (2, "")
        (complaint,) = result.complaints
        assert complaint.startswith(f"'{config}'")
        assert WRONG[text].format(folder=tmp_path) in complaint


def test_the_example_in_the_documentation_is_read(tmp_path: Path):
    text = (CHECKOUT / "docs" / "ci.md").read_text(encoding="utf-8")
    path = tmp_path / "skinscope.toml"
    path.write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    config = read_config(path)
    check = config.check
    assert [one.id for one in check["profiles"]] == ["unity-4", "threejs"]
    assert (check["clips"], check["frames"], check["visibility"]) == (("all",), (0, 60, 2), "viewport")
    assert check["baseline"] == tmp_path / "skinscope-baseline.json"
    # The thresholds are those that count without a configuration.
    assert config.thresholds == Thresholds(0.0001, 0.001, 0.005)
    assert config.severities == {"influence-limit": Severity.ERROR, "modifier-after": None}


def test_a_configuration_extends_another(tmp_path: Path):
    """Its own values win; paths and patterns begin at the file that has them."""
    studio, own = tmp_path / "studio.toml", tmp_path / "hero" / "skinscope.toml"
    own.parent.mkdir()
    studio.write_text(
        '[check]\nframes = "1:5"\nbaseline = "known.json"\nexclude = ["hero/old"]\n'
        '[thresholds]\ngood = "2mm"\n[severity]\nenvelopes = "off"\ninfluence-limit = "info"\n'
        '[[suppress]]\nrule = "object-scale"\nreason = "All of ours."\n',
        encoding="utf-8",
    )
    own.write_text(
        'extends = "../studio.toml"\n[check]\nframes = "2:3"\n[thresholds]\nfail = "9mm"\n'
        '[severity]\ninfluence-limit = "error"\n[[suppress]]\nrule = "envelopes"\nreason = "The hero\'s."\n',
        encoding="utf-8",
    )
    config = read_config(own)
    assert config.check["frames"] == (2, 3, None)
    assert config.check["baseline"] == own.parent / ".." / "known.json"
    assert astuple(config.thresholds) == pytest.approx((0.0001, 0.002, 0.009))
    assert config.severities == {"envelopes": None, "influence-limit": Severity.ERROR}
    assert [one.reason for _, one in config.suppressions] == ["The hero's.", "All of ours."]
    assert config.excluded is not None
    assert config.excluded.has(tmp_path / "hero" / "old" / "rig.blend")
    assert not config.excluded.has(tmp_path / "old" / "rig.blend")


def test_configurations_that_extend_each_other_are_refused(tmp_path: Path):
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{name}.toml").write_text(f'extends = "{other}.toml"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"c.toml' extends 'a.toml', which extends it in turn"):
        read_config(tmp_path / "a.toml")


def test_overrides_are_about_some_files_and_the_last_one_wins(tmp_path: Path):
    path = tmp_path / "skinscope.toml"
    path.write_text(
        '[check]\nframes = "1:5"\n'
        '[[override]]\nfiles = ["crowd"]\ncheck.tolerance = "1cm"\nseverity.envelopes = "off"\n'
        '[[override]]\nfiles = ["crowd/far/*"]\ncheck.tolerance = "5cm"\nthresholds.good = "3mm"\n',
        encoding="utf-8",
    )
    config = read_config(path)

    def told(file: str) -> tuple[object, ...]:
        one = config.of_file(tmp_path / file)
        return one.check.get("tolerance"), one.check["frames"], one.thresholds.good, one.severities

    lengths = {length: Tolerance(length, relative=False) for length in (0.01, 0.05)}
    frames = (1, 5, None)
    assert told("hero.blend") == (None, frames, 0.001, {})
    assert told("crowd/one.blend") == (lengths[0.01], frames, 0.001, {"envelopes": None})
    assert told("crowd/far/one.blend") == (lengths[0.05], frames, 0.003, {"envelopes": None})
    # A pattern begins at the configuration's folder.
    assert told("../crowd/one.blend") == (None, frames, 0.001, {})


def test_a_configuration_that_is_not_there(tmp_path: Path, skinscope: Program):
    result = skinscope("check", "rig.blend", "--config", tmp_path / "none.toml")
    assert result.status == 2
    assert result.complaints == (
        f"'{tmp_path / 'none.toml'}' can't be read (No such file or directory); check the path.",
    )


def test_the_nearest_configuration_counts_and_options_win(tmp_path: Path, skinscope: Program):
    near = tmp_path / "characters" / "hero"
    near.mkdir(parents=True)
    (tmp_path / "skinscope.toml").write_text(
        '[check]\nprofiles = ["unity-1"]\nframes = "1:9:4"\n', encoding="utf-8"
    )
    path = rig_file(near / "rig.blend", RigOptions(influences=4))
    arguments = ("check", path, "--device", "cpu", "--format", "json")

    def measured(*more: object) -> tuple[str, int, str]:
        (mesh,) = skinscope(*arguments, *more).json["files"][0]["meshes"]
        return mesh["profile"], mesh["deviation"]["frames"], mesh["deviation"]["tolerance_unit"]

    assert measured() == ("unity-1", 3, "m")
    own = near / "engine.toml"
    own.write_text('extends = "unity-2"\nlabel = "Ours"\n', encoding="utf-8")
    (near / "skinscope.toml").write_text(
        '[check]\nprofiles = ["engine.toml"]\ntolerance = "90%"\n', encoding="utf-8"
    )
    assert measured() == ("engine", 9, "relative")
    assert measured("--profile", "unity-4", "--frames", "2:3", "--tolerance", "1mm") == ("unity-4", 2, "m")
    assert measured("--config", tmp_path / "skinscope.toml") == ("unity-1", 3, "m")


def test_severities_and_thresholds_decide_what_fails(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7, scale="none"), without_flaws)
    arguments = (
        "check",
        path,
        "--device",
        "cpu",
        "--frames",
        "1:9:4",
        "--profile",
        "unity-4",
        "--format",
        "json",
    )
    arguments = (*arguments, "--tolerance", "99%")

    def severities(config: str) -> tuple[int, dict[str, str]]:
        text = f'[severity]\nignored-weights = "off"\n{config}'
        (tmp_path / "skinscope.toml").write_text(text, encoding="utf-8")
        result = skinscope(*arguments)
        return result.status, {one["rule"]: one["severity"] for one in result.json["files"][0]["findings"]}

    assert severities("") == (1, {"influence-limit": "error"})
    assert severities('influence-limit = "warning"') == (0, {"influence-limit": "warning"})
    assert severities('influence-limit = "off"') == (0, {})
    # This rig is only some units tall, so nothing it does exceeds ten meters.
    assert severities('[thresholds]\nfail = "10m"') == (0, {"influence-limit": "warning"})
    assert severities('[thresholds]\ninvisible = "8m"\ngood = "9m"\nfail = "10m"') == (0, {})


def test_the_threshold_good_is_the_tolerance_where_none_is_given(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7, scale="none"))
    arguments = (
        "check",
        path,
        "--device",
        "cpu",
        "--frames",
        "5",
        "--profile",
        "unity-4",
        "--format",
        "json",
    )

    def tolerance() -> float:
        return skinscope(*arguments).json["files"][0]["meshes"][0]["deviation"]["tolerance"]

    usual = tolerance()
    (tmp_path / "skinscope.toml").write_text('[thresholds]\ngood = "2mm"\n', encoding="utf-8")
    assert tolerance() == pytest.approx(2 * usual, rel=5e-3)


def test_results_are_kept_apart_by_every_setting_that_is_measured_with():
    settings = FileSettings("rig.blend", Thresholds(), {})
    for name, asked in asked_for().items():
        other = replace(settings, **{name: (BLENDER,) if name == "profiles" else "another"})
        assert (other.measured_with() != settings.measured_with()) == asked.measured, name
    scaled = replace(settings, thresholds=Thresholds(fail=0.01))
    assert scaled.measured_with() != settings.measured_with()
