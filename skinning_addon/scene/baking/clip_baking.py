"""Blender's clips -> clips of key frames: played by copies in a scene of their own, read, and fitted down the
hierarchy.

A clip is read at every whole frame, at its ends, and wherever a curve has a key. Between those, where curves
bend, more frames are read until interpolation comes as near to what Blender does there as is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.bone_boxes import BoneBoxes, boxes_of_bindings
from ...animation.clip import Clip, ClipSettings, dense_clip
from ...animation.fitting import Fit
from ...animation.reduction import Reduction
from ...animation.root_motion import RootMotion, RootMotionSettings
from ...animation.rotations import RotationBlend
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import BindingError, ClipError
from ...core.verdicts.tolerance import Tolerance
from ..armatures.armature_reader import read_armature
from ..binding.binding_reader import read_binding
from ..binding.rigid_parts import rigid_parts
from ..clips.action_keys import animated_bends, curves_of, key_frames, markers_of, missing_bones
from ..clips.clips import ClipPart, SceneClip
from ..identification import identity, object_of
from ..objects.deformed_meshes import meshes_of_armature
from ..staging.clip_scene import clip_scene
from .clip_finishing import ClipFinishing
from .clip_reading import ClipReading

EXACT_BETWEEN = 8e-6
"""Share of a mesh's size and movement: somewhat less than what counts as exact."""

REPORTED_SHEAR = 1e-5
"""Less shear than this is the rounding of float32 matrices."""


@dataclass(frozen=True)
class BakeSettings:
    """Settings for baking clips.

    between: how far interpolation may be off between frames, as a share of the size and the movement of
        whatever mesh is moved; None to read whole frames and keys alone, as exporters do.
    reduction: how far a vertex may move when keys are left out, as a length or a share of the character's size;
        None to keep all keys.
    root_motion: what of each clip is taken out as its way; None to keep all in the clip.
    rotation_blend, looping: of the clips.
    """

    between: float | None = EXACT_BETWEEN
    reduction: Tolerance | None = None
    root_motion: RootMotionSettings | None = None
    rotation_blend: RotationBlend = RotationBlend.NLERP
    looping: bool = True


@dataclass(frozen=True)
class Shear:
    """A bone whose local matrix a clip can't hold.

    amount: how far a point at distance 1 from the bone's head is put beside its place, at most. frame: where
    that is.
    """

    bone: str
    amount: float
    frame: float


@dataclass(frozen=True, eq=False)
class BakedClip:
    """A clip, and what was found while baking it.

    shear: bones that lose something, the worst first. frames_read: how often Blender was asked.
    reduction: what leaving out keys did; None where all were kept.
    root_motion: the way that was taken out; None where the clip goes it itself.
    unheld_bends: bendy bones whose curves, rolls, eases or segments' scales are animated, which a clip does not
    hold.
    missing: bones that the action moves and the armature lacks.
    """

    clip: Clip
    shear: tuple[Shear, ...]
    frames_read: int
    reduction: Reduction | None
    unheld_bends: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    root_motion: RootMotion | None = None


@dataclass(frozen=True)
class BakeProgress:
    """clip: which one is read, the number `done` + 1 of `total`. frames: read for it so far."""

    clip: str
    done: int
    total: int
    frames: int


class ClipBaking:
    """Bakes what an armature does in some clips, and can be stopped after any step. The scene and the armature
    are not touched.

    baked: the clips that are done. Nothing else is left behind once `steps` has come to its end or was closed.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        armature: bpy.types.Object,
        clips: Sequence[SceneClip],
        settings: BakeSettings | None = None,
    ) -> None:
        """See to what is baked and how.

        Raises:
            ClipError: a clip does not move this armature.
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
        """Bake; yield after every frame that is read. Closing the iterator removes what was made for it."""
        names = dict.fromkeys(name for clip in self._clips for name in clip.armatures)
        with clip_scene(self._scene, [object_of(name) for name in names]) as stage:
            for clip in self._clips:
                stage.play(clip)
                part = next(part for part in clip.parts if part.armature == self._armature)
                reading = ClipReading(stage, self._armature)
                for _ in self._read(reading, clip, part):
                    yield BakeProgress(clip.name, len(self.baked), len(self._clips), reading.frames_read)
                rate = stage.scene.render.fps / stage.scene.render.fps_base
                self.baked.append(self._fitted(reading, clip, part, rate))

    def _read(self, reading: ClipReading, clip: SceneClip, part: ClipPart) -> Iterator[None]:
        yield from reading.add(_first_frames(clip, part))
        if self._settings.between is not None:
            yield from reading.refine(self._settings.between, self._boxes, self._settings.rotation_blend)

    def _fitted(self, reading: ClipReading, clip: SceneClip, part: ClipPart, rate: float) -> BakedClip:
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
        )


def bake_clips(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clips: Sequence[SceneClip],
    settings: BakeSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[BakedClip]:
    """Bake what an armature does in some of the scene's clips. Neither the scene nor the armature is touched.

    progress: is told how many clips are done, and of how many.

    Raises:
        ClipError: a clip does not move this armature.
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
    """Build boxes around everything that an armature moves in a scene; meshes that can't be bound are
    skipped.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    bindings = []
    for mesh_object in (*meshes_of_armature(scene, armature), *rigid_parts(scene, armature)):
        try:
            bindings.append(read_binding(mesh_object, depsgraph))
        except BindingError:
            continue
    return boxes_of_bindings(read_armature(armature).skeleton, bindings, identity(armature))


def _first_frames(clip: SceneClip, part: ClipPart) -> list[float]:
    """List the whole frames of a clip, its ends, and the keys of its curves."""
    start, end = clip.frame_start, clip.frame_end
    frames = {start, end, *(float(frame) for frame in range(math.ceil(start), math.floor(end) + 1))}
    for curve in curves_of(part):
        frames.update(frame for frame in key_frames(curve).tolist() if start <= frame <= end)
    return sorted(frames)


def _shear(skeleton: Skeleton, frames: NDArray[np.float64], fit: Fit) -> list[Shear]:
    # No greater than all nine of its numbers together, which is quickly had.
    suspect = np.sqrt((fit.shear**2).sum(axis=(-2, -1))).max(axis=0) > REPORTED_SHEAR
    found: list[Shear] = []
    for bone in np.flatnonzero(suspect).tolist():
        amounts = fit.shear_amount(bone)
        worst = int(amounts.argmax())
        if amounts[worst] > REPORTED_SHEAR:
            found.append(Shear(skeleton.names[bone], float(amounts[worst]), float(frames[worst])))
    return sorted(found, key=lambda one: -one.amount)
