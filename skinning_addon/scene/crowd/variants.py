"""The characters of a crowd in their variants: with other meshes, another tint, larger or smaller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.cast import Cast
from ...animation.crowd.fixed_point import SCALE, micrometres
from ...animation.crowd.kinds import Kind
from ...animation.crowd.state import CrowdState
from ...core.text.errors import CrowdError
from .character import Character, CrowdMesh

WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Variant:
    """A character as some of the agents are.

    share: of all agents, in proportion to the other variants' shares. scale: the smallest and the largest.
    without: names of the meshes that these agents don't have. tint: linear Rec.709, what their colours are
    multiplied by.
    """

    character: Character
    share: int = 1
    scale: tuple[float, float] = (1.0, 1.0)
    without: frozenset[str] = frozenset()
    tint: tuple[float, float, float] = WHITE

    def __post_init__(self) -> None:
        known = {one.name for one in self.character.meshes}
        for name in sorted(self.without - known):
            raise CrowdError(
                "'{armature}' has no mesh '{mesh}' to leave out; choose one of {known}.",
                armature=self.character.name,
                mesh=name,
                known=", ".join(sorted(known)),
            )
        if not known - self.without:
            raise CrowdError(
                "A variant of '{armature}' has no mesh left; leave out fewer.", armature=self.character.name
            )

    def kind(self, radius: float, *, holds_feet: bool = True) -> Kind:
        """Return it as the crowd's rules have it.

        radius: metres at scale 1, 0 for the character's own. holds_feet: whether agents keep planted feet where
        they stand when they fade, turn or are stopped.

        Raises:
            CrowdError: the share or the scale is out of range.
        """
        idle, walk, run = self.character.gaits
        smallest, largest = (round(one * SCALE) for one in self.scale)
        room = micrometres(radius or self.character.radius)
        height = micrometres(self.character.height) if holds_feet else 0
        return Kind((idle, walk, run), room, self.share, smallest, largest, height)


@dataclass(frozen=True, eq=False)
class Troupe:
    """All agents of one character, whatever their variants.

    meshes: that can be skinned. kinds: (K,) bool, which of the crowd's kinds are of this character. worn:
    (M, K) bool, who has which mesh. tints: (K, 3). without: by kind, names of the meshes that are left out.
    """

    character: Character
    meshes: tuple[CrowdMesh, ...]
    kinds: NDArray[np.bool_]
    worn: NDArray[np.bool_]
    tints: NDArray[np.float64]
    without: tuple[frozenset[str], ...]

    def members(self, state: CrowdState) -> NDArray[np.intp]:
        """Return which agents (n,) belong to it."""
        return np.flatnonzero(self.kinds[state.cast.kind])

    def wearing(self, mesh: int, cast: Cast) -> NDArray[np.bool_]:
        """Return whether (n,) some of its agents have a mesh."""
        return self.worn[mesh][cast.kind]

    def tints_of(self, cast: Cast) -> NDArray[np.float64]:
        """Return the tints (n, 3) of some of its agents."""
        return self.tints[cast.kind]

    @cached_property
    def dressed_alike(self) -> bool:
        """Whether everybody has all meshes."""
        return bool(self.worn[:, self.kinds].all())


def troupes(variants: Sequence[Variant]) -> list[Troupe]:
    """Return a crowd's characters, each once, in the order of their first variants."""
    found: list[Troupe] = []
    for character in {id(one.character): one.character for one in variants}.values():
        meshes = tuple(one for one in character.meshes if one.binding.passes)
        kinds = np.array([one.character is character for one in variants])
        worn = np.array(
            [[mesh.name not in one.without for one in variants] for mesh in meshes], dtype=np.bool_
        )
        found.append(
            Troupe(
                character,
                meshes,
                kinds,
                worn.reshape(len(meshes), len(variants)),
                np.array([one.tint for one in variants]),
                tuple(one.without for one in variants),
            )
        )
    return found
