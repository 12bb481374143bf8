"""A finished fit in a file: what another Blender found is built in the user's."""

from __future__ import annotations

from pathlib import Path

from ...core.maths.array_record import RecordKinds
from ...core.refit.channels import Channels
from ...core.refit.judging import Figures
from ...scene.clips.clips import ArmatureClip
from ...scene.identification import library_everywhere, seen_from_file
from ...scene.refit.plan import CopiedBone, CopiedClip, CopiedMesh, CopyPlan, Drivers
from .bone_drift import BoneDrift
from .refit import Refit, RefittedMesh

KINDS = RecordKinds(
    (
        Refit,
        RefittedMesh,
        BoneDrift,
        Figures,
        CopyPlan,
        CopiedBone,
        CopiedMesh,
        CopiedClip,
        Drivers,
        Channels,
        ArmatureClip,
    )
)


def write_refit(path: Path, found: Refit) -> None:
    """Write a fit. Objects that are linked are named by their libraries' whole paths."""
    KINDS.write(path, found, library_everywhere)


def read_refit(path: Path) -> Refit:
    """Read a fit; linked objects are named as the open file has them.

    Raises:
        SourceFileError: the file is broken.
    """
    found = KINDS.read(path, seen_from_file)
    assert isinstance(found, Refit)  # noqa: S101 - for the type checker
    return found
