"""Placing copies of objects like their originals, without parents, constraints and animation."""

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
"""The constraint of a copy that stands in a local space."""


def stand_at(copy: bpy.types.Object, placed: bpy.types.Object, origin: bpy.types.Object) -> None:
    """Put a copy where `placed` is. An inverse of a parent's matrix takes any matrix, shear and all, to the
    last digit.
    """
    world = placed.matrix_world.copy()
    copy.parent, copy.parent_type = origin, "OBJECT"
    copy.matrix_parent_inverse = world
    copy.delta_location = copy.delta_rotation_euler = (0, 0, 0)
    copy.delta_rotation_quaternion = (1, 0, 0, 0)
    copy.delta_scale = (1, 1, 1)
    # After the deltas, which are taken out of what is set here.
    copy.matrix_basis = IDENTITY


def stand_in_local_space(
    copy: bpy.types.Object,
    placed: bpy.types.Object,
    origin: bpy.types.Object,
    new_empty: Callable[[], bpy.types.Object],
) -> None:
    """Give a copy that stands where `placed` does its local space too, for constraints that look for their
    target there.

    To Blender that space is what the parent, whatever the type of the parent, and its inverse leave of the
    matrix to the world; where there is no parent, what its own rotation and scale leave of it.

    placed: the original, as it is evaluated. new_empty: makes an empty that ends with the copy.
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
    # Whatever its own constraints, or a parent bone, made of it.
    place = new_empty()
    stand_at(place, placed, origin)
    standing: Any = copy.constraints.new("COPY_TRANSFORMS")
    standing.name, standing.target = _STANDING, place
