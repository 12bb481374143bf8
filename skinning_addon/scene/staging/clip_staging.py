"""Choosing what to scan, and playing it in a separate scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..clips.clips import SceneClip
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


def stage_playback(stage: ClipScene, playback: Scanned) -> None:
    """Prepare a clip scene for `playback`; a `ScenePlayback` has to come before any other."""
    if isinstance(playback, SceneClip):
        stage.play(playback)
    elif isinstance(playback, RangeOfMotion):
        for copy in stage.copies.values():
            stop_animation(copy)


def show_frame(stage: ClipScene, playback: Scanned, frame: float) -> None:
    """Show a frame of the staged playback."""
    if isinstance(playback, RangeOfMotion):
        pose_turn(stage.copies[playback.armature], playback.turns[round(frame) - 1])
        stage.scene.view_layers[0].update()
    else:
        set_frame(stage.scene, frame)
