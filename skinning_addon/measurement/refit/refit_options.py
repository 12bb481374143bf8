"""What may be asked of a fit."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.refit.kind import Kind


@dataclass(frozen=True)
class RefitOptions:
    """hold_out: name of a clip that the fit may not see; a block of each if empty. helper_bones: how many bones
    the copy may have more, for vertices that follow more bones than the engine takes. kind: of copy.
    """

    hold_out: str = ""
    helper_bones: int = 0
    kind: Kind = Kind.RUNTIME
