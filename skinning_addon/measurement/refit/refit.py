"""Fitting a character's meshes to an engine's limit of influences: the plan of a game-ready copy, and figures.

The copy's bones move as authored, but for shear, which no engine's hierarchy can hold; in baked clips they may
also leave that motion, see `baked_fit`. Weights are fitted to Blender's final mesh over clips and over poses of
the whole range of motion. A clip, or the middle of each clip, is held out: the fit does not see it, and the
figures say how well that is reached all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...core.profiles.profile import Profile
from ...core.refit.kind import Kind
from ...core.skinning.skin import Skin
from ...core.text.errors import UsageError
from ...scene.clips.playback import Playback
from ...scene.identification import identity
from ...scene.object_data import mesh_of
from ...scene.refit.authored_bones import read_authored_bones
from ...scene.refit.plan import BAKED_NOTE, NO_DRIVERS, CopiedMesh, CopyPlan, Drivers
from ...scene.refit.plan_parts import kept_bones, planned_bones, planned_clips, weight_rows
from ...scene.refit.sockets import sockets
from .animated_keys import mute_animated_keys
from .bone_drift import BoneDrift
from .fitted_bones import FittedBones, Parts, fitted_to, furthest_unseen
from .fitting import RefittedMesh, refitted
from .joined_bones import joined_bones
from .recording import Recording, record, whole_frames
from .refit_options import RefitOptions
from .target_stack import switch_off_what_stays

VARIED_POSES = {Kind.RUNTIME: 160, Kind.BAKED: 24}
"""Poses of the range of motion that are fitted beside clips. Baked clips are all that is played of them: a few
poses keep weights from suiting one clip alone, and with more a Rigify human comes less near."""

SHARES = {Kind.RUNTIME: (0.65, 0.2, 0.15, 0.0), Kind.BAKED: (0.3, 0.15, 0.15, 0.4)}
"""Of all progress: playing, fitting, helper bones, and bones' motion."""

SHARES_WITH_CLIP_BONES = (0.45, 0.15, 0.25, 0.15)


@dataclass(frozen=True, eq=False)
class Refit:
    """plan: of the copy. meshes: with weights. sheared: names of bones whose shear is lost, and how far a point
    at their end is off for that, in the armature's unit, the worst first. rejected_helpers: how many helper
    bones were found, but made frames worse that the fit has not seen. drifts: of baked clips, how far authored
    bones are from where they were authored, the most first. anchored: bones that may not drift. kind: see
    `Kind`. tolerance: that was asked for, 0 for none, and `furthest_unseen` that was reached. helpers:
    how many helper bones there are. without_keys: meshes whose moving shape keys are not in any distance: the
    copy has them as well. clip_bones: names of those that carry a helper's vertices, by its name;
    whether any were asked for.
    """

    plan: CopyPlan
    meshes: tuple[RefittedMesh, ...]
    sheared: tuple[tuple[str, float], ...]
    rejected_helpers: int = 0
    drifts: tuple[BoneDrift, ...] = ()
    anchored: tuple[str, ...] = ()
    kind: str = Kind.RUNTIME.value
    tolerance: float = 0.0
    reached: float = 0.0
    helpers: int = 0
    without_keys: tuple[str, ...] = ()
    clip_bones: Mapping[str, str] = field(default_factory=dict)
    asked_clip_bones: bool = False


Progress = Callable[[float, str], None]


def refit(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object],
    playbacks: Sequence[Playback],
    *,
    profile: Profile,
    options: RefitOptions,
    progress: Progress,
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
    without_keys = tuple(identity(one) for one in skinned if mute_animated_keys(one))
    taken: dict[str, frozenset[str]] = {identity(one): switch_off_what_stays(one) for one in skinned}
    clip_bones = options.clip_bones and options.kind is Kind.RUNTIME
    parts = Parts(progress, SHARES_WITH_CLIP_BONES if clip_bones else SHARES[options.kind])
    recording = record(
        scene,
        armature,
        skinned,
        playbacks,
        varied=VARIED_POSES[options.kind],
        every_frame=options.every_frame,
        progress=parts.of(0, "Playing"),
    )
    reader = recording.reader
    kept = kept_bones(armature, meshes, reader.skeleton.names, reader.deforms)
    if not kept.any():
        raise UsageError(
            "No bone of '{armature}' deforms; switch on Deform for those that should.", armature=armature.name
        )
    bones = joined_bones(recording, read_authored_bones(armature, reader, kept))
    found = fitted_to(recording, bones, profile, options, sockets=sockets(armature), parts=parts)
    skins = {one.mesh_object: one.skin for one in found.fits}
    planned = [_planned_mesh(one, skins, taken) for one in meshes]
    plan = _with_drivers(_plan(armature, recording, found, planned), found.drivers)
    if options.kind is Kind.BAKED:
        plan = replace(plan, note=BAKED_NOTE)
    return Refit(
        plan,
        tuple(refitted(one) for one in found.fits),
        found.sheared,
        found.rejected,
        found.drifts,
        found.anchored,
        options.kind.value,
        options.tolerance,
        furthest_unseen(found.fits),
        found.helpers,
        without_keys,
        found.clip_bones,
        clip_bones,
    )


def _plan(
    armature: bpy.types.Object,
    recording: Recording,
    found: FittedBones,
    meshes: Sequence[CopiedMesh],
) -> CopyPlan:
    bones, hierarchy = found.bones, found.hierarchy
    deforms = np.ones(len(bones.names), dtype=np.bool_)
    deforms[: len(recording.reader.deforms)] = recording.reader.deforms
    # Clip bones carry what would follow their helpers.
    deforms[[bones.names.index(helper) for helper in found.clip_bones]] = False
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
    bones = tuple(replace(one, drivers=drivers.get(one.name, NO_DRIVERS)) for one in plan.bones)
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
