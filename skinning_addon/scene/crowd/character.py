"""The character of a crowd: its armature, meshes and feet, and the strides of its clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.bone_boxes import BoneBoxes, boxes_of_bindings
from ...animation.crowd.feet import Body, BodyPoints
from ...animation.crowd.foot_tracks import foot_tracks
from ...animation.crowd.kinds import WALK, Gait
from ...animation.crowd.posing import CrowdPoser
from ...animation.crowd.reach import sphere_of
from ...animation.crowd.roles import find_roles
from ...animation.crowd.strides import Stride, read_stride
from ...animation.local_pose import compose
from ...animation.sampling import ClipSampler
from ...core.profiles.binding import Binding
from ...core.skinning.joints import NO_BONE
from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError, CrowdError
from ...core.text.message import Message
from ..armatures.armature_reader import read_armature
from ..baking.clip_baking import BakeSettings, bake_clips
from ..binding.binding_reader import read_binding
from ..binding.rigid_parts import rigid_parts
from ..clips.armature_state import reset_pose
from ..clips.clips import SceneClip, list_clips
from ..identification import identity
from ..matrices import row_vectors
from ..meshes.mesh_contents import read_mesh_contents
from ..objects.deformed_meshes import make_evaluable, meshes_of_armature

SPREAD = 95
"""The percentage of a standing character's points that its radius encloses."""


@dataclass(frozen=True, eq=False)
class CrowdMesh:
    """A mesh that every agent has. name: of its object."""

    name: str
    binding: Binding
    draw_mesh: DrawMesh


@dataclass(frozen=True, eq=False)
class Character:
    """Whoever a crowd consists of, or a part of it.

    name: of its armature. strides: by role. notes: what to tell about how they were found.
    metres_per_unit: of the scene.
    """

    name: str
    body: Body
    points: BodyPoints
    meshes: tuple[CrowdMesh, ...]
    strides: tuple[Stride, Stride, Stride]
    notes: tuple[Message, ...]
    metres_per_unit: float

    @property
    def height(self) -> float:
        """In metres."""
        return self.body.height * self.metres_per_unit

    @cached_property
    def poser(self) -> CrowdPoser:
        """Poses agents of this character."""
        return CrowdPoser(self.body, self.strides, self.metres_per_unit)

    @cached_property
    def gaits(self) -> tuple[Gait, ...]:
        """By role, in the crowd's whole numbers."""
        forward, unit = self.strides[WALK].forward, self.metres_per_unit
        return tuple(one.gait(unit, foot_tracks(one, self.body, forward, unit)) for one in self.strides)

    @cached_property
    def boxes(self) -> BoneBoxes:
        """Around the vertices of each bone."""
        return boxes_of_bindings(self.body.skeleton, [one.binding for one in self.meshes], self.name)

    @cached_property
    def sphere(self) -> tuple[NDArray[np.float64], float]:
        """Around every vertex in every pose of its gaits and of fades: its middle (3,) and its radius, root
        space.
        """
        return sphere_of(self.body.skeleton, self.poser.clips, self.boxes)

    @cached_property
    def radius(self) -> float:
        """Metres around the middle of its feet that it takes while it stands."""
        idle, skeleton = self.strides[0].clip, self.body.skeleton
        to_root = skeleton.to_root(compose(ClipSampler(idle, skeleton).at([0.0])))
        rest_to_world = np.linalg.inv(skeleton.rest_to_root) @ to_root[0] @ self.body.root_to_world
        held = self.points.bones
        positions = np.concatenate((self.points.positions, np.ones((len(held), 1))), axis=1)
        placed = np.einsum("pi,pij->pj", positions, rest_to_world[held])
        distances = np.linalg.norm(placed[:, :2], axis=1)
        return float(np.percentile(distances, SPREAD)) * self.metres_per_unit


def character_of_file(
    scene: bpy.types.Scene, file: str, chosen: Mapping[str, str], name: str | None = None
) -> Character:
    """Read a character of the open file. It is left at rest, without animation.

    chosen: clips by role, as far as the user named them. name: of its armature; if left out, the one with most
    clips.

    Raises:
        CrowdError, BindingError: see `read_character`; or there is no such armature.
    """
    armature = _armature(scene, list_clips(scene), file) if name is None else _named(scene, name)
    return read_character(scene, armature, chosen, lambda: set_at_rest(scene, armature))


def read_character(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    chosen: Mapping[str, str],
    prepare: Callable[[], None] = lambda: None,
) -> Character:
    """Read an armature with its clips and meshes; changes nothing.

    chosen: clips by role, as far as the user named them. prepare: called once its clips are read, before its
    meshes are.

    Raises:
        CrowdError: no mesh is bound to it, the character has no feet or no clip for a role, or a clip is no
        gait. BindingError: its meshes can't be skinned.
    """
    if not meshes_of_armature(scene, armature):
        raise no_mesh(armature)
    own = {one.name: one for one in list_clips(scene) if identity(armature) in one.armatures}
    root_to_world = row_vectors(armature.matrix_world)
    skeleton = read_armature(armature).skeleton
    points = _points([_bound(one) for one in meshes_of_armature(scene, armature)])
    body = Body.of(skeleton, root_to_world, points, identity(armature))
    known: dict[str, Stride] = {}

    def stride(name: str) -> Stride:
        if name not in known:
            (baked,) = bake_clips(scene, armature, [own[name]], BakeSettings(between=None))
            known[name] = read_stride(baked.clip, body)
        return known[name]

    def stride_if_any(name: str) -> Stride | None:
        try:
            return stride(name)
        except CrowdError:
            return None

    roles = find_roles(tuple(own), stride_if_any, chosen, identity(armature))
    idle, walk, run = (stride(name) for name in roles.clips)
    prepare()
    drawn = tuple(crowd_mesh(one) for one in meshes_of(scene, armature))
    unit = scene.unit_settings.scale_length
    return Character(identity(armature), body, points, drawn, (idle, walk, run), roles.notes, unit)


def set_at_rest(scene: bpy.types.Scene, armature: bpy.types.Object) -> None:
    """Put an armature into its rest pose, without animation, and have its meshes evaluated."""
    # Rigid parts are bound to where the armature stands.
    if armature.animation_data is not None:
        armature.animation_data_clear()
    reset_pose(armature)
    bpy.context.view_layer.update()
    for one in meshes_of(scene, armature):
        make_evaluable(one, scene, bpy.context.view_layer)


def meshes_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the meshes that an armature bends or carries."""
    return [*meshes_of_armature(scene, armature), *rigid_parts(scene, armature)]


def _armature(scene: bpy.types.Scene, clips: list[SceneClip], file: str) -> bpy.types.Object:
    """Return the armature that deforms meshes and has most clips.

    Raises:
        CrowdError: none deforms any mesh.
    """
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    if not armatures:
        raise CrowdError("'{file}' has no armature; choose a file with a character.", file=file)
    skinned = [one for one in armatures if meshes_of_armature(scene, one)]
    if not skinned:
        raise no_mesh(armatures[0])
    return max(skinned, key=lambda one: sum(identity(one) in clip.armatures for clip in clips))


def _named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return the armature of a name.

    Raises:
        CrowdError: there is none.
    """
    armatures: dict[str, bpy.types.Object] = {
        identity(one): one for one in scene.objects if one.type == "ARMATURE"
    }
    if name not in armatures:
        raise CrowdError(
            "There is no armature '{armature}'; choose one of {known}.",
            armature=name,
            known=", ".join(sorted(armatures)) or "another file's",
        )
    return armatures[name]


def no_mesh(armature: bpy.types.Object) -> CrowdError:
    """Return the error for an armature that deforms nothing."""
    return CrowdError(
        "No mesh is bound to '{armature}'; give a mesh an Armature modifier.",
        armature=identity(armature),
    )


def _bound(mesh: bpy.types.Object) -> Binding:
    return read_binding(mesh, bpy.context.evaluated_depsgraph_get())


def crowd_mesh(mesh: bpy.types.Object) -> CrowdMesh:
    """Read a mesh as every agent has it.

    Raises:
        BindingError: it can't be skinned, or has no faces.
    """
    drawn = read_mesh_contents(mesh, for_drawing=True).drawn
    if drawn is None:
        raise BindingError("'{mesh}' has no faces to draw; choose a character that has.", mesh=identity(mesh))
    return CrowdMesh(identity(mesh), _bound(mesh), drawn)


def _points(bindings: list[Binding]) -> BodyPoints:
    """Return all vertices in root space, each with the bone that has most weight there."""
    positions: list[NDArray[np.float64]] = []
    bones: list[NDArray[np.intp]] = []
    for binding in bindings:
        (*_, last) = binding.passes
        skin, to_root = last.skin, last.joints.offset[NO_BONE]
        order = np.lexsort((skin.weights, skin.vertex_of_influence))
        vertex = skin.vertex_of_influence[order]
        heaviest = order[np.append(np.diff(vertex) > 0, True)] if len(order) else order
        bone = last.joints.bone[skin.joints[heaviest]]
        at = binding.mesh.positions.astype(np.float64)[skin.vertex_of_influence[heaviest]]
        held = bone >= 0
        positions.append((at @ to_root[:3, :3] + to_root[3, :3])[held])
        bones.append(bone[held].astype(np.intp))
    return BodyPoints(np.concatenate(positions), np.concatenate(bones))
