"""A bound mesh as one view layer poses it: its frame, its drawing on the GPU, and its deviation from Blender."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.binding import Binding
from ..core.deviation import Deviation
from ..core.dominant_bone import at_vertex, dominant_bones
from ..core.errors import BindingError
from ..core.mesh import DrawMesh
from ..core.palette import Pass
from ..core.profiles.profile import BLENDER, Profile
from ..drawing.displays import find_display
from ..measurement.frame_measurement import FrameMeasurement
from ..measurement.material_looks import material_looks
from ..scene.frame_reader import Frame, FrameReader
from ..scene.modifier_stack import armature_objects
from ..scene.object_data import armature_of
from .blender_drawing import BlenderDrawing
from .blender_reference import NEVER, BlenderReference
from .comparing import Extent, Matrices, comparison
from .live_drawing import LiveDrawing
from .pace import Pace
from .settings import DEFAULT_DISPLAY, PreviewSettings
from .skinned_surface import PickableSurface, SkinnedSurface
from .stage_times import StageTimes
from .step_layout import StepLayout
from .step_preview import StepPreview

ACTIVE_WEIGHT = "active_weight"
BASE_COLOR = "base_color"

SECONDS_BETWEEN_FIGURES = 0.25
"""Reading vertices back makes the processor wait for the GPU; four times a second is as fast as people read."""


@dataclass(frozen=True, eq=False)
class Figures:
    """What was measured last.

    deviation: None where there is nothing to compare with; then `problem` says why. frame: of the scene.
    before: the modifier before which Blender's stack was cut for it, '' where it is whole.
    bone: the bone that moves the worst vertex most, "" where none does.
    """

    deviation: Deviation | None
    problem: str
    frame: float
    before: str = ""
    bone: str = ""


Poses = Mapping[str, NDArray[np.float64]]
"""By name of the armature object: to_root (B, 4, 4) of its bones."""


@dataclass(frozen=True, eq=False)
class View:
    """A 3D view.

    world_to_view, view_to_clip: (4, 4) float64, row vectors. width: of its region, in pixels.
    swapped: whether ours and Blender's take each other's place for now.
    """

    world_to_view: NDArray[np.float64]
    view_to_clip: NDArray[np.float64]
    width: float
    swapped: bool = False


class LiveMesh:
    """Follows one binding in one view layer. Keeps no Blender object; owns GPU objects: free it after use.

    A *revision* numbers the states of the scene: as long as it stays the same nothing is read, uploaded or measured
    again, however often the mesh is drawn.

    drawing: our own, by the technique that is set. times: what each stage of a frame costs. surface: the mesh as it can be picked.
    """

    def __init__(
        self,
        binding: Binding,
        draw_mesh: DrawMesh,
        mesh_object: bpy.types.Object,
        clock: Callable[[], float] = time.perf_counter,
        profile: Profile = BLENDER,
    ) -> None:
        """profile: the one that the mesh was bound under."""
        self.binding = binding
        self._by_hierarchy = not profile.is_blender
        self.figures: Figures | None = None
        self.times = StageTimes()
        self.surface = SkinnedSurface(binding)
        self._reader = FrameReader(binding, mesh_object, profile)
        self._reference = BlenderReference(binding.mesh.vertex_count)
        self.drawing = LiveDrawing(binding.mesh, draw_mesh, self.times)
        self._steps = StepPreview(binding, draw_mesh)
        self._own_layout = StepLayout()
        self._blenders = BlenderDrawing()
        self._measurement = FrameMeasurement(binding, self.drawing.prober)
        self._measured_by = self.drawing.choice
        self._measuring = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)
        self._frame: Frame | None = None
        self._is_played = False
        self._frame_revision = self._figures_revision = NEVER
        self._reading_shadows = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)

    @property
    def step_problem(self) -> str:
        """Why there are no steps of this mesh to be seen; empty where there are, or nobody has asked."""
        return self._steps.problem

    @property
    def figures_due(self) -> float | None:
        """From when on the figures may be brought up to date, None where they are or wait for the shadow."""
        latest = self._reference.revision if self._reference.wanted else self._frame_revision
        return None if self._figures_revision == latest else self._measuring.due

    @property
    def shadow_due(self) -> float | None:
        """From when on `read_shadow` may be called, None where nobody waits for it."""
        return self._reading_shadows.due if self._reference.wanted else None

    @property
    def frame(self) -> Frame | None:
        """The frame that was drawn last, None before the first. It may lag behind, see `BlenderReference`."""
        return self._steps.frame or self.drawing.frame

    def pickable(self, frame: Frame) -> PickableSurface:
        """Return what is drawn of a frame: the result, or the step at which skinning was stopped."""
        step = self._steps.surface
        if step is not None:
            return step
        mesh = self.binding.mesh
        whole = np.arange(mesh.vertex_count, dtype=np.int32)
        return PickableSurface(self.surface.positions(frame), mesh.triangles, whole)

    def stepped_vertex(self, vertex: int, copy: int) -> NDArray[np.float64] | None:
        """Return where a vertex lies at the step that is drawn, (3,) mesh space; None where the result is drawn."""
        step = self._steps.surface
        return None if step is None else step.copy_of(vertex, copy)

    def blender_vertex(self, vertex: int) -> NDArray[np.float64] | None:
        """Return what a vertex is compared with, mesh space; None where that is not known of the frame that was drawn."""
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
        """Return the frame, read anew unless that of `revision` has been read.

        poses: what takes the place of Blender's own poses. A mesh that is posed so is not compared with Blender's.

        Raises:
            BindingError: the armatures are not those that were bound any more, or an object is scaled to zero; or
                `poses` are of other bones.
        """
        if self._frame is None or revision != self._frame_revision:
            given = {name: pose for name, pose in (poses or {}).items() if name in self.binding.skeletons}
            for name, pose in given.items():
                if len(pose) != len(self.binding.skeletons[name].names):
                    raise BindingError(
                        "The bones of '{armature}' have changed since its clips were baked; play them anew.",
                        armature=name,
                    )
            with self.times.measured("read"):
                self._frame = self._reader.read(
                    mesh_object, depsgraph, by_hierarchy=self._by_hierarchy, poses=given
                )
            self._frame_revision = revision
            self._is_played = bool(given)
        return self._frame

    def move(self, binding: Binding, draw_mesh: DrawMesh) -> None:
        """Go on with a binding that differs only in where its vertices lie at rest; of those alone anything is sent anew.

        Normals follow, but for how weights change along the surface: that stays as it was when the mesh was bound.
        """
        self.binding = binding
        self.drawing.move(binding.mesh, draw_mesh)
        self._measurement.move(binding)
        self._figures_revision = NEVER
        self.surface.free()
        self.surface = SkinnedSurface(binding)
        self._steps.free()
        self._steps = StepPreview(binding, draw_mesh)

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
        """Draw the frame that was read last, ours and Blender's as the settings want them compared, uploading what is new.

        places: mesh to world, (4, 4) each, wherever it is drawn; None for where the object itself stands.
        layout: of all that is drawn step by step; of this mesh alone where it is left out.
        A display that compares is drawn in the default one where there is nothing to compare with.
        """
        frame = self._frame
        if frame is None:
            return
        parts = comparison(settings, view.width, view.swapped)
        if parts.ours is not None:
            self._draw_ours(
                frame,
                view,
                settings,
                parts.ours,
                places,
                mesh_object=mesh_object,
                depsgraph=depsgraph,
                layout=layout or self._own_layout,
            )
        if parts.blenders is not None:
            self._blenders.follow(self._frame_revision, mesh_object, depsgraph)
            for place in places:
                matrices = drawn_matrices(view, frame, settings, place)
                self._blenders.draw(settings.display, matrices, settings.drawing, parts.blenders, mesh_object)

    def _draw_ours(
        self,
        frame: Frame,
        view: View,
        settings: PreviewSettings,
        extent: Extent,
        places: Sequence[NDArray[np.float64] | None],
        *,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        layout: StepLayout,
    ) -> None:
        stepped = [
            self._steps.draw(
                frame,
                settings,
                drawn_matrices(view, frame, settings, place),
                extent,
                lambda: material_looks(mesh_object),
                layout=layout,
            )
            for place in places
        ]
        if all(stepped):
            return
        display = settings.display
        compares = find_display(display).compares
        if compares and self._is_played:
            display, compares = DEFAULT_DISPLAY, ""
        if compares:
            self._reference.follow(self._frame_revision, frame, mesh_object, depsgraph)
            if self._reference.positions is None or self._reference.frame is None:
                display, compares = DEFAULT_DISPLAY, ""
            else:
                # A shadow may be a moment old: what is compared with it has to be of the same instant.
                frame = self._reference.frame
        drawing = self.drawing.prepared(frame, settings.technique)
        if compares:
            self.drawing.send_reference(compares, self._reference, mesh_object, depsgraph)
        look = settings.drawing
        if display == ACTIVE_WEIGHT:
            look = replace(look, active_bone=active_bone(mesh_object, self.binding))
        elif display == BASE_COLOR:
            self.drawing.send_materials(lambda: material_looks(mesh_object))
        with self.times.measured("draw"):
            for place in places:
                drawing.draw(
                    display,
                    *drawn_matrices(view, frame, settings, place),
                    look,
                    from_column=extent.from_column,
                    to_column=extent.to_column,
                    opacity=extent.opacity,
                )

    def read_shadow(
        self, revision: int, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> bool:
        """Read what comparisons wait for, if it is time; tell whether there is something new to draw.

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
        """Bring the figures up to date if it is time; tell whether they are new.

        Uses the GPU: to be called where there is one, in a draw callback.
        """
        frame = self._frame
        if self._is_played:
            # Those of Blender's pose say nothing about this one.
            ended = self.figures is not None
            self.figures, self._figures_revision = None, self._frame_revision
            return ended
        if self._measured_by is not self.drawing.choice:
            # What is measured is what is drawn.
            self._measurement.free()
            self._measured_by, self._figures_revision = self.drawing.choice, NEVER
        if frame is None or self.figures_due is None or not self._measuring.allows():
            return False
        reference = self._reference
        reference.follow(self._frame_revision, frame, mesh_object, depsgraph)
        if reference.frame is None or reference.revision == self._figures_revision:
            return False
        with self._measuring:
            deviation, bone = None, ""
            if reference.positions is not None:
                unit = depsgraph.scene.unit_settings.scale_length
                deviation = self._measurement.measure(reference.frame, reference.positions, unit)
                bone = bone_of_vertex(self.binding, reference.frame.chain, deviation.worst_vertex)
            self.figures = Figures(
                deviation, reference.problem, reference.scene_frame, reference.before, bone
            )
            self._figures_revision = reference.revision
        return True

    def free(self) -> None:
        """Give the GPU's memory back."""
        self.drawing.free()
        self._steps.free()
        self._blenders.free()
        self._measurement.free()
        self.surface.free()


def drawn_to_world(
    frame: Frame, settings: PreviewSettings, place: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from mesh space to where the mesh is drawn, which may be beside its object.

    place: mesh to world, (4, 4), of an instance of the object.
    """
    mesh_to_world = (frame.mesh_to_world if place is None else place).copy()
    mesh_to_world[3, :3] += settings.offset
    return mesh_to_world


def drawn_matrices(
    view: View, frame: Frame, settings: PreviewSettings, place: NDArray[np.float64] | None
) -> Matrices:
    """Return what a mesh is drawn with in a view."""
    return view.world_to_view, view.view_to_clip, drawn_to_world(frame, settings, place)


def bone_of_vertex(binding: Binding, chain: Sequence[Pass], vertex: int) -> str:
    """Name the bone that moves a vertex of a bound mesh most, "" where none does."""
    pass_index, bone = dominant_bones([at_vertex(one, vertex) for one in chain], 1)
    if bone[0] < 0:
        return ""
    return binding.skeletons[chain[int(pass_index[0])].armature].names[int(bone[0])]


def active_bone(mesh_object: bpy.types.Object, binding: Binding) -> tuple[str, int] | None:
    """Return the active bone of the first armature that has one, as (armature object, bone index)."""
    for armature in armature_objects(mesh_object):
        active = armature_of(armature).bones.active
        skeleton = binding.skeletons.get(armature.name)
        if active is not None and skeleton is not None and active.name in skeleton.names:
            return armature.name, skeleton.index(active.name)
    return None
