"""Another file's clips as new actions on muted NLA tracks of the armatures here, matching bones by name.

By default, the actions keep the other file's keys. Those are relative to each bone's own rest pose, and that is
how Blender plays them here. When retargeting, bones are keyed at every frame so that each turns as it does in
the other file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...animation.retargeting import rest_relative
from ...core.text.errors import ClipError
from ..clips.action_curves import TRANSFORMS, OwnAction
from ..clips.actions import BROUGHT_FROM, POSE_BONE_PATH
from ..clips.clips import list_clips
from ..identification import identity
from .clip_package import PackedArmatureClip, PackedClip, PackedClips
from .clip_pairs import ClipPair, clip_pairs
from .differing_skeletons import Told, told_of_clips, told_of_names

MARK = ".skinscope "
"""Prefix of the names of actions still being imported."""

LONGEST_NAME = 63
"""Longest name of an NLA track, in bytes."""

LONGEST_FILE = 40
"""Longest file name within a clip's name, in bytes."""


@dataclass(frozen=True)
class BroughtClips:
    """The clips imported from another file.

    file: the other file's name. called: each clip's name here by its name there, None if it moves nothing here.
    told: what anyone who plays them needs to know, one sentence each.
    """

    file: str
    called: Mapping[str, str | None]
    told: tuple[Told, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The clips' names here."""
        return tuple(name for name in self.called.values() if name)

    def named(self, name: str) -> str:
        """Return a clip's name here; if the other file has a clip of that name, it is the one meant.

        Raises:
            ClipError: the clip moves nothing here.
        """
        here = self.called.get(name, name)
        if here is None:
            raise ClipError(
                "'{clip}' of '{file}' does not move any bone of the armatures here; choose another clip.",
                clip=name,
                file=self.file,
            )
        return here


def bring_clips(
    scene: bpy.types.Scene,
    armatures: Sequence[bpy.types.Object],
    packed: PackedClips,
    *,
    retarget: bool = False,
) -> BroughtClips:
    """Add another file's clips to armatures. If this fails, nothing is left behind.

    Raises:
        ClipError: the armatures share no bone names with the other file's, or one is linked from a library.
    """
    pairs = clip_pairs(armatures, packed)
    for one in pairs:
        if not one.here.is_editable:
            raise ClipError(
                "'{armature}' is linked from a library, so clips can't be added to it; make it local, or a "
                "library override.",
                armature=one.here.name,
            )
    taken = {clip.name for clip in list_clips(scene, armatures)}
    taken |= {
        track.name for one in armatures if one.animation_data for track in one.animation_data.nla_tracks
    }
    bringing = _Bringing(scene, pairs, packed, retarget=retarget)
    try:
        names = [bringing.bring(clip, taken) for clip in packed.clips]
    except BaseException:
        bringing.take_back()
        raise
    finally:
        bringing.drop_templates()
    renamed = [
        (clip.name, name)
        for clip, name in zip(packed.clips, names, strict=True)
        if name and name != _cut(clip.name, LONGEST_NAME)
    ]
    return BroughtClips(
        packed.file,
        {clip.name: name for clip, name in zip(packed.clips, names, strict=True)},
        (
            *told_of_clips(
                pairs, packed, bringing.lengths, scene.unit_settings.scale_length, retarget=retarget
            ),
            *told_of_names(renamed, packed.file),
        ),
    )


class _Bringing:
    """Creates the actions and tracks, and can remove them again.

    lengths: by a pair's number, the farthest that retargeted clips move its topmost bone.
    """

    def __init__(
        self, scene: bpy.types.Scene, pairs: Sequence[ClipPair], packed: PackedClips, *, retarget: bool
    ) -> None:
        self._pairs, self._packed, self._retarget = pairs, packed, retarget
        self._ratio = scene.render.fps / scene.render.fps_base / packed.rate
        self.lengths: dict[int, float] = {}
        self._made: list[bpy.types.Action] = []
        self._tracks: list[tuple[bpy.types.Object, str]] = []
        self._animated: list[bpy.types.Object] = []
        self._libraries = {one.session_uid for one in bpy.data.libraries}
        with bpy.data.libraries.load(str(packed.actions), link=False) as (there, here):
            names = list(there.actions)
            here.actions = list(names)
        self._templates: dict[str, bpy.types.Action] = dict(zip(names, here.actions, strict=True))
        for action in self._templates.values():
            # Its name is needed for the action made from it.
            action.name = f"{MARK}{action.name}"

    def bring(self, clip: PackedClip, taken: set[str]) -> str | None:
        """Add one clip; return its name here, None if it moves nothing here."""
        chosen: dict[str, tuple[ClipPair, PackedArmatureClip]] = {}
        for pair in self._pairs:
            for part in clip.parts:
                if part.armature == pair.number:
                    # The pair that shares the most bones comes first.
                    chosen.setdefault(identity(pair.here), (pair, part))
        if not chosen:
            return None
        name = free_name(clip.name, self._packed.file, taken)
        taken.add(name)
        for pair, part in chosen.values():
            own = self._action(pair, part)
            own.action.name = name
            self._lay_on_track(pair.here, own, name)
        return name

    def take_back(self) -> None:
        """Remove everything that was created."""
        for armature, track in self._tracks:
            tracks = armature.animation_data.nla_tracks
            tracks.remove(tracks[track])
        for armature in self._animated:
            armature.animation_data_clear()
        bpy.data.batch_remove(self._made)

    def drop_templates(self) -> None:
        """Remove what was loaded from the file, keeping what was made from it."""
        libraries = [one for one in bpy.data.libraries if one.session_uid not in self._libraries]
        bpy.data.batch_remove([*self._templates.values(), *libraries])

    def _action(self, pair: ClipPair, part: PackedArmatureClip) -> OwnAction:
        sampled = self._sampled(pair, part)
        if part.action is None:
            own = OwnAction.new(pair.here.name)
            self._made.append(own.action)
            for one in part.markers:
                own.action.pose_markers.new(one.name).frame = round(one.time)
        else:
            own = OwnAction.copy_of(self._templates[part.action], part.slot, pair.here.name)
            self._made.append(own.action)
            own.remove([one for one in own.curves() if not _plays(one, pair.here, sampled)])
        own.action.use_fake_user = False
        own.action[BROUGHT_FROM] = self._packed.file
        if abs(self._ratio - 1) > 1e-9:
            own.stretch(self._ratio)
        if sampled:
            self._key(own, pair, part, sampled)
        return own

    def _sampled(self, pair: ClipPair, part: PackedArmatureClip) -> dict[str, tuple[str, ...]]:
        """Return the components to key from poses, by bone, because their curves can't be used directly."""
        every = ("translation", "rotation", "scale")
        if self._retarget or part.action is None:
            return dict.fromkeys(pair.shared.names, every)
        sampled: dict[str, tuple[str, ...]] = {}
        curves = OwnAction.of(self._templates[part.action], part.slot).curves()
        for curve in curves:
            match = POSE_BONE_PATH.match(curve.data_path)
            name = bpy.utils.unescape_identifier(match[1]) if match else ""
            bone = pair.here.pose.bones.get(name)
            if bone is None or name not in pair.there.modes:
                continue
            if len(curve.modifiers) and abs(self._ratio - 1) > 1e-9:
                # Modifiers have settings in frames, too.
                sampled[name] = every
            elif ".rotation_" in curve.data_path and bone.rotation_mode != pair.there.modes[name]:
                sampled.setdefault(name, ("rotation",))
        return sampled

    def _key(
        self, own: OwnAction, pair: ClipPair, part: PackedArmatureClip, sampled: dict[str, tuple[str, ...]]
    ) -> None:
        if self._retarget:
            pose = pair.retargeting.basis(part.to_root)
            moved = pose.translation[:, :, pair.retargeting.topmost]
            length = float(np.linalg.norm(moved, axis=0).max())
            self.lengths[pair.number] = max(self.lengths.get(pair.number, 0.0), length)
        else:
            pose = rest_relative(part.basis[:, pair.shared.there])
        for number, name in enumerate(pair.shared.names):
            if name in sampled:
                bone = pair.here.pose.bones[name]
                of_bone = pose.at(slice(None), number)
                own.key_bone(bone, part.frames * self._ratio, of_bone, sampled[name])

    def _lay_on_track(self, armature: bpy.types.Object, own: OwnAction, name: str) -> None:
        if armature.animation_data is None:
            armature.animation_data_create()
            self._animated.append(armature)
        data = armature.animation_data
        track = data.nla_tracks.new()
        track.name = name
        self._tracks.append((armature, track.name))
        strip = track.strips.new(name, int(own.action.frame_range[0]), own.action)
        if own.slot is not None:
            strip.action_slot = own.slot
        track.mute = True


def free_name(name: str, file: str, taken: set[str]) -> str:
    """Return a clip's name, with the file's name appended if it is taken, and a number if that is taken too."""
    candidate, number = _cut(name, LONGEST_NAME), 1
    while candidate in taken:
        # Blender truncates long names at the end, where these differ.
        ending = f" ({_cut(file, LONGEST_FILE)}{f' {number}' if number > 1 else ''})"
        candidate = _cut(name, LONGEST_NAME - len(ending.encode())) + ending
        number += 1
    return candidate


def _cut(name: str, size: int) -> str:
    return name.encode()[:size].decode(errors="ignore")


def _plays(curve: bpy.types.FCurve, armature: bpy.types.Object, sampled: dict[str, tuple[str, ...]]) -> bool:
    """Tell whether a curve moves something here that isn't keyed from poses."""
    match = POSE_BONE_PATH.match(curve.data_path)
    if match is None:
        return False
    kinds = sampled.get(bpy.utils.unescape_identifier(match[1]), ())
    channel = curve.data_path[match.end() :].removeprefix(".")
    if channel in TRANSFORMS:
        kind = "translation" if channel == "location" else channel.partition("_")[0]
        if kind in kinds:
            return False
    try:
        armature.path_resolve(curve.data_path)
    except ValueError:
        return False
    return True
