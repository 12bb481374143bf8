"""What a game-ready copy consists of: bones, weights and motion, as arrays. `game_ready_copy` makes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.refit.channels import Channels
from ...core.text.errors import InvalidArrayError
from ..clips.clips import ArmatureClip


@dataclass(frozen=True)
class Drivers:
    """The bones that a helper bone's motion is a blend of, see `core.refit.helper_bones`; falsy without any.

    shares: names of bones and shares that add up to one. keep_volume: whether motions are blended as dual
    quaternions, as Preserve Volume does.
    """

    shares: tuple[tuple[str, float], ...] = ()
    keep_volume: bool = False

    def __bool__(self) -> bool:
        return bool(self.shares)


NO_DRIVERS = Drivers()


BAKED_NOTE = "A baked clip: do not blend or retarget."
"""Kept with copies whose bones move as suits each clip alone."""


@dataclass(frozen=True, eq=False)
class CopiedBone:
    """One bone of the copy.

    name: of an authored bone, or a new one. parent: another bone's name, None for none. rest_to_root: (4, 4)
    float64, without scale; that of the authored bone, if there is one. length: > 0, armature units. drivers: of
    a helper bone; its axes at rest are then the armature's.
    """

    name: str
    parent: str | None
    rest_to_root: NDArray[np.float64]
    length: float
    deform: bool = True
    drivers: Drivers = NO_DRIVERS


@dataclass(frozen=True, eq=False)
class CopiedMesh:
    """One mesh object of the copy, of N vertices.

    object: identity of the original. joints: (N, K) int, into the plan's bones, -1 for none. weights: (N, K)
    float32, ignored where the joint is -1. A mesh that hangs on a bone and has no weights stays there: K is 0.
    taken_modifiers: names of the modifiers, besides all Armature modifiers, whose effect is in the weights and
    the motion, so the copy lacks them; None for those behind the armature that only move vertices. taken_keys:
    likewise of shape keys.
    """

    object: str
    joints: NDArray[np.integer]
    weights: NDArray[np.float32]
    taken_modifiers: frozenset[str] | None = None
    taken_keys: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class CopiedClip:
    """One clip of the copy.

    frames: (F,) float64, rising, in the clip's own time; each gets a key. channels: (F, B, ...) of the plan's
    bones, relative to their rest_to_root, see `core.refit.channels`. source: what the original plays, whose
    markers, range and motion of the armature object itself the copy gets too; None for what the scene plays.
    """

    name: str
    frames: NDArray[np.float64]
    channels: Channels
    source: ArmatureClip | None = None


@dataclass(frozen=True, eq=False)
class CopyPlan:
    """A copy of one armature with meshes.

    armature: identity of the original. bones: parents before children. note: a sentence that is kept with the
    copy, such as what it may not be used for.
    """

    armature: str
    bones: tuple[CopiedBone, ...]
    meshes: tuple[CopiedMesh, ...]
    clips: tuple[CopiedClip, ...]
    note: str = ""

    def __post_init__(self) -> None:
        names = [bone.name for bone in self.bones]
        for index, bone in enumerate(self.bones):
            if bone.name in names[:index] or (bone.parent is not None and bone.parent not in names[:index]):
                raise InvalidArrayError(
                    f"Bone '{bone.name}' of the plan is there twice, or before its parent."
                )
            if not np.isfinite(bone.rest_to_root).all() or not bone.length > 0:
                raise InvalidArrayError(f"Bone '{bone.name}' of the plan has no rest pose or no length.")
        for mesh in self.meshes:
            joints, weights = np.asarray(mesh.joints), np.asarray(mesh.weights)
            if joints.shape != weights.shape or joints.ndim != 2:
                raise InvalidArrayError(f"The weights of '{mesh.object}' don't fit its joints.")
            if joints.size and (joints.min() < -1 or joints.max() >= len(names)):
                raise InvalidArrayError(f"'{mesh.object}' has weights for bones that the plan lacks.")
            if not np.isfinite(weights[joints >= 0]).all():
                raise InvalidArrayError(f"'{mesh.object}' has weights that are no numbers.")
        for clip in self.clips:
            shape, parts = (len(clip.frames), len(names)), clip.channels
            fits = (
                parts.translations.shape == (*shape, 3)
                and parts.rotations.shape == (*shape, 4)
                and parts.scales.shape == (*shape, 3)
            )
            if not fits or not len(clip.frames) or not (np.diff(clip.frames) > 0).all():
                raise InvalidArrayError(f"The frames of clip '{clip.name}' don't fit its bones.")
            if not all(np.isfinite(one).all() for one in (parts.translations, parts.rotations, parts.scales)):
                raise InvalidArrayError(f"Clip '{clip.name}' moves bones to places that are no numbers.")

    @property
    def parents(self) -> NDArray[np.int32]:
        """(B,) each bone's parent among the bones, -1 for none."""
        number = {bone.name: index for index, bone in enumerate(self.bones)}
        return np.array(
            [-1 if bone.parent is None else number[bone.parent] for bone in self.bones], dtype=np.int32
        )

    @property
    def rest_to_root(self) -> NDArray[np.float64]:
        """(B, 4, 4) float64."""
        return np.array([bone.rest_to_root for bone in self.bones], dtype=np.float64).reshape(-1, 4, 4)
