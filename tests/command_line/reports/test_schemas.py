"""What the program writes for others is what docs/schemas says: nothing is missing, and nothing goes unmentioned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skinning_addon.command_line.reports.report_json import write_json
from tests.command_line.conftest import Program
from tests.command_line.reports.test_formats import REPORTS
from tests.command_line.rig_files import rig_file
from tests.command_line.schemas import undescribed, validator
from tests.scene.random_rig import RigOptions


def fits(name: str, document: Any) -> None:
    schema = validator(name)
    schema.validate(document)
    assert undescribed(document, schema.schema) == []


def test_a_report_of_everything_that_can_be_wrong():
    fits("report", json.loads(write_json(REPORTS, "0.1.0", "5.2.3")))


def test_what_a_check_writes(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(influences=7))
    lines, baseline = tmp_path / "lines.jsonl", tmp_path / "known.json"
    arguments = ("check", rig, tmp_path / "missing.glb", "--device", "cpu", "--frames", "1:9:4")
    profiles = ("--profile", "unity-4", "--profile", "blender", "--baseline", baseline)
    result = skinscope(
        *arguments, *profiles, "--write-baseline", "--format", "json", "--report", f"jsonl={lines}"
    )
    fits("report", result.json)
    written = lines.read_text(encoding="utf-8").splitlines()
    assert len(written) == 3
    for line in written:
        fits("report-lines", json.loads(line))
    fits("baseline", json.loads(baseline.read_text(encoding="utf-8")))
    merged = skinscope("report", lines, "--format", "json")
    fits("report", merged.json)


@pytest.mark.parametrize("kind", ["float32", "half", "unorm16"])
@pytest.mark.rigs
def test_the_manifest_of_a_bone_texture(rigs_folder: Path, tmp_path: Path, skinscope: Program, kind: str):
    arguments = ("bone-texture", rigs_folder / "Fox.glb", "--clips", "Walk", "--output", tmp_path / "out")
    assert skinscope(*arguments, "--format", kind).status == 0
    fits("bone-texture", json.loads((tmp_path / "out" / "bone-texture.json").read_text(encoding="utf-8")))


@pytest.mark.rigs
def test_what_a_bundle_and_a_comparison_with_it_say(rigs_folder: Path, tmp_path: Path, skinscope: Program):
    bundle = tmp_path / "bundle"
    arguments = ("export", rigs_folder / "KayKit_Knight.glb", "--profile", "unity-2", "--frames", "1:2")
    skinscope(*arguments, "--output", bundle, "--device", "cpu")
    document = json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))
    fits("bundle", document)
    # Every kind of entry is there.
    assert document["meshes"]
    assert document["parts"]
    assert document["skeletons"]
    (mesh, *_) = document["meshes"]
    folder = bundle / mesh["folder"]
    frames = np.load(folder / "frames.npz")
    positions = tmp_path / "engine.npz"
    np.savez(positions, positions=frames["skinned_positions"])
    result = skinscope("diff", bundle, positions, "--mesh", mesh["object"], "--format", "json")
    fits("diff", result.json)


@pytest.mark.gpu
@pytest.mark.rigs
def test_what_play_crowd_and_refit_write(rigs_folder: Path, tmp_path: Path, skinscope: Program):
    fox, events, report = rigs_folder / "Fox.glb", tmp_path / "events.json", tmp_path / "report.json"
    options = ("--clips", "Walk,Run", "--root-motion", "extract", "--reduce", "1mm", "--device", "cpu")
    assert skinscope("play", fox, *options, "--events", events).status == 0
    fits("play-events", json.loads(events.read_text(encoding="utf-8")))
    arguments = ("--count", 4, "--seconds", 3, "--output", tmp_path / "crowd")
    assert skinscope("crowd", fox, *arguments).status == 0
    crowd = json.loads((tmp_path / "crowd" / "events.json").read_text(encoding="utf-8"))
    fits("crowd-events", crowd)
    assert {one["event"] for one in crowd["events"]} > {"footstep"}
    copy = ("--output", tmp_path / "copy.glb", "--report", report, "--helper-bones", 2)
    assert skinscope("refit", rigs_folder / "CesiumMan.glb", "--profile", "unity-2", *copy).status == 0
    refit = json.loads(report.read_text(encoding="utf-8"))
    fits("refit", refit)
    assert refit["copies"][0]["helpers"]


def wrong_values(entry: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield copies of an entry in which one value is of another kind, or a key is missing."""
    for key in entry:
        for other in ([1.5], {"?": 1}):
            yield f"{key} = {other!r}", {**entry, key: other}
        yield f"no {key}", {name: one for name, one in entry.items() if name != key}


def test_the_schema_of_a_report_refuses_what_is_none():
    schema = validator("report")
    whole = json.loads(write_json(REPORTS[1:2], "0.1.0", "5.2.3"))
    (file,) = whole["files"]
    assert schema.is_valid(whole)
    for name in ("findings", "meshes"):
        (first, *rest) = file[name]
        for told, changed in wrong_values(first):
            if told != "exporter_settings = {'?': 1}":
                entry = {**file, name: [changed, *rest]}
                assert not schema.is_valid({**whole, "files": [entry]}), f"{name}: {told}"
