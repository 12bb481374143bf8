"""A bound mesh as one view layer poses it: its frame, drawn with the display, step and comparison that the
settings ask for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding, Reason
from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError
from ...drawing.chain_cache import ChainCache
from ...drawing.display_settings import DisplaySettings
from ...drawing.displays import find_display
from ...drawing.skinned_drawing import SkinnedDrawing
from ...measurement.pictures.material_looks import material_looks
from ...scene.armatures.armature_reader import ArmatureReaders
from ...scene.binding.frame import Frame
from ...scene.binding.frame_reader import FrameReader
from ...scene.binding.held_places import HeldPlaces
from ...scene.binding.instant import Instant
from ...scene.binding.pose_reasons import reasons_of_pose
from ...scene.matrices import row_vectors
from ..choices.settings import DEFAULT_DISPLAY, PreviewSettings
from .active_bone import active_bone
from .authored import Authored
from .blender_reference import NEVER, BlenderReference
from .comparing import Extent, Matrices, comparison, is_painted
from .drawing_by_technique import DrawingByTechnique
from .figures import SECONDS_BETWEEN_FIGURES, Figures, MeasuredFigures
from .pace import Pace
from .reference_drawing import ReferenceDrawing
from .skinned_surface import PickableSurface, SkinnedSurface
from .stage_times import StageTimes
from .step_layout import StepLayout
from .step_preview import StepPreview, display_of_step
from .view import View, draw_everywhere, drawn_matrices

Poses = Mapping[str, NDArray[np.float64]]
"""to_root (B, 4, 4) of its bones, by name of the armature object."""


@dataclass(frozen=True, eq=False)
class _Posed:
    """What is drawn of ours: a drawing that has the pose of `frame`, and how it is to look."""

    drawing: SkinnedDrawing
    frame: Frame
    display: str
    look: DisplaySettings


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
        cache: ChainCache | None = None,
        *,
        authored: Authored | None = None,
    ) -> None:
        """armatures: as read for the binding. cache: of the binding's chain, if it is drawn elsewhere too.
        authored: what it is compared with if not with itself.
        """
        self.binding = binding
        self.times = StageTimes()
        self.surface = SkinnedSurface(binding)
        cache = cache or ChainCache(binding.passes)
        self.drawing = DrawingByTechnique(cache, binding.mesh, draw_mesh, self.times)
        self.pose_reasons: tuple[Reason, ...] = ()
        self._reader = FrameReader(binding, armatures=armatures, is_live=True)
        self._frame: Frame | None = None
        self._frame_revision = NEVER
        self._is_played = False
        self._steps = StepPreview(binding, draw_mesh)
        self._own_layout = StepLayout()
        self._blenders = ReferenceDrawing()
        self._authored = authored
        self._reference = BlenderReference(binding.mesh.vertex_count, authored)
        self._reading_shadows = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)
        self._measured = MeasuredFigures(binding, self.drawing, self._reference, clock)

    @property
    def figures(self) -> Figures | None:
        """The last measurement; None if there is none of this pose, as of one that is not Blender's."""
        return None if self._is_played else self._measured.latest

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the drawing is not Blender's, according to the current pose and the last measurement."""
        return (*self.pose_reasons, *(self.figures.reasons if self.figures else ()))

    @property
    def step_problem(self) -> str:
        """Why this mesh shows no steps; empty if it does, or none was requested."""
        return self._steps.problem

    @property
    def figures_due(self) -> float | None:
        """When the figures may be updated, None if they are up to date or wait for the shadow."""
        return self._measured.due(self._frame_revision)

    @property
    def shadow_due(self) -> float | None:
        """When `read_shadow` may be called, None if nothing waits for it."""
        return self._reading_shadows.due if self._reference.wanted and not self._is_played else None

    @property
    def apart(self) -> float:
        """How far the drawing may lie from Blender's own mesh as Blender draws it, scene units: 0 if they are
        the same, infinite if they are not compared.
        """
        if self._is_played:
            return math.inf
        figures = self.figures
        if figures is None or figures.deviation is None:
            return 0.0
        moved = self._reference.stack_moves
        if moved > 0 and self._frame is not None:
            moved *= float(np.linalg.norm(self._frame.mesh_to_world[:3, :3], 2))
        return moved if figures.rounding else figures.deviation.max + moved

    @property
    def differs(self) -> bool:
        """Whether it may differ from Blender's own mesh."""
        cut = self.figures is not None and bool(self.figures.before)
        return cut or self.apart > 0 or not self.binding.profile.is_blender or bool(self.binding.reasons)

    @property
    def is_played(self) -> bool:
        """Whether the last frame read was posed by an animation controller: it is not compared with
        Blender's.
        """
        return self._is_played

    @property
    def frame(self) -> Frame | None:
        """The frame that was drawn last, None before the first. It may lag behind, see `BlenderReference`."""
        return self._steps.frame or self.drawing.frame

    def pickable(self, frame: Frame) -> PickableSurface:
        """Return a frame's drawn surface: the result, or the step at which skinning was stopped."""
        step = self._steps.surface
        if step is not None:
            return step
        mesh = self.binding.mesh
        whole = np.arange(mesh.vertex_count, dtype=np.int32)
        return PickableSurface(self.surface.positions(frame), mesh.triangles, whole)

    def stepped_vertex(self, vertex: int, copy: int) -> NDArray[np.float64] | None:
        """Return where a vertex lies at the step that is drawn, (3,) mesh space; None if the result is
        drawn.
        """
        step = self._steps.surface
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
        held: HeldPlaces | None = None,
    ) -> Frame:
        """Return the frame, reading it unless that of `revision` was read already.

        poses: replace Blender's own. A mesh posed by them is not compared with Blender's. held: where the
        profile's file holds the mesh.

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
                    mesh_object,
                    depsgraph,
                    by_hierarchy=not self.binding.profile.is_blender,
                    poses=given,
                    instant=Instant(depsgraph, held=held),
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
        self.drawing.move(binding.mesh, draw_mesh)
        self._steps.free()
        self._steps = StepPreview(binding, draw_mesh)
        self._measured.move(binding)
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
        if self._frame is None:
            return
        shown = comparison(settings, view.width, view.swapped, painted=is_painted(mesh_object))

        def everywhere(frame: Frame) -> list[Matrices]:
            return [drawn_matrices(view, frame, settings, place) for place in places]

        if shown.ours is not None:
            ours = self._posed(self._frame, settings, mesh_object, depsgraph, layout or self._own_layout)
            with self.times.measured("draw"):
                draw_everywhere(ours.drawing, ours.display, everywhere(ours.frame), ours.look, shown.ours)
        if shown.blenders is not None:
            self._draw_blenders(everywhere, settings, mesh_object, depsgraph, shown.blenders)

    def _draw_blenders(
        self,
        everywhere: Callable[[Frame], list[Matrices]],
        settings: PreviewSettings,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        extent: Extent,
    ) -> None:
        assert self._frame is not None  # noqa: S101 - for the type checker
        source, frame = mesh_object, self._frame
        if self._authored is not None:
            try:
                source = self._authored.evaluated_in(depsgraph)
            except BindingError:
                # The figures say why.
                return
            to_world = row_vectors(source.evaluated_get(depsgraph).matrix_world)
            frame = replace(frame, mesh_to_world=to_world)
        self._blenders.follow(self._frame_revision, source, depsgraph)
        self._blenders.draw(settings.display, everywhere(frame), settings.drawing, extent, source)

    def _posed(
        self,
        frame: Frame,
        settings: PreviewSettings,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        layout: StepLayout,
    ) -> _Posed:
        """Send a frame's pose to the GPU, unless it is there already, and return what is to be drawn: the step
        that the settings ask for, or the result.
        """
        posed = None
        if settings.step is None:
            self._steps.leave()
        else:
            drawing = self._steps.posed(frame, settings.step, layout)
            if drawing is not None:
                posed = _Posed(drawing, frame, display_of_step(settings.display), settings.drawing)
        if posed is None:
            posed = self._posed_result(frame, settings, mesh_object, depsgraph)
        if find_display(posed.display).uses_materials and not posed.drawing.has_materials:
            posed.drawing.set_materials(material_looks(mesh_object))
        return posed

    def _posed_result(
        self,
        frame: Frame,
        settings: PreviewSettings,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
    ) -> _Posed:
        display = find_display(settings.display)
        reference = self._reference
        if display.compares:
            if not self._is_played:
                reference.follow(self._frame_revision, frame, mesh_object, depsgraph)
            if self._is_played or reference.positions is None or reference.frame is None:
                display = find_display(DEFAULT_DISPLAY)
            else:
                # A shadow may be a moment old: compare it with the frame of the same instant.
                frame = reference.frame
        drawing = self.drawing.posed(frame, settings.technique)
        if display.compares:
            self.drawing.send_reference(display.compares, reference, mesh_object, depsgraph)
        look = settings.drawing
        if display.uses_active_bone:
            look = replace(look, active_bone=active_bone(mesh_object, self.binding))
        return _Posed(drawing, frame, display.name, look)

    def read_shadow(
        self,
        revision: int,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        poses: Poses | None = None,
        held: HeldPlaces | None = None,
    ) -> bool:
        """Read the reference that comparisons wait for, if it is time; return whether there is something new
        to draw.

        poses, held: see `follow`. Makes data-blocks: never call it while drawing.

        Raises:
            BindingError: see `follow`.
        """
        if not (self._reference.wanted and self._reading_shadows.allows()):
            return False
        with self._reading_shadows:
            frame = self.follow(revision, mesh_object, depsgraph, poses, held)
            if self._is_played:
                return False
            self._reference.read_shadow(revision, frame, mesh_object, depsgraph)
        return True

    def measure(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, *, plays: bool = False
    ) -> bool:
        """Update the figures if it is time; return whether they are new. plays: whether Blender does, see
        `MeasuredFigures`.

        Uses the GPU: call it in a draw callback.
        """
        if self._is_played:
            # Figures of Blender's pose don't apply to this one.
            return self._measured.discard(self._frame_revision)
        if self._frame is None:
            return False
        return self._measured.measure(self._frame_revision, self._frame, mesh_object, depsgraph, plays=plays)

    def free(self) -> None:
        """Free the GPU memory."""
        self.drawing.free()
        self._steps.free()
        self._blenders.free()
        self._measured.free()
        self.surface.free()
