"""What is told about two skeletons of which one plays the other's clips: bones that one of them lacks, and rests that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..animation.bone_names import named_bones
from ..animation.retargeting import Retargeting, SharedBones, rest_difference
from ..core.errors import ClipError
from ..core.message import Message
from ..core.skeleton import Skeleton

SAME_ANGLE = math.radians(0.05)
SAME_PLACE = 1e-4
"""Rest poses that differ by less, in radians and as a share of the skeleton's size, are the same but for rounding."""


@dataclass(frozen=True)
class Told:
    """A sentence about clips of another file. loses: whether they play otherwise here than there for it."""

    message: Message
    loses: bool


def no_bone_shared(file: str, there: Sequence[str], here: Sequence[str]) -> ClipError:
    """Make the error for skeletons that have nothing in common."""
    return ClipError(
        "No bone of '{file}' has the name of a bone here: there {there}, here {here}; clips are matched by bone name, so "
        "give the bones the same names.",
        file=file,
        there=named_bones(there),
        here=named_bones(here),
    )


def difference_told(
    file: str, armature: str, there: Skeleton, here: Skeleton, shared: SharedBones, *, retarget: bool
) -> Iterator[Told]:
    """Say which bones one skeleton alone has, and how far the rest poses of the others lie apart."""
    if shared.missing_here:
        yield Told(
            Message(
                "'{armature}' lacks {count} of the bones of '{file}'; what moves them is left out: {bones}.",
                armature=armature,
                count=len(shared.missing_here),
                file=file,
                bones=named_bones(shared.missing_here),
            ),
            loses=True,
        )
    if shared.missing_there:
        yield Told(
            Message(
                "'{file}' lacks {count} of the bones of '{armature}'; they rest on their parents: {bones}.",
                armature=armature,
                count=len(shared.missing_there),
                file=file,
                bones=named_bones(shared.missing_there),
            ),
            loses=False,
        )
    difference = rest_difference(there, here, shared)
    size = float(np.ptp(here.rest_to_root[:, 3, :3], axis=0).max())
    differs = (difference.angles > SAME_ANGLE) | (difference.distances > SAME_PLACE * size)
    if not differs.any():
        return
    arguments = {
        "count": int(differs.sum()),
        "total": len(shared.names),
        "file": file,
        "angle": math.degrees(difference.angles.max()),
        "turned": shared.names[int(difference.angles.argmax())],
        "distance": float(difference.distances.max()),
        "moved": shared.names[int(difference.distances.argmax())],
    }
    if retarget:
        yield Told(
            Message(
                "The rest poses of {count} of the {total} bones shared with '{file}' differ, by up to {angle:.4g} degrees "
                "('{turned}') and {distance:.4g} in place ('{moved}'); the clips are retargeted.",
                **arguments,
            ),
            loses=False,
        )
    else:
        yield Told(
            Message(
                "The rest poses of {count} of the {total} bones shared with '{file}' differ, by up to {angle:.4g} degrees "
                "('{turned}') and {distance:.4g} in place ('{moved}'), so that the same keys pose them differently; retarget the "
                "clips to turn each bone as there.",
                **arguments,
            ),
            loses=True,
        )


def translation_told(
    file: str, retargeting: Retargeting, poses: Sequence[NDArray[np.float32]]
) -> Iterator[Told]:
    """Say how far the topmost bone is moved, there and here. poses: (F, B, 4, 4) of each clip there."""
    if not poses:
        return
    bone = retargeting.topmost
    length = max(retargeting.moves(bone, one) for one in poses)
    yield Told(
        Message(
            "'{bone}' is moved from its rest by up to {there:.4g} in '{file}' and {here:.4g} here: translations are taken times "
            "{size:.4g}, as bones here are that much longer.",
            bone=retargeting.shared.names[bone],
            there=length,
            file=file,
            here=length * retargeting.size,
            size=retargeting.size,
        ),
        loses=False,
    )
