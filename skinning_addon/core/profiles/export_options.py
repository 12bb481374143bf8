"""Options of Blender's exporters that decide which frames, poses and vertices a file holds.

The names are those of the exporters' own options, without their prefix; the defaults are Blender's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class AnimationMode(Enum):
    """What the glTF exporter makes animations of; the values are its own."""

    ACTIONS = "ACTIONS"
    """Actions: the active one and those on NLA tracks; all of them if there is a single armature."""
    ACTIVE_ACTIONS = "ACTIVE_ACTIONS"
    """The active actions, joined into one animation."""
    NLA_TRACKS = "NLA_TRACKS"
    """Each NLA track."""
    SCENE = "SCENE"
    """Everything the scene plays, over its frame range."""
    BROADCAST = "BROADCAST"
    """Every action, for every object that has any animation."""


class NegativeFrames(Enum):
    """What the glTF exporter makes of keys before the time zero; the values are its own."""

    SLIDE = "SLIDE"
    """The animation begins at zero instead."""
    CROP = "CROP"
    """They are left out."""


@dataclass(frozen=True)
class GltfOptions:
    """mode: what becomes an animation. reset_pose_bones: whether bones are put at rest when the exporter
    switches to another action. single_armature: whether a single armature gets all actions. bake_animation:
    whether armatures without an action are sampled. apply_modifiers: whether modifiers other than Armature are
    applied. frame_step: frames from one key to the next. current_frame: whether meshes and poses without keys
    are those of the frame that the scene shows, instead of frame 0. playback_range: whether keys outside the
    scene's frame range are left out. samples: whether each frame is sampled, instead of writing curves as they
    are.
    """

    mode: AnimationMode = AnimationMode.ACTIONS
    reset_pose_bones: bool = True
    single_armature: bool = True
    bake_animation: bool = False
    apply_modifiers: bool = False
    frame_step: int = 1
    current_frame: bool = False
    playback_range: bool = False
    negative_frames: NegativeFrames = NegativeFrames.SLIDE
    samples: bool = True

    @property
    def thins(self) -> bool:
        """Whether frames may lack a key."""
        return self.frame_step > 1 or self.cuts or not self.samples_actions

    @property
    def cuts(self) -> bool:
        """Whether a clip may lack its beginning or its end."""
        return self.playback_range or self.negative_frames is NegativeFrames.CROP

    @property
    def samples_actions(self) -> bool:
        """Whether each frame of an action is sampled; tracks and the scene always are."""
        return self.samples or self.mode in {AnimationMode.NLA_TRACKS, AnimationMode.SCENE}


@dataclass(frozen=True)
class FbxOptions:
    """bake_anim: whether there is any animation. use_nla_strips, use_all_actions: whether each strip and each
    action becomes an animation; without either, the scene over its frame range does. simplify_factor: how
    readily keys are dropped, 0 for never. use_mesh_modifiers: whether modifiers other than Armature are
    applied. step: frames from one key to the next.
    """

    bake_anim: bool = True
    use_nla_strips: bool = True
    use_all_actions: bool = True
    simplify_factor: float = 1.0
    use_mesh_modifiers: bool = True
    step: float = 1.0

    @property
    def thins(self) -> bool:
        """Whether frames may lack a key."""
        return self.bake_anim and (self.simplify_factor > 0 or self.step != 1)

    @property
    def is_scene(self) -> bool:
        """Whether the file holds what the scene plays, rather than actions or strips."""
        return not (self.use_nla_strips or self.use_all_actions)


@dataclass(frozen=True)
class UsdOptions:
    """None that matter here: the file holds what the scene plays over its frame range, with *Animation* on, and
    the mesh after the modifiers before the armature.
    """

    @property
    def thins(self) -> bool:
        """Whether frames may lack a key: scales that hardly change are not written again."""
        return True


ExportOptions = GltfOptions | FbxOptions | UsdOptions


class Sampling(Enum):
    """What plays of an animation that an importer samples, or otherwise than glTF wants."""

    LOCAL = "local"
    """It samples the animation's end too; between two samples, each bone is interpolated relative to its
    parent."""
    JOINED = "joined"
    """Between two samples, bones are interpolated relative to the armature, small turns along the chord."""
    NEXT_KEY = "next-key"
    """Each sample is the key that comes next, and plays up to the next sample."""
    CHORD = "chord"
    """Keys play as they are, but turns from one to the next go along the chord instead of at even speed."""


@dataclass(frozen=True)
class Resampled:
    """A .glb whose animation an importer plays in its own way. samples_per_second: how often it samples, 0 for
    keys as they are.
    """

    file: GltfOptions
    samples_per_second: float
    sampling: Sampling = Sampling.LOCAL

    def plays_samples(self, frames_per_second: float) -> bool:
        """Whether what plays of a scene at this rate depends on the samples, not on keys alone."""
        # Even where samples fall on keys, its first one shows the second key.
        return self.sampling is Sampling.NEXT_KEY or self.misses_keys(frames_per_second)

    def misses_keys(self, frames_per_second: float) -> bool:
        """Whether keys of a scene's frames fall between two samples."""
        if not self.samples_per_second:
            return False
        samples_per_frame = self.samples_per_second / frames_per_second
        return abs(samples_per_frame - round(samples_per_frame)) > _SAME_RATE * samples_per_frame


_SAME_RATE = 1e-4
"""Rates that differ by a smaller share drift apart by less than a frame within five minutes of a scene."""

ThinningOptions = ExportOptions | Resampled
"""Those with which keys are left out."""
