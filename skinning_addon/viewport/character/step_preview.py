"""A bound mesh drawn at one step of skinning, in place of the result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.blending.software_skinning import SoftwareSkinner
from ...core.inspection.spaces import MeshParts, cut_into_parts, step_palette
from ...core.profiles.binding import Binding
from ...core.skinning.mesh import DrawMesh
from ...core.skinning.palette import Palette
from ...core.text.errors import BindingError
from ...drawing.displays import BASE_COLOR, WIREFRAME
from ...drawing.normal_policy import NormalPolicy
from ...drawing.skinned_drawing import SkinnedDrawing
from ...scene.binding.frame import Frame
from ..choices.settings import SpaceStep
from .skinned_surface import PickableSurface
from .step_layout import StepLayout

DISPLAYS = ("shaded", BASE_COLOR, "dominant_bone", WIREFRAME)
"""Displays that make sense before the result."""


def display_of_step(display: str) -> str:
    """Return the display itself if it makes sense before the result, otherwise one that does."""
    return display if display in DISPLAYS else DISPLAYS[0]


class StepPreview:
    """Draws a binding's skinning at a step. Creates its GPU objects on first use: free it after use.

    problem: a sentence that says why this mesh has no steps; empty if it has, or none was requested.
    """

    def __init__(self, binding: Binding, draw_mesh: DrawMesh) -> None:
        self.problem = ""
        self._binding = binding
        self._draw_mesh = draw_mesh
        self._parts: MeshParts | None = None
        self._drawing: SkinnedDrawing | None = None
        self._palette: Palette | None = None
        self._surface: PickableSurface | None = None
        self._shown: tuple[Frame, SpaceStep, NDArray[np.float64]] | None = None

    def posed(self, frame: Frame, step: SpaceStep, layout: StepLayout) -> SkinnedDrawing | None:
        """Return the drawing, stopped at a step of this frame; None if that is not possible.

        layout: of all meshes drawn this way.
        """
        if self.problem:
            self.leave()
            return None
        try:
            drawing, parts = self._prepared()
        except BindingError as error:
            self.problem = str(error)
            return None
        posed = frame.passes[0]
        moved = layout.moved(parts, posed.root_to_mesh @ frame.mesh_to_world)
        shown = self._shown
        if shown is None or shown[0] is not frame or shown[1] != step or shown[2] is not moved:
            self._surface = None
            self._palette = step_palette(
                posed.joints, posed.pose, posed.root_to_mesh, step=step.step, moved=step.spread * moved
            )
            drawing.update((self._palette,))
            self._shown = frame, step, moved
        return drawing

    def leave(self) -> None:
        """Note that the result is drawn instead."""
        self._palette = self._shown = None

    @property
    def frame(self) -> Frame | None:
        """The frame whose step was drawn last; None if there is none, or the result has been drawn since."""
        return self._shown[0] if self._shown else None

    @property
    def surface(self) -> PickableSurface | None:
        """The last drawn step, for picking; None if there is none. Skins on the CPU."""
        parts, palette = self._parts, self._palette
        if parts is None or palette is None:
            return None
        if self._surface is None:
            positions = SoftwareSkinner((parts.skinning,), parts.mesh).skin_positions((palette,))
            self._surface = PickableSurface(positions, parts.mesh.triangles, parts.source_vertex)
        return self._surface

    def _prepared(self) -> tuple[SkinnedDrawing, MeshParts]:
        if self._drawing is None or self._parts is None:
            self._parts = cut_into_parts(self._binding.passes, self._binding.mesh, self._draw_mesh)
            self._drawing = SkinnedDrawing(
                (self._parts.skinning,), self._parts.mesh, self._parts.draw_mesh, NormalPolicy.COFACTOR
            )
        return self._drawing, self._parts

    def free(self) -> None:
        """Free the GPU memory."""
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None
        self._parts = self._palette = self._surface = self._shown = None
