"""A character with clips of its own choice, for a bone texture: no gaits are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.bone_boxes import BoneBoxes, boxes_of_bindings
from ...animation.clip import Clip
from ...core.skinning.joints import NO_BONE
from ...core.skinning.passes import Blend
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import BindingError
from ...core.text.message import Message
from ..armatures.armature_reader import read_armature
from ..baking.clip_baking import BakedClip, BakeSettings, bake_clips
from ..clips.action_keys import OBJECT_MOTION, curves_of
from ..clips.clips import SceneClip, chosen_clips, find_clips
from ..identification import identity
from ..matrices import row_vectors
from ..objects.deformed_meshes import meshes_of_armature
from .character import CrowdMesh, crowd_mesh, meshes_of, no_mesh, set_at_rest

Z_UP_TO_Y_UP = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
"""Row vectors."""


@dataclass(frozen=True, eq=False)
class TexturedCharacter:
    """root_to_file: (4, 4) from root space to where the armature stands, Y up and in metres, as in glTF. notes:
    what of its motion a texture of these clips doesn't have.
    """

    name: str
    skeleton: Skeleton
    clips: tuple[Clip, ...]
    meshes: tuple[CrowdMesh, ...]
    root_to_file: NDArray[np.float64]
    notes: tuple[Message, ...] = ()

    @cached_property
    def height(self) -> float:
        """In metres, of its meshes at rest."""
        upright = [placed_positions(one, self.root_to_file)[:, 1] for one in self.meshes]
        return float(np.ptp(np.concatenate(upright)))

    @cached_property
    def boxes(self) -> BoneBoxes:
        """Around the vertices of each bone."""
        return boxes_of_bindings(self.skeleton, [one.binding for one in self.meshes], self.name)

    @property
    def bones(self) -> NDArray[np.intp]:
        """The bones that move any vertex, ascending; first -1 if any vertex is moved by none."""
        used = [
            one.binding.passes[0].joints.bone[one.binding.passes[0].skin.normalised().joints]
            for one in self.meshes
        ]
        return np.unique(np.concatenate(used)).astype(np.intp)


def read_textured(
    scene: bpy.types.Scene,
    chosen: Sequence[str],
    only: bpy.types.Object | None = None,
    *,
    rests: bool = True,
) -> TexturedCharacter:
    """Read the character that plays some clips.

    chosen: names of the clips; all there are if there are none. only: the armature whose clips count. rests:
    whether the character is left at rest, without animation; otherwise nothing changes.

    Raises:
        UsageError: a clip is unknown, or they move different armatures. CrowdError: no mesh is bound to the
        armature. BindingError: a mesh is skinned in a way that a texture of bones can't hold.
    """
    if only is None:
        armature, wanted = chosen_clips(scene, tuple(chosen))
    else:
        armature = only
        found = find_clips(scene, tuple(chosen) or ("all",), [armature])
        wanted = [one for one in found if identity(armature) in one.armatures]
    if not meshes_of_armature(scene, armature):
        raise no_mesh(armature)
    # Before it is left at rest, without animation.
    moving, others = tuple(_moving(armature, wanted)), tuple(_others(scene, armature))
    root_to_file = row_vectors(armature.matrix_world) @ Z_UP_TO_Y_UP
    root_to_file[:, :3] *= scene.unit_settings.scale_length
    skeleton = read_armature(armature).skeleton
    baked = bake_clips(scene, armature, wanted, BakeSettings(between=None))
    if rests:
        set_at_rest(scene, armature)
    meshes = tuple(crowd_mesh(one) for one in meshes_of(scene, armature))
    for one in meshes:
        _check(one)
    clips = tuple(one.clip for one in baked)
    notes = (*others, *_lost(baked), *moving)
    return TexturedCharacter(identity(armature), skeleton, clips, meshes, root_to_file, notes)


def _lost(baked: Sequence[BakedClip]) -> Iterator[Message]:
    for one in baked:
        for shear in one.shear[:1]:
            yield Message(
                "'{clip}' shears '{bone}' by up to {amount:.2g} of the distance from its head, which no clip "
                "of an engine holds; that is not in the distances. Make a game-ready copy.",
                clip=one.clip.name,
                bone=shear.bone,
                amount=shear.amount,
            )


def _moving(armature: bpy.types.Object, clips: Sequence[SceneClip]) -> Iterator[Message]:
    """Name the clips that move the armature object, which a texture of bones leaves where it stands."""
    for clip in clips:
        parts = [one for one in clip.parts if one.armature == identity(armature)]
        own = [
            curve for one in parts for curve in curves_of(one) if curve.data_path.startswith(OBJECT_MOTION)
        ]
        if any(len({point.co[1] for point in curve.keyframe_points}) > 1 for curve in own):
            yield Message(
                "'{clip}' moves the object '{armature}', and a bone texture has only its bones; it stays where "
                "the file shows it. Key a root bone instead.",
                clip=clip.name,
                armature=identity(armature),
            )


def _others(scene: bpy.types.Scene, armature: bpy.types.Object) -> Iterator[Message]:
    """Name other armatures with meshes."""
    for other in scene.objects:
        if other.type == "ARMATURE" and other != armature and meshes_of_armature(scene, other):
            yield Message(
                "The meshes of '{other}' are left out: a texture holds one armature, here '{armature}'.",
                other=identity(other),
                armature=identity(armature),
            )


def placed_positions(mesh: CrowdMesh, root_to_file: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a mesh's vertices (V, 3) at rest in the file's space."""
    mesh_to_file = mesh_to_root(mesh) @ root_to_file
    return mesh.binding.mesh.positions.astype(np.float64) @ mesh_to_file[:3, :3] + mesh_to_file[3, :3]


def mesh_to_root(mesh: CrowdMesh) -> NDArray[np.float64]:
    """Return where a mesh stands at rest, (4, 4): the offset of the joint that no bone moves."""
    return mesh.binding.passes[0].joints.offset[NO_BONE]


def _check(mesh: CrowdMesh) -> None:
    passes = mesh.binding.passes
    if len(passes) != 1:
        raise BindingError(
            "'{mesh}' is deformed by several Armature modifiers, and a bone texture is one palette; apply or "
            "remove all but one.",
            mesh=mesh.name,
        )
    if passes[0].blend is not Blend.LINEAR:
        raise BindingError(
            "'{mesh}' preserves volume, which matrices in a texture don't; switch Preserve Volume off, or "
            "make a game-ready copy.",
            mesh=mesh.name,
        )
    if len(passes[0].joints.bendy):
        raise BindingError(
            "'{mesh}' has bendy bones, which a bone texture has no rows for; make a game-ready copy.",
            mesh=mesh.name,
        )
