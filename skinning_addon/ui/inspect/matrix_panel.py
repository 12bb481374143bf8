"""The matrices of the active bone, in the reader's notation, and decomposed."""

from __future__ import annotations

from typing import ClassVar

import bpy
import numpy as np
from bpy.props import BoolProperty

from ...core.inspection.decomposition import Decomposition, decompose
from ...core.inspection.matrix_text import MatrixNotation, NamedMatrix, matrices_as_python, matrices_as_text
from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...viewport.choices.translation import translated, translated_report, translated_tip
from ..settings.matrix_settings import matrix_settings, notation_of
from ..widgets.sidebar import DeveloperPanel
from ..widgets.table import decimals_that_fit, draw_numbers, draw_vectors, numbers
from ..widgets.wrapped_label import wrapped_label
from .bone_focus import BoneInFocus, bone_in_focus, read_bone_in_focus

DECIMALS = 3
"""Maximum for the numbers in a matrix; copied text has more."""

TITLES = {
    "to_parent": Message("To Parent"),
    "to_root": Message("To Root"),
    "rest_to_root": Message("To Root, at Rest"),
    "offset": Message("Offset"),
    "final": Message("Final"),
}

NEEDS_BONE = Message("Make an armature or one of its meshes active, and select a bone")


class SKINSCOPE_PT_matrices(DeveloperPanel, bpy.types.Panel):
    """The active bone's matrices at the current frame"""

    bl_label = "Matrices"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        focus = bone_in_focus(context)
        if focus is None:
            wrapped_label(layout, context, NEEDS_BONE, "INFO")
            return
        layout.label(text=focus.name, icon="BONE_DATA", translate=False)
        if focus.mesh_object is not None:
            layout.label(text=focus.mesh_object.name, icon="MESH_DATA", translate=False)
        settings = matrix_settings(context.scene)
        layout.row().prop(settings, "vectors", expand=True)
        layout.row().prop(settings, "axes", expand=True)
        if focus.joints > 1:
            layout.prop(settings, "joint")
        try:
            matrices = read_bone_in_focus(context, focus)
        except SkinscopeError as error:
            wrapped_label(layout, context, str(error), "ERROR")
            return
        for matrix in matrices.named():
            _draw_matrix(layout, context, matrix, notation_of(settings))
        if matrices.to_parent is None:
            zero = Message("The parent is scaled to zero, so there is no matrix to it")
            wrapped_label(layout, context, zero, "INFO")
        if focus.mesh_object is None:
            hint = Message("Select a mesh of the armature as well to see Offset and Final")
            wrapped_label(layout, context, hint, "INFO")
        row = layout.row(align=True)
        row.operator(
            SKINSCOPE_OT_copy_matrices.bl_idname, text="Copy Text", icon="COPYDOWN"
        ).as_python = False
        row.operator(
            SKINSCOPE_OT_copy_matrices.bl_idname, text="Copy Python", icon="COPYDOWN"
        ).as_python = True


def _draw_matrix(
    layout: bpy.types.UILayout, context: bpy.types.Context, matrix: NamedMatrix, notation: MatrixNotation
) -> None:
    header, body = layout.panel(f"SKINSCOPE_PT_matrix_{matrix.name}", default_closed=matrix.name != "final")
    header.label(text=translated(TITLES[matrix.name]), translate=False)
    if body is None:
        return
    grid = body.column(align=True)
    for values in matrix.written(notation):
        # Rotated axes and distant positions share a row: each gets the decimals that fit its size.
        draw_numbers(
            grid, [numbers(one, min(DECIMALS, decimals_that_fit(one)))[0] for one in values[:, None]]
        )
    decomposition = decompose(matrix.in_axes(notation))
    draw_vectors(body, _decomposition_in_words(decomposition))
    if decomposition.sheared:
        shear = Message(
            "Sheared by {degrees:.2g}°, which rotation and scale can't express",
            degrees=np.degrees(decomposition.shear),
        )
        wrapped_label(body, context, shear, "ERROR")


def _decomposition_in_words(decomposition: Decomposition) -> list[tuple[Message, list[str]]]:
    axis, angle = decomposition.axis_angle
    return [
        (Message("Location"), numbers(decomposition.location)),
        (Message("Euler XYZ"), numbers(decomposition.euler, 1, "°")),
        (Message("Quaternion"), numbers(decomposition.quaternion, 2)),
        (Message("Axis, Angle"), [*numbers(axis, 2), f"{angle:.1f}°"]),
        (Message("Scale"), numbers(decomposition.scale, DECIMALS)),
    ]


class SKINSCOPE_OT_copy_matrices(bpy.types.Operator):
    """Copy the active bone's matrices to the clipboard as the panel shows them"""

    bl_idname = "skinscope.copy_matrices"
    bl_label = "Copy Matrices"
    bl_options: ClassVar = {"REGISTER"}

    as_python: BoolProperty(
        name="As Python",
        description="Copy tuples of rows at full precision, for numpy.array and mathutils.Matrix, instead "
        "of aligned text",
        default=False,
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        if getattr(properties, "as_python", False):
            return translated_tip(Message("Copy the active bone's matrices at full precision, for Python"))
        return ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if bone_in_focus(context) is None:
            cls.poll_message_set(translated(NEEDS_BONE))
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        focus = bone_in_focus(context)
        if focus is None:
            return {"CANCELLED"}
        try:
            copied = written_matrices(context, focus, as_python=self.as_python)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(str(error)))
            return {"CANCELLED"}
        context.window_manager.clipboard = copied
        self.report({"INFO"}, translated_report(Message("Copied the matrices of '{bone}'", bone=focus.name)))
        return {"FINISHED"}


def written_matrices(context: bpy.types.Context, focus: BoneInFocus, *, as_python: bool) -> str:
    """Write all matrices of a bone, in English: the text is for scripts and bug reports.

    Raises:
        BindingError: an object is scaled to zero.
    """
    title = f"{focus.armature.name}, {focus.name}, frame {context.scene.frame_current_final:g}"
    if focus.mesh_object is not None:
        title += f", mesh {focus.mesh_object.name}"
    write = matrices_as_python if as_python else matrices_as_text
    matrices = read_bone_in_focus(context, focus).named()
    return write(title, matrices, notation_of(matrix_settings(context.scene)))
