"""The properties that say what a game-ready copy is to be: of scenes, and of the operator that makes one."""

from __future__ import annotations

from math import pi, radians
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ...core.refit.free_bones import USUAL_TURN
from ...core.refit.helper_bones import MOST_HELPER_BONES
from ...core.refit.kind import Kind
from .lengths import DEVIATION_STEP

OF_SCENE = {
    "fit_weights": "fit_weights",
    "kind": "copy_kind",
    "helper_bones": "helper_bones",
    "clip_bones": "clip_bones",
    "tolerance": "copy_tolerance",
    "most_drift": "most_drift",
    "most_turn": "most_turn",
}
"""The operator's properties, and what they are called in a scene's settings."""

OF_OPERATOR: Any = {"SKIP_SAVE", "HIDDEN"}
"""It begins with the defaults each time. *Adjust Last Operation* doesn't offer them: each change would start a
fit of minutes there, without progress and without Esc.
"""

ANGLE_STEP = 1
"""In hundredths of a radian: what a pixel of dragging changes, about half a degree."""

KINDS = [
    (
        Kind.RUNTIME.name,
        "Runtime",
        "Authored bones move exactly as they did, so clips can be blended and retargeted",
    ),
    (
        Kind.BAKED.name,
        "Baked Clips",
        (
            "Bones move as suits each clip, which comes nearer; do not blend or retarget such clips. Root, "
            "hands, feet, head, eyes and sockets stay where they were authored"
        ),
    ),
]


def fit_weights_property(*, of_operator: bool = False) -> Any:
    """Return the property that says whether a game-ready copy gets fitted weights.

    of_operator: of this and of all others here, whether it is the operator's and not a scene's.
    """
    return BoolProperty(
        name="Fit Weights",
        description="Fit weights to Blender's final mesh over all clips and the range of motion, with another "
        "Blender in the background; otherwise each vertex keeps its largest weights",
        default=True,
        options=OF_OPERATOR if of_operator else set(),
    )


def copy_kind_property(*, of_operator: bool = False) -> Any:
    """Return the property that says which kind a game-ready copy is."""
    return EnumProperty(
        name="Kind",
        description="Whether the copy's bones move as they were authored, or as suits each clip",
        items=KINDS,
        default=Kind.RUNTIME.name,
        options=OF_OPERATOR if of_operator else set(),
    )


def helper_bones_property(*, of_operator: bool = False) -> Any:
    """Return the property that says how many helper bones a game-ready copy may have."""
    return IntProperty(
        name="Helper Bones",
        description="How many bones the copy may have more, each a blend of up to four others, for vertices "
        "that follow more bones than the engine takes",
        default=0,
        min=0,
        max=MOST_HELPER_BONES,
        soft_max=32,
        options=OF_OPERATOR if of_operator else set(),
    )


def clip_bones_property(*, of_operator: bool = False) -> Any:
    """Return the property that says whether helper bones of a game-ready copy get clip bones."""
    return BoolProperty(
        name="Clip Bones",
        description="Give each helper bone a child that is keyed in clips with what the blend leaves there, "
        "and rests on it elsewhere. Clips come nearer, and can still be blended; clear all transforms before "
        "you pose by hand",
        default=False,
        options=OF_OPERATOR if of_operator else set(),
    )


def tolerance_property(*, of_operator: bool = False) -> Any:
    """Return the property that says how near a game-ready copy is to come, in scene units; 0 for no matter."""
    return FloatProperty(
        name="Tolerance",
        description="Add helper bones until 99.9% of the vertices are within this, in frames that weights have "
        "not seen; if that is out of reach, the best is kept. 0 adds none",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        step=DEVIATION_STEP,
        precision=4,
        options=OF_OPERATOR if of_operator else set(),
    )


def most_drift_property(*, of_operator: bool = False) -> Any:
    """Return the property that says how far bones of baked clips may leave their places, in scene units; 0 for
    the usual part of the rig's size.
    """
    return FloatProperty(
        name="Most Drift",
        description="How far a bone's head may be from where it was authored. 0 is half a percent of the rig's "
        "size",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        step=DEVIATION_STEP,
        precision=4,
        options=OF_OPERATOR if of_operator else set(),
    )


def most_turn_property(*, of_operator: bool = False) -> Any:
    """Return the property that says how far bones of baked clips may be turned."""
    return FloatProperty(
        name="Most Turn",
        description="How far a bone may be turned from where it was authored",
        subtype="ANGLE",
        unit="ROTATION",
        default=radians(USUAL_TURN),
        min=0.0,
        max=pi,
        step=ANGLE_STEP,
        options=OF_OPERATOR if of_operator else set(),
    )


def draw_fit_options(layout: bpy.types.UILayout, settings: Any, names: dict[str, str]) -> None:
    """Draw what there is to choose for fitted weights. names: what the settings call each property, as in
    `OF_SCENE`.
    """
    layout.active = getattr(settings, names["fit_weights"])
    baked = getattr(settings, names["kind"]) == Kind.BAKED.name
    layout.prop(settings, names["kind"])
    layout.prop(settings, names["helper_bones"])
    if not baked:
        row = layout.row()
        row.active = getattr(settings, names["helper_bones"]) > 0 or getattr(settings, names["tolerance"]) > 0
        row.prop(settings, names["clip_bones"])
    for one in ("tolerance", *(("most_drift", "most_turn") if baked else ())):
        layout.prop(settings, names[one])
