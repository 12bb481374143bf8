"""All agents of a crowd with all of their meshes, posed by the processor or by the GPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.posing import CrowdPoser
from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.state import CrowdState
from ...animation.sampled_clips import SampledClips
from ...drawing.crowd_drawing import CrowdDrawing, SampledCrowdDrawing
from ...drawing.display_settings import DisplaySettings
from ...drawing.displays import find_display
from ...drawing.materials import MaterialLook
from ...scene.crowd.character import CrowdMesh
from ..character.view import View

Looks = Callable[[CrowdMesh], Sequence[MaterialLook]]
"""Returns the materials of a mesh."""


class DrawnAgents(ABC):
    """Owns GPU objects: free it after use.

    drawings: all that is drawn, each with its mesh.
    """

    drawings: Sequence[tuple[CrowdMesh, CrowdDrawing | SampledCrowdDrawing]]

    def __init__(self, meshes: Sequence[CrowdMesh], poser: CrowdPoser) -> None:
        """meshes: of one character, each with a pass. poser: of all agents."""
        self._poser = poser
        self._joints = [one.binding.passes[0].joints for one in meshes]

    @abstractmethod
    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        """Pose everybody."""

    def draw(self, display: str, view: View, look: DisplaySettings, looks: Looks) -> None:
        """Draw everybody into the current 3D view."""
        uses_materials = find_display(display).uses_materials
        for mesh, one in self.drawings:
            if uses_materials and not one.has_materials:
                one.set_materials(looks(mesh))
            one.draw(display, view.world_to_view, view.view_to_clip, np.eye(4), look)

    def free(self) -> None:
        """Give the GPU's memory back."""
        for _, one in self.drawings:
            one.free()


class PosedAgents(DrawnAgents):
    """Posed by the processor, as clips and fades say."""

    def __init__(self, meshes: Sequence[CrowdMesh], poser: CrowdPoser) -> None:
        super().__init__(meshes, poser)
        self._posed = [_posed(one) for one in meshes]
        self.drawings = tuple(zip(meshes, self._posed, strict=True))
        self._palettes: list[NDArray[np.float32]] | None = None

    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        self._palettes = self._poser.palettes(state, settings, self._joints, self._palettes)
        for drawing, palettes in zip(self._posed, self._palettes, strict=True):
            drawing.update(palettes)


class SampledAgents(DrawnAgents):
    """Posed by the GPU from sampled clips, except agents between two gaits, since blended matrices are no fade,
    and those that play a clip beyond the tolerance: the processor poses them.
    """

    def __init__(
        self, meshes: Sequence[CrowdMesh], poser: CrowdPoser, clips: SampledClips, tolerance: float
    ) -> None:
        """clips: the poser's. tolerance: in units of root space."""
        super().__init__(meshes, poser)
        self._clips = clips
        self._beyond = np.array(clips.deviations) > tolerance
        self._sampled = [
            SampledCrowdDrawing(one.binding.passes, one.binding.mesh, one.draw_mesh, clips) for one in meshes
        ]
        self._posed = [_posed(one) for one in meshes]
        self.drawings = tuple(zip((*meshes, *meshes), (*self._sampled, *self._posed), strict=True))

    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        beyond = self._poser.beyond(state, settings, self._beyond)
        heard = self._poser.heard(state.of(np.flatnonzero(~beyond)), settings, self._clips)
        palettes = self._poser.palettes(state.of(np.flatnonzero(beyond)), settings, self._joints)
        for drawing in self._sampled:
            drawing.update(heard)
        for drawing, one in zip(self._posed, palettes, strict=True):
            drawing.update(one)


def _posed(mesh: CrowdMesh) -> CrowdDrawing:
    return CrowdDrawing(mesh.binding.passes, mesh.binding.mesh, mesh.draw_mesh)
