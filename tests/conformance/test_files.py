"""The conformance skins are up to date with their generator, valid by their schema, and consistent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from skinning_addon.core.gltf.posed_file import read_posable_file
from tests.conformance.findings import FINDINGS
from tests.conformance.generator.model import OPTIONAL
from tests.conformance.judge.verdict import expected_positions, judged, refusal
from tests.conformance.run_engines import ALL, HERE, read_manifest
from tests.conformance.write_models import all_files
from tests.engines.capture import CapturedMesh

MODELS = read_manifest()
REQUIRED = [one for one in MODELS if one["requirement"] == "required"]
MOST_BYTES = 1_000_000

Entry = Mapping[str, Any]


def name(entry: Entry) -> str:
    return entry["name"]


def test_the_generator_makes_every_byte():
    made = all_files()
    kept = {
        path.relative_to(HERE).as_posix(): path
        for path in [*HERE.glob("Models/**/*"), HERE / "manifest.json"]
        if path.is_file()
    }
    assert sorted(made) == sorted(kept)
    assert [one for one, content in made.items() if kept[one].read_bytes() != content] == []
    assert sum(map(len, made.values())) < MOST_BYTES


def test_the_manifest_is_as_its_schema_says():
    manifest, schema = (
        json.loads((HERE / one).read_text(encoding="utf-8"))
        for one in ("manifest.json", "manifest.schema.json")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(manifest, schema)
    names = [one["name"] for one in manifest["models"]]
    assert len(names) >= 40
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("entry", REQUIRED, ids=name)
def test_our_own_reader_agrees(entry: Entry):
    """core.gltf shares no code with the judge of these files."""
    file = read_posable_file(HERE / entry["file"])
    skinned = {(one.node, one.index): one for one in file.primitives if one.skin is not None}
    ours = [skinned[part["node"], part["primitive"]] for part in entry["parts"]]
    found = file.positions(file.animations, entry["times"], ours)
    for one, wanted in zip(found, expected_positions(HERE, entry, entry["outcomes"][0]), strict=True):
        # Whether quantized quaternions are normalized before they are interpolated makes 5e-6.
        assert np.linalg.norm(one - wanted, axis=2).max() < 0.05 * entry["tolerance"]


@pytest.mark.parametrize("entry", MODELS, ids=name)
def test_outcomes_can_be_told_apart(entry: Entry):
    outcomes = [
        np.concatenate(expected_positions(HERE, entry, one), axis=1)
        for one in entry["outcomes"]
        if one["positions"]
    ]
    for one, other in combinations(outcomes, 2):
        same_places = np.array_equal(np.isfinite(one), np.isfinite(other))
        assert not same_places or np.nanmax(np.linalg.norm(one - other, axis=2)) > 4 * entry["tolerance"]


@pytest.mark.parametrize("entry", MODELS, ids=name)
def test_vertices_move_further_than_the_tolerance_hides(entry: Entry):
    """If a file's skin stood still, every engine would be right."""
    whole = np.concatenate(expected_positions(HERE, entry, entry["outcomes"][0]), axis=1)
    assert np.linalg.norm(whole[-1] - whole[0], axis=1).max() > 0.3


@pytest.fixture
def captured() -> list[CapturedMesh]:
    """What a correct engine captures of the plain skin."""
    positions = expected_positions(HERE, MODELS[0], MODELS[0]["outcomes"][0])[0]
    return [CapturedMesh(positions, np.arange(positions.shape[1]))]


def test_an_engine_that_is_right(captured: list[CapturedMesh]):
    assert judged(HERE, MODELS[0], captured).outcome == "specification"


def test_one_vertex_a_little_off_is_wrong(captured: list[CapturedMesh]):
    captured[0].positions[2, 7, 1] += 2 * MODELS[0]["tolerance"]
    verdict = judged(HERE, MODELS[0], captured)
    assert not verdict.right
    assert verdict.deviation == pytest.approx(2 * MODELS[0]["tolerance"], rel=1e-2)


def test_vertices_in_another_order_are_matched_by_number(captured: list[CapturedMesh]):
    order = np.random.default_rng(1).permutation(captured[0].positions.shape[1])
    assert judged(HERE, MODELS[0], [CapturedMesh(captured[0].positions[:, order], order)]).right


def test_what_an_engine_leaves_out_is_wrong(captured: list[CapturedMesh]):
    assert not judged(HERE, MODELS[0], []).right
    fewer = CapturedMesh(captured[0].positions[:, :-1], captured[0].source[:-1])
    assert not judged(HERE, MODELS[0], [fewer]).right


def test_nan_is_wrong(captured: list[CapturedMesh]):
    captured[0].positions[0, 0] = np.nan
    assert not judged(HERE, MODELS[0], captured).right


def test_only_an_undefined_file_may_be_refused():
    assert not refusal(REQUIRED[0], "no").right
    assert not refusal(next(one for one in MODELS if one["requirement"] == OPTIONAL), "no").right
    assert refusal(next(one for one in MODELS if name(one) == "SkinJointTwice"), "no").right


def test_every_model_has_what_sample_assets_have():
    for entry in MODELS:
        folder = HERE / "Models" / name(entry)
        metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
        assert metadata["legal"][0]["spdx"] == "CC0-1.0"
        assert (folder / metadata["screenshot"]).is_file()
        assert {one.name for one in folder.glob("*.md")} == {"README.md", "LICENSE.md"}
        assert Path(entry["file"]).stem == name(entry)


def test_the_results_have_every_model_and_finding():
    page = (HERE / "RESULTS.md").read_text(encoding="utf-8")
    for entry in MODELS:
        assert f"| [{name(entry)}](Models/{name(entry)}/README.md) | {entry['requirement']} |" in page
    for one in FINDINGS:
        assert one.engine in ALL
        assert f"- **{one.model}**: the engine {one.why}" in page
