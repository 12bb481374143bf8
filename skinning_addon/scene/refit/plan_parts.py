"""Arrays -> the parts of a plan: bones, weights as rows, and clips cut from what was recorded in one piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.refit.hierarchy import AuthoredBones, GameHierarchy
from ...core.skinning.skin import Influences
from ..clips.clips import SceneClip
from ..clips.playback import Playback
from ..identification import identity
from .plan import CopiedBone, CopiedClip
from .sockets import sockets


def kept_bones(
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object],
    names: Sequence[str],
    deforms: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mark the bones (B,) that a copy has: those that deform, those that meshes hang on, and sockets. None if
    there are only sockets: nothing would be seen of such a copy.
    """
    kept = deforms.copy()
    for one in meshes:
        if one.parent == armature and one.parent_type == "BONE" and one.parent_bone in names:
            kept[list(names).index(one.parent_bone)] = True
    return kept | np.isin(names, list(sockets(armature))) if kept.any() else kept


def planned_bones(
    names: Sequence[str], authored: AuthoredBones, deforms: NDArray[np.bool_], found: GameHierarchy
) -> Iterator[CopiedBone]:
    """Yield the bones of a hierarchy. names, deforms: of all B authored bones."""
    of_copy = [str(names[bone]) for bone in found.bones.tolist()]
    for number, bone in enumerate(found.bones.tolist()):
        parent = int(found.parents[number])
        yield CopiedBone(
            of_copy[number],
            of_copy[parent] if parent >= 0 else None,
            authored.rest_to_root[bone],
            float(authored.lengths[bone]),
            bool(deforms[bone]),
        )


def weight_rows(skin: Influences) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return influences as rows (V, K) of indices, -1 for none, and weights."""
    shape = (skin.vertex_count, skin.largest_count)
    joints, weights = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.float32)
    owner = skin.vertex_of_influence
    place = np.arange(len(owner)) - skin.starts[owner]
    joints[owner, place], weights[owner, place] = skin.indices, skin.weights
    return joints, weights


def planned_clips(
    armature: bpy.types.Object,
    playbacks: Sequence[Playback],
    frames: Sequence[Sequence[float]],
    found: GameHierarchy,
) -> Iterator[CopiedClip]:
    """Yield the clips of a hierarchy's motion, which has the frames of all of them, one after another."""
    start = 0
    for playback, of_clip in zip(playbacks, frames, strict=True):
        parts = playback.parts if isinstance(playback, SceneClip) else ()
        source = next((one for one in parts if one.armature == identity(armature)), None)
        name = playback.name if isinstance(playback, SceneClip) else "Scene"
        channels = found.channels.between(start, start + len(of_clip))
        start += len(of_clip)
        # A scene that moves nothing has no clip.
        if isinstance(playback, SceneClip) or channels.moves():
            yield CopiedClip(name, np.array(of_clip, dtype=np.float64), channels, source)
