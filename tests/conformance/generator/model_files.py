"""All files of a model: the glTF files, expected positions, and those that glTF-Sample-Assets requires."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.conformance.generator.document import files_of
from tests.conformance.generator.model import SPECIFICATION, Model, Outcome
from tests.conformance.generator.screenshot import drawing, shown_instants
from tests.conformance.generator.target import add_target
from tests.conformance.judge.reading import BY_SPECIFICATION, Reading
from tests.conformance.judge.skinned import Part, parts_of, positions, triangles_of
from tests.conformance.judge.stored_file import StoredFile, read

LICENSE_URL = "https://creativecommons.org/publicdomain/zero/1.0/legalcode"


@dataclass(frozen=True, eq=False)
class ModelFiles:
    """files: content by path relative to the model's folder. entry: the model's part of the manifest."""

    files: dict[str, bytes]
    entry: dict[str, Any]


def model_files(model: Model) -> ModelFiles:
    """Make a model, and compute from its bytes where its vertices should be."""
    document = model.build()
    draft = _read_back(files_of(document, model.name, model.container))
    parts = parts_of(draft)
    reading = model.outcomes[0].reading or BY_SPECIFICATION
    add_target(document, parts, [positions(draft, part, model.times[-1], reading) for part in parts])
    files = files_of(document, model.name, model.container)
    main = next(name for name in files if name.endswith((".gltf", ".glb")))
    final = _read_back(files)
    files["screenshot/screenshot.svg"] = _screenshot(model, final, parts, reading)
    for outcome in model.outcomes:
        if outcome.reading is not None:
            files[_expected_name(outcome)] = _expected(final, parts, model.times, outcome.reading)
    files["README.md"] = _readme(model).encode()
    files["LICENSE.md"] = _license(model).encode()
    files["metadata.json"] = (json.dumps(_metadata(model), indent=4) + "\n").encode()
    return ModelFiles(files, _entry(model, main, parts))


def _read_back(files: dict[str, bytes]) -> StoredFile:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        main = next(name for name in files if name.endswith((".gltf", ".glb")))
        return read(Path(folder, main))


def _expected(file: StoredFile, parts: list[Part], times: tuple[float, ...], reading: Reading) -> bytes:
    """Return float32, little-endian: of each instant, of each part, of each vertex, x y z."""
    found = [positions(file, part, time, reading) for time in times for part in parts]
    return (np.round(np.concatenate(found), 9) + 0.0).astype("<f4").tobytes()


def _screenshot(model: Model, file: StoredFile, parts: list[Part], reading: Reading) -> bytes:
    skins = [
        [positions(file, part, model.times[instant], reading).astype(np.float32) for part in parts]
        for instant in shown_instants(model.times)
    ]
    return drawing(skins, [triangles_of(file, part) for part in parts]).encode()


def _expected_name(outcome: Outcome) -> str:
    return f"expected/{outcome.name}.f32"


def _entry(model: Model, main: str, parts: list[Part]) -> dict[str, Any]:
    folder = f"Models/{model.name}"
    return {
        "name": model.name,
        "title": model.title,
        "file": f"{folder}/{main}",
        "requirement": model.requirement,
        "clause": {
            "section": model.clause.section,
            "title": model.clause.title,
            "url": f"{SPECIFICATION}#{model.clause.anchor}",
            "text": model.rule,
        },
        "about": model.about,
        "times": list(model.times),
        "tolerance": model.tolerance,
        "parts": [
            {
                "node": part.node,
                "mesh": part.mesh,
                "primitive": part.primitive,
                "vertices": part.vertices,
                "first": part.first,
            }
            for part in parts
        ],
        "outcomes": [
            {
                "name": one.name,
                "description": one.description,
                "positions": None if one.reading is None else f"{folder}/{_expected_name(one)}",
            }
            for one in model.outcomes
        ],
    }


def _readme(model: Model) -> str:
    outcomes = "\n".join(f"* **{one.name}**: {one.description}" for one in model.outcomes)
    times = ", ".join(f"{one:g}" for one in model.times)
    shown = ", ".join(f"{model.times[one]:g}" for one in shown_instants(model.times))
    return f"""# {model.title}

## Tags

[core](../../README.md), [testing](../../README.md)

## Summary

{model.about}

## Screenshot

![screenshot](screenshot/screenshot.svg)

From the front, as it should be at {shown} seconds; red is the target behind the skin.

## What is right

This file is **{model.requirement}**. glTF 2.0, {model.clause.section},
[{model.clause.title}]({SPECIFICATION}#{model.clause.anchor}):

> {model.rule}

{outcomes}

Compare at {times} seconds, within {model.tolerance:g} m; `expected/` has the positions of each outcome.
{_target(model)}

## Legal

Public domain. [CC0 1.0 Universal]({LICENSE_URL})
"""


def _target(model: Model) -> str:
    if len(model.outcomes) == 1:
        return (
            "At the end of the animation, seen from the front, nothing of the red target behind the skin may "
            "show."
        )
    return (
        f"The red target behind the skin shows the outcome **{model.outcomes[0].name}**: seen from the front, "
        "at the end of the animation,\nnothing red shows if that is what comes about."
    )


def _license(model: Model) -> str:
    return f"""# LICENSE file for the model: {model.name}

All files in this directory tree are licensed as indicated below.

* All files directly associated with the model including all text, image and binary files:

  * [CC0 1.0 Universal]({LICENSE_URL}) [SPDX license identifier: "CC0-1.0"]
"""


def _metadata(model: Model) -> dict[str, Any]:
    return {
        "version": 2,
        "legal": [
            {
                "license": "CC0",
                "licenseUrl": LICENSE_URL,
                "artist": "Skinscope",
                "year": "2026",
                "owner": "Public",
                "what": "Everything",
                "text": "CC0 1.0 Universal",
                "spdx": "CC0-1.0",
                "icon": "https://licensebuttons.net/p/zero/1.0/88x31.png",
            }
        ],
        "tags": ["core", "testing", "written"],
        "screenshot": "screenshot/screenshot.svg",
        "name": model.title,
        "path": f"./Models/{model.name}",
        "summary": model.about,
        "createReadme": False,
    }
