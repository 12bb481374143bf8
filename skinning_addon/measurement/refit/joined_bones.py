"""All bones that a copy can have: the authored ones, and one for each segment of a bendy bone that is followed.

An engine knows no bendy bones. Each segment that vertices follow becomes a bone of its own, at the segment's
place at rest, and moves as the segment does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.refit.hierarchy import AuthoredBones
from .recording import RecordedMesh, Recording


@dataclass(frozen=True, eq=False)
class JoinedBones:
    """names, authored: of all bones, the segments last. to_root: (F, B, 4, 4), at every recorded frame.
    numbers: for each mesh, (J,) the bone of each joint of its skin; -1 for joint 0, which is none.
    """

    names: tuple[str, ...]
    authored: AuthoredBones
    to_root: NDArray[np.float64]
    numbers: tuple[NDArray[np.intp], ...]


def joined_bones(recording: Recording, authored: AuthoredBones) -> JoinedBones:
    """Join the bones of an armature with the segments that meshes follow.

    authored: the armature's bones, in the order of its skeleton.
    """
    segments = _segments(recording)
    names = recording.reader.skeleton.names
    taken = set(names)
    count = len(names)
    keys = list(segments)
    number_of = {key: count + index for index, key in enumerate(keys)}
    numbers = tuple(_numbers(mesh, number_of) for mesh in recording.meshes)
    if not keys:
        return JoinedBones(names, authored, recording.to_root, numbers)
    bones = np.array([bone for bone, _ in keys], dtype=np.intp)
    found = [segments[key] for key in keys]
    all_bones = AuthoredBones(
        np.concatenate([authored.parents, bones.astype(np.int32)]),
        np.concatenate(
            [authored.rest_to_root, np.stack([mesh.joints.rest_to_root[joint] for mesh, joint in found])]
        ),
        np.concatenate([authored.lengths, authored.lengths[bones] / recording.reader.segments[bones]]),
        np.concatenate([authored.kept, np.ones(len(keys), dtype=np.bool_)]),
        np.concatenate([authored.followed, np.full(len(keys), -1, dtype=np.int32)]),
        np.concatenate([authored.mirrored, _mirrored(keys, authored, number_of)]),
    )
    moved = np.stack([mesh.to_root[:, joint] for mesh, joint in found], axis=1)
    return JoinedBones(
        (*names, *(_segment_name(names[bone], segment, taken) for bone, segment in keys)),
        all_bones,
        np.concatenate([recording.to_root, moved], axis=1),
        numbers,
    )


def _mirrored(
    keys: Sequence[tuple[int, int]], authored: AuthoredBones, number_of: Mapping[tuple[int, int], int]
) -> NDArray[np.int32]:
    """Return the same segment of the bone on the other side, itself if there is none."""
    return np.array(
        [
            number_of.get((int(authored.mirrored[bone]), segment), number_of[bone, segment])
            for bone, segment in keys
        ],
        dtype=np.int32,
    )


def _segments(recording: Recording) -> dict[tuple[int, int], tuple[RecordedMesh, int]]:
    """Return a mesh, and the joint of its skin, for each segment (bone, number) of a bendy bone."""
    found: dict[tuple[int, int], tuple[RecordedMesh, int]] = {}
    for mesh in recording.meshes:
        joints = mesh.joints
        for joint, (bone, segment) in enumerate(
            zip(joints.bone.tolist(), joints.segment.tolist(), strict=True)
        ):
            if bone >= 0 and recording.reader.segments[bone] > 1:
                found.setdefault((bone, segment), (mesh, joint))
    return dict(sorted(found.items()))


def _numbers(mesh: RecordedMesh, number_of: Mapping[tuple[int, int], int]) -> NDArray[np.intp]:
    joints = mesh.joints
    return np.array(
        [
            number_of.get((bone, segment), bone)
            for bone, segment in zip(joints.bone.tolist(), joints.segment.tolist(), strict=True)
        ],
        dtype=np.intp,
    )


def _segment_name(bone: str, segment: int, taken: set[str]) -> str:
    """Return a name that no bone has yet, with the side at its end, where Blender looks for it."""
    stem, dot, side = bone.rpartition(".")
    if dot and side in ("L", "R", "l", "r"):
        name = f"{stem}.segment{segment}.{side}"
    else:
        name = f"{bone}.segment{segment}"
    while name in taken:
        name += "_"
    taken.add(name)
    return name
