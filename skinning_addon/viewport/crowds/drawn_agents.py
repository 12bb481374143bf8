"""All agents of a crowd with one of their meshes, posed by the processor or by the GPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.posing import CrowdPoser, FewPoser
from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.state import CrowdState
from ...animation.sampled_clips import SampledClips
from ...drawing.crowd_drawing import CrowdDrawing, SampledCrowdDrawing
from ...drawing.display_settings import DisplaySettings
from ...drawing.materials import MaterialLook
from ...scene.crowd.character import CrowdMesh
from ..character.view import View


class DrawnAgents(ABC):
    """Owns GPU objects: free it after use."""

    @property
    @abstractmethod
    def drawings(self) -> Sequence[CrowdDrawing | SampledCrowdDrawing]:
        """All that is drawn."""

    @abstractmethod
    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        """Pose everybody."""

    def set_materials(self, looks: Sequence[MaterialLook]) -> None:
        """See `SkinnedDrawing.set_materials`."""
        for one in self.drawings:
            one.set_materials(looks)

    def draw(self, display: str, view: View, look: DisplaySettings) -> None:
        """Draw everybody into the current 3D view."""
        for one in self.drawings:
            one.draw(display, view.world_to_view, view.view_to_clip, np.eye(4), look)

    def free(self) -> None:
        """Give the GPU's memory back."""
        for one in self.drawings:
            one.free()


class PosedAgents(DrawnAgents):
    """Posed by the processor, as clips and fades say."""

    def __init__(self, mesh: CrowdMesh, poser: CrowdPoser) -> None:
        self._poser, self._joints = poser, mesh.binding.passes[0].joints
        self._drawing = CrowdDrawing(mesh.binding.passes, mesh.binding.mesh, mesh.draw_mesh)
        self._palettes: NDArray[np.float32] | None = None

    @property
    def drawings(self) -> Sequence[CrowdDrawing]:
        return (self._drawing,)

    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        self._palettes = self._poser.palettes(state, settings, self._joints, self._palettes)
        self._drawing.update(self._palettes)


class SampledAgents(DrawnAgents):
    """Posed by the GPU from sampled clips, but for those whose clips fade, since blended matrices are no fade,
    and those whose clip no rate holds within the tolerance.
    """

    def __init__(
        self,
        mesh: CrowdMesh,
        poser: CrowdPoser,
        few: FewPoser,
        clips: SampledClips,
        tolerance: float = np.inf,
    ) -> None:
        """clips: the poser's. few: poses those that the processor has to. tolerance: in units of root space."""
        self._poser, self._few, self._clips = poser, few, clips
        self._beyond = np.array(clips.deviations) > tolerance
        self._joints = mesh.binding.passes[0].joints
        parts = mesh.binding.passes, mesh.binding.mesh, mesh.draw_mesh
        self._sampled = SampledCrowdDrawing(*parts, clips)
        self._posed = CrowdDrawing(*parts)

    @property
    def drawings(self) -> Sequence[CrowdDrawing | SampledCrowdDrawing]:
        return (self._sampled, self._posed)

    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        beyond = self._poser.beyond(state, settings, self._beyond)
        self._sampled.update(self._poser.heard(state.of(np.flatnonzero(~beyond)), settings, self._clips))
        who = np.flatnonzero(beyond)
        self._posed.update(self._few.palettes(state, settings, self._joints, who))
