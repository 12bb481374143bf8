"""The property that chooses between the kinds of game-ready copy."""

from __future__ import annotations

from typing import Any

from bpy.props import EnumProperty

from ...core.refit.kind import Kind

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


def copy_kind_property(*, skip_save: bool = False) -> Any:
    """Return the property of scenes and operators that says which kind a game-ready copy is.

    skip_save: whether an operator begins with the default each time.
    """
    return EnumProperty(
        name="Kind",
        description="Whether the copy's bones move as they were authored, or as suits each clip",
        items=KINDS,
        default=Kind.RUNTIME.name,
        options={"SKIP_SAVE"} if skip_save else set(),
    )
