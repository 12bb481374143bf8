"""A shader in Godot reads a bone texture, and puts vertices where three.js has them. Only where there is a Godot."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.command_line.crowding.walker_file import walker_file
from tests.engines.capture import HERE
from tests.engines.godot_engine import godot_program
from tests.engines.test_bone_texture import TOLERANCE, apart, read_by_threejs, written
from tests.engines.test_bone_texture_page import READERS, moments_of

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs", "godot")]

WEIGHT = 4 / 65535
"""By how much four weights that Godot cuts off at 16 bits differ at most from what they were."""

ON_A_SCREEN = ("xvfb-run", "-a", "-s", "-screen 0 640x480x24")
COMPATIBILITY = ("--rendering-method", "gl_compatibility", "--rendering-driver", "opengl3")
FORWARD_PLUS = ("--rendering-method", "forward_plus", "--rendering-driver", "vulkan")


def read_by_godot(
    folder: Path, moments: list[dict], renderer: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices (V, 3) at rest, and (M, V, 3) at moments, as a shader of Godot's has them."""
    project = folder / "project"
    project.mkdir()
    (project / "project.godot").write_text("config_version=5\n", encoding="utf-8")
    shutil.copy(READERS / "bone_texture.gdshaderinc", project)
    shutil.copy(HERE / "godot_bone_texture.gd", project)
    manifest = json.loads((folder / "bone-texture.json").read_text(encoding="utf-8"))
    clips = {clip["name"]: clip for clip in manifest["clips"]}

    def place(clip: str, seconds: float) -> float:
        return clips[clip]["first_sample"] + seconds * clips[clip]["samples_per_second"]

    places = [[place(*one["a"]), place(*one["b"]), one["fade"]] for one in moments]
    (folder / "moments.json").write_text(json.dumps(places), encoding="utf-8")
    command = [*ON_A_SCREEN, godot_program() or "godot", *renderer, "--audio-driver", "Dummy"]
    command += ["--path", project, "--script", "godot_bone_texture.gd", "--"]
    process = subprocess.run(
        [*command, folder, folder / "moments.json", folder / "godot.json"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0
    assert "ERROR" not in process.stderr + process.stdout, process.stderr + process.stdout
    surfaces = json.loads((folder / "godot.json").read_text(encoding="utf-8"))

    def numbers(text: str) -> np.ndarray:
        return np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, 3).astype(np.float64)

    return np.concatenate([numbers(one["rest"]) for one in surfaces]), np.concatenate(
        [numbers(one["posed"]).reshape(len(moments), -1, 3) for one in surfaces], axis=1
    )


def compare(file: Path, folder: Path, renderer: tuple[str, ...], *options: str) -> None:
    manifest = written(file, folder / "raw", "--tolerance", TOLERANCE, *options)
    moments = moments_of(manifest)
    expected_rest, expected = read_by_threejs(folder / "raw", moments)
    reach = float(np.linalg.norm(expected, axis=-1).max())
    assert float(np.ptp(expected, axis=0).max()) > 0.01 * reach
    for pixels in ("raw", "exr"):
        of_pixels = folder / pixels
        written(file, of_pixels, "--tolerance", TOLERANCE, *options, "--pixels", pixels)
        rest, posed = read_by_godot(of_pixels, moments, renderer)
        assert apart(rest, posed, expected_rest, expected).max() <= (WEIGHT + 2e-6) * reach


@pytest.mark.parametrize("renderer", [COMPATIBILITY, FORWARD_PLUS], ids=("compatibility", "forward_plus"))
@pytest.mark.parametrize("pixel_format", ["float32", "half"])
def test_a_walker_is_where_threejs_has_it(tmp_path: Path, pixel_format: str, renderer: tuple[str, ...]):
    compare(walker_file(tmp_path / "walker.blend"), tmp_path / "out", renderer, "--format", pixel_format)


@pytest.mark.rigs
def test_a_fox_is_where_threejs_has_it(rigs_folder: Path, tmp_path: Path):
    compare(rigs_folder / "Fox.glb", tmp_path / "out", COMPATIBILITY)
