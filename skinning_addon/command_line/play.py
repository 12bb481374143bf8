"""`skinscope play`: clips one after the other as a game's animation controller plays them, with cross-fades and callbacks."""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import bpy

from ..animation.controller import Controller
from ..animation.passings import Passing
from ..animation.ramps import Transition
from ..animation.reduction import Reduction
from ..animation.root_motion import RootMotionSettings
from ..core.errors import UsageError
from ..core.printable import printable
from ..core.skeleton import Skeleton
from ..measurement.played_meshes import PlayedMesh, PlayedMeshes
from ..measurement.png_file import png_content
from ..measurement.stack_findings import cut_after_armature
from ..scene.armature_reader import read_armature
from ..scene.clip_baking import BakedClip, BakeSettings
from ..scene.deformed_meshes import make_evaluable, meshes_of_armature
from ..scene.identification import identity
from ..scene.modifier_stack import armature_objects
from ..scene.playback import reset_pose
from ..scene.rigid_parts import rigid_parts
from .blender_session import open_quietly, started_device
from .export import counted
from .options import ROOT_MOTIONS
from .output_files import Outputs, prepared_file
from .play_strip import draw_strip
from .played_clips import chosen_clips, read_clips
from .played_events import events_text
from .played_frames import Instant, write_frames
from .progress import ProgressLine
from .streams import complain


def play(arguments: argparse.Namespace, output: TextIO) -> int:
    """Play the clips, write what was asked for, and say so.

    Raises:
        SkinscopeError: the file can't be read, there is no such clip, or something can't be written.
    """
    if not (arguments.output or arguments.events or arguments.render):
        raise UsageError("There is nothing to write; name a file with --output, --events or --render.")
    path, events, strip = (
        prepared_file(one) if one else None for one in (arguments.output, arguments.events, arguments.render)
    )
    device = started_device("gpu" if strip else arguments.device)
    with ProgressLine() as progress:
        open_quietly(arguments.file, progress)
        scene = bpy.context.scene
        armature, clips = chosen_clips(scene, arguments.clips)
        settings = _bake_settings(arguments)
        baked = read_clips(scene, armature, clips, progress.frames, settings, keys=arguments.keys)
    controller, seconds = timeline(baked, read_armature(armature).skeleton, arguments)
    meshes = _shown(scene, armature)
    columns: defaultdict[str, list[PlayedMesh]] = defaultdict(list)
    instants: list[Instant] = []
    told: list[Passing] = []
    _rest(armature)
    with PlayedMeshes(meshes, device) as played, ProgressLine() as progress:
        for error in played.refused.values():
            complain(str(error))
        progress.say(arguments.file)
        rate = Fraction(arguments.rate or scene.render.fps / scene.render.fps_base).limit_denominator(1001)
        count = math.floor(seconds * float(rate) + 1e-6) + 1
        for number in range(count):
            if number:
                told += controller.advance(1 / rate)
            instants.append(_instant(controller, number / rate))
            for one in played.at({identity(armature): controller.to_root()[0]}):
                columns[one.name].append(one)
            progress.frames(number + 1, count)
        pixels = strip and draw_strip(scene, columns, instants, Path(arguments.file).name)
    written = []
    with Outputs() as outputs:
        if path is not None:
            written += write_frames(outputs, path, columns, instants)
        if events is not None:
            outputs.text(events, events_text(arguments, baked, told, controller, seconds))
            written.append(events)
        if strip is not None and pixels is not None:
            outputs.content(strip, png_content(pixels))
    for one in baked:
        if one.reduction is not None:
            print(printable(_reduced(one.clip.name, one.reduction)), file=output)
    names = ", ".join(one.name for one in (*written, *([strip] if strip else [])))
    said = f"{names}: {counted(count, 'frame', 'frames')}, {seconds:g} s, {counted(len(told), 'event', 'events')}."
    print(printable(said), file=output)
    return 0


def _bake_settings(arguments: argparse.Namespace) -> BakeSettings:
    root_motion = None
    if arguments.root_motion != ROOT_MOTIONS[0]:
        turning = arguments.root_motion == "extract-turning"
        root_motion = RootMotionSettings(arguments.root_bone, turning=turning)
    elif arguments.root_bone:
        raise UsageError("--root-bone says whose way is taken out; add --root-motion extract.")
    # Played once each, a clip has to show its last frame and not its first again; matched phases begin anywhere.
    looping = arguments.match_phase or arguments.speed < 0
    return BakeSettings(looping=looping, reduction=arguments.reduce, root_motion=root_motion)


def _reduced(name: str, reduction: Reduction) -> str:
    keys, sizes = (
        (reduction.keys_after, reduction.keys_before),
        tuple(f"{one / 1000:.1f} kB" for one in (reduction.bytes_after, reduction.bytes_before)),
    )
    return f"{name}: {keys[0]} of {keys[1]} keys, {sizes[0]} of {sizes[1]}."


def timeline(
    baked: Sequence[BakedClip], skeleton: Skeleton, arguments: argparse.Namespace
) -> tuple[Controller, float]:
    """Make a controller that plays each clip once, fading to the next before it ends; return it and its length."""
    transition, speed = arguments.transition, arguments.speed
    clips = [one.clip for one in baked]
    controller = Controller(skeleton, clips, tracks=len(clips))
    controller.set_track(0, clips[0].name, speed=speed)
    seconds = clips[0].duration / abs(speed) if speed else 0.0
    way = Transition.EASE if arguments.ease else Transition.LINEAR
    for track, clip in enumerate(clips[1:], start=1):
        if transition > seconds:
            raise UsageError(
                "A transition of {transition:g} s is longer than what is played before '{clip}', {seconds:g} s; give a "
                "shorter one.",
                transition=transition,
                clip=clip.name,
                seconds=seconds,
            )
        controller.set_track(track, clip.name, enabled=False)
        controller.cross_fade(
            track - 1,
            track,
            transition,
            at=seconds - transition,
            transition=way,
            speed=speed,
            match_phase=arguments.match_phase,
        )
        seconds += clip.duration / abs(speed) - transition
    return controller, seconds


def _shown(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the meshes that the armature moves, as the file is opened to show them."""
    meshes = [*meshes_of_armature(scene, armature), *rigid_parts(scene, armature)]
    for one in meshes:
        for finding in cut_after_armature(one) if armature in armature_objects(one) else ():
            complain(finding.message)
        make_evaluable(one, scene, bpy.context.view_layer)
    return meshes


def _rest(armature: bpy.types.Object) -> None:
    """Put the file's own armature to rest: rigid parts are bound to where it stands."""
    if armature.animation_data is not None:
        armature.animation_data_clear()
    reset_pose(armature)
    bpy.context.view_layer.update()


def _instant(controller: Controller, seconds: Fraction) -> Instant:
    tracks = range(controller.track_count)
    numbers = [int(controller.states.clip[0, track]) for track in tracks]
    return Instant(
        float(seconds),
        tuple(controller.clips[number].name for number in numbers),
        tuple(float(controller.weight(track)[0]) for track in tracks),
    )
