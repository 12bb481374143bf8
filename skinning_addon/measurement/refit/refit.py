"""Fitting a character's meshes to an engine's limit of influences: the plan of a game-ready copy, and figures.

The copy's bones move as authored, but for shear, which no engine's hierarchy can hold. Weights are fitted to
Blender's final mesh over clips and over poses of the whole range of motion. A clip, or the middle of each clip,
is held out: the fit does not see it, and the figures say how well that is reached all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import bpy
import numpy as np

from ...core.profiles.profile import Profile
from ...core.refit.hierarchy import GameHierarchy, choose_hierarchy
from ...core.skinning.skin import Skin
from ...core.text.errors import UsageError
from ...scene.clips.playback import Playback
from ...scene.identification import identity
from ...scene.object_data import mesh_of
from ...scene.refit.authored_bones import read_authored_bones
from ...scene.refit.plan import CopiedMesh, CopyPlan, Drivers
from ...scene.refit.plan_parts import kept_bones, planned_bones, planned_clips, weight_rows
from .animated_keys import mute_animated_keys
from .fitting import Fit, Fitting, RefittedMesh
from .helper_names import with_helpers
from .joined_bones import JoinedBones, joined_bones
from .recording import Recording, record, whole_frames
from .target_stack import switch_off_what_stays

VARIED_POSES = 160
"""Poses of the range of motion that are fitted beside clips."""


@dataclass(frozen=True)
class RefitOptions:
    """hold_out: name of a clip that the fit may not see; a block of each if empty. helper_bones: how many bones
    the copy may have more, for vertices that follow more bones than the engine takes.
    """

    hold_out: str = ""
    helper_bones: int = 0


@dataclass(frozen=True, eq=False)
class Refit:
    """plan: of the copy. meshes: with weights. sheared: names of bones whose shear is lost, and how far a point
    at their end is off for that, in the armature's unit, the worst first. rejected_helpers: how many helper
    bones were found, but made frames worse that the fit has not seen.
    """

    plan: CopyPlan
    meshes: tuple[RefittedMesh, ...]
    sheared: tuple[tuple[str, float], ...]
    rejected_helpers: int = 0


def refit(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object],
    playbacks: Sequence[Playback],
    *,
    profile: Profile,
    options: RefitOptions,
    progress: Callable[[float, str], None],
) -> Refit:
    """Fit meshes to an engine. This plays the scene and changes it: for files opened to be measured.

    meshes: with weights, or hanging on a bone. progress: called with the finished fraction and what is being
    done; it may raise to stop.

    Raises:
        UsageError: no bone deforms, the clip to hold out is not among the playbacks, or nothing is left to fit
        to.
        BindingError: a mesh can't be fitted.
    """
    if options.hold_out and options.hold_out not in [one.name for one in playbacks]:
        raise UsageError(
            "The clip '{clip}' can't be held out, since it is not among those that are played.",
            clip=options.hold_out,
        )
    skinned = [one for one in meshes if one.parent_type != "BONE"]
    for one in skinned:
        mute_animated_keys(one)
    taken: dict[str, frozenset[str]] = {identity(one): switch_off_what_stays(one) for one in skinned}
    recording = record(
        scene,
        armature,
        skinned,
        playbacks,
        varied=VARIED_POSES,
        progress=lambda done: progress(0.6 * done, "Playing"),
    )
    reader = recording.reader
    kept = kept_bones(armature, meshes, reader.skeleton.names, reader.deforms)
    if not kept.any():
        raise UsageError(
            "No bone of '{armature}' deforms; switch on Deform for those that should.", armature=armature.name
        )
    bones = joined_bones(recording, read_authored_bones(armature, reader, kept))
    hierarchy = choose_hierarchy(bones.authored, bones.to_root)
    progress(0.65, "Fitting")
    fitting = Fitting(recording, bones, hierarchy, profile, options.hold_out)
    share = (0.2 if options.helper_bones else 0.35) / max(1, len(recording.meshes))
    fits: list[Fit] = []
    for number, mesh in enumerate(recording.meshes):
        first = 0.65 + number * share
        fits.append(
            fitting.fit(
                number, mesh, partial(lambda first, part: progress(first + share * part, "Fitting"), first)
            )
        )
    rejected = 0
    drivers: Mapping[str, Drivers] = {}
    if options.helper_bones and fits:
        found = fitting.helped(
            fits, options.helper_bones, lambda part: progress(0.85 + 0.15 * part, "Fitting helper bones")
        )
        fits, rejected = found.fits, found.rejected
        bones, hierarchy, drivers = with_helpers(bones, hierarchy, found.helpers)
    skins = {one.mesh_object: one.skin for one in fits}
    planned = [_planned_mesh(one, skins, taken) for one in meshes]
    plan = _with_drivers(_plan(armature, recording, bones, hierarchy, planned), drivers)
    return Refit(plan, tuple(fitting.refitted(one) for one in fits), _sheared(bones, hierarchy), rejected)


def _sheared(bones: JoinedBones, hierarchy: GameHierarchy) -> tuple[tuple[str, float], ...]:
    noticed = 1e-5 * bones.authored.size
    found = [
        (bones.names[int(bone)], float(error))
        for bone, error in zip(hierarchy.bones, hierarchy.errors, strict=True)
        if error > noticed
    ]
    return tuple(sorted(found, key=lambda one: -one[1]))


def _plan(
    armature: bpy.types.Object,
    recording: Recording,
    bones: JoinedBones,
    hierarchy: GameHierarchy,
    meshes: Sequence[CopiedMesh],
) -> CopyPlan:
    deforms = np.ones(len(bones.names), dtype=np.bool_)
    deforms[: len(recording.reader.deforms)] = recording.reader.deforms
    return CopyPlan(
        identity(armature),
        tuple(planned_bones(bones.names, bones.authored, deforms, hierarchy)),
        tuple(meshes),
        tuple(
            planned_clips(
                armature, recording.playbacks, [whole_frames(one) for one in recording.playbacks], hierarchy
            )
        ),
    )


def _with_drivers(plan: CopyPlan, drivers: Mapping[str, Drivers]) -> CopyPlan:
    bones = tuple(replace(one, drivers=drivers.get(one.name, ())) for one in plan.bones)
    return replace(plan, bones=bones)


def _planned_mesh(
    mesh_object: bpy.types.Object, skins: Mapping[str, Skin], taken: Mapping[str, frozenset[str]]
) -> CopiedMesh:
    name = identity(mesh_object)
    if name not in skins:
        none = np.empty((len(mesh_of(mesh_object).vertices), 0))
        return CopiedMesh(name, none.astype(np.int32), none.astype(np.float32))
    joints, weights = weight_rows(skins[name])
    # Joint 0 is no bone; the plan counts its bones from 0.
    return CopiedMesh(name, np.maximum(joints - 1, -1), weights, taken[name])
