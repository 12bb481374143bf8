"""A character of a crowd as 3D views draw it: all of its agents, posed exactly or from sampled clips."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.fixed_point import SCALE
from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.shown_feet import STEEPEST
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
from .sight import Sight, Spheres

FROM_AFAR = 0.005
"""Metres at a standing height of 1.8 m that clips may be off which are sampled for distant agents alone."""


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
        """The clips as they were sampled, if the GPU poses all agents, or distant ones."""
        if not self._choices.sampled and not self._choices.shares_poses:
            return None
        character = self.character
        tolerance = self._tolerance if self._choices.sampled else self._from_afar
        return SampledClips.within(character.body.skeleton, character.poser.clips, character.boxes, tolerance)

    @property
    def _tolerance(self) -> float:
        """In units of root space: what vertices may be off though it shows."""
        allowed = self._choices.tolerance if self._choices.sampled else 0.0
        return allowed * self._root_height / STANDARD_HEIGHT

    @property
    def _from_afar(self) -> float:
        """In units of root space: how exactly clips are sampled that are only seen from afar."""
        return FROM_AFAR * self._root_height / STANDARD_HEIGHT

    @property
    def _root_height(self) -> float:
        """The character's height in units of root space."""
        body = self.character.body
        return body.height / float(np.linalg.norm(body.root_to_world[2, :3]))

    @property
    def sampling_deviation(self) -> float:
        """How far any vertex that the GPU poses is off at most where it shows, in metres at a standing height
        of 1.8 m.
        """
        found = self.sampled.deviations if self.sampled else ()
        worst = max((one for one in found if one <= self._tolerance), default=0.0)
        return worst * STANDARD_HEIGHT / self._root_height

    @property
    def unsampled(self) -> tuple[str, ...]:
        """Clips beyond the tolerance even at the highest rate; the processor poses agents that play them."""
        if self.sampled is None or not self._choices.sampled:
            return ()
        pairs = zip(self.sampled.clips, self.sampled.deviations, strict=True)
        return tuple(clip.name for clip, deviation in pairs if deviation > self._tolerance)

    def send(self, state: CrowdState, settings: CrowdSettings, sight: Sight) -> None:
        """Pose the agents that are this character's and may be seen."""
        if self._drawn is None:
            self._drawn = self._made()
        shown, unnoticed = self.seen(state, sight)
        self._drawn.send(shown, settings, unnoticed)

    def seen(self, state: CrowdState, sight: Sight) -> tuple[CrowdState, NDArray[np.float64] | None]:
        """Return the agents that are this character's and may be seen, and how far a vertex of each may be off
        without showing, in units of root space; None if they share no poses.
        """
        own = self.troupe.members(state)
        members = state if len(own) == state.count else state.of(own)
        spheres = self.spheres(members)
        (seen,) = np.nonzero(sight.sees(spheres))
        shown = members if len(seen) == members.count else members.of(seen)
        if not self._choices.shares_poses:
            return shown, None
        of_shown = Spheres(spheres.middles[seen], spheres.radii[seen])
        return shown, sight.unnoticed(of_shown) / self._sizes(shown)

    def spheres(self, state: CrowdState) -> Spheres:
        """Return spheres around some of its agents, whatever they play."""
        middle, radius = self.character.sphere
        middles = self.character.poser.middles(state, middle)
        sizes = self._sizes(state)
        radii = radius * sizes
        if state.ground is not None:
            # On slopes bodies lean about where they stand, and go down with their feet.
            body = self.character.body
            away = float(np.linalg.norm((np.append(middle, 1.0) @ body.root_to_world)[:3]))
            radii += (away * STEEPEST + body.height) * state.cast.scale / SCALE
        return Spheres(middles, radii)

    def _sizes(self, state: CrowdState) -> NDArray[np.float64]:
        """Return (N,) how long a unit of root space is at most, in units of the world."""
        largest = float(np.linalg.svd(self.character.body.root_to_world[:3, :3], compute_uv=False).max())
        return largest * state.cast.scale / SCALE

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
