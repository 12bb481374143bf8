"""Settings for how a scene's matrices are written."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, IntProperty

from ...core.inspection.matrix_text import MatrixNotation


class SKINSCOPE_PG_matrices(bpy.types.PropertyGroup):
    """How the matrices of the active bone are written."""

    vectors: EnumProperty(
        name="Vectors",
        description="Which side of a matrix the vector is on",
        items=[
            ("ROW", "Rows", "Row vectors, v * M, with the location in the last row"),
            ("COLUMN", "Columns", "Column vectors, M * v, with the location in the last column"),
        ],
        default="ROW",
    )
    axes: EnumProperty(
        name="Axes",
        description="Axes of mesh and root space; bones point along their own Y axis in both",
        items=[
            ("Z_UP", "Z Up", "Blender's axes"),
            ("Y_UP", "Y Up", "The axes of glTF and of most engines: X stays, Z becomes Y, and Y becomes -Z"),
        ],
        default="Z_UP",
    )
    joint: IntProperty(
        name="Joint",
        description="Joint of a bendy bone, from 0 at its head to its number of segments at its tail",
        default=0,
        min=0,
        soft_max=32,
    )


def matrix_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_matrices:
    """Return a scene's settings for writing matrices."""
    return scene.skinscope.matrices  # pyright: ignore[reportAttributeAccessIssue]


def notation_of(settings: SKINSCOPE_PG_matrices) -> MatrixNotation:
    """Return the settings as core's notation."""
    return MatrixNotation(column_vectors=settings.vectors == "COLUMN", y_up=settings.axes == "Y_UP")
