"""Pictures of checked characters, for the page about many files: one file each, named by what it shows."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import DeviceError, SkinscopeError
from ...measurement.check.check_settings import CheckSettings
from ...measurement.check.report import FileReport
from ...measurement.pictures.worst_frame_picture import worst_frame_picture
from ..arguments.file_settings import FileSettings
from ..program.blender_session import started_device
from ..program.output_files import Outputs
from ..program.streams import complain
from .result_cache import content_digest

QUALITY = 80
"""Of JPEG, from 0 to 100: about 20 kB a character."""


def picture_path(one: FileSettings) -> Path | None:
    """Return where a file's picture is, or will be; None if it gets none."""
    if one.pictures is None:
        return None
    shown = f"{content_digest(Path(one.file))}\n{one.measured_with()}"
    return one.pictures / f"{Path(one.file).stem}-{hashlib.sha256(shown.encode()).hexdigest()[:12]}.jpg"


def with_picture(report: FileReport, one: FileSettings) -> FileReport:
    """Return a report that names its picture, if there is one."""
    path = picture_path(one)
    return replace(report, picture=str(path)) if path is not None and path.exists() else report


@cache
def can_draw() -> bool:
    """Whether this process has a GPU to draw pictures with."""
    try:
        return started_device("gpu") == "gpu"
    except DeviceError:
        return False


def draw_picture(
    scene: bpy.types.Scene, report: FileReport, one: FileSettings, settings: CheckSettings
) -> None:
    """Draw and write the picture of the open file. If that can't be, the report is without it, and why is
    mentioned.
    """
    path = picture_path(one)
    if path is None:
        return
    try:
        started_device("gpu")
        pixels = worst_frame_picture(scene, report, settings, one.profiles)
        if pixels is not None:
            with Outputs() as outputs:
                outputs.content(path, _jpeg(pixels))
    except SkinscopeError as error:
        complain(f"There is no picture of '{one.file}': {error}")


def _jpeg(pixels: NDArray[np.uint8]) -> bytes:
    height, width, _ = pixels.shape
    image = bpy.data.images.new("Skinscope", width, height)
    try:
        # Rows from the bottom.
        image.pixels.foreach_set(cast("Any", (pixels[::-1] / np.float32(255)).ravel()))
        image.file_format = "JPEG"
        # Blender says nothing if a disk is full, so the picture is read back and written by us.
        with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
            path = Path(folder) / "picture.jpg"
            image.save(filepath=str(path), quality=QUALITY)
            return path.read_bytes()
    finally:
        bpy.data.images.remove(image)
