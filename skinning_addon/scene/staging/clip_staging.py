"""Choosing what to scan, and showing it in its own scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..clips.clips import SceneClip
from ..clips.playback import Playback, ScenePlayback, sample_frames, set_frame, stop_animation
from ..clips.range_of_motion import RangeOfMotion, pose_turn
from .clip_scene import ClipScene

Scanned = Playback | RangeOfMotion

FRAMES_AT_MOST = 100_000


def playback_frames(playback: Scanned) -> Sequence[float]:
    """Return every whole frame, and both ends, in the clip's own time."""
    return sample_frames(playback.frame_start, playback.frame_end, at_most=FRAMES_AT_MOST)


def armatures_played(playbacks: Iterable[Scanned]) -> Iterator[str]:
    """Name the armatures that are played, besides those that the scene's own animation moves."""
    for one in playbacks:
        if not isinstance(one, ScenePlayback):
            yield from one.armatures


def stage_playback(stage: ClipScene, playback: Scanned) -> None:
    """Make a clip scene ready for the frames of `playback`; what the user's scene plays needs to be the
    first.
    """
    if isinstance(playback, SceneClip):
        stage.play(playback)
    elif isinstance(playback, RangeOfMotion):
        for copy in stage.copies.values():
            stop_animation(copy)


def show_frame(stage: ClipScene, playback: Scanned, frame: float) -> None:
    """Show a frame of what was staged."""
    if isinstance(playback, RangeOfMotion):
        pose_turn(stage.copies[playback.armature], playback.turns[round(frame) - 1])
        stage.scene.view_layers[0].update()
    else:
        set_frame(stage.scene, frame)
