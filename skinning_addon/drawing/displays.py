"""The ways to show a skinned mesh, side by side. A new one is a row here and a fragment shader in gpu_shaders."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.errors import UsageError
from .heat_scale import HeatScale

SURFACE = "TRIS"
EDGES = "LINES"


@dataclass(frozen=True)
class Display:
    """One way to show a mesh.

    name: for files and the command line. label, description: for people.
    fragment: the fragment shader. vertex_value: the part that computes one number a vertex for it.
    primitive: SURFACE or EDGES.
    needs_reference: whether it compares with reference positions.
    """

    name: str
    label: str
    fragment: str
    description: str
    vertex_value: str = "lib/value_none.glsl"
    primitive: str = SURFACE
    needs_reference: bool = False


DISPLAYS = (
    Display("shaded", "Shaded", "shaded.frag.glsl", "One colour under a studio light, as in solid mode"),
    Display(
        "deviation",
        "Deviation",
        "deviation.frag.glsl",
        "Heat map of the distance from Blender's own result, on a fixed scale",
        vertex_value="lib/value_deviation.glsl",
        needs_reference=True,
    ),
    Display("wireframe", "Wireframe", "wireframe.frag.glsl", "The edges of the mesh alone", primitive=EDGES),
)

WIREFRAME = "wireframe"

_BY_NAME = {display.name: display for display in DISPLAYS}


def find_display(name: str) -> Display:
    """Return the display called `name`.

    Raises:
        UsageError: there is none; the message lists them.
    """
    if name not in _BY_NAME:
        raise UsageError(f"'{name}' is no display; choose one of {', '.join(_BY_NAME)}.")
    return _BY_NAME[name]


@dataclass(frozen=True)
class DisplaySettings:
    """What the user may set about a picture.

    base_color, wire_color: linear Rec.709; the wire's last number is its opacity.
    wireframe: draw the edges over the display.
    heat_scale: in scene units.
    depth_bias: how far towards the viewer, as a share of depth. Drawn over Blender's own mesh, nothing at all would lose
        a quarter of the pixels to it.
    """

    base_color: tuple[float, float, float] = (0.8, 0.8, 0.8)
    wire_color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.6)
    wireframe: bool = False
    heat_scale: HeatScale = field(default_factory=HeatScale)
    depth_bias: float = 2e-5
