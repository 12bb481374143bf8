"""Placing copies of objects like their originals, without parents, constraints or animation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

IDENTITY = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))

_BASIS = (
    "rotation_mode",
    "location",
    "rotation_euler",
    "rotation_quaternion",
    "rotation_axis_angle",
    "scale",
    "delta_location",
    "delta_rotation_euler",
    "delta_rotation_quaternion",
    "delta_scale",
)

_STANDING = "Standing"
"""Name of the constraint that places a copy with a local space."""


def stand_at(copy: bpy.types.Object, placed: bpy.types.Object, origin: bpy.types.Object) -> None:
    """Give a copy the exact world transform of `placed`: a parent inverse can hold any matrix, even shear."""
    world = placed.matrix_world.copy()
    copy.parent, copy.parent_type = origin, "OBJECT"
    copy.matrix_parent_inverse = world
    copy.delta_location = copy.delta_rotation_euler = (0, 0, 0)
    copy.delta_rotation_quaternion = (1, 0, 0, 0)
    copy.delta_scale = (1, 1, 1)
    # After the deltas, which Blender subtracts from the matrix set here.
    copy.matrix_basis = IDENTITY


def stand_in_local_space(
    copy: bpy.types.Object,
    placed: bpy.types.Object,
    origin: bpy.types.Object,
    new_empty: Callable[[], bpy.types.Object],
) -> None:
    """Give a copy the local space of `placed`, too, for constraints that read their target in local space.

    In Blender, that is the world matrix without the parent's transform and inverse, whatever the parent type;
    without a parent, the world matrix without the object's own rotation and scale.

    placed: the evaluated original. new_empty: creates an empty that is removed together with the copy.
    """
    if _STANDING in copy.constraints:
        return
    if placed.parent:
        parent = new_empty()
        stand_at(parent, placed.parent, origin)
        copy.parent, copy.parent_type = parent, "OBJECT"
        copy.matrix_parent_inverse = placed.matrix_parent_inverse
    else:
        copy.parent = None
        for name in _BASIS:
            setattr(copy, name, getattr(placed, name))
    # This includes the effects of its own constraints and of a parent bone.
    empty = new_empty()
    stand_at(empty, placed, origin)
    standing: Any = copy.constraints.new("COPY_TRANSFORMS")
    standing.name, standing.target = _STANDING, empty
