"""A bound mesh as one view layer poses it: its frame, its drawing on the GPU, and its deviation from Blender."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.binding import Binding
from ..core.deviation import Deviation
from ..core.mesh import DrawMesh
from ..drawing.displays import NORMALS, find_display
from ..drawing.skinned_drawing import SkinnedDrawing
from ..measurement.frame_measurement import FrameMeasurement
from ..measurement.material_looks import material_looks
from ..scene.blender_result import read_blender_result
from ..scene.frame_reader import Frame, FrameReader
from ..scene.modifier_stack import armature_objects
from ..scene.object_data import armature_of
from .blender_reference import BlenderReference
from .pace import Pace
from .settings import DEFAULT_DISPLAY, PreviewSettings

ACTIVE_WEIGHT = "active_weight"
BASE_COLOR = "base_color"

SECONDS_BETWEEN_FIGURES = 0.25
"""Reading vertices back makes the processor wait for the GPU; four times a second is as fast as people read."""

_NEVER = -1


@dataclass(frozen=True, eq=False)
class Figures:
    """What was measured last.

    deviation: None where there is nothing to compare with; then `problem` says why. frame: of the scene.
    """

    deviation: Deviation | None
    problem: str
    frame: float


@dataclass(frozen=True, eq=False)
class View:
    """The camera of a 3D view: both (4, 4) float64, row vectors."""

    world_to_view: NDArray[np.float64]
    view_to_clip: NDArray[np.float64]


class LiveMesh:
    """Follows one binding in one view layer. Keeps no Blender object; owns GPU objects: free it after use.

    A *revision* numbers the states of the scene: as long as it stays the same nothing is read, uploaded or measured
    again, however often the mesh is drawn.
    """

    def __init__(
        self,
        binding: Binding,
        draw_mesh: DrawMesh,
        mesh_object: bpy.types.Object,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.binding = binding
        self.figures: Figures | None = None
        self._draw_mesh = draw_mesh
        self._reader = FrameReader(binding, mesh_object)
        self._reference = BlenderReference(binding.mesh.vertex_count)
        self._drawing: SkinnedDrawing | None = None
        self._chain = binding.passes
        self._materials_are_set = False
        self._reference_sent = _NEVER, ""
        self._measurement = FrameMeasurement(binding, "gpu")
        self._measuring = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)
        self._frame: Frame | None = None
        self._frame_revision = self._palette_revision = self._figures_revision = _NEVER

    @property
    def figures_due(self) -> float | None:
        """From when on the figures may be brought up to date, None where they are."""
        return None if self._figures_revision == self._frame_revision else self._measuring.due

    def follow(self, revision: int, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Frame:
        """Return the frame, read anew unless that of `revision` has been read.

        Raises:
            BindingError: the armatures are not those that were bound any more, or an object is scaled to zero.
        """
        if self._frame is None or revision != self._frame_revision:
            self._frame = self._reader.read(mesh_object, depsgraph)
            self._frame_revision = revision
        return self._frame

    def draw(
        self,
        view: View,
        settings: PreviewSettings,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
    ) -> None:
        """Draw the frame that was read last, uploading what is new.

        A display that compares is drawn in the default one where there is nothing to compare with.
        """
        frame = self._frame
        if frame is None:
            return
        if self._drawing is not None and frame.chain is not self._chain:
            # Weights that follow the pose: what was built for the last frame does not fit this one.
            self._drawing.free()
            self._drawing = None
        if self._drawing is None:
            self._drawing = SkinnedDrawing(frame.chain, self.binding.mesh, self._draw_mesh)
            self._chain = frame.chain
            self._palette_revision = _NEVER
            self._reference_sent = _NEVER, ""
            self._materials_are_set = False
        self._upload_palettes(self._drawing, frame)
        display = settings.display
        compares = find_display(display).compares
        if compares and not self._upload_reference(self._drawing, compares, mesh_object, depsgraph):
            display = DEFAULT_DISPLAY
        mesh_to_world = frame.mesh_to_world.copy()
        mesh_to_world[3, :3] += settings.offset
        look = settings.drawing
        if display == ACTIVE_WEIGHT:
            look = replace(look, active_bone=active_bone(mesh_object, self.binding))
        elif display == BASE_COLOR and not self._materials_are_set:
            self._drawing.set_materials(material_looks(mesh_object))
            self._materials_are_set = True
        self._drawing.draw(display, view.world_to_view, view.view_to_clip, mesh_to_world, look)

    def _upload_palettes(self, drawing: SkinnedDrawing, frame: Frame) -> None:
        if self._palette_revision != self._frame_revision:
            drawing.update(frame.palettes)
            self._palette_revision = self._frame_revision

    def _upload_reference(
        self,
        drawing: SkinnedDrawing,
        compares: str,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
    ) -> bool:
        self._reference.follow(self._frame_revision, mesh_object, depsgraph)
        positions = self._reference.positions
        if positions is None:
            return False
        if (self._frame_revision, compares) != self._reference_sent:
            normals = None
            if compares == NORMALS:
                # Blender computes normals when they are asked for, so only this display pays for them.
                normals = read_blender_result(mesh_object, depsgraph, len(positions)).normals
            drawing.set_reference(positions, normals)
            self._reference_sent = self._frame_revision, compares
        return True

    def measure(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Bring the figures up to date if it is time; tell whether they are new.

        Uses the GPU: to be called where there is one, in a draw callback.
        """
        if (
            self._frame is None
            or self._figures_revision == self._frame_revision
            or not self._measuring.allows()
        ):
            return False
        with self._measuring:
            scene = depsgraph.scene
            self._reference.follow(self._frame_revision, mesh_object, depsgraph)
            reference = self._reference.positions
            deviation = None
            if reference is not None:
                deviation = self._measurement.measure(
                    self._frame, reference, scene.unit_settings.scale_length
                )
            self.figures = Figures(deviation, self._reference.problem, scene.frame_current_final)
            self._figures_revision = self._frame_revision
        return True

    def free(self) -> None:
        """Give the GPU's memory back."""
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None
        self._measurement.free()


def active_bone(mesh_object: bpy.types.Object, binding: Binding) -> tuple[str, int] | None:
    """Return the active bone of the first armature that has one, as (armature object, bone index)."""
    for armature in armature_objects(mesh_object):
        active = armature_of(armature).bones.active
        skeleton = binding.skeletons.get(armature.name)
        if active is not None and skeleton is not None and active.name in skeleton.names:
            return armature.name, skeleton.index(active.name)
    return None
