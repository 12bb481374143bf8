"""A crowd of characters, at any time, drawn into 3D views."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import MICROMETRES, SCALE
from ...animation.crowd.footsteps import Footstep
from ...animation.crowd.inputs import Input, InputKind
from ...animation.crowd.posing import heights
from ...animation.crowd.recording import Recording
from ...core.text.errors import CrowdError
from ...drawing.display_settings import DisplaySettings
from ...scene.crowd.character import Character
from ...scene.crowd.landscape import Landscape
from ...scene.crowd.population import populated
from ...scene.crowd.variants import Variant, troupes
from ..character.view import View
from .choices import CrowdChoices
from .drawn_character import DrawnCharacter
from .sight import Sight

STEERED = frozenset({InputKind.STEER, InputKind.RELEASE})


class CrowdPlayer:
    """Plays and draws a crowd. Keeps no Blender object; owns GPU objects once drawn: free it after use.

    choices: that it was made for. variants: whom it consists of. crowd: at the time that was asked for last, or
    on its way there. characters: its characters, each once.
    """

    def __init__(
        self, variants: Sequence[Variant], choices: CrowdChoices, landscape: Landscape | None = None
    ) -> None:
        """Put everybody in their place. landscape: what they walk on, a plane if left out.

        Raises:
            CrowdError: there is no room, or an option makes no sense.
        """
        self.variants, self.choices = tuple(variants), choices
        alone = populated(
            variants,
            choices.count,
            seed=choices.seed,
            radius=choices.radius,
            side=choices.side,
            landscape=landscape,
        ).recording
        # From the start once more: what was steered may begin there.
        inputs = [*alone.inputs, *_inputs(choices.inputs, choices.count)]
        self.crowd = Crowd(Recording(alone.settings, inputs, grounds=alone.grounds))
        self.characters = tuple(DrawnCharacter(one, choices) for one in troupes(variants))
        self._shown: tuple[object, ...] | None = None

    @property
    def character(self) -> Character:
        """The first variant's."""
        return self.variants[0].character

    @property
    def _micrometres_per_unit(self) -> float:
        return MICROMETRES * self.character.metres_per_unit

    def follow(
        self,
        step: int,
        enough: Callable[[], bool],
        passed: Callable[[Footstep], None] = lambda _: None,
    ) -> bool:
        """Go to a step, 120 a second; return whether it was reached. enough, passed: see `Crowd.seek`."""
        return self.crowd.seek(max(step, 0), enough, passed)

    @property
    def steered(self) -> str:
        """What was steered, as JSON: see `CrowdChoices.inputs`."""
        given = [one.to_plain() for one in self.crowd.recording.inputs if one.kind in STEERED]
        return json.dumps(given) if given else ""

    @property
    def places(self) -> NDArray[np.float64]:
        """(N, 3) where agents stand, in units of the world."""
        flat = self.crowd.state.position.T / self._micrometres_per_unit
        upright = heights(self.crowd.state)[:, None] / self._micrometres_per_unit
        return np.concatenate((flat, upright), axis=1)

    @property
    def heights(self) -> NDArray[np.float64]:
        """(N,) how tall agents are, in units of the world."""
        cast = self.crowd.state.cast
        tall = np.array([one.character.body.height for one in self.variants])
        return tall[cast.kind] * cast.scale / SCALE

    @property
    def radii(self) -> NDArray[np.float64]:
        """(N,) how much room agents take, in units of the world."""
        return self.crowd.state.cast.radius / self._micrometres_per_unit

    @property
    def half(self) -> NDArray[np.float64]:
        """(2,) half the area's size, in units of the world."""
        return self.crowd.state.half / self._micrometres_per_unit

    def draw(self, view: View, look: DisplaySettings) -> None:
        """Draw everybody into the current 3D view."""
        sight = Sight(view)
        shown = self.crowd.state.step, sight.key
        if self._shown != shown:
            for one in self.characters:
                one.send(self.crowd.state, self.crowd.settings, sight)
            self._shown = shown
        for one in self.characters:
            one.draw(view, look)

    def free(self) -> None:
        """Give the GPU's memory back."""
        for one in self.characters:
            one.free()
        self._shown = None


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
