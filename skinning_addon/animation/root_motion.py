"""Root motion extracted from a clip: the engine moves the character, the clip animates it in place.

The motion is that of one bone over the ground, in root space, and optionally its turning about the vertical.
In-place clip and motion together give the original clip:

    to_root(in place) @ way = to_root(clip)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.skinning.skeleton import Skeleton, invert_affine
from ..core.text.errors import ClipError
from .bone_boxes import BoneBoxes
from .clip import COMPONENTS, Clip, Keys, dense_clip
from .fitting import fit_hierarchy
from .local_pose import compose
from .sampling import ClipSampler


@dataclass(frozen=True)
class RootMotionSettings:
    """The part of a clip that is its root motion.

    bone: the bone that defines it, such as the hips; empty for the lowest ancestor of everything deformed.
    turning: whether to include the bone's turning about the vertical.
    """

    bone: str = ""
    turning: bool = False


@dataclass(frozen=True, eq=False)
class RootMotion:
    """The root's position relative to the clip's start.

    bone: the bone that defines it. up: the vertical axis of root space. times: (T,) ticks. offset: (T, 3)
    root space, horizontal.
    heading: (T,) radians about the vertical, without jumps at half turns. duration: seconds, ticks_per_second,
    looping: the clip's.
    """

    bone: str
    up: int
    times: NDArray[np.float64]
    offset: NDArray[np.float64]
    heading: NDArray[np.float64]
    duration: float
    ticks_per_second: float
    looping: bool

    def way(self, position: ArrayLike) -> NDArray[np.float64]:
        """Return the matrices (..., 4, 4) from in-place to moving root space, at positions in seconds.

        Loops accumulate: after n rounds the character has moved n times as far.
        """
        seconds = np.asarray(position, dtype=np.float64)
        rounds = np.zeros(seconds.shape, dtype=np.int64)
        if self.looping and self.duration > 0:
            rounds = np.floor(seconds / self.duration).astype(np.int64)
        ticks = self.times[0] + (seconds - rounds * self.duration) * self.ticks_per_second
        columns = (self.heading, *self.offset.T)
        heading, *offset = (_between(ticks, self.times, column) for column in columns)
        part = _rigid(np.stack(offset, axis=-1), heading, self.up)
        whole = _rigid(self.offset[-1], self.heading[-1], self.up)
        return part @ _powers(whole, rounds)


def extract_root_motion(
    clip: Clip, skeleton: Skeleton, settings: RootMotionSettings, boxes: BoneBoxes, up: int = 2
) -> tuple[Clip, RootMotion]:
    """Split a clip into an in-place clip and its root motion.

    boxes: around what the bones move. up: the vertical axis of root space.

    Raises:
        ClipError: there is no such bone, none is named and no bone carries everything, or the clip is
        additive.
    """
    if clip.additive:
        raise ClipError(
            "'{clip}' is additive, so it has no root motion; use the clip that it was made from.",
            clip=clip.name,
        )
    if settings.bone and settings.bone not in skeleton.names:
        raise ClipError(
            "There is no bone '{bone}' to extract root motion from; choose a bone of the armature.",
            bone=settings.bone,
        )
    carrier = skeleton.index(settings.bone) if settings.bone else _carrier(skeleton, boxes)
    to_root = skeleton.to_root(compose(ClipSampler(clip, skeleton).sample(clip.times)))
    heading = _headings(to_root[:, carrier], up) if settings.turning else np.zeros(len(clip.times))
    location = to_root[:, carrier, 3, :3] * (np.arange(3) != up)
    turn = _rigid(np.zeros((len(heading), 3)), heading, up)[:, :3, :3]
    # Turned about the bone's initial location, so that turning on the spot adds no offset.
    offset = location - np.einsum("i,tij->tj", location[0], turn)
    way = _rigid(offset, heading, up)
    back = invert_affine(way)[0]
    roots = np.flatnonzero(skeleton.parents < 0)
    in_place = to_root.copy()
    in_place[:, roots] = in_place[:, roots] @ back[:, None]
    moved = fit_hierarchy(
        Skeleton(
            tuple(skeleton.names[i] for i in roots), np.full(len(roots), -1), skeleton.rest_to_root[roots]
        ),
        in_place[:, roots],
    )
    motion = RootMotion(
        skeleton.names[carrier],
        up,
        clip.times,
        offset,
        heading,
        clip.duration,
        clip.ticks_per_second,
        clip.looping,
    )
    new = dense_clip("roots", [skeleton.names[i] for i in roots], clip.times, moved.pose)
    return _with_bones_of(clip, new), motion


def _carrier(skeleton: Skeleton, boxes: BoneBoxes) -> int:
    """Find the lowest common ancestor of all bones that move anything."""
    shared: list[int] | None = None
    for bone in np.flatnonzero(boxes.used).tolist():
        line = _line(skeleton, bone)
        # Lines start at roots, and once they diverge they stay apart.
        shared = (
            line
            if shared is None
            else [one for one, other in zip(shared, line, strict=False) if one == other]
        )
    if not shared:
        raise ClipError(
            "There is no bone above all deforming bones; choose the root bone to extract motion from."
        )
    return shared[-1]


def _line(skeleton: Skeleton, bone: int) -> list[int]:
    """List the bones from a root down to `bone`."""
    line = [bone]
    while (parent := int(skeleton.parents[line[-1]])) >= 0:
        line.append(parent)
    return line[::-1]


def _with_bones_of(clip: Clip, new: Clip) -> Clip:
    """Replace the keys of the bones that `new` has; both have the same times."""
    bones = (*clip.bones, *(name for name in new.bones if name not in clip.bones))
    index_of = {name: number for number, name in enumerate(bones)}
    replaced = np.array([index_of[name] for name in new.bones])
    keys: dict[str, Keys] = {}
    for kind in COMPONENTS:
        old, added = clip.keys(kind), new.keys(kind)
        channels = [(int(bone), *old.channel(int(bone))) for bone in old.bones if int(bone) not in replaced]
        channels += [(int(replaced[bone]), *added.channel(int(bone))) for bone in added.bones]
        channels.sort(key=lambda channel: channel[0])
        keys[kind] = Keys(
            np.array([bone for bone, _, _ in channels], dtype=np.int32),
            np.cumsum([0, *(len(time_indices) for _, time_indices, _ in channels)]),
            np.concatenate([time_indices for _, time_indices, _ in channels]),
            np.concatenate([values for _, _, values in channels], axis=1),
        )
    return replace(clip, bones=bones, **keys)


def _headings(matrices: NDArray[np.float64], up: int) -> NDArray[np.float64]:
    """Return the nearest rotation about the vertical of matrices (T, 4, 4) since the first."""
    x, y = _level(up)
    turned = np.linalg.inv(matrices[0, :3, :3])[None] @ matrices[:, :3, :3]
    angle = np.arctan2(turned[:, x, y] - turned[:, y, x], turned[:, x, x] + turned[:, y, y])
    return np.unwrap(angle - angle[0])


def _level(up: int) -> tuple[int, int]:
    """Return the two other axes, in the order in which a turn about `up` takes the first to the second."""
    return (up + 1) % 3, (up + 2) % 3


def _between(
    at: NDArray[np.float64], times: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(np.interp(at, times, values), dtype=np.float64)


def _rigid(offset: NDArray[np.float64], heading: NDArray[np.float64], up: int) -> NDArray[np.float64]:
    """Return matrices (..., 4, 4) that turn about the vertical, then move."""
    x, y = _level(up)
    matrices = np.broadcast_to(np.eye(4), (*np.shape(heading), 4, 4)).copy()
    cosine, sine = np.cos(heading), np.sin(heading)
    matrices[..., x, x], matrices[..., x, y] = cosine, sine
    matrices[..., y, x], matrices[..., y, y] = -sine, cosine
    matrices[..., 3, :3] = offset
    return matrices


def _powers(matrix: NDArray[np.float64], exponents: NDArray[np.int64]) -> NDArray[np.float64]:
    result = np.empty((*exponents.shape, 4, 4))
    for exponent in np.unique(exponents).tolist():
        result[exponents == exponent] = np.linalg.matrix_power(matrix, exponent)
    return result
