"""What may be asked of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...core.refit.free_bones import USUAL_TURN
from ...core.refit.kind import Kind


@dataclass(frozen=True)
class RefitOptions:
    """hold_out: name of a clip that the fit may not see; a block of each if empty. helper_bones: how many bones
    the copy may have more, for vertices that follow more bones than the engine takes. kind: of copy.
    tolerance: if above 0, what `furthest_unseen` is to be within, in the armature's unit: helper bones are
    added until it is. drift: how far the heads of a baked copy's authored
    bones may leave their places, in the armature's unit; `USUAL_DRIFT` of its size if left out. turn: by how
    many degrees such bones may be turned.
    """

    hold_out: str = ""
    helper_bones: int = 0
    kind: Kind = Kind.RUNTIME
    tolerance: float = 0.0
    drift: float | None = None
    turn: float = USUAL_TURN
    clip_bones: bool = False

    @property
    def every_frame(self) -> bool:
        """Whether bones' motion is found at every frame of clips, and not only at those that weights see."""
        return self.kind is Kind.BAKED or self.clip_bones

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Return options that were taken apart as JSON, by name."""
        return cls(**{**told, "kind": Kind(told["kind"])})
