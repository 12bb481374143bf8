"""Numbers as an OpenEXR picture, by Blender's own writer, and read back to see that they are the same."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import OutputError


def exr_content(pixels: NDArray[np.generic]) -> bytes:
    """Return (height, width, 4) pixels, float16 or float32, the top row first, as the bytes of an .exr file.

    Makes and removes data-blocks: never call it while drawing.

    Raises:
        OutputError: Blender has written something else.
    """
    # Its output settings are not the user's.
    scene = bpy.data.scenes.new("Numbers")
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.exr_codec = "OPEN_EXR", "RGBA", "ZIP"
    settings.color_depth = "16" if pixels.dtype.itemsize == 2 else "32"
    image = _picture(pixels.astype(np.float32))
    try:
        with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
            path = Path(folder) / "picture.exr"
            image.save_render(str(path), scene=scene)
            found = _read(path, pixels.shape)
            if found is None or not np.array_equal(found, pixels):
                raise OutputError(
                    "Blender can't write the texture as OpenEXR without changing its numbers; write raw ones."
                )
            return path.read_bytes()
    finally:
        bpy.data.images.remove(image)
        bpy.data.scenes.remove(scene)


def _picture(pixels: NDArray[np.float32]) -> bpy.types.Image:
    height, width, _ = pixels.shape
    image = bpy.data.images.new("Numbers", width, height, alpha=True, float_buffer=True, is_data=True)
    # Otherwise the fourth number is taken for how opaque the others are.
    image.alpha_mode = "CHANNEL_PACKED"
    # Blender's first row is the lowest.
    image.pixels.foreach_set(cast("Any", np.ascontiguousarray(pixels[::-1]).ravel()))
    return image


def _read(path: Path, shape: tuple[int, ...]) -> NDArray[np.float32] | None:
    if not path.exists() or not path.stat().st_size:
        return None
    image = bpy.data.images.load(str(path))
    try:
        image.colorspace_settings.is_data = True
        image.alpha_mode = "CHANNEL_PACKED"
        width, height = cast("Any", image.size)
        if (height, width, 4) != shape:
            return None
        found = np.empty(int(np.prod(shape)), dtype=np.float32)
        image.pixels.foreach_get(found)
        return found.reshape(shape)[::-1]
    finally:
        bpy.data.images.remove(image)
