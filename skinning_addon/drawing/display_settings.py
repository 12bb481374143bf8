"""What the user may set about a picture, whichever display it is of."""

from __future__ import annotations

from dataclasses import dataclass, field

from .heat_scale import HeatScale

USUAL_LIMIT = 4
"""Influences that every engine takes."""


@dataclass(frozen=True)
class DisplaySettings:
    """What the user may set about a picture.

    base_color, wire_color: linear Rec.709; the wire's last number is its opacity.
    wireframe: draw the edges over the display.
    heat_scale: for deviations, in scene units.
    active_bone: name of the armature object and the bone's index in its skeleton, for the weight of that bone.
    influence_limit: how many influences a vertex may keep, None for any number; for the displays of influence
    counts and of dropped weight.
    depth_bias: offset towards the viewer, as a share of depth. Without it, a quarter of the pixels drawn over
    Blender's own mesh would be lost. toward_viewer: by how much more, in scene units, it counts as nearer to
    the viewer than it is, to cover what it differs from.
    """

    base_color: tuple[float, float, float] = (0.8, 0.8, 0.8)
    wire_color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.6)
    wireframe: bool = False
    heat_scale: HeatScale = field(default_factory=HeatScale)
    active_bone: tuple[str, int] | None = None
    influence_limit: int | None = USUAL_LIMIT
    depth_bias: float = 2e-5
    toward_viewer: float = 0.0
