"""From a figure to the mesh: selecting the vertices that are off, and viewing the worst one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import bpy
import numpy as np
from bpy.props import FloatProperty
from numpy.typing import NDArray

from ...core.skinning.deviation import Deviation
from ...core.text.errors import SkinscopeError
from ...core.text.length import format_length
from ...core.text.message import Message
from ...measurement.frame.mesh_measurement import MeshMeasurement
from ...scene.binding.instant import Instant
from ...scene.editing.vertex_selection import (
    check_vertices_are_its_own,
    enter_edit_mode,
    select_objects,
    select_vertices,
)
from ...scene.meshes.armature_result import modifiers_after, read_armature_result
from ...scene.meshes.blender_result import read_blender_result
from ...scene.object_data import mesh_of
from ...viewport.character.held_mesh import read_places
from ...viewport.character.view import drawn_to_world
from ...viewport.choices.preferences import FACTORY
from ...viewport.choices.translation import translated, translated_report
from ...viewport.layers import layer_key
from ...viewport.objects.view_framing import frame_vertex
from ...viewport.session import current_session
from ..settings.lengths import DEVIATION_STEP
from ..settings.properties import preview_settings, scene_settings
from ..widgets.focus import figures_of, mesh_in_layer_of, meshes_in_focus, preview_in_focus

MODES = frozenset({"OBJECT", "POSE", "EDIT_MESH", "PAINT_WEIGHT"})
"""Modes in which vertices can be selected; from others, users wouldn't expect to end up in Edit Mode."""


class SKINSCOPE_OT_select_deviating(bpy.types.Operator):
    """In Edit Mode, select vertices that deviate from Blender by more than a threshold, on the active mesh or on all previewed meshes of the active armature"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.select_deviating"
    bl_label = "Select Deviating Vertices"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    threshold: FloatProperty(
        name="Threshold",
        description="Select vertices that deviate by more than this",
        subtype="DISTANCE",
        unit="LENGTH",
        default=FACTORY.fail_from,
        min=0.0,
        soft_max=1.0,
        step=DEVIATION_STEP,
        precision=4,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        meshes = meshes_in_focus(context)
        problem = ""
        if not meshes:
            problem = Message("Make a mesh with an armature active, or start a preview")
        elif context.mode not in MODES:
            problem = Message("Switch to Object Mode")
        elif not any(_is_local(one) for one in meshes):
            problem = Message("Make the mesh local: linked meshes can't be edited")
        elif not any(_is_editable(one) for one in meshes):
            problem = Message("'{mesh}' is hidden; show it to select its vertices.", mesh=meshes[0].name)
        if problem:
            cls.poll_message_set(translated(problem))
        return not problem

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if not self.properties.is_property_set("threshold"):
            self.threshold = scene_settings(context.scene).threshold
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        meshes = [one for one in meshes_in_focus(context) if _is_editable(one)]
        active = context.active_object
        mode = active.mode if active is not None else "OBJECT"
        if mode != "OBJECT":
            # In Edit Mode Blender does not deform the mesh.
            bpy.ops.object.mode_set(mode="OBJECT")
        measured = self._measured(context, meshes)
        above = [(one, ~(deviation.distance <= self.threshold)) for one, deviation in measured]
        # Redone with another threshold it may find nothing, but must stay available to be redone again.
        found = above if self.options.is_repeat else [one for one in above if one[1].any()]
        if not found:
            if measured:
                self._tell_nothing(*measured[0], len(measured))
            if mode != "OBJECT":
                bpy.ops.object.mode_set(mode=mode)
            return {"CANCELLED"}
        if meshes != [active]:
            worst = max(measured, key=lambda one: one[1].max)[0]
            select_objects(context, [one for one, _ in found], worst)
        enter_edit_mode(context)
        told = Message(
            "{count:,} of {total:,} vertices are off by more than {distance}",
            count=select_vertices(found),
            total=sum(len(vertices) for _, vertices in above),
            distance=format_length(measured[0][1].metres(self.threshold)),
        )
        self.report({"INFO"}, translated_report(told))
        return {"FINISHED"}

    def _measured(
        self, context: bpy.types.Context, meshes: Iterable[bpy.types.Object]
    ) -> list[tuple[bpy.types.Object, Deviation]]:
        """Measure meshes; report those that can't be."""
        measured: list[tuple[bpy.types.Object, Deviation]] = []
        problems: list[SkinscopeError] = []
        for one in meshes:
            try:
                measured.append((one, _deviation_of(context, one)))
            except SkinscopeError as error:
                problems.append(error)
        # Reporting an error would make the operator fail for its caller; with some meshes measured it has not
        # failed.
        for error in problems:
            self.report({"WARNING"} if measured else {"ERROR"}, translated_report(str(error)))
        return measured

    def _tell_nothing(self, mesh_object: bpy.types.Object, deviation: Deviation, count: int) -> None:
        distance = format_length(deviation.metres(self.threshold))
        nothing = (
            Message(
                "None of {count} meshes has a vertex that is off by more than {distance}",
                count=count,
                distance=distance,
            )
            if count > 1
            else Message(
                "No vertex of '{mesh}' is off by more than {distance}",
                mesh=mesh_object.name,
                distance=distance,
            )
        )
        self.report({"INFO"}, translated_report(nothing))


def _is_local(mesh_object: bpy.types.Object) -> bool:
    return not (mesh_object.library or mesh_of(mesh_object).library)


def _is_editable(mesh_object: bpy.types.Object) -> bool:
    return _is_local(mesh_object) and mesh_object.visible_get()


def _deviation_of(context: bpy.types.Context, mesh_object: bpy.types.Object) -> Deviation:
    """Measure a mesh at the current frame, as its preview does. On the CPU: an operator may run without a
    GPU.

    Raises:
        SkinscopeError: it can't be measured, or its vertices don't match the measured ones.
    """
    session, depsgraph = current_session(), context.evaluated_depsgraph_get()
    measurement = MeshMeasurement(mesh_object, Instant(depsgraph), "cpu", session.profile_in(depsgraph))
    held = read_places(context.scene, mesh_object, measurement.binding, session.exported_at(context.scene))
    depsgraph = context.evaluated_depsgraph_get()
    instant = Instant(depsgraph, held=held)
    read_result = read_armature_result if modifiers_after(mesh_object, depsgraph) else read_blender_result
    try:
        deviation = measurement.measure(mesh_object, instant, read_result).deviation
    finally:
        measurement.free()
    check_vertices_are_its_own(mesh_object, len(deviation.distance))
    return deviation


def _instance_to_world(context: bpy.types.Context, uid: int) -> NDArray[np.float64] | None:
    """Return the first instance's placement of a mesh, mesh to world; None if the mesh itself is visible."""
    session = current_session()
    mesh_object = session.objects.find(uid)
    instances = session.instances.of(uid, layer_key(context.scene, context.view_layer))
    if not instances or (mesh_object is not None and mesh_object.visible_get()):
        return None
    return instances[0].mesh_to_world


class SKINSCOPE_OT_frame_worst_vertex(bpy.types.Operator):
    """Center the 3D view on the vertex that deviates most, from a side where it is visible"""

    bl_idname = "skinscope.frame_worst_vertex"
    bl_label = "Frame Worst Vertex"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.area is None or context.area.type != "VIEW_3D":
            cls.poll_message_set(translated(Message("Run this in a 3D view")))
            return False
        preview = preview_in_focus(context)
        figures = figures_of(preview, context) if preview else None
        if figures is None or figures.deviation is None:
            cls.poll_message_set(translated(Message("Start a preview of a mesh and show it in this view")))
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        preview = preview_in_focus(context)
        live = mesh_in_layer_of(preview, context) if preview else None
        if (
            preview is None
            or live is None
            or live.frame is None
            or live.figures is None
            or live.figures.deviation is None
        ):
            return {"CANCELLED"}
        to_world = drawn_to_world(
            live.frame, preview_settings(context.scene), _instance_to_world(context, preview.uid)
        )
        positions = live.surface.positions(live.frame) @ to_world[:3, :3] + to_world[3, :3]
        deviation = live.figures.deviation
        space = context.space_data
        frame_vertex(space, positions, live.binding.mesh.triangles, deviation.worst_vertex, deviation.max)
        if space.lock_object or space.lock_cursor:
            locked = Message("The view can't move because it is locked to an object or the cursor; unlock it")
            self.report({"WARNING"}, translated_report(locked))
        return {"FINISHED"}
