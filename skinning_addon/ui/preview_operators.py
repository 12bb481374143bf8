"""Starting and stopping previews."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import bpy
import numpy as np
from bpy.props import IntProperty
from mathutils import Vector

from ..core.errors import SkinscopeError
from ..drawing.heat_scale import HEIGHT_OF_THRESHOLDS
from ..scene.deformed_meshes import meshes_of_armature
from ..scene.modifier_stack import armature_objects
from ..scene.rigid_parts import rigid_parts
from ..viewport.session import current_session
from .properties import AXES, FAIL_FROM, scene_settings

WHAT_TO_SELECT = "Select a mesh that an armature deforms, or make the armature active"

ALL_PREVIEWS = 0
"""No object has this session_uid."""


class SKINSCOPE_OT_preview_start(bpy.types.Operator):
    """Skin the selected meshes, or all meshes of the active armature, as a game engine does, and draw that in the 3D view"""

    bl_idname = "skinscope.preview_start"
    bl_label = "Start Preview"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        active = context.active_object
        if active is not None and active.type == "ARMATURE":
            return True
        if any(one.type in {"MESH", "ARMATURE"} for one in context.selected_objects):
            return True
        cls.poll_message_set(WHAT_TO_SELECT)
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        meshes = meshes_to_preview(context)
        if not meshes:
            self.report({"ERROR"}, f"No armature deforms what is selected. {WHAT_TO_SELECT}")
            return {"CANCELLED"}
        session = current_session()
        depsgraph = context.evaluated_depsgraph_get()
        started, refused = [], []
        for mesh_object in meshes:
            try:
                session.start(mesh_object, depsgraph)
                started.append(mesh_object)
            except SkinscopeError as error:
                refused.append(str(error))
        # An error makes the operator fail for whoever called it; with some meshes running it has not failed.
        for message in refused:
            self.report({"WARNING"} if started else {"ERROR"}, message)
        if not started:
            return {"CANCELLED"}
        fit_settings(context.scene, started)
        return {"FINISHED"}


class SKINSCOPE_OT_preview_stop(bpy.types.Operator):
    """Stop drawing the skinned meshes"""

    bl_idname = "skinscope.preview_stop"
    bl_label = "Stop Preview"
    bl_options: ClassVar = {"REGISTER"}

    uid: IntProperty(
        name="Object",
        description="The session_uid of the object whose preview is stopped; all are where it is 0",
        default=ALL_PREVIEWS,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if current_session().previews:
            return True
        cls.poll_message_set("No preview is running")
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session = current_session()
        if self.uid == ALL_PREVIEWS:
            session.stop_all()
        else:
            session.stop((self.uid,))
        return {"FINISHED"}


def meshes_to_preview(context: bpy.types.Context) -> list[bpy.types.Object]:
    """List what starting a preview is about, by name: the selected meshes, or all that the active armature moves.

    Selected armatures count where no mesh is selected. Hidden meshes stay out.
    """
    selected = context.selected_objects
    meshes = [one for one in selected if one.type == "MESH"]
    active = context.active_object
    armatures = [] if meshes else [one for one in selected if one.type == "ARMATURE"]
    if active is not None and active.type == "ARMATURE":
        armatures.append(active)
    for armature in dict.fromkeys(armatures):
        meshes += meshes_moved_by(context.scene, armature)
    return sorted(dict.fromkeys(meshes), key=lambda one: one.name)


def meshes_moved_by(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the visible meshes that an armature deforms or carries along."""
    moved = (*meshes_of_armature(scene, armature), *rigid_parts(scene, armature))
    return [one for one in moved if one.visible_get()]


def fit_settings(scene: bpy.types.Scene, meshes: Iterable[bpy.types.Object]) -> None:
    """Fit the settings that nobody has touched to the size of the characters: a fox may be 80 units tall."""
    settings = scene_settings(scene)
    untouched = [name for name in ("distance", "threshold") if not settings.is_property_set(name)]
    if not untouched:
        return
    armatures = dict.fromkeys(armature for one in meshes for armature in armature_objects(one))
    figures = {one for armature in armatures for one in meshes_moved_by(scene, armature)}.union(meshes)
    corners = np.array([one.matrix_world @ Vector(corner) for one in figures for corner in one.bound_box])
    size = corners.max(axis=0) - corners.min(axis=0)
    width, height = float(size @ AXES[settings.axis]), float(size[2])
    if "distance" in untouched and width > 0:
        settings.distance = float(f"{1.25 * width:.2g}")
    if "threshold" in untouched and height > 0:
        settings.threshold = round_to_step(FAIL_FROM * height / HEIGHT_OF_THRESHOLDS)


def round_to_step(value: float) -> float:
    """Return the nearest of ..., 0.1, 0.2, 0.5, 1, 2, 5, ... to a number above 0, by ratio."""
    decade = 10.0 ** math.floor(math.log10(value))
    return min((step * decade for step in (1, 2, 5, 10)), key=lambda step: abs(math.log(step / value)))
