"""A crowd as points with attributes, on which Geometry Nodes put posed meshes: thousands, for rendering.

Every agent has a point for every frame. The nodes show those of the scene's frame, and choose for each the
nearest of some poses of the clip that is heard most; while clips fade, that is not the pose between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Quaternion
from numpy.typing import NDArray

from ...animation.local_pose import LocalPose, compose, decompose
from ...animation.sampling import ClipSampler
from ...core.skinning.skeleton import invert_affine
from ..identification import object_of
from .character import Character, meshes_of
from .crowd_motion import CrowdMotion, phase_heard, role_heard
from .keyed_crowd import add_mesh, plain_data, scene_of_frames

POSES = 24
"""Of each clip."""

POSE_NAME = "pose.{:04d}"
"""Nodes number the children of a collection by their names."""


def point_scene(scene: bpy.types.Scene, character: Character, motion: CrowdMotion) -> bpy.types.Scene:
    """Make a scene of the crowd: one object of points, and a collection of posed meshes, which isn't shown."""
    made = scene_of_frames(scene, motion, "Crowd of points")
    clips = list(dict.fromkeys(one.clip.name for one in character.strides))
    library = bpy.data.collections.new("Poses")
    made.collection.children.link(library)
    _fill_library(library, scene, character)
    for layer in made.view_layers:
        layer.layer_collection.children[library.name].exclude = True
    points = _points(character, motion, clips)
    made.collection.objects.link(points)
    modifier = points.modifiers.new("Crowd", "NODES")
    setattr(modifier, "node_group", _nodes(library))  # noqa: B010 - of a modifier of nodes
    return made


def _points(character: Character, motion: CrowdMotion, clips: Sequence[str]) -> bpy.types.Object:
    frames, count = motion.places.shape[:2]
    placed = decompose(motion.places.reshape(-1, 4, 4)).pose
    data = bpy.data.meshes.new("Crowd")
    data.vertices.add(frames * count)
    data.vertices.foreach_set("co", placed.translation.T.astype(np.float32).ravel())
    roles = role_heard(motion)
    clip = np.array([clips.index(one.clip.name) for one in character.strides])[roles]
    phase = phase_heard(motion)
    pose = clip * POSES + np.rint(phase * POSES).astype(int) % POSES
    euler = np.array([_euler(one) for one in placed.rotation.T.tolist()])
    values: dict[str, tuple[str, NDArray[Any]]] = {
        "frame": ("INT", np.repeat(np.arange(1, frames + 1), count)),
        "agent": ("INT", np.tile(np.arange(count), frames)),
        "rotation": ("FLOAT_VECTOR", euler),
        "scale": ("FLOAT_VECTOR", placed.scale.T),
        "clip": ("INT", clip),
        "phase": ("FLOAT", phase),
        "gait_weights": ("FLOAT_VECTOR", motion.gaits),
        "pose": ("INT", pose),
    }
    for name, (kind, numbers) in values.items():
        attribute: Any = cast("Any", data.attributes).new(name, kind, "POINT")
        stored = np.ascontiguousarray(numbers, dtype=np.int32 if kind == "INT" else np.float32)
        attribute.data.foreach_set("vector" if kind == "FLOAT_VECTOR" else "value", stored.ravel())
    found = bpy.data.objects.new("Crowd", data)
    # What the numbers of `clip` mean.
    found["clips"] = list(clips)
    return found


def _euler(rotation: Sequence[float]) -> tuple[float, ...]:
    return Quaternion(rotation).to_euler()[:]


def _fill_library(library: bpy.types.Collection, scene: bpy.types.Scene, character: Character) -> None:
    """Pose the character at even phases of each clip, and keep Blender's own meshes, in root space."""
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
            child = bpy.data.collections.new(POSE_NAME.format(number))
            library.children.link(child)
            for mesh, copy in pairs:
                evaluated = copy.evaluated_get(layer.depsgraph)
                data = bpy.data.meshes.new_from_object(evaluated, depsgraph=layer.depsgraph)
                data.transform(evaluated.matrix_world)
                child.objects.link(bpy.data.objects.new(f"{mesh.name}.{number:04d}", data))
            number += 1
    bpy.data.scenes.remove(staged)
    for _, copy in pairs:
        bpy.data.objects.remove(copy)
    bpy.data.objects.remove(armature)


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
