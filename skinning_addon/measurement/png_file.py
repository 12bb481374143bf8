"""Pixels -> PNG, by Blender's own writer."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.errors import OutputError


def write_png(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write (height, width, 4) sRGB pixels, the top row first. Leaves no image behind in the open file.

    Raises:
        OutputError: Blender could not write the file.
    """
    height, width, _ = pixels.shape
    image = bpy.data.images.new("skinscope picture", width, height, alpha=True)
    try:
        # Blender counts rows from the bottom. The numbers of a byte image are stored as they are, without conversion.
        image.pixels.foreach_set((pixels[::-1].astype(np.float32) / 255).ravel())  # pyright: ignore[reportArgumentType]
        image.filepath_raw = str(path)
        image.file_format = "PNG"
        image.save()
    except RuntimeError as error:
        raise OutputError(
            "'{path}' can't be written ({reason}); choose another place with --output.",
            path=path,
            reason=error,
        ) from error
    finally:
        bpy.data.images.remove(image)
