"""A character of a crowd as 3D views draw it: all of its agents, posed exactly or from sampled clips."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.state import CrowdState
from ...animation.crowd.strides import STANDARD_HEIGHT
from ...animation.sampled_clips import SampledClips
from ...drawing.display_settings import DisplaySettings
from ...drawing.materials import MaterialLook
from ...measurement.pictures.material_looks import material_looks
from ...scene.crowd.character import Character, CrowdMesh
from ...scene.crowd.variants import Troupe
from ...scene.identification import find_object
from ..character.view import View
from .choices import CrowdChoices
from .drawn_agents import DrawnAgents, PosedAgents, SampledAgents


class DrawnCharacter:
    """Owns GPU objects once drawn: free it after use. troupe: all of its agents."""

    def __init__(self, troupe: Troupe, choices: CrowdChoices) -> None:
        self.troupe, self._choices = troupe, choices
        self._drawn: DrawnAgents | None = None

    @property
    def character(self) -> Character:
        return self.troupe.character

    @cached_property
    def sampled(self) -> SampledClips | None:
        """The clips as they were sampled, if the GPU poses agents."""
        if not self._choices.sampled:
            return None
        character = self.character
        return SampledClips.within(
            character.body.skeleton, character.poser.clips, character.boxes, self._tolerance
        )

    @property
    def _tolerance(self) -> float:
        """In units of root space."""
        return self._choices.tolerance * self._root_height / STANDARD_HEIGHT

    @property
    def _root_height(self) -> float:
        """The character's height in units of root space."""
        body = self.character.body
        return body.height / float(np.linalg.norm(body.root_to_world[2, :3]))

    @property
    def sampling_deviation(self) -> float:
        """How far any vertex that the GPU poses is off at most, in metres at a standing height of 1.8 m."""
        found = self.sampled.deviations if self.sampled else ()
        worst = max((one for one in found if one <= self._tolerance), default=0.0)
        return worst * STANDARD_HEIGHT / self._root_height

    @property
    def unsampled(self) -> tuple[str, ...]:
        """Clips beyond the tolerance even at the highest rate; the processor poses agents that play them."""
        if self.sampled is None:
            return ()
        pairs = zip(self.sampled.clips, self.sampled.deviations, strict=True)
        return tuple(clip.name for clip, deviation in pairs if deviation > self._tolerance)

    def send(self, state: CrowdState, settings: CrowdSettings) -> None:
        """Pose the agents that are this character's."""
        if self._drawn is None:
            self._drawn = self._made()
        self._drawn.send(state.of(self.troupe.members(state)), settings)

    def draw(self, view: View, look: DisplaySettings) -> None:
        """Draw them into the current 3D view, as they were posed last."""
        if self._drawn is not None:
            self._drawn.draw(self._choices.display, view, look, _looks)

    def _made(self) -> DrawnAgents:
        if self.sampled is None:
            return PosedAgents(self.troupe)
        return SampledAgents(self.troupe, self.sampled, self._tolerance)

    def free(self) -> None:
        """Give the GPU's memory back."""
        if self._drawn is not None:
            self._drawn.free()
            self._drawn = None


def _looks(mesh: CrowdMesh) -> list[MaterialLook]:
    """Return a mesh's materials; none if its object is gone."""
    mesh_object = find_object(mesh.name)
    return [] if mesh_object is None else list(material_looks(mesh_object))
