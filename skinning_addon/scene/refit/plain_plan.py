"""The plan that needs no fit: each bone moves as authored, without shear, and each vertex keeps its largest
weights.

That takes away what an exporter loses of the hierarchy, of constraints and of unkeyed bones. What is in the
mesh alone (Preserve Volume, bendy bones, modifiers behind the armature) needs fitted weights.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.influence_limit import summing_to_one
from ...core.refit.hierarchy import GameHierarchy, choose_hierarchy
from ...core.skinning.skin import SMALLEST_MOVING_SUM, BoneSkin
from ...core.text.errors import UsageError
from ..armatures.armature_reader import ArmatureReader
from ..clips.playback import Playback
from ..identification import identity
from ..meshes.vertex_group_reader import Memberships, read_memberships
from ..object_data import mesh_of
from ..objects.modifier_stack import armature_objects
from ..staging.clip_scene import clip_scene
from ..staging.clip_staging import playback_frames, show_frame
from .authored_bones import read_authored_bones
from .plan import CopiedMesh, CopyPlan
from .plan_parts import kept_bones, planned_bones, planned_clips, weight_rows

UNROUNDED = 1e-6
"""A sum of weights within this of one is one: normalising would only change its last digits."""


@dataclass(frozen=True, eq=False)
class PlainPlan:
    """plan: what to copy. errors: (B,) of the plan's bones, see `GameHierarchy`. cut_vertices: how many
    vertices lost influences.
    """

    plan: CopyPlan
    errors: NDArray[np.float64]
    cut_vertices: int


@dataclass(frozen=True)
class PlanProgress:
    """done frames of total."""

    done: int
    total: int


def plain_plan(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object],
    playbacks: Sequence[Playback],
    influences: int | None,
) -> Generator[PlanProgress, None, PlainPlan]:
    """Plan a copy of an armature and of meshes; yield after every frame, and return the plan.

    playbacks: the clips that the copy gets. influences: the most per vertex, None for any number.

    Raises:
        UsageError: there are no bones that deform, a bone is at a place that is no number, or a mesh is moved
        by another armature as well, or by this one twice.
    """
    for one in meshes:
        refuse_other_passes(one, armature)
    with closing(_recorded(scene, armature, playbacks)) as steps:
        reader, to_root = yield from steps
    names = reader.skeleton.names
    kept = kept_bones(armature, meshes, names, reader.deforms)
    if not kept.any():
        raise UsageError(
            "No bone of '{armature}' deforms; switch on Deform for those that should.", armature=armature.name
        )
    authored = read_authored_bones(armature, reader, kept)
    found = choose_hierarchy(authored, np.concatenate(to_root))
    bones = tuple(planned_bones(names, authored, reader.deforms, found))
    skins = [copied_skin(one, reader, found, influences) for one in meshes]
    planned = [
        CopiedMesh(identity(one), *weight_rows(skin)) for one, (skin, _) in zip(meshes, skins, strict=True)
    ]
    clips = tuple(planned_clips(armature, playbacks, [playback_frames(one) for one in playbacks], found))
    plan = CopyPlan(identity(armature), bones, tuple(planned), clips)
    return PlainPlan(plan, found.errors, sum(cut for _, cut in skins))


def _recorded(
    scene: bpy.types.Scene, armature: bpy.types.Object, playbacks: Sequence[Playback]
) -> Generator[PlanProgress, None, tuple[ArmatureReader, list[NDArray[np.float64]]]]:
    """Play a copy of the armature; return to_root (F, B, 4, 4) of each clip."""
    done, total = 0, sum(len(playback_frames(one)) for one in playbacks)
    name = identity(armature)
    result: list[NDArray[np.float64]] = []
    with clip_scene(scene, [armature]) as stage:
        for playback in playbacks:
            stage.play(playback, None)
            rows: list[NDArray[np.float64]] = []
            for frame in playback_frames(playback):
                show_frame(stage, playback, frame)
                posed = stage.copies[name].evaluated_get(stage.depsgraph)
                rows.append(stage.readers[name].read_to_root(posed))
                _refuse_no_numbers(armature, stage.readers[name], rows[-1], frame)
                done += 1
                yield PlanProgress(done, total)
            result.append(np.stack(rows))
        return stage.readers[name], result


def _refuse_no_numbers(
    armature: bpy.types.Object, reader: ArmatureReader, to_root: NDArray[np.float64], frame: float
) -> None:
    wrong = np.flatnonzero(~np.isfinite(to_root).all(axis=(1, 2)))
    if len(wrong):
        raise UsageError(
            "Bone '{bone}' of '{armature}' is at no number at frame {frame:g}; clear its transforms, and look "
            "at its keys, drivers and constraints.",
            bone=reader.skeleton.names[int(wrong[0])],
            armature=armature.name,
            frame=frame,
        )


def refuse_other_passes(mesh_object: bpy.types.Object, armature: bpy.types.Object) -> None:
    """Refuse a mesh that more than one pass of an armature deforms: its copy has only one.

    Raises:
        UsageError: another armature moves the mesh as well, or this one twice.
    """
    passes = armature_objects(mesh_object)
    others = [one for one in passes if one != armature]
    if others:
        raise UsageError(
            "'{mesh}' is moved by '{other}' as well as by '{armature}'; apply one of the two Armature "
            "modifiers.",
            mesh=mesh_object.name,
            other=others[0].name,
            armature=armature.name,
        )
    if len(passes) > 1 and mesh_object.parent_type == "ARMATURE":
        raise UsageError(
            "'{mesh}' is deformed by '{armature}' both as its parent and by a modifier; remove one of the two.",
            mesh=mesh_object.name,
            armature=armature.name,
        )
    if len(passes) > 1:
        raise UsageError(
            "'{mesh}' has more than one Armature modifier for '{armature}'; apply or remove all but one.",
            mesh=mesh_object.name,
            armature=armature.name,
        )


def copied_skin(
    mesh_object: bpy.types.Object,
    reader: ArmatureReader,
    found: GameHierarchy,
    influences: int | None,
    memberships: Memberships | None = None,
) -> tuple[BoneSkin, int]:
    """Return a mesh's weights over the plan's bones, and of how many vertices some were cut.

    memberships: of the mesh, if they have been read.
    """
    number = {int(bone): index for index, bone in enumerate(found.bones) if reader.deforms[bone]}
    bone_of_name = {reader.skeleton.names[bone]: index for bone, index in number.items()}
    names = [group.name for group in mesh_object.vertex_groups]
    memberships = memberships or read_memberships(mesh_of(mesh_object))
    skin = memberships.bone_skin(names, bone_of_name)
    if not armature_objects(mesh_object) or mesh_object.parent_type == "BONE":
        skin = skin.kept(np.zeros(len(skin.indices), dtype=np.bool_))
    moving = skin.weight_sums > SMALLEST_MOVING_SUM
    skin = skin.kept((skin.weights > 0) & moving[skin.vertex_of_influence])
    cut = skin if influences is None else skin.limited(influences)
    off = np.abs(cut.weight_sums - 1) > UNROUNDED
    return summing_to_one(cut, off), int((cut.counts < skin.counts).sum())
