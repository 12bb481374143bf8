"""A limb of several bones with random weights, keyed at every frame, refitted and copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bpy
import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.refit.free_bones import USUAL_TURN
from skinning_addon.core.refit.kind import Kind
from skinning_addon.measurement.refit.refit import Refit, refit
from skinning_addon.measurement.refit.refit_options import RefitOptions
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.refit.game_ready_copy import make_copy
from skinning_addon.scene.refit.plain_plan import PlainPlan
from tests.scene.random_rig import RandomRig


def key_poses(rig: RandomRig, frames: int) -> None:
    """Key a new random pose of every bone at frames 1 and up, as a clip called Wild."""
    for frame in range(1, frames + 1):
        rig.pose()
        for bone in rig.armature.pose.bones:
            for channel in ("location", "rotation_quaternion", "scale"):
                bone.keyframe_insert(channel, frame=frame)
    rig.armature.animation_data.action.name = "Wild"
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames


def unheard(done: float, doing: str) -> None:
    """Ignore progress."""


def refitted(
    rig: RandomRig,
    engine: str,
    hold_out: str = "",
    *,
    progress: Callable[[float, str], None] = unheard,
    helper_bones: int = 0,
    clip_bones: bool = False,
    tolerance: float = 0.0,
    kind: Kind = Kind.RUNTIME,
    drift: float | None = None,
    turn: float = USUAL_TURN,
    others: Sequence[bpy.types.Object] = (),
    clips: Sequence[str] = ("all",),
) -> Refit:
    """Fit the rig's mesh, and others, to an engine by its clips."""
    scene = bpy.context.scene
    return refit(
        scene,
        rig.armature,
        [rig.mesh, *others],
        find_clips(scene, list(clips), [rig.armature]),
        profile=load_profile(engine),
        options=RefitOptions(
            hold_out, helper_bones, kind, tolerance, drift=drift, turn=turn, clip_bones=clip_bones
        ),
        progress=progress,
    )


def copy_of(found: Refit | PlainPlan) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Make the copy; return its armature and its first mesh."""
    made = make_copy(found.plan, bpy.context).objects
    return (
        next(one for one in made if one.type == "ARMATURE"),
        next(one for one in made if one.type == "MESH"),
    )


def largest_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Of positions (V, 3)."""
    return float(np.linalg.norm(one - other, axis=1).max())
