"""What previews write into the 3D view: how far they lie from Blender's meshes, and the heat map's legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ..core.deviation import Deviation
from ..drawing.displays import find_display
from ..drawing.labels import Labels, label_size
from ..drawing.legend import Legend, display_legend, legend_size
from .sentences import summary
from .settings import PreviewSettings

MARGIN = 12.0
GAP = 6.0
TEXT_SIZE = 13.0
SAME_COLOR = (0.87, 0.94, 0.87, 1.0)
OFF_COLOR = (1.0, 0.8, 0.36, 1.0)
"""Green and amber, far enough apart in lightness for the colour-blind; the words say the same."""


@dataclass(frozen=True)
class FreeArea:
    """The part of a region that no tool bar or side bar covers, in pixels from its lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def size(self) -> float:
        """Pixels in it."""
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)


class ViewText:
    """Writes into a region of a 3D view; owns its GPU objects, which are made on first use."""

    def __init__(self) -> None:
        self._labels: Labels | None = None
        self._legend: Legend | None = None

    def draw_summary(
        self,
        context: bpy.types.Context,
        measured: Sequence[tuple[str, Deviation]],
        area: FreeArea,
    ) -> float:
        """Write how far each mesh is off, in the lower left corner, if it fits; return where free space begins."""
        if self._labels is None:
            self._labels = Labels()
        lines = summary(measured)
        text = "\n".join(line.text for line in lines)
        size = TEXT_SIZE * context.preferences.system.ui_scale
        width, height = label_size(text, size)
        if area.left + width > area.right or area.bottom + height > area.top:
            return area.bottom
        top = area.bottom + height
        color = SAME_COLOR if all(line.same for line in lines) else OFF_COLOR
        self._labels.draw(text, (area.left, top), _size(context), size=size, color=color)
        return top + GAP

    def draw_legend(
        self, context: bpy.types.Context, settings: PreviewSettings, area: FreeArea, bottom: float
    ) -> None:
        """Draw the legend of the display above `bottom`, if it has one and it fits."""
        legend = display_legend(
            find_display(settings.display), settings.drawing, context.scene.unit_settings.scale_length
        )
        if legend is None:
            return
        if self._legend is None:
            self._legend = Legend()
        ui_scale = context.preferences.system.ui_scale
        text, scale = legend
        width, height = legend_size(text, ui_scale)
        if area.left + width <= area.right and bottom + height <= area.top:
            self._legend.draw(text, scale, (area.left, bottom), _size(context), ui_scale)

    def free(self) -> None:
        """Give the GPU's memory back."""
        for owner in (self._labels, self._legend):
            if owner is not None:
                owner.free()
        self._labels = self._legend = None


def free_area(context: bpy.types.Context, region: bpy.types.Region) -> FreeArea:
    """Find the part of a region of the context's area that is not covered by others, less a margin."""
    left, bottom, right, top = region.x, region.y, region.x + region.width, region.y + region.height
    for other in context.area.regions:
        if other.type == "WINDOW" or other.width <= 1 or other.height <= 1:
            continue
        if other.type == "TOOLS" and other.alignment == "LEFT":
            left = max(left, other.x + other.width)
        elif other.type == "UI" and other.alignment == "RIGHT":
            right = min(right, other.x)
        elif other.type == "HUD":
            bottom = max(bottom, other.y + other.height)
        elif other.alignment == "TOP":
            top = min(top, other.y)
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, other.y + other.height)
    margin = MARGIN * context.preferences.system.ui_scale
    return FreeArea(
        left - region.x + margin,
        bottom - region.y + margin,
        right - region.x - margin,
        top - region.y - margin,
    )


def is_for_text(context: bpy.types.Context) -> bool:
    """Tell whether a region is the one of its area to write into: of a quad view's four, one with the most room."""
    windows = [region for region in context.area.regions if region.type == "WINDOW" and region.width > 1]
    return context.region == max(windows, key=lambda region: free_area(context, region).size, default=None)


def _size(context: bpy.types.Context) -> tuple[int, int]:
    return context.region.width, context.region.height
