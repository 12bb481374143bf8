"""A crowd of one character, at any time, drawn into 3D views."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import MICROMETRES
from ...animation.crowd.inputs import Input, InputKind
from ...animation.crowd.posing import CrowdPoser, heights
from ...animation.crowd.recording import Recording
from ...animation.crowd.strides import STANDARD_HEIGHT
from ...animation.sampled_clips import SampledClips
from ...core.text.errors import CrowdError
from ...drawing.display_settings import DisplaySettings
from ...drawing.materials import MaterialLook
from ...measurement.pictures.material_looks import material_looks
from ...scene.crowd.character import Character, CrowdMesh
from ...scene.crowd.landscape import Landscape
from ...scene.crowd.population import populated
from ...scene.identification import find_object
from ..character.view import View
from .choices import CrowdChoices
from .drawn_agents import DrawnAgents, PosedAgents, SampledAgents

STEERED = frozenset({InputKind.STEER, InputKind.RELEASE})


class CrowdPlayer:
    """Plays and draws a crowd. Keeps no Blender object; owns GPU objects once drawn: free it after use.

    choices: that it was made for. crowd: at the time that was asked for last, or on its way there. sampled:
    the clips as they were sampled, if the GPU poses agents.
    """

    def __init__(
        self, character: Character, choices: CrowdChoices, landscape: Landscape | None = None
    ) -> None:
        """Put everybody in their place. landscape: what they walk on, a plane if left out.

        Raises:
            CrowdError: there is no room, or an option makes no sense.
        """
        self.character, self.choices = character, choices
        alone = populated(
            character,
            choices.count,
            seed=choices.seed,
            radius=choices.radius,
            side=choices.side,
            landscape=landscape,
        ).recording
        # From the start once more: what was steered may begin there.
        inputs = [*alone.inputs, *_inputs(choices.inputs, choices.count)]
        self.crowd = Crowd(Recording(alone.settings, inputs, grounds=alone.grounds))
        body = character.body
        self._poser = CrowdPoser(
            body.skeleton, character.strides, body.root_to_world, character.metres_per_unit
        )
        self.sampled: SampledClips | None = self._sample() if choices.sampled else None
        self._drawn: DrawnAgents | None = None
        self._shown: int | None = None

    def _sample(self) -> SampledClips:
        character = self.character
        return SampledClips.within(
            character.body.skeleton, self._poser.clips, character.boxes, self._tolerance
        )

    @property
    def _tolerance(self) -> float:
        """In units of root space."""
        return self.choices.tolerance * self._root_height / STANDARD_HEIGHT

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

    def follow(self, step: int, enough: Callable[[], bool]) -> bool:
        """Go to a step, 120 a second; return whether it was reached. enough: see `Crowd.seek`."""
        return self.crowd.seek(max(step, 0), enough)

    @property
    def steered(self) -> str:
        """What was steered, as JSON: see `CrowdChoices.inputs`."""
        given = [one.to_plain() for one in self.crowd.recording.inputs if one.kind in STEERED]
        return json.dumps(given) if given else ""

    @property
    def places(self) -> NDArray[np.float64]:
        """(N, 3) where agents stand, in units of the world."""
        scale = MICROMETRES * self.character.metres_per_unit
        flat = self.crowd.state.position.T / scale
        return np.concatenate((flat, heights(self.crowd.state)[:, None] / scale), axis=1)

    @property
    def height(self) -> float:
        """The character's, in units of the world."""
        return self.character.body.height

    @property
    def radius(self) -> float:
        """An agent's, in units of the world."""
        return self.crowd.settings.widest / (MICROMETRES * self.character.metres_per_unit)

    @property
    def half(self) -> NDArray[np.float64]:
        """(2,) half the area's size, in units of the world."""
        return self.crowd.state.half / (MICROMETRES * self.character.metres_per_unit)

    def draw(self, view: View, look: DisplaySettings) -> None:
        """Draw everybody into the current 3D view."""
        if self._drawn is None:
            self._drawn, self._shown = self._made(), None
        if self._shown != self.crowd.state.step:
            self._drawn.send(self.crowd.state, self.crowd.settings)
            self._shown = self.crowd.state.step
        self._drawn.draw(self.choices.display, view, look, _looks)

    def _made(self) -> DrawnAgents:
        meshes = [one for one in self.character.meshes if one.binding.passes]
        if self.sampled is None:
            return PosedAgents(meshes, self._poser)
        return SampledAgents(meshes, self._poser, self.sampled, self._tolerance)

    def free(self) -> None:
        """Give the GPU's memory back."""
        if self._drawn is not None:
            self._drawn.free()
            self._drawn = None


def _looks(mesh: CrowdMesh) -> list[MaterialLook]:
    """Return a mesh's materials; none if its object is gone."""
    mesh_object = find_object(mesh.name)
    return [] if mesh_object is None else list(material_looks(mesh_object))


def _inputs(text: str, count: int) -> list[Input]:
    """Read what was steered, of the agents that there are.

    Raises:
        CrowdError: it is damaged.
    """
    if not text:
        return []
    try:
        given = [Input.from_plain(one) for one in json.loads(text)]
    except (LookupError, TypeError, ValueError) as error:
        raise CrowdError(
            "What was steered can't be read ({reason}); use Forget Steering.", reason=str(error)
        ) from error
    return [one for one in given if one.kind in STEERED and one.values[0] < count]
