"""Marks of what may have changed in Blender: event handlers set them, previews act on them."""

from __future__ import annotations

Marks = int
"""Any of the marks in `Stale`, joined by `|`."""


class Stale:
    """What may have changed since a preview was last brought up to date.

    Plain numbers: every frame sets and clears them, and an enum's operators take ten times as long.
    """

    NOTHING: Marks = 0
    POSE: Marks = 1
    """Something moved."""
    OBJECTS: Marks = 2
    """The object or an armature changed somehow; its signature tells whether it has to be bound again."""
    MESH: Marks = 4
    """Coordinates, weights or modifiers changed: bind again."""
    PROFILE: Marks = 8
    """It should be skinned as another engine does: bind again."""
    SHAPE: Marks = 16
    """Animated shape keys moved vertices; if none has moved, the mesh was edited."""


MOVING = Stale.POSE | Stale.SHAPE
"""Marks after which the input of the first armature may have moved."""
