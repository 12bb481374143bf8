"""Choosing what to scan, and playing it in a separate scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.aspects import aspects_of
from ...core.profiles.export_options import ExportOptions, GltfOptions, Resampled, ThinningOptions
from ...core.profiles.gltf_keys import GltfKeys
from ...core.profiles.profile import Profile
from ..armatures.armature_reader import ArmatureReaders
from ..armatures.clip_in_file import ClipInFile, ClipsInFiles, ObjectPlace
from ..binding.held_places import (
    HeldPlaces,
    moves_as_a_whole,
    moves_by_keys_alone,
    read_held_places,
)
from ..clips.exported_keys import keys_in_gltf
from ..clips.playback import Playback, ScenePlayback, sample_frames, set_frame, stop_animation
from ..clips.range_of_motion import RangeOfMotion, pose_turn
from ..identification import identity, object_of
from ..matrices import row_vectors
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

    shown: the poses (B, 4, 4) that the scene shows, by armature. All armatures are in their own state.
    """
    if isinstance(playback, RangeOfMotion):
        return {}
    # Causes are told apart by profiles of their own.
    every_profile = [
        one for profile in profiles for one in (profile, *(each.alone for each in aspects_of(profile)))
    ]
    thinned = dict.fromkeys(one.thinned_by for one in every_profile)
    return {
        one: clip_in_file(playback, one, shown)
        for one in thinned
        if one is not None and leaves_out_keys(one, _frames_per_second())
    }


def clip_in_file(
    playback: Playback, options: ThinningOptions, shown: Mapping[str, NDArray[np.float64]]
) -> ClipInFile:
    """Return what has to be recorded of a playback for a file; see `clips_in_files`."""
    start, end = playback.frame_start, playback.frame_end
    keys, fps = _keys_in_gltf(playback, options), _frames_per_second()
    return ClipInFile(start, end, options, shown, keys, frames_per_second=fps)


def leaves_out_keys(options: ThinningOptions, frames_per_second: float) -> bool:
    """Whether keys of a scene with this rate are left out on the way."""
    if isinstance(options, Resampled):
        own = options.plays_samples(frames_per_second)
        return own or options.file.thins
    return options.thins


def _frames_per_second() -> float:
    render = bpy.context.scene.render
    return render.fps / render.fps_base


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


def shown_poses(armatures: Iterable[bpy.types.Object]) -> dict[str, NDArray[np.float64]]:
    """Return the poses that the scene shows, (B, 4, 4), by the armatures' identities.

    Raises:
        BindingError: an armature can't be read.
    """
    depsgraph, readers = bpy.context.evaluated_depsgraph_get(), ArmatureReaders()
    evaluated = {identity(one): one.evaluated_get(depsgraph) for one in armatures}
    return {name: readers.of(one).read_to_root(one) for name, one in evaluated.items()}


def _keys_in_gltf(playback: Playback, options: ThinningOptions) -> dict[str, GltfKeys]:
    """Return the keys that a .glb has of a playback, by armature; nothing of other files."""
    if isinstance(options, Resampled):
        options = options.file
    if not isinstance(options, GltfOptions):
        return {}
    scene = bpy.context.scene
    if isinstance(playback, ScenePlayback):
        played = [(one, None) for one in scene.objects if one.type == "ARMATURE"]
    else:
        played = [(object_of(one.armature), one) for one in playback.parts]
    found = {identity(armature): keys_in_gltf(armature, part, options, scene) for armature, part in played}
    return {name: keys for name, keys in found.items() if keys is not None}


def recording(
    stage: ClipScene, playback: Scanned, options: ThinningOptions | None, clip: ClipInFile
) -> Iterator[None]:
    """Record a playback on a clip scene's armatures; yields after every frame."""
    stage_playback(stage, playback, options.file if isinstance(options, Resampled) else options)
    by_keys = {
        name for name, one in stage.copies.items() if moves_as_a_whole(one) and moves_by_keys_alone(one)
    }
    for frame in clip.frames.tolist():
        show_frame(stage, playback, frame)
        for name, copy in stage.copies.items():
            evaluated = copy.evaluated_get(stage.depsgraph)
            place = _place(evaluated) if name in by_keys else None
            clip.record(name, stage.readers[name].read_to_root(evaluated), place)
        yield


def _place(armature: bpy.types.Object) -> ObjectPlace:
    return ObjectPlace(row_vectors(armature.matrix_local), row_vectors(armature.matrix_world))
