"""A bound mesh as one view layer poses it: its frame, its drawing and picking, and its deviation from
Blender.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding, Reason
from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError
from ...measurement.frame.frame_measurement import FrameMeasurement
from ...scene.armatures.armature_reader import ArmatureReaders
from ...scene.binding.frame_reader import Frame, FrameReader
from ...scene.binding.pose_reasons import reasons_of_deviation, reasons_of_pose
from ..choices.settings import PreviewSettings
from .blender_reference import NEVER, BlenderReference
from .compared_drawing import ComparedDrawing, Moment
from .figures import Figures, bone_of_vertex
from .pace import Pace
from .skinned_surface import PickableSurface, SkinnedSurface
from .stage_times import StageTimes
from .step_layout import StepLayout
from .view import View

SECONDS_BETWEEN_FIGURES = 0.25
"""Reading vertices back makes the CPU wait for the GPU; four times a second is as fast as people read."""


Poses = Mapping[str, NDArray[np.float64]]
"""to_root (B, 4, 4) of its bones, by name of the armature object."""


class MeshInLayer:
    """Follows one binding in one view layer. Keeps no Blender object; owns GPU objects: free it after use.

    A *revision* numbers the states of the scene: while it stays the same nothing is read, uploaded or
    measured again, however often the mesh is drawn.

    drawing: our own, by the chosen technique. times: what each stage of a frame costs. surface: the mesh for
    picking.
    """

    def __init__(
        self,
        binding: Binding,
        draw_mesh: DrawMesh,
        clock: Callable[[], float] = time.perf_counter,
        armatures: ArmatureReaders | None = None,
    ) -> None:
        """armatures: as read for the binding."""
        self.binding = binding
        self._by_hierarchy = not binding.profile.is_blender
        self.figures: Figures | None = None
        self.times = StageTimes()
        self.surface = SkinnedSurface(binding)
        self._reader = FrameReader(binding, armatures=armatures)
        self._reference = BlenderReference(binding.mesh.vertex_count)
        self._drawn = ComparedDrawing(binding, draw_mesh, self.times)
        self.drawing = self._drawn.skinned
        self._measurement = FrameMeasurement(binding, self.drawing.prober)
        self._measured_by = self.drawing.choice
        self._measuring = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)
        self._frame: Frame | None = None
        self.pose_reasons: tuple[Reason, ...] = ()
        self._is_played = False
        self._frame_revision = self._figures_revision = NEVER
        self._reading_shadows = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the drawing is not Blender's, according to the current pose and the last measurement."""
        return (*self.pose_reasons, *(self.figures.reasons if self.figures else ()))

    @property
    def step_problem(self) -> str:
        """Why this mesh shows no steps; empty if it does, or none was requested."""
        return self._drawn.step_problem

    @property
    def figures_due(self) -> float | None:
        """When the figures may be updated, None if they are up to date or wait for the shadow."""
        latest = self._reference.revision if self._reference.wanted else self._frame_revision
        return None if self._figures_revision == latest else self._measuring.due

    @property
    def shadow_due(self) -> float | None:
        """When `read_shadow` may be called, None if nothing waits for it."""
        return self._reading_shadows.due if self._reference.wanted else None

    @property
    def frame(self) -> Frame | None:
        """The frame that was drawn last, None before the first. It may lag behind, see `BlenderReference`."""
        return self._drawn.frame

    def pickable(self, frame: Frame) -> PickableSurface:
        """Return a frame's drawn surface: the result, or the step at which skinning was stopped."""
        step = self._drawn.step_surface
        if step is not None:
            return step
        mesh = self.binding.mesh
        whole = np.arange(mesh.vertex_count, dtype=np.int32)
        return PickableSurface(self.surface.positions(frame), mesh.triangles, whole)

    def stepped_vertex(self, vertex: int, copy: int) -> NDArray[np.float64] | None:
        """Return where a vertex lies at the step that is drawn, (3,) mesh space; None if the result is
        drawn.
        """
        step = self._drawn.step_surface
        return None if step is None else step.copy_of(vertex, copy)

    def blender_vertex(self, vertex: int) -> NDArray[np.float64] | None:
        """Return the position a vertex is compared with, mesh space; None if unknown for the drawn frame."""
        reference = self._reference
        if reference.positions is None or reference.frame is not self.frame:
            return None
        return reference.positions[vertex].astype(np.float64)

    def follow(
        self,
        revision: int,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        poses: Poses | None = None,
    ) -> Frame:
        """Return the frame, reading it unless that of `revision` was read already.

        poses: replace Blender's own. A mesh posed by them is not compared with Blender's.

        Raises:
            BindingError: the armatures are no longer those that were bound, an object is scaled to zero, or
            `poses` have other bones.
        """
        if self._frame is None or revision != self._frame_revision:
            given = {name: pose for name, pose in (poses or {}).items() if name in self.binding.skeletons}
            for name, pose in given.items():
                if len(pose) != len(self.binding.skeletons[name].names):
                    raise BindingError(
                        "The bones of '{armature}' have changed since its clips were baked; play them again.",
                        armature=name,
                    )
            with self.times.measured("read"):
                self._frame = self._reader.read(
                    mesh_object, depsgraph, by_hierarchy=self._by_hierarchy, poses=given
                )
            self._frame_revision = revision
            self._is_played = bool(given)
            self.pose_reasons = tuple(reasons_of_pose(self.binding, self._frame))
        return self._frame

    def move(self, binding: Binding, draw_mesh: DrawMesh) -> None:
        """Switch to a binding that differs only in its vertices' rest positions; only those are sent again.

        Normals follow, except for how weights change along the surface, which stays as bound.
        """
        self.binding = binding
        self._drawn.move(binding, draw_mesh)
        self._measurement.move(binding)
        self._figures_revision = NEVER
        self.surface.free()
        self.surface = SkinnedSurface(binding)

    def draw(
        self,
        view: View,
        settings: PreviewSettings,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        places: Sequence[NDArray[np.float64] | None] = (None,),
        *,
        layout: StepLayout | None = None,
    ) -> None:
        """Draw the last frame read, comparing ours and Blender's as the settings ask, uploading what is new.

        places: mesh to world, (4, 4) each, wherever it is drawn; None for the object's own place. layout: of
        everything drawn step by step; defaults to this mesh alone. A display that compares falls back to the
        default one if there is nothing to compare with.
        """
        if self._frame is not None:
            now = Moment(
                self._frame,
                self._frame_revision,
                mesh_object,
                depsgraph,
                self._reference,
                compares=not self._is_played,
            )
            self._drawn.draw(now, view, settings, places, layout)

    def read_shadow(
        self, revision: int, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> bool:
        """Read the reference that comparisons wait for, if it is time; return whether there is something new
        to draw.

        Makes data-blocks: never call it while drawing.

        Raises:
            BindingError: see `follow`.
        """
        if not (self._reference.wanted and self._reading_shadows.allows()):
            return False
        with self._reading_shadows:
            frame = self.follow(revision, mesh_object, depsgraph)
            self._reference.read_shadow(revision, frame, mesh_object, depsgraph)
        return True

    def measure(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Update the figures if it is time; return whether they are new.

        Uses the GPU: call it in a draw callback.
        """
        frame = self._frame
        if self._is_played:
            # Figures of Blender's pose don't apply to this one.
            ended = self.figures is not None
            self.figures, self._figures_revision = None, self._frame_revision
            return ended
        if self._measured_by is not self.drawing.choice:
            # Measure exactly what is drawn.
            self._measurement.free()
            self._measured_by, self._figures_revision = self.drawing.choice, NEVER
        if frame is None or self.figures_due is None or not self._measuring.allows():
            return False
        reference = self._reference
        reference.follow(self._frame_revision, frame, mesh_object, depsgraph)
        if reference.frame is None or reference.revision == self._figures_revision:
            return False
        with self._measuring:
            deviation, bone, reasons = None, "", ()
            if reference.positions is not None:
                unit = depsgraph.scene.unit_settings.scale_length
                deviation = self._measurement.measure(reference.frame, reference.positions, unit)
                bone = bone_of_vertex(self.binding, reference.frame.chain, deviation.worst_vertex)
                if not self._by_hierarchy:
                    found = reasons_of_deviation(self.binding, reference.frame, mesh_object, deviation)
                    reasons = tuple(found)
            self.figures = Figures(
                deviation, reference.problem, reference.scene_frame, reference.before, bone, reasons
            )
            self._figures_revision = reference.revision
        return True

    def free(self) -> None:
        """Free the GPU memory."""
        self._drawn.free()
        self._measurement.free()
        self.surface.free()
