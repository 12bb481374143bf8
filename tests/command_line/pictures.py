"""Reads the pictures that the program wrote."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from skinning_addon.measurement.pictures.blender_view import BACKGROUND


def read_picture(path: Path) -> np.ndarray:
    """Return (height, width, 3), sRGB from 0 to 1, top row first."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1, :, :3]


def background_color() -> np.ndarray:
    linear = np.array(BACKGROUND)
    return 1.055 * linear ** (1 / 2.4) - 0.055


def figure(pixels: np.ndarray) -> np.ndarray:
    """Return a (height, width) bool mask of everything that isn't background."""
    return np.abs(pixels - background_color()).max(axis=2) > 0.03
