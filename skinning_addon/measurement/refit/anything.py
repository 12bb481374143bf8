"""Bones for what no armature moves: the plan of a mesh with bones, weights and a clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.refit.channels import Channels, channel_matrices, nearest_channels, turning_the_short_way
from ...core.refit.decomposition import Decomposition, decompose
from ...core.refit.judging import Figures, figures
from ...core.refit.wanted import Wanted
from ...scene.clips.playback import set_frame
from ...scene.identification import object_of
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.refit.bones_of_anything import bones_name
from ...scene.refit.game_ready_copy import meshes_of_copy
from ...scene.refit.plan import BAKED_NOTE, CopiedBone, CopiedClip, CopiedMesh, CopyPlan
from ...scene.refit.plan_parts import weight_rows
from ...scene.refit.rest_of_anything import RestOfAnything
from .points_of_anything import RecordedPoints
from .tangent_frames import TangentFrames, TurnedFrames

CLIP = "Scene"
"""What the clip is called: it is what the scene plays."""

ROOT = "Root"

LENGTH = 0.05
"""Of a bone, as a part of the mesh's diagonal: only for the eye."""


@dataclass(frozen=True, eq=False)
class BonesOfAnything:
    """rest: what the bones move. plan: of the copy. recorded: what it is fitted to, world space."""

    rest: RestOfAnything
    plan: CopyPlan
    recorded: RecordedPoints


def find_bones(
    recorded: RecordedPoints, bones: int, influences: int, progress: Callable[[float], None]
) -> BonesOfAnything:
    """Find bones for a recorded mesh. progress: called with the finished fraction; it may raise to stop.

    Raises:
        UsageError: there are too few vertices for so many bones, or nothing moves.
    """
    rest = recorded.rest
    in_world = rest.positions @ rest.to_world[:3, :3] + rest.to_world[3, :3]
    frames = len(recorded.positions)
    still = np.tile(np.eye(4), (frames, 1, 1, 1))
    wanted = Wanted(in_world, recorded.positions, still, np.zeros(frames, dtype=np.intp), (CLIP,))
    found = decompose(wanted, bones, influences, progress=progress)
    keys = rest.moving_keys if rest.own else frozenset[str]()
    mesh_object = object_of(rest.object)
    modifiers = frozenset(one.name for one in mesh_object.modifiers)
    plan = CopyPlan(
        bones_name(mesh_object.name),
        _bones(found, wanted.size),
        (CopiedMesh(rest.object, *_rows(found), modifiers, keys),),
        (CopiedClip(CLIP, recorded.frames, _channels(found)),),
        BAKED_NOTE,
    )
    return BonesOfAnything(rest, plan, recorded)


@dataclass(frozen=True)
class InBlender:
    """How far a copy is from the original, both as Blender shows them. off: distances in world space. turned:
    normals and tangents.
    """

    off: Figures
    turned: TangentFrames


def compare_in_blender(
    scene: bpy.types.Scene, found: BonesOfAnything, collection: bpy.types.Collection
) -> InBlender:
    """Play a copy and compare it with what was recorded, and its normals and tangents with the original's."""
    (mesh,), original = meshes_of_copy(collection), object_of(found.rest.object)
    recorded, turned = found.recorded, TurnedFrames()
    off = np.empty(recorded.positions.shape[1::-1], dtype=np.float32)
    for number, frame in enumerate(recorded.frames.tolist()):
        set_frame(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shown = mesh.evaluated_get(depsgraph)
        turned.take(original.evaluated_get(depsgraph), shown)
        to_world = np.array(shown.matrix_world, dtype=np.float64).T
        positions = read_positions(evaluated_mesh(mesh, depsgraph)).astype(np.float64)
        moved = positions @ to_world[:3, :3] + to_world[3, :3]
        off[:, number] = np.linalg.norm(moved - recorded.positions[number], axis=1)
    return InBlender(figures(off), turned.found())


def _bones(found: Decomposition, size: float) -> tuple[CopiedBone, ...]:
    length = LENGTH * size
    count = len(found.rest_to_root)
    digits = len(str(count))
    root = CopiedBone(ROOT, None, np.eye(4), length, deform=False)
    return (
        root,
        *(
            CopiedBone(f"Bone {number + 1:0{digits}}", ROOT, found.rest_to_root[number], length)
            for number in range(count)
        ),
    )


def _rows(found: Decomposition) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Joints 1 and up of the skin are the plan's bones 1 and up: both have one before that moves nothing."""
    return weight_rows(found.skin)


def _channels(found: Decomposition) -> Channels:
    rest = np.concatenate([np.eye(4)[None], found.rest_to_root])
    matrices, _ = channel_matrices(rest @ found.finals, rest, np.full(len(rest), -1, dtype=np.int32))
    channels = nearest_channels(matrices)
    return Channels(channels.translations, turning_the_short_way(channels.rotations), channels.scales)
