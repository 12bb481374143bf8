"""The OpenEXR library reads the same numbers from a bone texture's picture as there are in the raw one."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from tests.command_line.crowding.walker_file import walker_file
from tests.engines.python_engine import PythonEngine
from tests.engines.test_bone_texture import written

pytestmark = pytest.mark.engines


@pytest.mark.parametrize(("pixel_format", "dtype"), [("float32", "<f4"), ("half", "<f2")])
@pytest.mark.parametrize("space", ["rest", "parent"])
def test_a_picture_holds_the_raw_numbers_first_sample_first(tmp_path, pixel_format, dtype, space):
    engine = PythonEngine(("numpy", "OpenEXR"), "exr_capture.py")
    engine.install()
    file = walker_file(tmp_path / "walker.blend")
    options = ("--format", pixel_format, "--relative-to", space)
    raw = written(file, tmp_path / "raw", *options)["texture"]
    picture = written(file, tmp_path / "picture", *options, "--pixels", "exr")["texture"]
    assert picture == raw | {"file": "bone-texture.exr"}
    assert not (tmp_path / "picture" / "bone-texture.bin").exists()
    output = tmp_path / "numbers.npy"
    subprocess.run([*engine.command, tmp_path / "picture" / picture["file"], output], check=True)
    expected = np.frombuffer((tmp_path / "raw" / raw["file"]).read_bytes(), dtype=dtype)
    found = np.load(output)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected.reshape(raw["height"], raw["width"], 4))
