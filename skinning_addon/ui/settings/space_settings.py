"""Settings for where a scene stops skinning, to look at it step by step."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from ...core.inspection.spaces import BONE, MESH, RESULT, ROOT
from ...viewport.choices.settings import SpaceStep
from ...viewport.choices.translation import CONTEXT
from ...viewport.redraw import redraw_views

SPACE_ITEMS = [
    ("MESH", "Mesh", "The rest shape, as modeled", MESH),
    (
        "BONE",
        "Bone",
        "After offset: each part in the space of its bone at rest. Bones point along Y",
        BONE,
    ),
    ("ROOT", "Root", "After to_root: moved by the posed bones and blended, in the space of the armature", ROOT),
    ("RESULT", "Result", "Back in the space of the mesh, where skinning ends", RESULT),
]  # fmt: skip


def _redraw(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    redraw_views()


class SKINSCOPE_PG_spaces(bpy.types.PropertyGroup):
    """Where skinning is stopped."""

    shown: BoolProperty(
        name="Spaces",
        description="Stop skinning at a step and draw the mesh as it is there, to see what each matrix does",
        default=False,
        update=_redraw,
    )
    step: FloatProperty(
        name="Step",
        description="Step of skinning: 0 is mesh space, 1 bone space, 2 root space, 3 the result, with "
        "blends in between",
        default=float(BONE),
        min=float(MESH),
        max=float(RESULT),
        step=5,
        precision=2,
        update=_redraw,
    )
    space: EnumProperty(
        name="Space",
        translation_context=CONTEXT,
        description="Step to stop skinning at",
        items=SPACE_ITEMS,
        get=lambda settings: round(settings.step),  # pyright: ignore[reportAttributeAccessIssue]
        set=lambda settings, number: setattr(settings, "step", float(number)),
    )
    spread: FloatProperty(
        name="Spread",
        translation_context=CONTEXT,
        description="How far to spread the parts apart in bone space, where they would overlap",
        subtype="FACTOR",
        default=1.0,
        min=0.0,
        max=1.0,
        update=_redraw,
    )


def space_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_spaces:
    """Return a scene's settings for stopping skinning."""
    return scene.skinscope.spaces  # pyright: ignore[reportAttributeAccessIssue]


def step_of(settings: SKINSCOPE_PG_spaces) -> SpaceStep | None:
    """Return the settings as the draw handlers need them; None if skinning is not stopped."""
    return SpaceStep(settings.step, settings.spread) if settings.shown else None
