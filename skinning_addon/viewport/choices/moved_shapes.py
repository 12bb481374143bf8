"""How far fixes have moved meshes from their authored shapes, as the fixes noted it with the objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy

from ...core.verdicts.verdict import Level

FIXES = "skinscope_fixes"
"""The attribute of an object that holds it, see `ui.settings.fix_settings`."""


@dataclass(frozen=True)
class MovedShape:
    """moved: metres, at most. level: how bad that is. fixes: how many moved it. last: the last one's label."""

    mesh: str
    moved: float
    level: Level
    fixes: int
    last: str


def moved_shape(mesh_object: bpy.types.Object | None) -> MovedShape | None:
    """Return how far fixes have moved a mesh; None if none has."""
    noted: Any = getattr(mesh_object, FIXES, None)
    if mesh_object is None or noted is None or not noted.count:
        return None
    return MovedShape(mesh_object.name, noted.moved, Level(noted.level), noted.count, noted.name)
