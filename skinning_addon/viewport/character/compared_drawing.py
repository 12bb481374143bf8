"""Draws one frame of a bound mesh into a 3D view, with the display, step and comparison that the settings ask
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.skinning.mesh import DrawMesh
from ...drawing.displays import find_display
from ...measurement.pictures.material_looks import material_looks
from ...scene.binding.frame_reader import Frame
from ...scene.identification import identity
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects
from ..choices.settings import DEFAULT_DISPLAY, PreviewSettings
from .blender_reference import BlenderReference
from .comparing import Extent, comparison
from .drawing_by_technique import DrawingByTechnique
from .reference_drawing import ReferenceDrawing
from .skinned_surface import PickableSurface
from .stage_times import StageTimes
from .step_layout import StepLayout
from .step_preview import StepPreview
from .view import View, drawn_matrices


@dataclass(frozen=True, eq=False)
class Moment:
    """What to draw, and what to compare it with.

    revision: of the scene, see `MeshInLayer`. mesh_object: the original. depsgraph: of the view layer.
    compares: whether the frame may be compared with Blender's; not if a controller poses it.
    """

    frame: Frame
    revision: int
    mesh_object: bpy.types.Object
    depsgraph: bpy.types.Depsgraph
    reference: BlenderReference
    compares: bool


class ComparedDrawing:
    """Draws one binding. Creates its GPU objects on first use: free it after use.

    skinned: our own result, by the chosen technique.
    """

    def __init__(self, binding: Binding, draw_mesh: DrawMesh, times: StageTimes) -> None:
        """times: records what drawing costs."""
        self.skinned = DrawingByTechnique(binding.mesh, draw_mesh, times)
        self._binding = binding
        self._times = times
        self._steps = StepPreview(binding, draw_mesh)
        self._own_layout = StepLayout()
        self._blenders = ReferenceDrawing()

    @property
    def frame(self) -> Frame | None:
        """The frame that was drawn last, None before the first."""
        return self._steps.frame or self.skinned.frame

    @property
    def step_problem(self) -> str:
        """Why this mesh shows no steps; empty if it does, or none was requested."""
        return self._steps.problem

    @property
    def step_surface(self) -> PickableSurface | None:
        """The step that was drawn last, None if the result was."""
        return self._steps.surface

    def move(self, binding: Binding, draw_mesh: DrawMesh) -> None:
        """Switch to a binding that differs only in its vertices' rest positions; only those are sent
        again.
        """
        self._binding = binding
        self.skinned.move(binding.mesh, draw_mesh)
        self._steps.free()
        self._steps = StepPreview(binding, draw_mesh)

    def draw(
        self,
        now: Moment,
        view: View,
        settings: PreviewSettings,
        places: Sequence[NDArray[np.float64] | None],
        layout: StepLayout | None,
    ) -> None:
        """Draw ours and Blender's as the settings want them compared, uploading what is new.

        places, layout: see `MeshInLayer.draw`.
        """
        parts = comparison(settings, view.width, view.swapped)
        if parts.ours is not None:
            layout = layout or self._own_layout
            if not self._draw_step(now, view, settings, parts.ours, places, layout=layout):
                self._draw_result(now, view, settings, parts.ours, places)
        if parts.blenders is not None:
            self._blenders.follow(now.revision, now.mesh_object, now.depsgraph)
            for place in places:
                matrices = drawn_matrices(view, now.frame, settings, place)
                self._blenders.draw(
                    settings.display, matrices, settings.drawing, parts.blenders, now.mesh_object
                )

    def _draw_step(
        self,
        now: Moment,
        view: View,
        settings: PreviewSettings,
        extent: Extent,
        places: Sequence[NDArray[np.float64] | None],
        *,
        layout: StepLayout,
    ) -> bool:
        """Draw the step that the settings ask for; return whether one was drawn."""
        drawn = True
        for place in places:
            drawn &= self._steps.draw(
                now.frame,
                settings,
                drawn_matrices(view, now.frame, settings, place),
                extent,
                lambda: material_looks(now.mesh_object),
                layout=layout,
            )
        return drawn

    def _draw_result(
        self,
        now: Moment,
        view: View,
        settings: PreviewSettings,
        extent: Extent,
        places: Sequence[NDArray[np.float64] | None],
    ) -> None:
        display, frame = self._display_and_frame(now, settings)
        shown = find_display(display)
        drawing = self.skinned.prepared(frame, settings.technique)
        if shown.compares:
            self.skinned.send_reference(shown.compares, now.reference, now.mesh_object, now.depsgraph)
        look = settings.drawing
        if shown.uses_active_bone:
            look = replace(look, active_bone=active_bone(now.mesh_object, self._binding))
        if shown.uses_materials:
            self.skinned.send_materials(lambda: material_looks(now.mesh_object))
        with self._times.measured("draw"):
            for place in places:
                drawing.draw(
                    display,
                    *drawn_matrices(view, frame, settings, place),
                    look,
                    from_column=extent.from_column,
                    to_column=extent.to_column,
                    opacity=extent.opacity,
                )

    def _display_and_frame(self, now: Moment, settings: PreviewSettings) -> tuple[str, Frame]:
        """Return what to draw: the default display if there is nothing to compare with."""
        if not find_display(settings.display).compares:
            return settings.display, now.frame
        if not now.compares:
            return DEFAULT_DISPLAY, now.frame
        reference = now.reference
        reference.follow(now.revision, now.frame, now.mesh_object, now.depsgraph)
        if reference.positions is None or reference.frame is None:
            return DEFAULT_DISPLAY, now.frame
        # A shadow may be a moment old: compare it with the frame of the same instant.
        return settings.display, reference.frame

    def free(self) -> None:
        """Free the GPU memory."""
        self.skinned.free()
        self._steps.free()
        self._blenders.free()


def active_bone(mesh_object: bpy.types.Object, binding: Binding) -> tuple[str, int] | None:
    """Return the active bone of the first armature that has one, as (armature object, bone index)."""
    for armature in armature_objects(mesh_object):
        active = armature_of(armature).bones.active
        skeleton = binding.skeletons.get(identity(armature))
        if active is not None and skeleton is not None and active.name in skeleton.names:
            return identity(armature), skeleton.index(active.name)
    return None
