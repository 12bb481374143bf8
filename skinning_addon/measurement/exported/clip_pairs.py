"""Pairs of a file's animations and the scene's clips, and how their times are related."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...scene.clips.clips import SceneClip
from ...scene.clips.playback import Playback, ScenePlayback
from ...scene.refit.copied_armature import game_ready_name
from .exported_file import FileClip

HALF_A_FRAME = 0.5

BETWEEN_FBX_NAMES = "|"
"""In FBX files, the text between the names of an armature and its action."""

SAME_FRAME = 1e-3
"""Tolerance in frames, since files store seconds in 32 bits."""

FrameRange = tuple[float, float]
"""The first and the last frame."""


@dataclass(frozen=True)
class ClipPair:
    """playback: of the scene. clips: the animations of the file that make it up; empty for a file without
    animation.

    shift: frames; a frame of the scene is at (frame - shift) / fps seconds in the file. first, last: of the
    frames that both have.
    """

    playback: Playback
    clips: tuple[int, ...]
    shift: float
    first: float
    last: float

    def seconds(self, frame: float, fps: float) -> float:
        """Return a frame's time in the file."""
        return (frame - self.shift) / fps

    @property
    def is_whole(self) -> bool:
        """Whether the file has all whole frames of the clip."""
        start, end = self.playback.frame_start, self.playback.frame_end
        return self.first < start + 1 and self.last > end - 1


def pair_clip(
    playback: Playback,
    clips: Sequence[FileClip],
    fps: float,
    scene_names: Sequence[str] = (),
    *,
    actions: FrameRange | None = None,
    of_parts: Sequence[int] = (),
) -> ClipPair | None:
    """Find the file's animations for a clip by name; None if there are none.

    scene_names: the names that the scene's own animation may have in the file. actions: the frames of the
    clip's actions, if it may play a part of them. of_parts: the animations of some of its parts, which play
    together with that of its name.
    """
    if isinstance(playback, SceneClip):
        # The last of those that play together wins.
        found = [*of_parts, *_called(clips, (playback.name,))]
    else:
        found = _called(clips, (playback.name,)) or _called(clips, scene_names)
        if not found and len(clips) == 1:
            found = [0]
    if not found:
        return None
    start, end = min(clips[one].start for one in found), max(clips[one].end for one in found)
    from_zero = any(BETWEEN_FBX_NAMES in clips[one].name for one in found)
    held = _held(playback, actions, (end - start) * fps)
    shift = shift_of(held, start * fps, end * fps, from_zero=from_zero)
    return ClipPair(
        playback,
        tuple(found),
        shift,
        max(playback.frame_start, start * fps + shift),
        min(playback.frame_end, end * fps + shift),
    )


def _held(playback: Playback, actions: FrameRange | None, length: float) -> FrameRange:
    """Choose between a clip's frames and those of its actions. length: of the file's animation, frames."""
    own = playback.frame_start, playback.frame_end
    if actions is None or abs(length - (own[1] - own[0])) <= HALF_A_FRAME:
        return own
    return actions if abs(length - (actions[1] - actions[0])) <= HALF_A_FRAME else own


def _called(clips: Sequence[FileClip], names: Sequence[str]) -> list[int]:
    exact = [place for place, one in enumerate(clips) if one.name in names]
    return exact or [
        place for place, one in enumerate(clips) if any(is_called(one.name, name) for name in names)
    ]


def is_held(clip: SceneClip, animations: Sequence[str]) -> bool:
    """Tell whether one of a file's animations has a clip's name, or that of the clip in a game-ready copy."""
    return any(is_called(one, name) for one in animations for name in (clip.name, game_ready_name(clip.name)))


def still_pair(frame: float) -> ClipPair:
    """Return the pair for a file without animation, compared with the scene at one frame."""
    return ClipPair(ScenePlayback(frame, frame), (), 0.0, frame, frame)


def is_called(file_name: str, name: str) -> bool:
    """Tell whether a file's animation has a clip's name; FBX adds the armature's and a layer's around it."""
    # The name may have the separator itself: actions that were imported from FBX are called so.
    around = BETWEEN_FBX_NAMES
    return f"{around}{name}{around}" in f"{around}{file_name}{around}"


def shift_of(held: FrameRange, start: float, end: float, *, from_zero: bool = False) -> float:
    """Return how many frames earlier than in the scene a file's animation, from start to end, begins.

    held: the frames of the clip that it has. Exporters keep a clip's own frames or have it begin at zero. FBX
    always does the latter (from_zero). The glTF exporter rounds both ends down to whole frames. Any of them may
    leave out frames.
    """
    first, last = held
    if from_zero and abs(start) <= SAME_FRAME:
        return first - start
    if abs(start - first) <= SAME_FRAME:
        return 0.0
    if abs(start - math.floor(first)) <= SAME_FRAME and abs(end - math.floor(last)) <= SAME_FRAME:
        return 0.0
    if abs((end - start) - (last - first)) <= HALF_A_FRAME:
        return first - start
    within = start >= math.floor(first) - HALF_A_FRAME and end <= last + HALF_A_FRAME
    return 0.0 if within or abs(start) > HALF_A_FRAME else first - start
