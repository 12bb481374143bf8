"""Clips: a scene's animations for its armatures.

A clip is an action or an NLA track of an armature; importers put each animation on a track of its own name. A
track with one plain strip merely stores an action: its clip is that action, over the action's own frames. A
track with several strips, or with one that is trimmed, scaled, repeated or reversed, plays as it is, over the
scene's frames.

One clip may move several armatures: tracks of the same name belong together, and so do the armatures that an
action fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import bpy

from ...core.text.errors import UsageError
from ...core.text.identity import Identity
from ...core.text.message import Message
from ...core.text.offered_names import offered
from ..identification import action_of, identity, object_of
from ..object_data import armature_of
from .actions import GAME_READY, fit, keyed_bones
from .clip_names import joined_names

NAMELESS_TRACK = re.compile(r"(NlaTrack|\[Action Stash\])(\.\d+)?")
"""Blender's default track names, which say less than the name of the action in the track."""

SAME_FRAME = 1.0
"""Tolerance in frames when comparing a strip's ends with its action's: importers round to whole frames, and a
strip is at least one frame long, even if it holds a single pose."""


@dataclass(frozen=True)
class ArmatureClip:
    """What one armature plays in a clip: an action (with its slot, from Blender 4.4 on) or a whole track.

    Objects and actions are stored by identity, since references don't survive undo or loading a file.
    """

    armature: str
    action: str | None = None
    slot: str | None = None
    track: str | None = None


@dataclass(frozen=True)
class SceneClip:
    """A named animation, and how to play it.

    frame_start, frame_end: in the clip's own time, both inclusive; they may be fractional.
    """

    name: str
    frame_start: float
    frame_end: float
    parts: tuple[ArmatureClip, ...]

    @property
    def armatures(self) -> tuple[str, ...]:
        """The armature objects that it moves."""
        return tuple(part.armature for part in self.parts)


def list_clips(
    scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object] | None = None
) -> list[SceneClip]:
    """List the clips of `armatures` (by default, all in the scene), sorted by name, each once.

    Actions played by a track aren't listed again. A track with a default name is listed under its action's.
    """
    catalogue = _Catalogue(scene, armatures)
    tracks = {
        name: clip
        for name, clip in catalogue.by_track.items()
        if not (NAMELESS_TRACK.fullmatch(name) and all(part.action for part in clip.parts))
    }
    played = {part.action for clip in tracks.values() for part in clip.parts}
    actions = {
        name: clip
        for name, clip in catalogue.by_action.items()
        if name not in tracks and not played & {part.action for part in clip.parts}
    }
    return sorted((tracks | actions).values(), key=lambda clip: (clip.name.casefold(), clip.name))


def find_clips(
    scene: bpy.types.Scene, names: Sequence[str], armatures: Sequence[bpy.types.Object] | None = None
) -> list[SceneClip]:
    """Find clips by name, in the order given; tracks take precedence over actions. 'all' alone means all clips.
    Names may have been taken apart at commas, see `joined_names`.

    Raises:
        UsageError: a clip doesn't exist; the message suggests the closest names.
    """
    if list(names) == ["all"]:
        clips = list_clips(scene, armatures)
        if not clips:
            raise UsageError(
                "There are no clips: none of the actions or NLA tracks moves a bone of the armatures here."
            )
        return clips
    catalogue = _Catalogue(scene, armatures)
    found = catalogue.by_action | catalogue.by_track
    names = joined_names(names, found)
    for name in names:
        if name not in found:
            listed = [clip.name for clip in list_clips(scene, armatures)]
            raise UsageError(
                "There is no clip '{name}'; {offer}", name=name, offer=_offer(name, found, listed)
            )
    return [found[name] for name in dict.fromkeys(names)]


def chosen_clips(
    scene: bpy.types.Scene, names: tuple[str, ...] | None
) -> tuple[bpy.types.Object, list[SceneClip]]:
    """Find clips by name, and the armature that they all move.

    Raises:
        UsageError: a clip is unknown, or there is no such armature.
    """
    clips = find_clips(scene, names or ("all",))
    shared = [name for name in clips[0].armatures if all(name in one.armatures for one in clips)]
    if not shared:
        raise UsageError("The clips move different armatures; choose clips of a single character.")
    return object_of(shared[0]), clips


class _Catalogue:
    """All clips of some armatures: `by_track` and `by_action`, each keyed by name.

    Actions that share a name are keyed by name and library.
    """

    def __init__(self, scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object] | None) -> None:
        if armatures is None:
            armatures = [one for one in scene.objects if one.type == "ARMATURE"]
        self._armatures: dict[str, bpy.types.Object] = {identity(one): one for one in armatures}
        self._bones = {identity(one): frozenset(armature_of(one).bones.keys()) for one in armatures}
        self._keyed = {identity(action): keyed_bones(action) for action in bpy.data.actions}
        uses = Counter(action.name for action in self._keyed)
        # Names that aren't unique include the library.
        labels = {action: action.name if uses[action.name] == 1 else str(action) for action in self._keyed}
        self.by_action = {
            label: clip
            for action, label in labels.items()
            if (clip := self._clip(label, self._action_parts(action)))
        }
        names = dict.fromkeys(track.name for one in armatures for track in _tracks(one))
        self.by_track = {name: clip for name in names if (clip := self._clip(name, self._track_parts(name)))}

    def _action_parts(self, action: Identity) -> list[ArmatureClip]:
        is_of_copy = GAME_READY in action_of(action)
        fits = {
            name: fit(self._keyed[action], name.name, bones)
            for name, bones in self._bones.items()
            if (GAME_READY in self._armatures[name]) == is_of_copy
        }
        # Two rigs often share a few bone names ("root"), but an action made for one isn't meant for the other.
        most = max((one.bones for one in fits.values() if one), default=0)
        return [
            ArmatureClip(name, action, one.slot)
            for name, one in fits.items()
            if one and 2 * one.bones >= most
        ]

    def _track_parts(self, track_name: str) -> list[ArmatureClip]:
        parts: dict[str, ArmatureClip] = {}
        for name in self._bones:
            armature = self._armatures[name]
            track = next((one for one in _tracks(armature) if one.name == track_name), None)
            part = self._track_part(name, track) if track else None
            if part is not None:
                parts[name] = part
        for action in dict.fromkeys(part.action for part in parts.values() if part.action):
            for part in self._action_parts(Identity.of(action)):
                parts.setdefault(part.armature, part)
        # A game-ready copy has its clips on tracks, which are called as the actions of its original.
        if track_name in self.by_action and all(GAME_READY in self._armatures[one] for one in parts):
            for part in self.by_action[track_name].parts:
                parts.setdefault(part.armature, part)
        return list(parts.values())

    def _track_part(self, armature: Identity, track: bpy.types.NlaTrack) -> ArmatureClip | None:
        strips = [strip for strip in track.strips if not strip.mute]
        fits = {
            identity(action): fit(self._keyed[identity(action)], armature.name, self._bones[armature])
            for action in _actions_in(strips)
        }
        if not any(fits.values()):
            return None
        if len(strips) > 1 or not _is_plain(strips[0]):
            return ArmatureClip(armature, track=track.name)
        strip = strips[0]
        slot = getattr(strip, "action_slot", None)
        (action,) = fits
        keyed = self._keyed[action]
        if slot is not None and keyed.get(slot.identifier, frozenset()) & self._bones[armature]:
            return ArmatureClip(armature, action, slot.identifier)
        best = fits[action]
        return ArmatureClip(armature, action, best.slot if best else None)

    def _clip(self, name: str, parts: list[ArmatureClip]) -> SceneClip | None:
        ranges = [self._frame_range(part) for part in parts]
        if not ranges:
            return None
        return SceneClip(name, min(start for start, _ in ranges), max(end for _, end in ranges), tuple(parts))

    def _frame_range(self, part: ArmatureClip) -> tuple[float, float]:
        if part.action is not None:
            start, end = action_of(part.action).frame_range
            return start, end
        track = next(one for one in _tracks(self._armatures[part.armature]) if one.name == part.track)
        strips = [strip for strip in track.strips if not strip.mute]
        return min(strip.frame_start for strip in strips), max(strip.frame_end for strip in strips)


def _tracks(armature: bpy.types.Object) -> Iterable[bpy.types.NlaTrack]:
    return armature.animation_data.nla_tracks if armature.animation_data else ()


def _actions_in(strips: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.Action]:
    for strip in strips:
        if strip.action is not None:
            yield strip.action
        yield from _actions_in(strip.strips)


def _is_plain(strip: bpy.types.NlaStrip) -> bool:
    """Tell whether a strip plays its whole action unchanged, at any position in time."""
    if not plays_unchanged(strip) or strip.action is None:
        return False
    start, end = strip.action.frame_range
    return (
        abs(strip.action_frame_start - start) <= SAME_FRAME
        and abs(strip.action_frame_end - end) <= SAME_FRAME
    )


def plays_unchanged(strip: bpy.types.NlaStrip) -> bool:
    """Tell whether a strip plays its action, or a part of it, unchanged, at any position in time."""
    return (
        strip.type == "CLIP"
        and strip.action is not None
        and strip.scale == 1
        and strip.repeat == 1
        and not strip.use_reverse
        and not strip.use_animated_time
        and not strip.use_animated_influence
        and not strip.modifiers
    )


def _offer(name: str, names: Iterable[str], listed: Sequence[str]) -> Message:
    """Write the end of a sentence that suggests the closest of `names`, or else the first listed clips."""
    return offered(name, names, listed) or Message(
        "none of the actions or NLA tracks moves a bone of the armatures here."
    )
