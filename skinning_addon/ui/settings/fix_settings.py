"""What fixes have done to a mesh's shape: written by them, so that undo takes it back with the fix."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty, IntProperty, PointerProperty, StringProperty

from ...core.verdicts.verdict import Level
from ...viewport.choices.moved_shapes import FIXES


class SKINSCOPE_PG_fixes(bpy.types.PropertyGroup):
    """How far fixes have moved a mesh from its authored shape."""

    moved: FloatProperty(name="Moved", description="Distance from the authored shape, in meters", min=0.0)
    level: IntProperty(name="Level", description="How bad that is, as a check judges it", min=0, max=3)
    count: IntProperty(name="Fixes", description="Number of fixes that moved the mesh", min=0)
    name: StringProperty(name="Fix", description="The last fix")

    def add(self, name: str, moved: float, level: Level) -> None:
        """Note a fix that has moved the mesh. moved: metres."""
        self.moved += moved
        self.level = max(self.level, int(level))
        self.count += 1
        self.name = name

    def forget(self) -> None:
        """Take the present shape for the authored one."""
        for name in ("moved", "level", "count", "name"):
            self.property_unset(name)


def fix_settings(mesh_object: bpy.types.Object) -> SKINSCOPE_PG_fixes:
    """Return what fixes have done to a mesh object."""
    return getattr(mesh_object, FIXES)


def add_fix_settings() -> None:
    """Give objects a place for it."""
    setattr(bpy.types.Object, FIXES, PointerProperty(type=SKINSCOPE_PG_fixes))


def remove_fix_settings() -> None:
    """Undo `add_fix_settings`."""
    delattr(bpy.types.Object, FIXES)
