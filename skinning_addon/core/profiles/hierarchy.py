"""The effect on a pose of a file and an engine's bone hierarchy.

Blender's pose is one matrix per bone, relative to the armature. Files and engines store each bone relative to
its parent, mostly as translation, rotation and scale. A local matrix with shear, as caused by
constraints, Rigify's controls, or an uneven scale that a child doesn't inherit, does not fit: its shear is
lost, for the bone and everything below it.

What is stored differs by exporter. Blender's glTF exporter takes apart how each bone has moved from its rest
pose. Its FBX exporter takes apart the whole local matrix, rest pose included, so the same shear leaves another
rotation. Its axes, its scale of 100 and its units are those of the armature's node alone, and the order of the
angles it writes doesn't matter: neither changes a bone's place in the armature. Its USD exporter takes apart
the whole local matrix too, but as OpenUSD does (`factoring`).

Row vectors; rest poses are held as matrices (glTF's inverse bind matrices, FBX's clusters), so nothing is lost
there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..maths.single_precision import inverted_safe, multiplied
from ..skinning.skeleton import Skeleton, invert_affine
from .component_scale import joined_by_component
from .factoring import factored
from .gltf_keys import GltfMoment
from .transform_parts import TransformParts, between_axes, held_as_parts, take_apart, turned_before_scaled

UNTURNED = np.eye(3)

RIGID = 1e-5
"""Bones are neither scaled nor sheared if the products of their axes differ by no more from a rotation's:
Blender's float32 matrices round by as much along a chain of bones."""


class HierarchyRule(Enum):
    """How a pose is stored between the file and the palette."""

    MATRICES = "matrices"
    """Local matrices, multiplied: nothing is lost."""
    TRS = "trs"
    """Translation, rotation and scale for each bone relative to its parent, turned into matrices and
    multiplied."""
    COMPONENT_SCALE = "component-scale"
    """The same, but parents and children are combined per component: scales multiply axis by axis, whatever
    the rotation."""
    FLATTENED = "flattened"
    """Translation, rotation and scale for each bone relative to the armature: bones have no parents in the
    file."""
    FBX_TRS = "fbx-trs"
    """As FBX holds it: translation, rotation and scale of the whole local matrix, multiplied."""
    FBX_COMPONENT_SCALE = "fbx-component-scale"
    """The same file, but parents and children are combined per component."""
    PANDA3D = "panda3d"
    """glTF's translation, rotation and scale, put together with the scale after the rotation, along the axes of
    the parent, and taken apart again without the shear that this makes."""
    USD = "usd"
    """As UsdSkel holds it: translation, rotation and scale of the whole local matrix, factored, scales in 16
    bits."""

    @property
    def is_of_fbx(self) -> bool:
        """Whether bones are stored as Blender's FBX exporter does."""
        return self in (HierarchyRule.FBX_TRS, HierarchyRule.FBX_COMPONENT_SCALE)

    @property
    def keeps_ancestors(self) -> bool:
        """Whether a bone in the file has all of its ancestors there, so that its parent is the armature's."""
        return self.is_of_fbx or self is HierarchyRule.USD

    @property
    def joins_by_component(self) -> bool:
        """Whether scales of parents and children are multiplied axis by axis."""
        return self in (HierarchyRule.COMPONENT_SCALE, HierarchyRule.FBX_COMPONENT_SCALE)

    @property
    def in_file(self) -> HierarchyRule:
        """What the file holds, with bones put together as it says: without what the engine alone does."""
        if self in (HierarchyRule.COMPONENT_SCALE, HierarchyRule.PANDA3D):
            return HierarchyRule.TRS
        return HierarchyRule.FBX_TRS if self is HierarchyRule.FBX_COMPONENT_SCALE else self


def parents_among(parents: NDArray[np.int32], kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return each bone's nearest ancestor among the bones (B,) that are `kept`, -1 if there is none."""
    nearest = np.full(len(parents), -1, dtype=np.int32)
    for bone, parent in enumerate(parents.tolist()):
        if parent >= 0:
            nearest[bone] = parent if kept[parent] else nearest[parent]
    return nearest


def with_ancestors(parents: NDArray[np.int32], bones: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark bones (B,) and all of their ancestors; parents come before children."""
    marked = bones.copy()
    for bone in range(len(parents) - 1, -1, -1):
        if marked[bone] and parents[bone] >= 0:
            marked[parents[bone]] = True
    return marked


def pose_through(
    rule: HierarchyRule,
    skeleton: Skeleton,
    to_root: NDArray[np.float64],
    parents: NDArray[np.int32] | None = None,
    needed: NDArray[np.bool_] | None = None,
    *,
    played: NDArray[np.float64] | GltfMoment | None = None,
    keeps_rigid: bool = False,
) -> NDArray[np.float64]:
    """Return to_root (..., B, 4, 4) after a hierarchy; leading axes, such as frames, pass through.

    parents: (B,) in the file, if they differ from the skeleton's because bones are left out. needed: (B,) the
    bones that matter, all if left out. Bones that none of these depend on may keep their to_root: a control
    rig has five times as many bones as those that deform its mesh.
    played: (..., B, 4, 4), the local matrices that a file plays, if it has not the key of every frame; of a
    .glb, the keys around. keeps_rigid: return to_root itself if no bone is scaled or sheared, since then no
    hierarchy loses anything but Blender's rounding; that takes a tenth of the time.
    A bone whose parent is scaled to zero has no local matrix: it keeps its own to_root, except in FBX, whose
    exporter inverts a matrix beside the parent's.
    """
    needs = None if needed is None else needed.tobytes()
    part = _part_in_file(skeleton, None if parents is None else parents.tobytes(), needs)
    if keeps_rigid and played is None and _is_rigid(to_root, part.bones):
        return to_root
    if part.bones is None:
        return _pose_of_all(rule, part.skeleton, part.is_root, to_root, played)
    result = to_root.copy()
    if len(part.bones):
        of_bones = to_root[..., part.bones, :, :], _of_bones(played, part.bones)
        result[..., part.bones, :, :] = _pose_of_all(rule, part.skeleton, part.is_root, *of_bones)
    return result


def _is_rigid(to_root: NDArray[np.float64], bones: NDArray[np.intp] | None) -> bool:
    """Whether none of the bones, all if left out, is scaled, sheared or mirrored in a pose (..., B, 4, 4)."""
    axes = to_root[..., :3, :3] if bones is None else to_root[..., bones, :3, :3]
    off = np.abs(axes @ axes.swapaxes(-1, -2) - UNTURNED).max(initial=0.0)
    return bool(off <= RIGID and (np.linalg.det(axes) > 0).all())


@dataclass(frozen=True, eq=False)
class _PartInFile:
    """Bones as a file has them. bones: their numbers, ascending; None for all. is_root: (B,) whether a bone has
    no parent in Blender, whether or not it has one in the file.
    """

    skeleton: Skeleton
    is_root: NDArray[np.bool_]
    bones: NDArray[np.intp] | None


@lru_cache(maxsize=32)
def _part_in_file(skeleton: Skeleton, parents: bytes | None, needed: bytes | None) -> _PartInFile:
    """Return the bones that those `needed` depend on: of hundreds, which previews ask for at every frame.

    parents, needed: see `pose_through`; int32 and bool.
    """
    in_file = skeleton
    if parents is not None:
        found = np.frombuffer(parents, dtype=np.int32)
        in_file = Skeleton(skeleton.names, found, skeleton.rest_to_root)
    is_root = skeleton.parents < 0
    kept = None if needed is None else with_ancestors(in_file.parents, np.frombuffer(needed, dtype=np.bool_))
    if kept is None or kept.all():
        return _PartInFile(in_file, is_root, None)
    bones = np.flatnonzero(kept)
    return _PartInFile(in_file.subset(bones) if len(bones) else in_file, is_root[bones], bones)


def _of_bones(
    played: NDArray[np.float64] | GltfMoment | None, bones: NDArray[np.intp]
) -> NDArray[np.float64] | GltfMoment | None:
    if isinstance(played, GltfMoment):
        return played.of_bones(bones)
    return None if played is None else played[..., bones, :, :]


def _pose_of_all(
    rule: HierarchyRule,
    in_file: Skeleton,
    is_root: NDArray[np.bool_],
    to_root: NDArray[np.float64],
    played: NDArray[np.float64] | GltfMoment | None,
) -> NDArray[np.float64]:
    """is_root: (B,) whether a bone has no parent in Blender, whether or not it has one in the file."""
    if rule is HierarchyRule.FLATTENED:
        moment = played if isinstance(played, GltfMoment) else None
        return _flattened(in_file.rest_to_root, is_root, to_root, moment)
    if isinstance(played, GltfMoment):
        return _between_keys(rule, in_file, is_root, to_root, played)
    if rule is HierarchyRule.USD:
        return _held_in_usd(in_file, to_root, played)
    if rule.is_of_fbx or played is not None:
        held = held_as_parts(local_for_fbx(in_file, to_root))
        local = held if played is None else played
        if rule.is_of_fbx:
            return _joined(rule, in_file, local, to_root, np.ones(local.shape[:-2], dtype=np.bool_))
        to_root = _moved_from(in_file, to_root, held, local)
    local, attached = in_file.to_parent(to_root)
    if rule is HierarchyRule.MATRICES:
        return in_file.to_root(local, attached)
    rest_local, from_rest = _rest_of_nodes(in_file, is_root)
    held = held_as_parts(local @ from_rest) @ rest_local
    if rule is HierarchyRule.PANDA3D:
        held = turned_before_scaled(held, in_file.parents < 0)
    if not attached.all():
        held[~attached] = to_root[~attached]
    return _joined(rule, in_file, held, to_root, attached)


def _rest_of_nodes(
    in_file: Skeleton, is_root: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the matrices (B, 4, 4) that a .glb's nodes are stored relative to, and their inverses."""
    adopted = (in_file.parents < 0) & ~is_root
    # A bone whose parents are missing from the file is stored relative to the armature, not to its rest pose.
    rest_local, from_rest = (
        np.where(adopted[:, None, None], np.eye(4), one) if adopted.any() else one
        for one in in_file.rest_to_parent
    )
    return rest_local, from_rest


def _between_keys(
    rule: HierarchyRule,
    in_file: Skeleton,
    is_root: NDArray[np.bool_],
    to_root: NDArray[np.float64],
    moment: GltfMoment,
) -> NDArray[np.float64]:
    """Return the pose (..., B, 4, 4) that plays between the keys of a .glb; without a hierarchy, one with all
    shear.
    """
    samples = moment.samples
    if moment.joined and samples is not None:
        return moment.between(*(_between_keys(rule, in_file, is_root, to_root, one) for one in samples))
    rest_local, from_rest = _rest_of_nodes(in_file, is_root)

    def moved(pose: NDArray[np.float64]) -> NDArray[np.float64]:
        return in_file.to_parent(pose)[0] @ from_rest

    attached = in_file.to_parent(to_root)[1]
    if rule is HierarchyRule.PANDA3D:
        roots = in_file.parents < 0

        def scaled(one: GltfMoment) -> NDArray[np.float64]:
            return turned_before_scaled(one.matrices(moved) @ rest_local, roots)

        if samples is None:
            played = scaled(moment)
        else:
            played = between_axes(scaled(samples[0]), scaled(samples[1]), moment.share)
        played[~attached] = to_root[~attached]
        return _joined(rule, in_file, played, to_root, attached)
    played = moment.matrices(moved) @ rest_local
    if rule is HierarchyRule.MATRICES:
        held = held_as_parts(moved(to_root)) @ rest_local
        return _moved_from(in_file, to_root, held, played)
    played[~attached] = to_root[~attached]
    return _joined(rule, in_file, played, to_root, attached)


def _joined(
    rule: HierarchyRule,
    in_file: Skeleton,
    local: NDArray[np.float64],
    to_root: NDArray[np.float64],
    attached: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return to_root (..., B, 4, 4) of the local matrices that an engine reads from the file."""
    if not rule.joins_by_component:
        return in_file.to_root(local, attached)
    if to_root.ndim == 3:
        return joined_by_component(in_file, take_apart(local), to_root, attached)
    return np.stack(
        [
            joined_by_component(in_file, take_apart(one), root, on_parent)
            for one, root, on_parent in zip(local, to_root, attached, strict=True)
        ]
    )


def _moved_from(
    in_file: Skeleton,
    to_root: NDArray[np.float64],
    held: NDArray[np.float64],
    played: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return a pose (..., B, 4, 4) whose bones differ from their parents as much as those played (..., B, 4, 4)
    do from those held: missing keys alone, with its shear.
    """
    local, attached = in_file.to_parent(to_root)
    inverse, invertible = invert_affine(held.reshape(-1, 4, 4))
    moved = local @ inverse.reshape(held.shape) @ played
    known = attached & invertible.reshape(attached.shape)
    return in_file.to_root(np.where(known[..., None, None], moved, local), attached)


def local_for_fbx(in_file: Skeleton, to_root: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the local matrices (..., B, 4, 4) that the FBX exporter takes apart; a pose (..., B, 4, 4).

    They are those of Blender's mathutils to the last digit. Below a bone that is almost flat or thin as a
    needle, its rounding grows: with two axes 1000 times as short as the third, to 0.003 of a character's size.
    """
    local = to_root.copy()
    children = np.flatnonzero(in_file.parents >= 0)
    above, place = np.unique(in_file.parents[children], return_inverse=True)
    inverse = inverted_safe(to_root[..., above, :, :])
    local[..., children, :, :] = multiplied(to_root[..., children, :, :], inverse[..., place, :, :])
    return local


def _held_in_usd(
    in_file: Skeleton, to_root: NDArray[np.float64], played: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    local, attached = in_file.to_parent(to_root)
    held = held_in_usd(local) if played is None else played.copy()
    held[~attached] = to_root[~attached]
    return in_file.to_root(held, attached)


def held_in_usd(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return matrices (..., 4, 4) as UsdSkelDecomposeTransform takes them apart, scales in 16 bits."""
    all_of_them = matrices.reshape(-1, 4, 4)
    rotation, scale = factored(all_of_them[:, :3, :3])
    rounded = scale.astype(np.float16).astype(np.float64)
    return TransformParts(all_of_them[:, 3, :3], rotation, rounded).matrices().reshape(matrices.shape)


def _flattened(
    rest_to_root: NDArray[np.float64],
    is_root: NDArray[np.bool_],
    to_root: NDArray[np.float64],
    moment: GltfMoment | None,
) -> NDArray[np.float64]:
    # Blender's exporter stores bones without a parent relative to their rest pose, all others as they are.
    rest = np.where(is_root[:, None, None], rest_to_root, np.eye(4))
    inverse = invert_affine(rest)[0]
    if moment is not None:
        return moment.matrices(lambda pose: pose @ inverse) @ rest
    return held_as_parts(to_root @ inverse) @ rest
