"""The basis of all mesh fixes: choosing the mesh, refusing, and reporting the state before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...core.verdicts.verdict import Level
from ...measurement.profiles.fix_measurement import FixMeasurement
from ...scene.editing.vertex_group_writer import write_weights
from ...scene.object_data import mesh_of
from ...scene.objects.modifier_stack import armature_objects
from ...viewport.choices.translation import translated, translated_report
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..settings.fix_settings import fix_settings
from ..settings.profile_settings import profile_in_focus
from ..widgets.wrapped_label import wrapped_label
from .check_operator import MODES, WRONG_MODE
from .checked_objects import checked_object_in
from .finding_operators import finding_in_focus
from .profile_check_operator import chosen_playbacks


def mesh_to_fix(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the mesh to fix: the active finding's, else the active one if an armature deforms it."""
    finding = finding_in_focus(context)
    named = checked_object_in(context.scene, finding.object) if finding is not None else None
    one = named or context.active_object
    return one if one is not None and one.type == "MESH" and armature_objects(one) else None


REDO_WIDTH = 13.0
"""Text width of Adjust Last Operation and its popup (F9), in widget heights; the region's width doesn't tell
it there.
"""


class MeshFix:
    """Operators that change a mesh or what moves it: `prepare` computes and may refuse, then `change` applies
    and can't fail half-way.

    moves_objects: whether objects or bones lie otherwise afterwards. changes_playback: whether files have
    another motion afterwards, so that the engine is compared with what Blender plays.
    """

    told: StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    moves_objects = False
    changes_playback = False
    shown = ()

    if TYPE_CHECKING:

        def report(self, _kind: set[str], _message: str) -> None: ...

        def prepare(
            self, _context: bpy.types.Context, _mesh_object: bpy.types.Object, _measured: FixMeasurement
        ) -> object:
            """Compute the changes without applying them. Raises SkinscopeError if there is nothing to do."""
            ...

        def change(self, _mesh_object: bpy.types.Object, _prepared: object) -> Message:
            """Change the mesh; return a sentence, without full stop, that says what was done."""
            ...

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        problem = _problem(context)
        if problem:
            cls.poll_message_set(translated(problem))  # pyright: ignore[reportAttributeAccessIssue]
        return not problem

    def execute(self, context: bpy.types.Context) -> set[str]:
        mesh_object = mesh_to_fix(context)
        if mesh_object is None:
            return {"CANCELLED"}
        scene = context.scene
        try:
            playbacks = chosen_playbacks(scene, [mesh_object])
            measured = FixMeasurement(
                scene, mesh_object, profile_in_focus(scene), playbacks, in_blender=self.changes_playback
            )
            prepared = self.prepare(context, mesh_object, measured)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        done = self.change(mesh_object, prepared)
        context.view_layer.update()
        told = Message(
            "{done}; {figures}",
            done=done,
            figures=measured.finish(mesh_object, moved=self.moves_objects or self.changes_playback),
        )
        self.told = translated(told)
        self.report({"INFO"}, translated_report(told))
        if measured.moved_level > Level.SAME:
            label = type(self).bl_label  # pyright: ignore[reportAttributeAccessIssue]
            fix_settings(mesh_object).add(label, measured.moved, measured.moved_level)
        current_session().checks.results.mark_outdated()
        redraw_views()
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout: bpy.types.UILayout = self.layout  # pyright: ignore[reportAttributeAccessIssue]
        layout.use_property_split = True
        for name in self.shown:
            layout.prop(self, name)
        for sentence in self.told.split("; "):
            wrapped_label(layout, context, sentence, width=REDO_WIDTH)


def _problem(context: bpy.types.Context) -> str:
    mesh_object = mesh_to_fix(context)
    if mesh_object is None:
        return Message("Make a mesh with an armature active")
    if context.mode not in MODES:
        return WRONG_MODE
    if mesh_object.library or mesh_of(mesh_object).library:
        return Message("Make the mesh local: linked meshes can't be edited")
    if mesh_object.override_library:
        return Message("Make the mesh local: weights of library overrides can't be edited")
    return ""


class WeightFix(MeshFix):
    """Fixes that change weights."""

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:
        before, after = prepared  # pyright: ignore[reportGeneralTypeIssues]
        count = len(write_weights(mesh_object, before, after))
        if count == 1:
            return Message("Weights of a vertex of '{mesh}' changed", mesh=mesh_object.name)
        return Message(
            "Weights of {count:,} vertices of '{mesh}' changed", count=count, mesh=mesh_object.name
        )
