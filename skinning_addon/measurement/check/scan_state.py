"""What came of measuring some frames of a check, to be joined with what came of the frames after them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from ...core.profiles.binding import Reason
from ...core.text.errors import BindingError
from ..findings.playback_losses import PlaybackLosses
from ..frame.attribution import Attributed, Effects
from .worst_frames import Followed, Subject

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class ScanState:
    """followed, attributed: by mesh and profile. stacks: effects of modifier stacks, and what can still be
    compared, by mesh. posed: meshes that bones have moved. refused: meshes that can't be skinned at some frame,
    and why. reasons: why a mesh can't be reproduced exactly, by mesh and profile. losses: what files lack of
    the clips; None if that is measured later.
    """

    followed: Mapping[Subject, Followed]
    attributed: Mapping[Subject, Attributed]
    stacks: Mapping[str, tuple[Effects, frozenset[int]]]
    posed: frozenset[str]
    refused: Mapping[str, BindingError]
    reasons: Mapping[Subject, tuple[Reason, ...]]
    losses: PlaybackLosses | None = None

    def then(self, later: ScanState) -> ScanState:
        """Return what comes of these frames and later ones: a refused mesh is not measured any more."""
        later = later.without(self.refused)
        return ScanState(
            _joined(self.followed, later.followed, lambda one, other: one.then(other)),
            _joined(self.attributed, later.attributed, lambda one, other: one.then(other)),
            _joined(self.stacks, later.stacks, lambda one, other: (one[0].then(other[0]), one[1] & other[1])),
            self.posed | later.posed,
            {**self.refused, **later.refused},
            _joined(self.reasons, later.reasons, lambda one, other: tuple(dict.fromkeys((*one, *other)))),
        )

    def without(self, meshes: Mapping[str, object]) -> ScanState:
        """Return the same without some meshes."""
        return replace(
            self,
            followed={key: one for key, one in self.followed.items() if key[0] not in meshes},
            attributed={key: one for key, one in self.attributed.items() if key[0] not in meshes},
            stacks={key: one for key, one in self.stacks.items() if key not in meshes},
            posed=self.posed - meshes.keys(),
            reasons={key: one for key, one in self.reasons.items() if key[0] not in meshes},
        )


def _joined(
    these: Mapping[Key, Value], later: Mapping[Key, Value], join: Callable[[Value, Value], Value]
) -> dict[Key, Value]:
    joined = dict(these)
    for key, one in later.items():
        joined[key] = join(joined[key], one) if key in joined else one
    return joined
