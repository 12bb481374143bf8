"""Godot, run without a screen; capture.py says what a capture is.

Too large to install for the tests (Debian has it from sid on: `apt-get install godot`), so it is used where there is
one: the program that SKINSCOPE_GODOT names, or `godot` on PATH. Its importer drops attributes that it does not know,
so vertices are numbered by a third UV map, which arrives as floats.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from tests.engines.capture import HERE, CapturedMesh, Engine
from tests.engines.glb_file import GlbFile, Part

FLOAT = 5126


@dataclass(frozen=True)
class GodotEngine(Engine):
    """rate: poses per second that its importer samples from an animation (Import > Animation > FPS, 30 by default)."""

    rate: float = 30.0

    def install(self) -> None:
        """Skip the test where there is no Godot, whatever REQUIRE_ENGINES says."""
        if godot_program() is None:
            pytest.skip(
                "Godot did not run: SKINSCOPE_GODOT names no Godot 4 (Debian sid: apt-get install godot)"
            )

    @property
    def command(self) -> list[str | Path]:
        script = HERE / "godot_capture.gd"
        return [godot_program() or "godot", "--headless", "--script", script, "--", str(self.rate)]

    def capture_meshes(self, file: Path, times: Sequence[float], folder: Path) -> list[CapturedMesh]:
        numbered = folder / "numbered.gltf"
        write_numbered(file, numbered)
        return super().capture_meshes(numbered, times, folder)


def godot_program() -> str | None:
    return os.environ.get("SKINSCOPE_GODOT") or shutil.which("godot")


def write_numbered(file: Path, numbered: Path) -> None:
    """Write a copy, as .gltf with everything in it, whose skinned vertices' numbers are in a third UV map."""
    gltf = GlbFile(file)
    document, numbers = gltf.json, bytearray()
    for buffer in document["buffers"]:
        uri = buffer.get("uri")
        if uri is None or not uri.startswith("data:"):
            content = gltf.binary if uri is None else (file.parent / unquote(uri)).read_bytes()
            buffer["uri"] = _data_uri(content)
    for part in gltf.by_node:
        if gltf.is_skinned(part):
            _add_numbers(gltf, part, document, numbers)
    document["buffers"].append({"byteLength": len(numbers), "uri": _data_uri(bytes(numbers))})
    numbered.write_text(json.dumps(document), encoding="utf-8")


def _data_uri(content: bytes) -> str:
    return "data:application/octet-stream;base64," + base64.b64encode(content).decode()


def _add_numbers(gltf: GlbFile, part: Part, document: dict, into: bytearray) -> None:
    attributes = document["meshes"][part.mesh]["primitives"][part.primitive]["attributes"]
    sources = gltf.sources(part)
    numbers = np.zeros((len(sources), 2), dtype=np.float32)
    numbers[:, 0] = sources
    attributes["TEXCOORD_2"] = len(document["accessors"])
    document["accessors"].append(
        {
            "bufferView": len(document["bufferViews"]),
            "componentType": FLOAT,
            "count": len(numbers),
            "type": "VEC2",
        }
    )
    buffer = len(document["buffers"])
    document["bufferViews"].append({"buffer": buffer, "byteOffset": len(into), "byteLength": numbers.nbytes})
    into.extend(numbers.tobytes())
