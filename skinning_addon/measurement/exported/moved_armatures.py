"""Which armatures a clip moves in an exported file.

An action fits every armature that has its bones. Exporters write it only for those that it is assigned to,
except FBX's with *All Actions*, which names the armature before each action.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ...core.text.identity import Identity
from ...scene.clips.clips import ArmatureClip, SceneClip
from ...scene.clips.playback import Playback
from ...scene.identification import identity, object_of
from .clip_pairs import is_called


def as_exported(playback: Playback, animations: Sequence[str]) -> Playback:
    """Return a clip with only the armatures that it moves in a file; all of them if it is assigned to none.

    animations: names of the file's.
    """
    if not isinstance(playback, SceneClip) or len(playback.parts) < 2:
        return playback
    named = [one for one in animations if is_called(one, playback.name)]
    parts = tuple(
        part
        for part in playback.parts
        if _is_assigned(part) or any(is_called(one, Identity.of(part.armature).name) for one in named)
    )
    return replace(playback, parts=parts) if parts else playback


def moves(playback: Playback, armatures: Collection[str]) -> bool:
    """Tell whether a clip moves a mesh with these armatures; a clip of one armature says nothing about the pose
    of another.
    """
    moved = getattr(playback, "armatures", None)
    return moved is None or not armatures or any(one in moved for one in armatures)


def _is_assigned(part: ArmatureClip) -> bool:
    data = object_of(part.armature).animation_data
    if data is None or part.action is None:
        return part.track is not None
    actions = [data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)]
    return any(one is not None and identity(one) == part.action for one in actions)
