"""What the user has chosen for a scene's crowd."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class VariantChoices:
    """A row of a scene's characters and variants.

    armature: session_uid of the character's armature, 0 for the crowd's own. roles: clips that the user named,
    by role. share: of all agents. scale: the smallest and the largest. without: names of meshes that they
    don't have. tint: linear.
    """

    armature: int = 0
    roles: tuple[tuple[str, str], ...] = ()
    share: int = 1
    scale: tuple[float, float] = (1.0, 1.0)
    without: tuple[str, ...] = ()
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class CrowdChoices:
    """One scene's settings.

    armature: session_uid of the character's armature, 0 for none. roles: clips that the user named, by role.
    count, seed: of agents. side, radius: in metres, 0 for what suits the character. display: of the drawing
    layer. sampled: whether the GPU poses everybody from sampled clips. tolerance: of samples, in metres at a
    standing height of 1.8 m. shares_poses: whether agents share sampled poses where that doesn't show.
    inputs: what was steered, as JSON (`Input.to_plain`). ground: session_uid of the mesh object that is
    walked on, 0 for a plane; obstacles: of the collection that stands in the way, 0 for none. slope: degrees
    that are climbed at most. variants: whom the crowd consists of; if there are none, all are of its own
    character.
    sound: path of the file that is heard with footsteps, empty for silence.
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
    shares_poses: bool = True
    inputs: str = ""
    ground: int = 0
    slope: float = 35.0
    obstacles: int = 0
    variants: tuple[VariantChoices, ...] = ()
    # No other crowd for another sound.
    sound: str = field(default="", compare=False)

    @property
    def cast(self) -> tuple[VariantChoices, ...]:
        """Whom the crowd consists of, each with its armature; its own character has its own clips."""
        if not self.variants:
            return (VariantChoices(self.armature, self.roles),)
        return tuple(
            replace(one, armature=self.armature, roles=self.roles)
            if one.armature in {0, self.armature}
            else one
            for one in self.variants
        )
