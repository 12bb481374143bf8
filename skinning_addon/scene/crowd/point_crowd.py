"""A crowd as points with attributes, on which Geometry Nodes put posed meshes: thousands, for rendering.

Every agent has a point for every frame. The nodes show those of the scene's frame, and choose for each the
nearest of some poses of the clip that is heard most; while clips fade, that is not the pose between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Quaternion
from numpy.typing import NDArray

from ...animation.local_pose import LocalPose, compose, decompose
from ...animation.sampling import ClipSampler
from ...core.skinning.skeleton import invert_affine
from ..identification import identity, object_of
from .character import meshes_of
from .crowd_motion import CrowdMotion, phase_heard, role_heard
from .keyed_crowd import add_mesh, plain_data, scene_of_frames

POSES = 24
"""Of each clip."""

ATTRIBUTES = {
    "frame": "INT",
    "agent": "INT",
    "variant": "INT",
    "rotation": "FLOAT_VECTOR",
    "scale": "FLOAT_VECTOR",
    "tint": "FLOAT_COLOR",
    "clip": "INT",
    "phase": "FLOAT",
    "gait_weights": "FLOAT_VECTOR",
    "pose": "INT",
}
"""Of the points, and their types."""

VALUES = {"FLOAT_VECTOR": "vector", "FLOAT_COLOR": "color"}
"""What an attribute's values are called, if not `value`."""

POSE_NAME = "pose.{:04d}"
"""Nodes number the children of a collection by their names."""


@dataclass(frozen=True)
class _Look:
    """A character without some of its meshes. first: the number of its first pose."""

    without: frozenset[str]
    first: int


@dataclass(frozen=True, eq=False)
class _Posed:
    """A character's agents and their poses. clips: of its gaits, each once. first_clip: its first one's number
    among those of all characters. looks: by the crowd's kind.
    """

    motion: CrowdMotion
    clips: tuple[str, ...]
    first_clip: int
    looks: Mapping[int, _Look]

    @property
    def role_clips(self) -> NDArray[np.intp]:
        """Which of `clips` is heard in each role."""
        return np.array([self.clips.index(one.clip.name) for one in self.motion.troupe.character.strides])


def point_scene(scene: bpy.types.Scene, motions: Sequence[CrowdMotion]) -> bpy.types.Scene:
    """Make a scene of the crowd: one object of points, and a collection of posed meshes, which isn't shown.

    motions: of each character.
    """
    made = scene_of_frames(scene, motions[0], "Crowd of points")
    library = bpy.data.collections.new("Poses")
    made.collection.children.link(library)
    posed = list(_numbered(motions))
    for one in posed:
        _fill_library(library, scene, one)
    for layer in made.view_layers:
        layer.layer_collection.children[library.name].exclude = True
    points = _points(posed)
    made.collection.objects.link(points)
    modifier = points.modifiers.new("Crowd", "NODES")
    setattr(modifier, "node_group", _nodes(library))  # noqa: B010 - of a modifier of nodes
    return made


def _numbered(motions: Sequence[CrowdMotion]) -> Iterator[_Posed]:
    """Number clips and poses over all characters."""
    clip = pose = 0
    for motion in motions:
        troupe = motion.troupe
        clips = tuple(dict.fromkeys(one.clip.name for one in troupe.character.strides))
        looks: dict[frozenset[str], _Look] = {}
        of_kind: dict[int, _Look] = {}
        for kind in np.flatnonzero(troupe.kinds).tolist():
            without = troupe.without[kind]
            if without not in looks:
                looks[without] = _Look(without, pose)
                pose += POSES * len(clips)
            of_kind[kind] = looks[without]
        yield _Posed(motion, clips, clip, of_kind)
        clip += len(clips)


def _points(posed: Sequence[_Posed]) -> bpy.types.Object:
    """Make the points of all characters, frame by frame and agent by agent of each."""
    each = [_attributes(one) for one in posed]
    data = bpy.data.meshes.new("Crowd")
    places = np.concatenate([place for place, _ in each])
    data.vertices.add(len(places))
    data.vertices.foreach_set("co", places.astype(np.float32).ravel())
    for name, kind in ATTRIBUTES.items():
        attribute: Any = cast("Any", data.attributes).new(name, kind, "POINT")
        numbers = np.concatenate([values[name] for _, values in each])
        stored = np.ascontiguousarray(numbers, dtype=np.int32 if kind == "INT" else np.float32)
        attribute.data.foreach_set(VALUES.get(kind, "value"), stored.ravel())
    found = bpy.data.objects.new("Crowd", data)
    # What the numbers of `clip` mean.
    names = [(one.motion.troupe.character.name, clip) for one in posed for clip in one.clips]
    found["clips"] = [clip if len(posed) == 1 else f"{character}: {clip}" for character, clip in names]
    return found


def _attributes(posed: _Posed) -> tuple[NDArray[np.float64], dict[str, NDArray[Any]]]:
    """Return where a character's agents are (F * N, 3), and what ATTRIBUTES names, of each frame and agent."""
    motion = posed.motion
    frames, count = motion.places.shape[:2]
    placed = decompose(motion.places.reshape(-1, 4, 4)).pose
    clip = posed.role_clips[role_heard(motion)]
    phase = phase_heard(motion)
    first = np.array([posed.looks[kind].first for kind in motion.kinds.tolist()])
    tints = np.concatenate((motion.troupe.tints[motion.kinds], np.ones((count, 1))), axis=1)
    values: dict[str, NDArray[Any]] = {
        "frame": np.repeat(np.arange(1, frames + 1), count),
        "agent": np.tile(motion.agents, frames),
        "variant": np.tile(motion.kinds, frames),
        "rotation": np.array([_euler(one) for one in placed.rotation.T.tolist()]),
        "scale": placed.scale.T,
        "tint": np.tile(tints, (frames, 1)),
        "clip": (posed.first_clip + clip).ravel(),
        "phase": phase.ravel(),
        "gait_weights": motion.gaits.reshape(-1, 3),
        "pose": (first + clip * POSES + np.rint(phase * POSES).astype(int) % POSES).ravel(),
    }
    return placed.translation.T.astype(np.float64), values


def _euler(rotation: Sequence[float]) -> tuple[float, ...]:
    return Quaternion(rotation).to_euler()[:]


def _fill_library(library: bpy.types.Collection, scene: bpy.types.Scene, posed: _Posed) -> None:
    """Pose a character at even phases of each clip, and keep Blender's own meshes, in root space: a collection
    for each pose of each look.
    """
    character = posed.motion.troupe.character
    original = object_of(character.name)
    staged = bpy.data.scenes.new("Posing")
    armature = bpy.data.objects.new("Posing", plain_data(original))
    staged.collection.objects.link(armature)
    pairs = [(one, add_mesh(staged, one, original, armature)) for one in meshes_of(scene, original)]
    # The armature gets its pose.
    staged.view_layers[0].update()
    skeleton = character.body.skeleton
    from_rest = invert_affine(skeleton.to_parent(skeleton.rest_to_root)[0])[0]
    number = 0
    for clip in {one.clip.name: one.clip for one in character.strides}.values():
        seconds = clip.duration * np.arange(POSES) / POSES
        pose = ClipSampler(clip, skeleton).at(seconds)
        basis = compose(LocalPose(pose.translation, pose.rotation, pose.scale)).astype(np.float64) @ from_rest
        for matrices in basis:
            for name, matrix in zip(skeleton.names, matrices, strict=True):
                armature.pose.bones[name].matrix_basis = Matrix(matrix.T.tolist())
            layer = staged.view_layers[0]
            layer.update()
            meshes = {mesh: _kept(copy, cast("bpy.types.Depsgraph", layer.depsgraph)) for mesh, copy in pairs}
            for look in set(posed.looks.values()):
                _add_pose(library, meshes, look.without, look.first + number)
            number += 1
    bpy.data.scenes.remove(staged)
    for _, copy in pairs:
        bpy.data.objects.remove(copy)
    bpy.data.objects.remove(armature)


def _kept(copy: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Mesh:
    """Return an evaluated mesh, in the scene's space."""
    evaluated = copy.evaluated_get(depsgraph)
    data = bpy.data.meshes.new_from_object(evaluated, depsgraph=depsgraph)
    data.transform(evaluated.matrix_world)
    return data


def _add_pose(
    library: bpy.types.Collection,
    meshes: Mapping[bpy.types.Object, bpy.types.Mesh],
    without: frozenset[str],
    number: int,
) -> None:
    child = bpy.data.collections.new(POSE_NAME.format(number))
    library.children.link(child)
    for mesh, data in meshes.items():
        if identity(mesh) not in without:
            child.objects.link(bpy.data.objects.new(f"{mesh.name}.{number:04d}", data))


def _nodes(library: bpy.types.Collection) -> Any:
    """Make the nodes: at the points of the scene's frame, instances of the chosen poses."""
    group: Any = bpy.data.node_groups.new("Crowd of points", "GeometryNodeTree")
    group.is_modifier = True
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes, links = group.nodes, group.links

    def node(kind: str, place: tuple[int, int], **settings: object) -> Any:
        made = nodes.new(kind)
        made.location = place
        for name, value in settings.items():
            setattr(made, name, value)
        return made

    def attribute(name: str, kind: str, height: int) -> Any:
        made = node("GeometryNodeInputNamedAttribute", (-420, height), data_type=kind, label=name)
        made.inputs["Name"].default_value = name
        return next(one for one in made.outputs if one.name == "Attribute" and one.enabled)

    start, end = node("NodeGroupInput", (-420, 240)), node("NodeGroupOutput", (420, 120))
    time = node("GeometryNodeInputSceneTime", (-420, 120))
    is_now = node("FunctionNodeCompare", (-160, 40), data_type="INT", operation="EQUAL")
    first, second = (one for one in is_now.inputs if one.enabled and one.name in {"A", "B"})
    links.new(attribute("frame", "INT", 0), first)
    links.new(time.outputs["Frame"], second)
    poses = node("GeometryNodeCollectionInfo", (-160, -160))
    poses.inputs["Collection"].default_value = library
    poses.inputs["Separate Children"].default_value = True
    poses.inputs["Reset Children"].default_value = True
    put = node("GeometryNodeInstanceOnPoints", (160, 120))
    put.inputs["Pick Instance"].default_value = True
    links.new(start.outputs[0], put.inputs["Points"])
    links.new(is_now.outputs["Result"], put.inputs["Selection"])
    links.new(poses.outputs[0], put.inputs["Instance"])
    links.new(attribute("pose", "INT", -160), put.inputs["Instance Index"])
    links.new(attribute("rotation", "FLOAT_VECTOR", -320), put.inputs["Rotation"])
    links.new(attribute("scale", "FLOAT_VECTOR", -480), put.inputs["Scale"])
    links.new(put.outputs[0], end.inputs[0])
    return group
