"""From a figure to where it is: selecting the vertices that are off, and looking at the worst of them."""

from __future__ import annotations

from typing import ClassVar

import bpy
import numpy as np
from bpy.props import FloatProperty
from numpy.typing import NDArray

from ..core.deviation import Deviation
from ..core.errors import SkinscopeError
from ..core.length import format_length
from ..core.message import Message
from ..measurement.mesh_measurement import MeshMeasurement
from ..scene.object_data import mesh_of
from ..scene.vertex_selection import check_vertices_are_its_own, select_vertices
from ..viewport.preferences import FACTORY
from ..viewport.session import current_session, layer_key
from ..viewport.translation import translated, translated_report
from ..viewport.view import drawn_to_world
from ..viewport.view_framing import frame_vertex
from .focus import figures_of, live_mesh_of, preview_in_focus
from .properties import preview_settings, scene_settings


class SKINSCOPE_OT_select_deviating(bpy.types.Operator):
    """Select the vertices of the active mesh that lie farther than a threshold from where Blender has them, in Edit Mode"""

    bl_idname = "skinscope.select_deviating"
    bl_label = "Select Deviating Vertices"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    threshold: FloatProperty(
        name="Threshold",
        description="Vertices that deviate by more than this are selected",
        subtype="DISTANCE",
        unit="LENGTH",
        default=FACTORY.fail_from,
        min=0.0,
        soft_max=1.0,
        step=0.1,
        precision=4,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        active = context.active_object
        if active is None or active.type != "MESH":
            cls.poll_message_set(translated(Message("Make a mesh active that an armature deforms")))
            return False
        if active.mode not in {"OBJECT", "EDIT", "WEIGHT_PAINT"}:
            cls.poll_message_set(translated(Message("Switch to Object Mode")))
            return False
        if active.library or mesh_of(active).library:
            cls.poll_message_set(translated(Message("Make the mesh local: linked meshes can't be edited")))
            return False
        return True

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if not self.properties.is_property_set("threshold"):
            self.threshold = scene_settings(context.scene).threshold
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        mesh_object = context.active_object
        if mesh_object is None:
            return {"CANCELLED"}
        mode = mesh_object.mode
        if mode != "OBJECT":
            # In Edit Mode Blender does not deform the mesh.
            bpy.ops.object.mode_set(mode="OBJECT")
        try:
            deviation = _measured(context, mesh_object)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(str(error)))
            bpy.ops.object.mode_set(mode=mode)
            return {"CANCELLED"}
        above = ~(deviation.distance <= self.threshold)
        distance = format_length(deviation.metres(self.threshold))
        # Repeated with another threshold it finds nothing perhaps, and must go on being there to be repeated again.
        if not above.any() and not self.options.is_repeat:
            nothing = Message(
                "No vertex of '{mesh}' is off by more than {distance}",
                mesh=mesh_object.name,
                distance=distance,
            )
            self.report({"INFO"}, translated_report(nothing))
            bpy.ops.object.mode_set(mode=mode)
            return {"CANCELLED"}
        bpy.ops.object.mode_set(mode="EDIT")
        context.tool_settings.mesh_select_mode = (True, False, False)
        count = select_vertices(mesh_object, above)
        found = Message(
            "{count:,} of {total:,} vertices are off by more than {distance}",
            count=count,
            total=len(above),
            distance=distance,
        )
        self.report({"INFO"}, translated_report(found))
        return {"FINISHED"}


def _measured(context: bpy.types.Context, mesh_object: bpy.types.Object) -> Deviation:
    """Measure a mesh at the present frame. On the processor: an operator may run where there is no GPU.

    Raises:
        SkinscopeError: it can't be measured, or its vertices are not those that are.
    """
    depsgraph = context.evaluated_depsgraph_get()
    measurement = MeshMeasurement(mesh_object, depsgraph, "cpu")
    deviation = measurement.measure(mesh_object, depsgraph).deviation
    measurement.free()
    check_vertices_are_its_own(mesh_object, len(deviation.distance))
    return deviation


def _place(context: bpy.types.Context, uid: int) -> NDArray[np.float64] | None:
    """Return where the first instance of a mesh stands, mesh to world; None where the mesh itself is to be seen."""
    session = current_session()
    mesh_object = session.objects.find(uid)
    instances = session.instances.of(uid, layer_key(context.scene, context.view_layer))
    if not instances or (mesh_object is not None and mesh_object.visible_get()):
        return None
    return instances[0].mesh_to_world


class SKINSCOPE_OT_frame_worst_vertex(bpy.types.Operator):
    """Move the 3D view so that the vertex that deviates most is in its middle, seen from a side that shows it"""

    bl_idname = "skinscope.frame_worst_vertex"
    bl_label = "Frame Worst Vertex"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.area is None or context.area.type != "VIEW_3D":
            cls.poll_message_set(translated(Message("Use it in a 3D view")))
            return False
        preview = preview_in_focus(context)
        figures = figures_of(preview, context) if preview else None
        if figures is None or figures.deviation is None:
            cls.poll_message_set(translated(Message("Start the preview of a mesh, and show it in this view")))
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        preview = preview_in_focus(context)
        live = live_mesh_of(preview, context) if preview else None
        if (
            preview is None
            or live is None
            or live.frame is None
            or live.figures is None
            or live.figures.deviation is None
        ):
            return {"CANCELLED"}
        to_world = drawn_to_world(live.frame, preview_settings(context.scene), _place(context, preview.uid))
        positions = live.surface.positions(live.frame) @ to_world[:3, :3] + to_world[3, :3]
        deviation = live.figures.deviation
        space = context.space_data
        frame_vertex(space, positions, live.binding.mesh.triangles, deviation.worst_vertex, deviation.max)
        if space.lock_object or space.lock_cursor:
            locked = Message("The view is locked to an object or the cursor and can't be moved")
            self.report({"WARNING"}, translated_report(locked))
        return {"FINISHED"}
