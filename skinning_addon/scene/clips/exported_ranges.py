"""The frames between which a .glb has keys of an animation.

Where the exporter leaves out frames, it counts from the first frame of the first action that it comes to,
whatever object that moves. Every other animation begins at a frame that it counts, not before its own first: up
to there, its first key plays.

Read in Blender's io_scene_gltf2 (exp/tree.py, exp/animation/action.py, tracks.py, scene_animation.py), 4.2 and
5.2; `tests/engines/random_exports.py` compares the files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

import bpy

from ...core.profiles.export_options import AnimationMode, GltfOptions, NegativeFrames
from ..identification import action_of
from .clips import ArmatureClip
from .exported_actions import WrittenAction, gltf_actions, is_of_track

SORTED_SINCE = (5, 0, 0)
"""The first Blender taken to export objects by name; 4.2 goes by the order of the scene, 5.2 by name."""

FrameRange = tuple[int, int]
"""The first and the last frame, both inclusive. There is none if the first comes after the last."""


def range_of_action(action: bpy.types.Action, options: GltfOptions, scene: bpy.types.Scene) -> FrameRange:
    """Return the frames of which an animation of an action may have keys."""
    return _counted(_of_action(action, options, scene), _first_counted(options, scene), options.frame_step)


def range_of_scene(options: GltfOptions, scene: bpy.types.Scene) -> FrameRange:
    """Return the frames of which an animation of what the scene plays may have keys."""
    if options.mode is AnimationMode.SCENE:
        return _of_scene(scene)
    return _counted(_of_scene(scene), _first_counted(options, scene), options.frame_step)


def range_of_tracks(
    armature: bpy.types.Object, part: ArmatureClip | None, options: GltfOptions, scene: bpy.types.Scene
) -> FrameRange | None:
    """Return the frames of which an animation of a part's NLA track may have keys, or of all tracks; None if
    there is none.
    """
    data = armature.animation_data
    tracks = [one for one in (data.nla_tracks if data is not None else ()) if len(one.strips)]
    if part is not None:
        tracks = [one for one in tracks if is_of_track(part, one)][:1]
    return range_of_strips([one for track in tracks for one in track.strips], options, scene)


def sampled_range(options: GltfOptions, scene: bpy.types.Scene) -> FrameRange | None:
    """Return the frames that the exporter goes through for each action: those of all of them."""
    actions = [_actions_of(one, options, scene) for one in scene.objects]
    ranges = [_of_action(action_of(one.action), options, scene) for each in actions for one in each]
    if options.bake_animation and not all(actions):
        ranges.append(_of_scene(scene))
    if not ranges:
        return None
    first = _first_counted(options, scene)
    counted = [_counted(one, first, options.frame_step) for one in ranges]
    return min(start for start, _ in counted), max(end for _, end in counted)


def _counted(frames: FrameRange, first: int | None, step: int) -> FrameRange:
    start, end = frames
    return (start if first is None else start + (first - start) % step), end


def _of_scene(scene: bpy.types.Scene) -> FrameRange:
    return scene.frame_start, scene.frame_end


def _of_action(action: bpy.types.Action, options: GltfOptions, scene: bpy.types.Scene) -> FrameRange:
    start, end = action.frame_range
    return _cut((int(start), int(end)), options, scene)


def range_of_strips(
    strips: Collection[bpy.types.NlaStrip], options: GltfOptions, scene: bpy.types.Scene
) -> FrameRange | None:
    """Return the frames of which an animation of NLA strips may have keys; None without strips."""
    if not len(strips):
        return None
    whole = int(min(one.frame_start for one in strips)), int(max(one.frame_end for one in strips))
    return _cut(whole, options, scene)


def _cut(frames: FrameRange, options: GltfOptions, scene: bpy.types.Scene) -> FrameRange:
    """Leave out what comes before the time zero, or what the scene doesn't play, if the options say so."""
    start, end = frames
    if options.negative_frames is NegativeFrames.CROP:
        start = max(start, 0)
    if options.playback_range:
        start, end = max(start, scene.frame_start), min(end, scene.frame_end)
    return start, end


def _first_counted(options: GltfOptions, scene: bpy.types.Scene) -> int | None:
    """Return the first frame of the first action that the exporter comes to; None without any, or if it leaves
    out no frame.
    """
    if options.frame_step == 1:
        return None
    for one in _as_exported(scene):
        actions = _actions_of(one, options, scene)
        if actions:
            return _of_action(action_of(actions[0].action), options, scene)[0]
    return None


def _actions_of(one: bpy.types.Object, options: GltfOptions, scene: bpy.types.Scene) -> list[WrittenAction]:
    """List the actions written for an object, in the exporter's order."""
    own = gltf_actions(one, options, alone=is_alone(scene))
    keys = one.data.shape_keys if isinstance(one.data, bpy.types.Mesh) else None
    if keys is None or options.mode is AnimationMode.BROADCAST:
        return own
    return [*own, *gltf_actions(keys, options, alone=False)]


def is_alone(scene: bpy.types.Scene) -> bool:
    """Whether a scene has a single armature."""
    return sum(one.type == "ARMATURE" for one in scene.objects) == 1


def _as_exported(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    """List a scene's objects in the exporter's order: parents before their children, those on bones last."""
    below: dict[bpy.types.Object | None, list[bpy.types.Object]] = {}
    for one in _sorted(scene.objects):
        below.setdefault(one.parent, []).append(one)
    waiting = below.get(None, [])
    while waiting:
        one = waiting.pop(0)
        yield one
        waiting[:0] = sorted(below.get(one, ()), key=lambda child: child.parent_type == "BONE")


def _sorted(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    if bpy.app.version < SORTED_SINCE:
        return list(objects)
    return sorted(objects, key=lambda one: _in_outliner(one.name))


def _in_outliner(name: str) -> list[tuple[int, str]]:
    """Return what a name is sorted by: Arm2 comes before Arm10."""
    words = re.split(r"(\d+)", name)
    return [(int(word), "") if place % 2 else (0, word.lower()) for place, word in enumerate(words)]
