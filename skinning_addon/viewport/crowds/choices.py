"""What the user has chosen for a scene's crowd."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CrowdChoices:
    """One scene's settings.

    armature: session_uid of the character's armature, 0 for none. roles: clips that the user named, by role.
    count, seed: of agents. side, radius: in metres, 0 for what suits the character. display: of the drawing
    layer. sampled: whether the GPU poses everybody from sampled clips. tolerance: of samples, in metres at a
    standing height of 1.8 m. inputs: what was steered, as JSON (`Input.to_plain`). ground: session_uid of the
    mesh object that is walked on, 0 for a plane; obstacles: of the collection that stands in the way, 0 for
    none. slope: degrees that are climbed at most.
    """

    is_on: bool = False
    armature: int = 0
    roles: tuple[tuple[str, str], ...] = ()
    count: int = 100
    seed: int = 1
    side: float = 0.0
    radius: float = 0.0
    display: str = "base_color"
    sampled: bool = False
    tolerance: float = 0.001
    inputs: str = ""
    ground: int = 0
    slope: float = 35.0
    obstacles: int = 0

    @property
    def character(self) -> tuple[object, ...]:
        """All that the character depends on."""
        return self.armature, self.roles

    @property
    def population(self) -> tuple[object, ...]:
        """All that the crowd depends on, besides its character."""
        crowd = self.count, self.seed, self.side, self.radius, self.inputs
        return *crowd, self.ground, self.slope, self.obstacles
