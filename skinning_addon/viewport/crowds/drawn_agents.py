"""All agents of a character with all of their meshes, posed by the processor or by the GPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.state import CrowdState
from ...animation.sampled_clips import Heard, SampledClips
from ...drawing.crowd_drawing import CrowdDrawing, SampledCrowdDrawing
from ...drawing.display_settings import DisplaySettings
from ...drawing.displays import find_display
from ...drawing.materials import MaterialLook
from ...scene.crowd.character import CrowdMesh
from ...scene.crowd.variants import Troupe
from ..character.view import View

Looks = Callable[[CrowdMesh], Sequence[MaterialLook]]
"""Returns the materials of a mesh."""


class DrawnAgents(ABC):
    """Owns GPU objects: free it after use.

    drawings: all that is drawn, each with its mesh.
    """

    drawings: Sequence[tuple[CrowdMesh, CrowdDrawing | SampledCrowdDrawing]]

    def __init__(self, troupe: Troupe) -> None:
        self._troupe, self._poser = troupe, troupe.character.poser
        self._joints = [one.binding.passes[0].joints for one in troupe.meshes]

    @abstractmethod
    def send(
        self, state: CrowdState, settings: CrowdSettings, unnoticed: NDArray[np.float64] | None = None
    ) -> None:
        """Pose agents of the troupe, and no others.

        unnoticed: (N,) how far a vertex of each may be off, in units of root space; 0 if left out.
        """

    def draw(self, display: str, view: View, look: DisplaySettings, looks: Looks) -> None:
        """Draw everybody who was posed into the current 3D view."""
        uses_materials = find_display(display).uses_materials
        for mesh, one in self.drawings:
            if uses_materials and not one.has_materials:
                one.set_materials(looks(mesh))
            one.draw(display, view.world_to_view, view.view_to_clip, np.eye(4), look)

    def free(self) -> None:
        """Give the GPU's memory back."""
        for _, one in self.drawings:
            one.free()

    def _send_posed(
        self, drawings: Sequence[CrowdDrawing], state: CrowdState, palettes: Sequence[NDArray[np.float32]]
    ) -> None:
        """Send the palettes of some agents, of each mesh those of the agents that have it."""
        tints = self._troupe.tints_of(state.cast)
        for number, (drawing, one) in enumerate(zip(drawings, palettes, strict=True)):
            if self._troupe.dressed_alike:
                drawing.update(one, tints)
            else:
                wearing = self._troupe.wearing(number, state.cast)
                drawing.update(one[wearing], tints[wearing])


class PosedAgents(DrawnAgents):
    """Posed by the processor, as clips and fades say."""

    def __init__(self, troupe: Troupe) -> None:
        super().__init__(troupe)
        self._posed = [_posed(one) for one in troupe.meshes]
        self.drawings = tuple(zip(troupe.meshes, self._posed, strict=True))
        self._palettes: list[NDArray[np.float32]] | None = None

    def send(
        self,
        state: CrowdState,
        settings: CrowdSettings,
        unnoticed: NDArray[np.float64] | None = None,  # noqa: ARG002 - nobody is off
    ) -> None:
        kept, count = self._palettes, state.count
        if kept is None or any(len(one) < count for one in kept):
            self._palettes = found = self._poser.palettes(state, settings, self._joints)
        else:
            outs = [one[:count] for one in kept]
            found = self._poser.palettes(state, settings, self._joints, outs)
        self._send_posed(self._posed, state, found)


class SampledAgents(DrawnAgents):
    """Posed by the GPU from sampled clips, which all share, except agents that would be off by more than is
    allowed, whom the processor poses: near ones between two gaits, since blended matrices are no fade, and
    those that hold a foot or play a clip that no rate holds.
    """

    def __init__(self, troupe: Troupe, clips: SampledClips, tolerance: float) -> None:
        """clips: the poser's. tolerance: what is allowed even where it shows, in units of root space."""
        super().__init__(troupe)
        self._clips = clips
        self._deviations, self._tolerance = np.array(clips.deviations), tolerance
        self._fades = self._poser.fade_deviations(troupe.character.boxes)
        self._sampled = [
            SampledCrowdDrawing(one.binding.passes, one.binding.mesh, one.draw_mesh, clips)
            for one in troupe.meshes
        ]
        self._posed = [_posed(one) for one in troupe.meshes]
        drawn = (*self._sampled, *self._posed)
        self.drawings = tuple(zip((*troupe.meshes, *troupe.meshes), drawn, strict=True))

    def send(
        self, state: CrowdState, settings: CrowdSettings, unnoticed: NDArray[np.float64] | None = None
    ) -> None:
        sampled, posed = self.divided(state, settings, unnoticed)
        self._send_heard(sampled, self._poser.heard(sampled, settings, self._clips))
        self._send_posed(self._posed, posed, self._poser.palettes(posed, settings, self._joints))

    def divided(
        self, state: CrowdState, settings: CrowdSettings, unnoticed: NDArray[np.float64] | None = None
    ) -> tuple[CrowdState, CrowdState]:
        """Return the agents whom the GPU poses, and those whom the processor does. unnoticed: see `send`."""
        allowed = self._tolerance if unnoticed is None else np.maximum(unnoticed, self._tolerance)
        beyond = self._poser.deviation(state, settings, self._deviations, self._fades) > allowed
        return state.of(np.flatnonzero(~beyond)), state.of(np.flatnonzero(beyond))

    def _send_heard(self, state: CrowdState, heard: Heard) -> None:
        tints = self._troupe.tints_of(state.cast)
        for number, drawing in enumerate(self._sampled):
            if self._troupe.dressed_alike:
                drawing.update(heard, tints)
            else:
                wearing = self._troupe.wearing(number, state.cast)
                drawing.update(_of(heard, wearing), tints[wearing])


def _of(heard: Heard, who: NDArray[np.bool_]) -> Heard:
    """Return what some of the instances hear."""
    return replace(
        heard,
        before=heard.before[who],
        after=heard.after[who],
        fraction=heard.fraction[who],
        weight=heard.weight[who],
        places=heard.places[who],
    )


def _posed(mesh: CrowdMesh) -> CrowdDrawing:
    return CrowdDrawing(mesh.binding.passes, mesh.binding.mesh, mesh.draw_mesh)
