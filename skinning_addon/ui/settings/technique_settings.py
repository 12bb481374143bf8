"""Settings for the technique that skins and draws a scene's previews."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, IntProperty

from ...drawing.techniques import AUTOMATIC_TECHNIQUE, TECHNIQUES, TechniqueChoice
from ...viewport.redraw import redraw_views

FACTORY = TechniqueChoice()

TECHNIQUE_ITEMS = [
    (_one.name.upper().replace("-", "_"), _one.label, _one.description, number)
    for number, _one in enumerate(TECHNIQUES)
]
NAMES = {item[0]: one.name for item, one in zip(TECHNIQUE_ITEMS, TECHNIQUES, strict=True)}


def _redraw(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    redraw_views()


class SKINSCOPE_PG_technique(bpy.types.PropertyGroup):
    """How meshes are skinned and drawn."""

    technique: EnumProperty(
        name="Technique",
        description="How to skin and draw previews; the result is the same, the cost is not",
        items=TECHNIQUE_ITEMS,
        default=AUTOMATIC_TECHNIQUE.upper(),
        update=_redraw,
    )
    joints_per_group: IntProperty(
        name="Joint Limit",
        description="Most joints that the faces of one draw call may use",
        default=FACTORY.limit,
        min=1,
        soft_min=4,
        max=341,
        update=_redraw,
    )


def technique_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_technique:
    """Return a scene's technique settings."""
    return scene.skinscope.technique  # pyright: ignore[reportAttributeAccessIssue]


def choice_of(settings: SKINSCOPE_PG_technique) -> TechniqueChoice:
    """Return the settings as the draw handlers need them."""
    return TechniqueChoice(NAMES[settings.technique], settings.joints_per_group)
