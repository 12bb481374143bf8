"""Where exported files hold meshes that move relative to their armatures.

A skin in a file has joints, and what these were relative to the mesh when it was bound. A mesh's own motion has
no place in that: glTF requires engines to ignore the transform of a skinned mesh's node, Blender's exporter
writes none, and its FBX exporter writes no keys for it. So a mesh keeps the place relative to its armature that
it has at one frame, and follows the armature object from there.

The FBX exporter looks where meshes are after it has written all actions. By then it has put bones back by their
matrices (`put_back_by_matrices`), which may move a mesh that hangs on a mirrored bone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import FbxOptions
from ...core.profiles.profile import MeshMotion, Profile
from ...core.skinning.skeleton import invert_affine
from ..clips.action_curves import TRANSFORMS
from ..clips.actions import fcurves
from ..clips.armature_state import PoseChannels, pose_channels, put_back_by_matrices, set_pose_channels
from ..clips.playback import set_frame
from ..matrices import row_vectors
from ..objects.animated_settings import animated_paths


@dataclass(frozen=True)
class Holding:
    """How a file holds meshes that move. put_back: whether the exporter has put bones back by their matrices
    before it looks where a mesh is.
    """

    motion: MeshMotion
    put_back: bool = False

    @classmethod
    def of(cls, profile: Profile) -> Holding:
        """Return how a profile's file holds meshes."""
        motion, options = profile.lost.mesh_motion, profile.export_options
        writes_actions = isinstance(options, FbxOptions) and options.bake_anim and options.use_all_actions
        return cls(motion, put_back=writes_actions and motion is MeshMotion.CURRENT_FRAME)


HeldPlaces = Mapping[tuple[Holding, str, str], NDArray[np.float64]]
"""mesh_to_root (4, 4) by how a file holds meshes, and by the identities of a mesh object and an armature
object: only of those that may move relative to each other.
"""

Pair = tuple[str, str, bpy.types.Object, bpy.types.Object]
"""Identities of a mesh and an armature, and both objects, which may be copies with other names."""


def may_move(mesh_object: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Tell whether a mesh object may move relative to an armature object, judging by what could move either."""
    own, above = _chain(mesh_object, armature), _chain(armature, None)
    if own and own[-1].parent == armature and all(_is_carried(one) for one in own):
        return any(moves_as_a_whole(one) for one in own)
    return any(moves_as_a_whole(one) or not _is_carried(one) for one in (*own, *above))


def read_held_places(
    scene: bpy.types.Scene,
    depsgraph: Callable[[], bpy.types.Depsgraph],
    pairs: Iterable[Pair],
    profiles: Iterable[Profile],
) -> HeldPlaces:
    """Read where profiles' files hold meshes, as the scene plays now. It shows its current frame again
    afterwards.

    A pair whose armature is scaled to zero at that frame is left out.
    """
    moving = [one for one in pairs if may_move(one[2], one[3])]
    wanted = {one: None for one in map(Holding.of, profiles) if one.motion is not MeshMotion.KEPT}
    found: dict[tuple[Holding, str, str], NDArray[np.float64]] = {}
    if not moving or not wanted:
        return found
    present = scene.frame_current_final
    frames = {
        MeshMotion.FRAME_0: 0,
        MeshMotion.FIRST_FRAME: scene.frame_start,
        MeshMotion.CURRENT_FRAME: present,
    }
    for holding in wanted:
        channels = _put_back(scene) if holding.put_back else {}
        set_frame(scene, frames[holding.motion])
        evaluated_in = depsgraph()
        for mesh, armature, mesh_object, armature_object in moving:
            to_world = row_vectors(mesh_object.evaluated_get(evaluated_in).matrix_world)
            root_to_world = row_vectors(armature_object.evaluated_get(evaluated_in).matrix_world)
            inverse, invertible = invert_affine(root_to_world[None])
            if invertible[0]:
                found[holding, mesh, armature] = to_world @ inverse[0]
        for one, values in channels.items():
            set_pose_channels(one, values)
    set_frame(scene, present)
    return found


def _put_back(scene: bpy.types.Scene) -> Mapping[bpy.types.Object, PoseChannels]:
    """Put the bones of all armatures with animation back by their matrices; return what their channels were."""
    animated = [one for one in scene.objects if one.type == "ARMATURE" and one.animation_data is not None]
    channels: dict[bpy.types.Object, PoseChannels] = {one: pose_channels(one) for one in animated}
    for one in animated:
        put_back_by_matrices(one)
    return channels


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


def moves_as_a_whole(one: bpy.types.Object) -> bool:
    """Tell whether an object may move relative to its parent, judging by what could move it."""
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


def moves_by_keys_alone(one: bpy.types.Object) -> bool:
    """Tell whether nothing but actions moves an object relative to its parent, and nothing moves that."""
    data = one.animation_data
    drivers = data.drivers if data is not None else ()
    driven = any(_is_transform(curve.data_path) for curve in drivers)
    if driven or len(one.constraints) or one.rigid_body is not None or not _is_carried(one):
        return False
    return one.parent is None or not any(
        moves_as_a_whole(above) or not _is_carried(above) for above in _chain(one.parent, None)
    )


def _is_transform(path: str) -> bool:
    return path.removeprefix("delta_") in TRANSFORMS
