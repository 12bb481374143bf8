"""From a controller to the GPU's input: the palettes of all instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.skinning.joints import NO_BONE, Joints
from ..core.skinning.skeleton import Skeleton
from .controller import Controller
from .instance_matrices import Matrices, carried_each, carried_on, compose_instances, led_up_to, run_down
from .local_pose import LocalPose

MATRICES_AT_ONCE = 24_000
"""Bones times instances whose matrices fit in a processor's cache; with more at once, each takes longer."""

INSTANCES_AT_LEAST = 128
"""With fewer at once, numpy's overhead exceeds what the cache saves."""


def instance_palettes(
    controller: Controller,
    joints: Joints,
    root_to_mesh: ArrayLike,
    out: NDArray[np.float32] | None = None,
    *,
    places: NDArray[np.floating] | None = None,
) -> NDArray[np.float32]:
    """Return the palette of every instance, (I, J, 4, 4) float32: final(i) = offset(i) @ to_root(i) @
    root_to_mesh, and @ its place, if instances have places.

    joints: plain ones; a segment of a bendy bone gets its bone's matrix. out: the result of an earlier call,
    to be overwritten. places: (I, 4, 4), mesh space to a space that all share, such as a crowd's.
    """
    outs = None if out is None else (out,)
    mixer, skeleton = controller.mixer(), controller.skeleton
    (palettes,) = part_palettes(mixer, skeleton, (joints,), root_to_mesh, outs, places=places)
    return np.ascontiguousarray(palettes)


class Poses(Protocol):
    """Poses of instances, for any part of them at once; see `mixing.Mixer`."""

    @property
    def instances(self) -> int:
        """How many there are."""
        ...

    def pose(self, first: int, end: int) -> LocalPose:
        """Return the pose of the instances from `first` up to `end`, as (D, I, B)."""
        ...


def part_palettes(
    poses: Poses,
    skeleton: Skeleton,
    parts: Sequence[Joints],
    root_to_mesh: ArrayLike,
    outs: Sequence[NDArray[np.float32]] | None = None,
    *,
    places: NDArray[np.floating] | None = None,
) -> list[NDArray[np.float32]]:
    """Return `instance_palettes` of several meshes of a character; everybody is posed once for all of them.

    Without `outs`, instances are innermost in memory, as they are posed.
    """
    palettes = [_blank(poses.instances, len(one)) for one in parts] if outs is None else list(outs)
    at_once = max(INSTANCES_AT_LEAST, MATRICES_AT_ONCE // max(len(skeleton.names), 1))
    for first in range(0, poses.instances, at_once):
        end = min(first + at_once, poses.instances)
        here = None if places is None else places[first:end]
        to_root = _posed(skeleton, poses.pose(first, end), root_to_mesh, here)
        for joints, out in zip(parts, palettes, strict=True):
            _write(out[first:end], to_root, joints, here)
    return palettes


def pose_palettes(skeleton: Skeleton, pose: LocalPose, joints: Joints) -> NDArray[np.float32]:
    """Return the palettes (I, J, 4, 4) of poses (D, I, B), mesh space to root space."""
    to_root = _posed(skeleton, pose, np.eye(4), None)
    palettes = _blank(to_root.shape[-1], len(joints))
    _write(palettes, to_root, joints, None)
    return palettes


def _posed(
    skeleton: Skeleton, pose: LocalPose, root_to_mesh: ArrayLike, places: NDArray[np.floating] | None
) -> Matrices:
    """Return to_root @ root_to_mesh @ place of every bone."""
    to_parent = compose_instances(pose)
    roots = np.flatnonzero(skeleton.parents < 0)
    # Moving the roots to mesh space moves all of their descendants.
    to_parent[roots] = carried_on(to_parent[roots], root_to_mesh)
    if places is not None:
        to_parent[roots] = carried_each(to_parent[roots], places)
    return run_down(skeleton, to_parent)


def _write(
    palettes: NDArray[np.float32], to_root: Matrices, joints: Joints, places: NDArray[np.floating] | None
) -> None:
    """Lead offsets up to posed bones."""
    final = led_up_to(joints.offset.astype(np.float32), to_root[joints.bone])
    final[NO_BONE] = np.eye(4, 3)[..., None] if places is None else _components(places)
    palettes[..., :3] = final.transpose(3, 0, 1, 2)


def _components(matrices: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return affine matrices (I, 4, 4) as (4, 3, I)."""
    return np.moveaxis(matrices, 0, -1)[:, :3]


def _blank(instances: int, joints: int) -> NDArray[np.float32]:
    """Return matrices (I, J, 4, 4) with only the last column written, which is always the same."""
    palettes = np.zeros((joints, 4, 4, instances), dtype=np.float32).transpose(3, 0, 1, 2)
    palettes[..., 3, 3] = 1
    return palettes
