"""Blender's clips -> keyframed clips: played by copies in their own scene, read, and fitted down the hierarchy.

A clip is read at every whole frame, at its ends and at every key. Where curves bend in between, more frames are
read until interpolation matches Blender within the requested tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.bone_boxes import BoneBoxes, boxes_of_bindings
from ...animation.clip import Clip, ClipSettings, dense_clip
from ...animation.fitting import Fit
from ...animation.reduction import Reduction
from ...animation.root_motion import RootMotion, RootMotionSettings
from ...animation.rotations import RotationBlend
from ...core.profiles.playing import what_plays
from ...core.profiles.profile import Profile
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import BindingError, ClipError
from ...core.verdicts.tolerance import Tolerance
from ..armatures.armature_reader import read_armature
from ..armatures.profiled_reading import skeleton_under
from ..binding.binding_reader import read_binding
from ..binding.rigid_parts import rigid_parts
from ..clips.action_keys import animated_bends, curves_of, key_frames, markers_of, missing_bones
from ..clips.clips import ArmatureClip, SceneClip
from ..identification import identity, object_of
from ..objects.deformed_meshes import meshes_of_armature
from ..staging.clip_scene import ClipScene, clip_scene
from ..staging.clip_staging import shown_poses
from .clip_finishing import ClipFinishing
from .clip_reading import ClipReading
from .file_reading import FileReading

EXACT_BETWEEN = 8e-6
"""Tolerance between frames, as a share of a mesh's size and movement: a little below what counts as exact."""

REPORTED_SHEAR = 1e-5
"""Smaller shear comes from rounding in float32 matrices."""


@dataclass(frozen=True)
class BakeSettings:
    """Settings for baking clips.

    between: how far interpolation may be off between frames, as a share of the size and movement of any mesh
        that is moved; None to read only whole frames and keys, as exporters do.
    reduction: how far a vertex may move when keys are dropped, as a length or a share of the character's size;
        None to keep all keys.
    root_motion: which motion is extracted from each clip; None to keep all of it in the clip.
    rotation_blend, looping: of the clips.
    profile: whose file's keys make up the clips, see `what_plays`; None for clips as Blender plays them.
        `between` has no effect then, and engines' own ways with bones are left to whoever shows the clips.
    """

    between: float | None = EXACT_BETWEEN
    reduction: Tolerance | None = None
    root_motion: RootMotionSettings | None = None
    rotation_blend: RotationBlend = RotationBlend.NLERP
    looping: bool = True
    profile: Profile | None = None

    def under(self, profile: Profile) -> BakeSettings:
        """Return settings for clips as a profile's file holds them, or Blender's if it goes through none."""
        plays = what_plays(profile)
        # glTF's engines turn along the arc; other files have a key for every frame.
        blend = self.rotation_blend if plays is None else RotationBlend.SLERP
        return replace(self, profile=plays, rotation_blend=blend)

    def skeleton_of(self, armature: bpy.types.Object) -> Skeleton:
        """Return the skeleton that an armature's baked clips are for: bones have the parents that they have in
        the file.
        """
        reader = read_armature(armature)
        return reader.skeleton if self.profile is None else skeleton_under(self.profile, reader)


@dataclass(frozen=True)
class Shear:
    """A bone whose local matrix a clip can't represent.

    amount: the most that a point at distance 1 from the bone's head is displaced. frame: where that happens.
    """

    bone: str
    amount: float
    frame: float


@dataclass(frozen=True, eq=False)
class BakedClip:
    """A clip, with findings from baking it.

    shear: bones that lose shear, the worst first. frames_read: how many frames were read from Blender.
    reduction: the effect of dropping keys; None if all were kept.
    root_motion: the extracted motion; None if it stays in the clip.
    unheld_bends: bendy bones with animated curves, rolls, eases or segment scales, which a clip can't hold.
    missing: bones that the action moves but the armature lacks.
    in_file: whether its keys are those of an exported file.
    """

    clip: Clip
    shear: tuple[Shear, ...]
    frames_read: int
    reduction: Reduction | None
    unheld_bends: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    root_motion: RootMotion | None = None
    in_file: bool = False


@dataclass(frozen=True)
class BakeProgress:
    """clip: the one being read, number `done` + 1 of `total`. frames: read for it so far."""

    clip: str
    done: int
    total: int
    frames: int


class ClipBaking:
    """Bakes an armature's motion in some clips, and can be stopped after any step.

    The scene and the armature stay unchanged.
    baked: the finished clips. Nothing else is left behind once `steps` has finished or was closed.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        armature: bpy.types.Object,
        clips: Sequence[SceneClip],
        settings: BakeSettings | None = None,
    ) -> None:
        """Set up what to bake.

        Raises:
            ClipError: a clip doesn't move this armature.
        """
        for clip in clips:
            if identity(armature) not in clip.armatures:
                raise ClipError(
                    "The clip '{clip}' does not move '{armature}'; choose one that does.",
                    clip=clip.name,
                    armature=identity(armature),
                )
        self.baked: list[BakedClip] = []
        self._scene, self._armature, self._clips = scene, identity(armature), tuple(clips)
        self._settings = settings or BakeSettings()
        self._boxes = bone_boxes(scene, armature)

    def steps(self) -> Generator[BakeProgress, None, None]:
        """Bake, yielding after every frame read. Closing the iterator removes everything created for it."""
        names = dict.fromkeys(name for clip in self._clips for name in clip.armatures)
        armatures = [object_of(name) for name in names]
        shown = shown_poses(armatures) if self._settings.profile is not None else {}
        with clip_scene(self._scene, armatures) as stage:
            for clip in self._clips:
                stage.play(clip, self._settings.profile.export_options if self._settings.profile else None)
                part = next(part for part in clip.parts if part.armature == self._armature)
                reading, steps = self._reading(stage, clip, part, shown)
                for _ in steps:
                    yield BakeProgress(clip.name, len(self.baked), len(self._clips), reading.frames_read)
                rate = stage.scene.render.fps / stage.scene.render.fps_base
                self.baked.append(self._fitted(reading, clip, part, rate))

    def _reading(
        self,
        stage: ClipScene,
        clip: SceneClip,
        part: ArmatureClip,
        shown: Mapping[str, NDArray[np.float64]],
    ) -> tuple[ClipReading | FileReading, Iterator[None]]:
        """Return what reads a clip, and the steps in which it does."""
        profile = self._settings.profile
        if profile is not None:
            from_file = FileReading(stage, self._armature, clip, profile, shown)
            return from_file, from_file.read()
        reading = ClipReading(stage, self._armature)
        return reading, self._read(reading, clip, part)

    def _read(self, reading: ClipReading, clip: SceneClip, part: ArmatureClip) -> Iterator[None]:
        yield from reading.add(_first_frames(clip, part))
        if self._settings.between is not None:
            yield from reading.refine(self._settings.between, self._boxes, self._settings.rotation_blend)

    def _fitted(
        self, reading: ClipReading | FileReading, clip: SceneClip, part: ArmatureClip, rate: float
    ) -> BakedClip:
        settings, skeleton = self._settings, reading.skeleton
        frames, fit = reading.fitted()
        of_clip = ClipSettings(
            ticks_per_second=rate,
            looping=settings.looping,
            rotation_blend=settings.rotation_blend,
            markers=tuple(markers_of(part, clip)),
        )
        whole = dense_clip(clip.name, skeleton.names, frames, fit.pose, **of_clip)
        armature = object_of(self._armature)
        finishing = ClipFinishing.of(self._scene, armature, skeleton, self._boxes)
        finished = finishing.finish(whole, settings.reduction, settings.root_motion)
        return BakedClip(
            finished.clip,
            tuple(_shear(skeleton, frames, fit)),
            reading.frames_read,
            finished.reduction,
            animated_bends(part),
            missing_bones(part, armature),
            finished.root_motion,
            in_file=settings.profile is not None,
        )


def bake_clips(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clips: Sequence[SceneClip],
    settings: BakeSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[BakedClip]:
    """Bake an armature's motion in some of the scene's clips; the scene and the armature stay unchanged.

    progress: called with the number of finished clips and the total.

    Raises:
        ClipError: a clip doesn't move this armature.
    """
    baking = ClipBaking(scene, armature, clips, settings)
    done = 0
    for step in baking.steps():
        if progress is not None and step.done > done:
            progress(step.done, step.total)
        done = step.done
    if progress is not None:
        progress(len(clips), len(clips))
    return baking.baked


def bone_boxes(scene: bpy.types.Scene, armature: bpy.types.Object) -> BoneBoxes:
    """Build boxes around everything that an armature moves in a scene, skipping meshes that can't be bound."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    bindings = []
    for mesh_object in (*meshes_of_armature(scene, armature), *rigid_parts(scene, armature)):
        try:
            bindings.append(read_binding(mesh_object, depsgraph))
        except BindingError:
            continue
    return boxes_of_bindings(read_armature(armature).skeleton, bindings, identity(armature))


def _first_frames(clip: SceneClip, part: ArmatureClip) -> list[float]:
    """List the whole frames of a clip, its ends, and the keys of its curves."""
    start, end = clip.frame_start, clip.frame_end
    frames = {start, end, *(float(frame) for frame in range(math.ceil(start), math.floor(end) + 1))}
    for curve in curves_of(part):
        frames.update(frame for frame in key_frames(curve).tolist() if start <= frame <= end)
    return sorted(frames)


def _shear(skeleton: Skeleton, frames: NDArray[np.float64], fit: Fit) -> list[Shear]:
    # The shear's amount never exceeds this norm of its nine elements, which is cheap to compute.
    suspect = np.sqrt((fit.shear**2).sum(axis=(-2, -1))).max(axis=0) > REPORTED_SHEAR
    found: list[Shear] = []
    for bone in np.flatnonzero(suspect).tolist():
        amounts = fit.shear_amount(bone)
        worst = int(amounts.argmax())
        if amounts[worst] > REPORTED_SHEAR:
            found.append(Shear(skeleton.names[bone], float(amounts[worst]), float(frames[worst])))
    return sorted(found, key=lambda one: -one.amount)
