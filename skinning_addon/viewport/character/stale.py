"""Marks of what may have changed in Blender: event handlers set them, previews act on them."""

from __future__ import annotations

from enum import IntFlag


class Stale(IntFlag):
    """What may have changed since a preview was last brought up to date."""

    NOTHING = 0
    POSE = 1
    """Something moved."""
    OBJECTS = 2
    """The object or an armature changed somehow; its signature tells whether it has to be bound again."""
    MESH = 4
    """Coordinates, weights or modifiers changed: bind again."""
    PROFILE = 8
    """It should be skinned as another engine does: bind again."""
    SHAPE = 16
    """Animated shape keys moved vertices; if none has moved, the mesh was edited."""


MOVING = Stale.POSE | Stale.SHAPE
"""Marks after which the input of the first armature may have moved."""
