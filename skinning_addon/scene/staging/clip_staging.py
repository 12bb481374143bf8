"""Choosing what to scan, and playing it in a separate scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import (
    AnimationMode,
    ExportOptions,
    GltfOptions,
    ThinningOptions,
)
from ...core.profiles.profile import Profile
from ..armatures.clip_in_file import ClipInFile, ClipsInFiles
from ..binding.held_places import HeldPlaces, read_held_places
from ..clips.playback import Playback, ScenePlayback, sample_frames, set_frame, stop_animation
from ..clips.range_of_motion import RangeOfMotion, pose_turn
from .clip_scene import ClipScene

Scanned = Playback | RangeOfMotion

FRAMES_AT_MOST = 100_000


def playback_frames(playback: Scanned) -> Sequence[float]:
    """Return all whole frames and both ends, in the clip's own time."""
    return sample_frames(playback.frame_start, playback.frame_end, at_most=FRAMES_AT_MOST)


def armatures_played(playbacks: Iterable[Scanned]) -> Iterator[str]:
    """Name the armatures that are played, other than by the scene's own animation."""
    for one in playbacks:
        if not isinstance(one, ScenePlayback):
            yield from one.armatures


def stage_playback(stage: ClipScene, playback: Scanned, options: ExportOptions | None) -> None:
    """Prepare a clip scene for `playback`, as a file exported with these options holds it; None for Blender's
    own.
    """
    if isinstance(playback, RangeOfMotion):
        for copy in stage.copies.values():
            stop_animation(copy)
    else:
        stage.play(playback, options)


def groups_of(
    stage: ClipScene, playback: Scanned, options: Iterable[ExportOptions | None]
) -> list[tuple[ExportOptions | None, set[ExportOptions | None]]]:
    """Group exporters' options by what the armatures do under them; see `ClipPlayer.groups`."""
    if isinstance(playback, RangeOfMotion):
        # Poses that no file holds.
        return [(None, set(options))]
    return stage.groups(playback, options)


def show_frame(stage: ClipScene, playback: Scanned, frame: float) -> None:
    """Show a frame of the staged playback."""
    if isinstance(playback, RangeOfMotion):
        pose_turn(stage.copies[playback.armature], playback.turns[round(frame) - 1])
        stage.scene.view_layers[0].update()
    else:
        set_frame(stage.scene, frame)


def clips_in_files(
    playback: Scanned, profiles: Iterable[Profile], shown: Mapping[str, NDArray[np.float64]]
) -> ClipsInFiles:
    """Return what has to be recorded of a playback for the profiles whose files have fewer keys than frames.

    shown: the poses (B, 4, 4) that the scene shows, by armature.
    """
    if isinstance(playback, RangeOfMotion):
        return {}
    thinned = dict.fromkeys(one.thinned_by for one in profiles if one.thinned_by is not None)
    return {one: ClipInFile(*_range_in_file(playback, one), one, shown) for one in thinned}


def held_places(
    stage: ClipScene, armatures_of: Mapping[str, Iterable[str]], profiles: Iterable[Profile]
) -> HeldPlaces:
    """Read where profiles' files hold meshes that move relative to their armatures.

    armatures_of: of each mesh, by identities of the originals; both have copies in the clip scene.
    """
    stage.player.restore()
    return read_held_places(
        stage.scene,
        lambda: stage.depsgraph,
        [
            (mesh, armature, stage.placed[mesh], stage.copies[armature])
            for mesh, armatures in armatures_of.items()
            for armature in armatures
            if armature in stage.copies
        ],
        profiles,
    )


def _range_in_file(playback: Playback, options: ThinningOptions) -> tuple[float, float]:
    """Return the first and the last frame that a file has of a playback: of the scene, a .glb has the assigned
    actions unless it was exported as a scene.
    """
    if isinstance(playback, ScenePlayback) and isinstance(options, GltfOptions):
        animated = [one.animation_data for one in bpy.context.scene.objects if one.type == "ARMATURE"]
        actions = [one.action for one in animated if one is not None and one.action is not None]
        if actions and options.mode is not AnimationMode.SCENE:
            return min(one.frame_range[0] for one in actions), max(one.frame_range[1] for one in actions)
    return playback.frame_start, playback.frame_end


def recording(
    stage: ClipScene, playback: Scanned, options: ThinningOptions | None, clip: ClipInFile
) -> Iterator[None]:
    """Record a playback on a clip scene's armatures; yields after every frame."""
    stage_playback(stage, playback, options)
    for frame in clip.frames.tolist():
        show_frame(stage, playback, frame)
        for name, copy in stage.copies.items():
            clip.record(name, stage.readers[name].read_to_root(copy.evaluated_get(stage.depsgraph)))
        yield
