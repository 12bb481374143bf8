"""The ways to show a skinned mesh, side by side. To add one, add a row here, and a fragment shader in
gpu_shaders or a function in `vertex_paint`.

Needs neither a GPU nor numpy: the command line lists displays before it loads any.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..core.text.errors import UsageError

if TYPE_CHECKING:
    from .heat_scale import HeatScale

SURFACE = "TRIS"
EDGES = "LINES"

BASE_COLOR = "base_color"
DROPPED_WEIGHT = "dropped_weight"
DRAW_GROUPS = "draw_groups"
WIREFRAME = "wireframe"

HEAT_MAP = "heat_map.frag.glsl"
PAINTED = "lib/value_painted.glsl"

POSITIONS = "positions"
NORMALS = "normals"

Limits = tuple[float, ...]
"""The upper ends of a heat map's bands; the one in the middle is the threshold, if there is any."""

NORMAL_LIMITS: Limits = (1.0, 5.0, 10.0, 20.0, 45.0, 90.0)
"""Degrees between two normals."""

WEIGHT_LIMITS: Limits = (0.25, 0.5, 0.75, 1.0)
"""Shares of a vertex's weight."""

DROPPED_LIMITS: Limits = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Shares of a vertex's weight that go missing."""


@dataclass(frozen=True)
class Display:
    """One way to show a mesh.

    name: for files and the command line. label, description: shown to users.
    fragment: the fragment shader. vertex_value: the part that computes a number or colour per vertex for it.
    primitive: SURFACE or EDGES.
    compares: POSITIONS or NORMALS, to compare with a reference; empty if it needs none.
    limits: of a heat map with a fixed scale; None to use the settings' scale of lengths. has_threshold: whether
    the numbers beyond the middle one are too much.
    tick: the legend's format for a number of `limits`; largest: the highest possible number.
    counts_influences: whether it has the classes of `count_classes` instead of a scale.
    paint_settings: the settings that its `vertex_paint` function depends on.
    colors_draw_calls: whether every draw call has its own base colour.
    uses_materials: whether it needs the materials' looks.
    """

    name: str
    label: str
    fragment: str
    description: str
    vertex_value: str = "lib/value_none.glsl"
    primitive: str = SURFACE
    compares: str = ""
    limits: Limits | None = None
    has_threshold: bool = True
    tick: str = "{:g}"
    largest: float = math.inf
    counts_influences: bool = False
    paint_settings: tuple[str, ...] = ()
    colors_draw_calls: bool = False
    uses_materials: bool = False

    @property
    def needs_reference(self) -> bool:
        """Whether `SkinnedDrawing.set_reference` must be called first."""
        return bool(self.compares)

    @property
    def uses_active_bone(self) -> bool:
        """Whether it shows the bone that the settings name as active."""
        return "active_bone" in self.paint_settings

    @cached_property
    def scale(self) -> HeatScale | None:
        """The scale defined by `limits`."""
        from .heat_scale import SEQUENCE, TWO_RANGES, HeatScale

        if self.limits is None:
            return None
        return HeatScale(self.limits, TWO_RANGES if self.has_threshold else SEQUENCE)


DISPLAYS = (
    Display("shaded", "Shaded", "shaded.frag.glsl", "One color under a studio light, as in Solid mode"),
    Display(
        "deviation",
        "Deviation",
        HEAT_MAP,
        "Heat map of the distance from Blender's own result, on a fixed scale",
        vertex_value="lib/value_deviation.glsl",
        compares=POSITIONS,
    ),
    Display(
        "normal_deviation",
        "Normal Deviation",
        HEAT_MAP,
        "Heat map of the angle between the vertices' normals and those of Blender's own result",
        vertex_value="lib/value_normal_deviation.glsl",
        compares=NORMALS,
        limits=NORMAL_LIMITS,
        tick="{:g}°",
    ),
    Display(
        BASE_COLOR,
        "Base Color",
        "base_color.frag.glsl",
        "Each material's color and texture under a studio light",
        uses_materials=True,
    ),
    Display(
        "influence_count",
        "Influence Count",
        "painted.frag.glsl",
        "How many bones move each vertex by its own weights; zero, and more than the limit, stand out",
        vertex_value=PAINTED,
        counts_influences=True,
        paint_settings=("influence_limit",),
    ),
    Display(
        "active_weight",
        "Active Bone",
        HEAT_MAP,
        "Weight of the active bone for each vertex",
        vertex_value=PAINTED,
        limits=WEIGHT_LIMITS,
        has_threshold=False,
        tick="{:.0%}",
        largest=1.0,
        paint_settings=("active_bone",),
    ),
    Display(
        DROPPED_WEIGHT,
        "Dropped Weight",
        HEAT_MAP,
        "Weight lost when the influences of each vertex are limited",
        vertex_value=PAINTED,
        limits=DROPPED_LIMITS,
        tick="{:.0%}",
        largest=1.0,
        paint_settings=("influence_limit",),
    ),
    Display(
        "dominant_bone",
        "Dominant Bone",
        "painted.frag.glsl",
        "Bone with the largest weight for each vertex, each bone in its own color",
        vertex_value=PAINTED,
    ),
    Display(
        DRAW_GROUPS,
        "Draw Groups",
        "shaded.frag.glsl",
        "Draw call of each face; how many there are depends on the technique",
        colors_draw_calls=True,
    ),
    Display(WIREFRAME, "Wireframe", "wireframe.frag.glsl", "Only the edges of the mesh", primitive=EDGES),
)

_BY_NAME = {display.name: display for display in DISPLAYS}


def find_display(name: str) -> Display:
    """Return the display called `name`.

    Raises:
        UsageError: it does not exist; the message lists them.
    """
    if name not in _BY_NAME:
        raise UsageError(
            "'{name}' is not a display; choose one of {displays}.", name=name, displays=", ".join(_BY_NAME)
        )
    return _BY_NAME[name]
