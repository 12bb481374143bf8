"""The character of a crowd: its armature, meshes and feet, and the strides of its clips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.feet import Body, BodyPoints
from ...animation.crowd.roles import find_roles
from ...animation.crowd.strides import Stride, read_stride
from ...animation.local_pose import compose
from ...animation.sampling import ClipSampler
from ...core.profiles.binding import Binding
from ...core.skinning.joints import NO_BONE
from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError, CrowdError
from ...core.text.message import Message
from ...measurement.frame.mesh_measurement import scene_unit
from ...scene.armatures.armature_reader import read_armature
from ...scene.baking.clip_baking import BakeSettings, bake_clips
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.rigid_parts import rigid_parts
from ...scene.clips.armature_state import reset_pose
from ...scene.clips.clips import SceneClip, list_clips
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.mesh_contents import read_mesh_contents
from ...scene.objects.deformed_meshes import make_evaluable, meshes_of_armature

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
    """Whoever the crowd consists of.

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


def read_character(scene: bpy.types.Scene, file: str, chosen: Mapping[str, str]) -> Character:
    """Read the open file's character. Its armature is left at rest.

    chosen: clips by role, as far as the user named them.

    Raises:
        CrowdError: no mesh is bound to an armature, the character has no feet or no clip for a role, or a clip
        is no gait. BindingError: its meshes can't be skinned.
    """
    clips = list_clips(scene)
    armature = _armature(scene, clips, file)
    meshes = [*meshes_of_armature(scene, armature), *rigid_parts(scene, armature)]
    own = {one.name: one for one in clips if identity(armature) in one.armatures}
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
    # Rigid parts are bound to where the armature stands.
    if armature.animation_data is not None:
        armature.animation_data_clear()
    reset_pose(armature)
    bpy.context.view_layer.update()
    unit = scene_unit(bpy.context.evaluated_depsgraph_get())
    drawn = tuple(_crowd_mesh(scene, one) for one in meshes)
    return Character(identity(armature), body, points, drawn, (idle, walk, run), roles.notes, unit)


def _armature(scene: bpy.types.Scene, clips: list[SceneClip], file: str) -> bpy.types.Object:
    """Return the armature that deforms meshes and has most clips."""
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    if not armatures:
        raise CrowdError(
            "'{file}' has no armature, so nobody can walk; choose a file of a character.", file=file
        )
    skinned = [one for one in armatures if meshes_of_armature(scene, one)]
    if not skinned:
        raise CrowdError(
            "No mesh is bound to '{armature}', so there is nobody to see; give a mesh an Armature modifier.",
            armature=identity(armatures[0]),
        )
    return max(skinned, key=lambda one: sum(identity(one) in clip.armatures for clip in clips))


def _bound(mesh: bpy.types.Object) -> Binding:
    return read_binding(mesh, bpy.context.evaluated_depsgraph_get())


def _crowd_mesh(scene: bpy.types.Scene, mesh: bpy.types.Object) -> CrowdMesh:
    make_evaluable(mesh, scene, bpy.context.view_layer)
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
