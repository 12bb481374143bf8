"""Where exported files hold meshes that move relative to their armatures.

A skin in a file has joints, and what these were relative to the mesh when it was bound. A mesh's own motion has
no place in that: glTF requires engines to ignore the transform of a skinned mesh's node, Blender's exporter
writes none, and its FBX exporter writes no keys for it. So a mesh keeps the place relative to its armature that
it has at one frame, and follows the armature object from there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import MeshMotion
from ...core.skinning.skeleton import invert_affine
from ..clips.action_curves import TRANSFORMS
from ..clips.actions import fcurves
from ..clips.playback import set_frame
from ..matrices import row_vectors
from ..objects.animated_settings import animated_paths

HeldPlaces = Mapping[tuple[MeshMotion, str, str], NDArray[np.float64]]
"""mesh_to_root (4, 4) by how a file holds meshes, and by the identities of a mesh object and an armature
object: only of those that may move relative to each other.
"""

Pair = tuple[str, str, bpy.types.Object, bpy.types.Object]
"""Identities of a mesh and an armature, and both objects, which may be copies with other names."""


def may_move(mesh_object: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Tell whether a mesh object may move relative to an armature object, judging by what could move either."""
    own, above = _chain(mesh_object, armature), _chain(armature, None)
    if own and own[-1].parent == armature and all(_is_carried(one) for one in own):
        return any(_may_move_alone(one) for one in own)
    return any(_may_move_alone(one) or not _is_carried(one) for one in (*own, *above))


def read_held_places(
    scene: bpy.types.Scene,
    depsgraph: Callable[[], bpy.types.Depsgraph],
    pairs: Iterable[Pair],
    motions: Collection[MeshMotion],
) -> HeldPlaces:
    """Read where files hold meshes, as the scene plays now. It shows its current frame again afterwards.

    A pair whose armature is scaled to zero at that frame is left out.
    """
    moving = [one for one in pairs if may_move(one[2], one[3])]
    wanted = {one for one in motions if one is not MeshMotion.KEPT}
    found: dict[tuple[MeshMotion, str, str], NDArray[np.float64]] = {}
    if not moving or not wanted:
        return found
    present = scene.frame_current_final
    frames = {
        MeshMotion.FRAME_0: 0,
        MeshMotion.FIRST_FRAME: scene.frame_start,
        MeshMotion.CURRENT_FRAME: present,
    }
    for motion in sorted(wanted, key=lambda one: one.value):
        set_frame(scene, frames[motion])
        evaluated_in = depsgraph()
        for mesh, armature, mesh_object, armature_object in moving:
            to_world = row_vectors(mesh_object.evaluated_get(evaluated_in).matrix_world)
            root_to_world = row_vectors(armature_object.evaluated_get(evaluated_in).matrix_world)
            inverse, invertible = invert_affine(root_to_world[None])
            if invertible[0]:
                found[motion, mesh, armature] = to_world @ inverse[0]
    set_frame(scene, present)
    return found


def _chain(one: bpy.types.Object, above: bpy.types.Object | None) -> list[bpy.types.Object]:
    """Return an object and its parents, up to but without `above`."""
    chain: list[bpy.types.Object] = []
    at: bpy.types.Object | None = one
    while at is not None and at != above:
        chain.append(at)
        at = at.parent
    return chain


def _is_carried(one: bpy.types.Object) -> bool:
    """Whether an object's parent, if it has one, carries it as a whole, without bones or vertices."""
    return one.parent is None or one.parent_type in {"OBJECT", "ARMATURE"}


def _may_move_alone(one: bpy.types.Object) -> bool:
    if len(one.constraints) or one.rigid_body is not None:
        return True
    data = one.animation_data
    if data is None:
        return False
    if any(_is_transform(path) for path in animated_paths(one)):
        return True
    # A clip that is played may be any action.
    return one.type == "ARMATURE" and any(
        _is_transform(curve.data_path) for action in bpy.data.actions for curve in fcurves(action)
    )


def _is_transform(path: str) -> bool:
    return path.removeprefix("delta_") in TRANSFORMS
