"""Notes on playing one skeleton's clips on another: missing bones, differing rest poses, and what gets lost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...animation.bone_names import named_bones
from ...animation.retargeting import RestDifference, Retargeting, SharedBones, rest_difference
from ...core.skinning.skeleton import Skeleton
from ...core.text.length import format_length
from ...core.text.message import Message
from ..matrices import row_vectors
from ..object_data import armature_of
from .clip_package import PackedArmatureClip, PackedClips, inheritance_of
from .clip_pairs import ClipPair

SAME_ANGLE = math.radians(0.05)
SAME_PLACE = 1e-4
"""Smaller differences between rest poses, in radians and as a share of the skeleton's size, are rounding."""


@dataclass(frozen=True)
class Told:
    """A sentence about another file's clips. loses: whether it means that they play differently here."""

    message: Message
    loses: bool


def _difference(
    file: str,
    armature: str,
    there: Skeleton,
    here: Skeleton,
    shared: SharedBones,
    *,
    metres: float,
    retarget: bool,
) -> Iterator[Told]:
    """Tell which bones only one skeleton has, and how far the rest poses of the shared ones differ.

    metres: length of a unit here.
    """
    if shared.missing_here:
        yield Told(_missing_here(file, armature, shared.missing_here, retarget=retarget), loses=True)
    if shared.missing_there:
        yield Told(_missing_there(file, armature, shared.missing_there), loses=False)
    difference = rest_difference(there, here, shared)
    differs = (difference.angles > SAME_ANGLE) | (difference.distances > SAME_PLACE * _size(here))
    if differs.any():
        message = _other_rest(file, shared, difference, differs, metres=metres, retarget=retarget)
        yield Told(message, loses=not retarget)


def _missing_here(file: str, armature: str, bones: Sequence[str], *, retarget: bool) -> Message:
    words = {"armature": armature, "count": len(bones), "file": file, "bones": named_bones(bones)}
    if retarget and len(bones) == 1:
        return Message(
            "'{armature}' is missing a bone of '{file}', and bones below it turn as if it were there: "
            "{bones}.",
            **words,
        )
    if retarget:
        return Message(
            "'{armature}' is missing {count} bones of '{file}', and bones below them turn as if they "
            "were there: {bones}.",
            **words,
        )
    if len(bones) == 1:
        return Message(
            "'{armature}' is missing a bone of '{file}'; its animation is left out: {bones}.", **words
        )
    return Message(
        "'{armature}' is missing {count} bones of '{file}'; their animation is left out: {bones}.", **words
    )


def _missing_there(file: str, armature: str, bones: Sequence[str]) -> Message:
    words = {"armature": armature, "count": len(bones), "file": file, "bones": named_bones(bones)}
    if len(bones) == 1:
        return Message(
            "'{file}' is missing a bone of '{armature}'; it keeps its rest pose on its parent: {bones}.",
            **words,
        )
    return Message(
        "'{file}' is missing {count} bones of '{armature}'; they keep their rest pose on their "
        "parents: {bones}.",
        **words,
    )


def _other_rest(
    file: str,
    shared: SharedBones,
    difference: RestDifference,
    differs: NDArray[np.bool_],
    *,
    metres: float,
    retarget: bool,
) -> Message:
    words = {
        "count": int(differs.sum()),
        "total": len(shared.names),
        "file": file,
        "bone": shared.names[int(differs.argmax())],
        "angle": math.degrees(difference.angles[differs].max()),
        "turned": shared.names[int(np.where(differs, difference.angles, -1.0).argmax())],
        "distance": format_length(metres * float(difference.distances[differs].max())),
        "moved": shared.names[int(np.where(differs, difference.distances, -1.0).argmax())],
    }
    match int(differs.sum()), retarget:
        case 1, True:
            return Message(
                "The rest pose of '{bone}' differs from '{file}', by {angle:.4g} degrees and {distance} "
                "in position; the clips are retargeted.",
                **words,
            )
        case 1, False:
            return Message(
                "The rest pose of '{bone}' differs from '{file}', by {angle:.4g} degrees and {distance} "
                "in position, so the same keys pose it differently; retarget the clips to turn it as in the "
                "file.",
                **words,
            )
        case _, True:
            return Message(
                "The rest poses of {count} of the {total} bones shared with '{file}' differ, by up to "
                "{angle:.4g} degrees ('{turned}') and {distance} in position ('{moved}'); the clips are "
                "retargeted.",
                **words,
            )
        case _:
            return Message(
                "The rest poses of {count} of the {total} bones shared with '{file}' differ, by up to "
                "{angle:.4g} degrees ('{turned}') and {distance} in position ('{moved}'), so the same keys "
                "pose them differently; retarget the clips to turn each bone as in the file.",
                **words,
            )


def _size(skeleton: Skeleton) -> float:
    return float(np.ptp(skeleton.rest_to_root[:, 3, :3], axis=0).max())


def _translation(file: str, retargeting: Retargeting, length: float) -> Told:
    """Tell how far the topmost bone moves. length: the most it moves here, in meters."""
    arguments = {
        "bone": retargeting.shared.names[retargeting.topmost],
        "file": file,
        "length": format_length(length),
        "size": retargeting.size,
    }
    if retargeting.size == 1:
        message = Message(
            "'{bone}' moves up to {length} from its rest position; translations of '{file}' are used "
            "unchanged because its bones are equally long.",
            **arguments,
        )
    else:
        message = Message(
            "'{bone}' moves up to {length} from its rest position; translations of '{file}' are multiplied "
            "by {size:.4g} because bones here are that many times as long in the armature's units.",
            **arguments,
        )
    return Told(message, loses=False)


def told_of_clips(
    pairs: Sequence[ClipPair],
    packed: PackedClips,
    lengths: Mapping[int, float],
    unit: float,
    *,
    retarget: bool,
) -> Iterator[Told]:
    """Tell how well another file's clips fit the armatures here.

    lengths: by a pair's number, the farthest that retargeted clips move its topmost bone, in the armature's
    units. unit: the scene's, in meters.
    """
    for pair in pairs:
        metres = unit * float(np.linalg.norm(row_vectors(pair.here.matrix_world)[:3, :3], ord=2))
        parts = [part for clip in packed.clips for part in clip.parts if part.armature == pair.number]
        yield from _difference(
            packed.file,
            pair.here.name,
            pair.there.skeleton,
            pair.reader.skeleton,
            pair.shared,
            metres=metres,
            retarget=retarget,
        )
        if retarget:
            length = lengths.get(pair.number, 0.0)
            if length > SAME_PLACE * _size(pair.reader.skeleton):
                yield _translation(packed.file, pair.retargeting, metres * length)
            yield from _constrained(pair)
        else:
            yield from _posed_otherwise(pair, parts, packed.file)
            yield from _inheriting_otherwise(pair, packed.file)
        if any(one.moves_object for one in parts):
            yield Told(
                Message(
                    "Clips of '{file}' also move the armature object '{armature}'; that motion is left "
                    "out, and only bones move.",
                    file=packed.file,
                    armature=pair.there.name,
                ),
                loses=True,
            )
    matched = {pair.number for pair in pairs}
    for number, one in enumerate(packed.armatures):
        if number not in matched and any(
            part.armature == number for clip in packed.clips for part in clip.parts
        ):
            yield Told(
                Message(
                    "'{armature}' in '{file}' has no bones in common with the armatures here; its "
                    "animation is left out.",
                    armature=one.name,
                    file=packed.file,
                ),
                loses=True,
            )


def _posed_otherwise(pair: ClipPair, parts: Sequence[PackedArmatureClip], file: str) -> Iterator[Told]:
    here = set(pair.shared.names)
    bones = list(dict.fromkeys(name for one in parts for name in one.otherwise if name in here))
    if not bones or any(len(bone.constraints) for bone in pair.here.pose.bones):
        return
    if len(bones) == 1:
        message = Message(
            "Constraints or drivers pose '{bone}' in '{file}', but only keys are imported; retarget the clips "
            "to import it as posed.",
            file=file,
            bone=bones[0],
        )
    else:
        message = Message(
            "Constraints or drivers pose {count} of the bones in '{file}', such as '{bone}', but only "
            "keys are imported; retarget the clips to import every bone as posed.",
            count=len(bones),
            file=file,
            bone=bones[0],
        )
    yield Told(message, loses=True)


def _inheriting_otherwise(pair: ClipPair, file: str) -> Iterator[Told]:
    bones = armature_of(pair.here).bones
    others = [
        name for name in pair.shared.names if list(pair.there.inherits[name]) != inheritance_of(bones[name])
    ]
    if not others:
        return
    if len(others) == 1:
        message = Message(
            "'{bone}' inherits rotation, scale or location differently from '{file}', so the same keys pose it "
            "differently; retarget the clips, or use the same settings for the bone.",
            bone=others[0],
            file=file,
        )
    else:
        message = Message(
            "{count} of the bones, such as '{bone}', inherit rotation, scale or location differently "
            "from '{file}', so the same keys pose them differently; retarget the clips, or use the "
            "same settings for the bones.",
            count=len(others),
            bone=others[0],
            file=file,
        )
    yield Told(message, loses=True)


def _constrained(pair: ClipPair) -> Iterator[Told]:
    bones = [
        name
        for name in pair.shared.names
        if any(not one.mute for one in pair.here.pose.bones[name].constraints)
    ]
    if not bones:
        return
    words = {"count": len(bones), "armature": pair.here.name, "bone": bones[0]}
    if len(bones) == 1:
        message = Message(
            "Constraints on '{bone}' of '{armature}' act on top of the retargeted clips; mute them to play the "
            "clips unchanged.",
            **words,
        )
    else:
        message = Message(
            "Constraints on {count} of the bones of '{armature}', such as '{bone}', act on top of the "
            "retargeted clips; mute them to play the clips unchanged.",
            **words,
        )
    yield Told(message, loses=True)


def told_of_names(renamed: Sequence[tuple[str, str]], file: str) -> Iterator[Told]:
    """Tell which clips couldn't keep their names. renamed: pairs of old and new names."""
    if not renamed:
        return
    arguments = {"file": file, "clip": renamed[0][0], "name": renamed[0][1], "count": len(renamed)}
    if len(renamed) == 1:
        message = Message(
            "A clip '{clip}' already exists here, so the one from '{file}' is called '{name}'.", **arguments
        )
    else:
        message = Message(
            "{count} clips of '{file}' have the same names as clips here, so they are renamed; '{clip}', "
            "for example, is called '{name}'.",
            **arguments,
        )
    yield Told(message, loses=False)
