"""Reads screenshots of the 3D view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.windowed.harness import WindowedBlender

BORDER = 16
"""Pixels at the region's edge, where Blender draws the area's rounded corners and the arrows that open
sidebars."""

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class ViewPixels:
    """Crops screenshots to the 3D view.

    left, top, width, height: of its region, in pixels of the picture.
    """

    left: int
    top: int
    width: int
    height: int

    @classmethod
    def of(cls, blender: WindowedBlender) -> ViewPixels:
        """Locate the first 3D view, without the headers that overlap its top."""
        x, y, width, height, window_height = blender.run(
            "with view3d() as area:\n"
            "    region, window = bpy.context.region, bpy.context.window\n"
            "    top = min(one.y for one in area.regions if one.alignment == 'TOP' and one.height > 1)\n"
            "    box = region.x, region.y, region.width, top - region.y, window.height\n"
            "box"
        )
        return cls(x + BORDER, window_height - y - height + BORDER, width - 2 * BORDER, height - 2 * BORDER)

    def cut(self, picture: Picture) -> NDArray[np.int16]:
        """Return the view's part, (height, width, 3), signed so that differences don't wrap around."""
        bottom, right = self.top + self.height, self.left + self.width
        return picture[self.top : bottom, self.left : right].astype(np.int16)


def preview_mask(view: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return a mask of the preview's own blue, (height, width)."""
    return (view[..., 2] - view[..., 0] > 18) & (view[..., 1] - view[..., 0] > 5)


def too_much_mask(view: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return a mask of the heat map's warm colors, of what is beyond the threshold, (height, width)."""
    return (view[..., 0] - view[..., 2] > 70) & (view[..., 0] > view[..., 1])


def changed(one: NDArray[np.int16], other: NDArray[np.int16]) -> int:
    """Count the pixels that differ."""
    return int(np.any(np.abs(one - other) > 2, axis=2).sum())


def is_same_view(one: NDArray[np.int16], other: NDArray[np.int16]) -> bool:
    """Tell whether two pictures show the same, up to the progress of Blender's anti-aliasing."""
    return changed(one, other) < 100 and not (preview_mask(one) ^ preview_mask(other)).any()


def solid_mask(view: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return a mask of everything in front of the view's plain background, (height, width)."""
    background = np.median(view.reshape(-1, 3), axis=0)
    return np.any(np.abs(view - background) > 8, axis=2)
