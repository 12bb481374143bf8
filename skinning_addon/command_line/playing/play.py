"""`skinscope play`: plays clips in sequence as a game's animation controller does, with cross-fades and
callbacks.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import bpy

from ...animation.controller import Controller
from ...animation.passings import Passing
from ...animation.ramps import Transition
from ...animation.reduction import Reduction
from ...animation.root_motion import RootMotionSettings
from ...animation.tracks import NO_CLIP
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import UsageError
from ...core.text.message import counted
from ...core.text.printable import printable
from ...measurement.findings.stack_findings import cut_after_armature
from ...measurement.pictures.played_meshes import PlayedMeshes
from ...measurement.pictures.png_file import png_content
from ...scene.baking.clip_baking import BakedClip, BakeSettings
from ...scene.binding.held_places import HeldPlaces, read_held_places
from ...scene.binding.rigid_parts import rigid_parts
from ...scene.clips.armature_state import reset_pose
from ...scene.clips.clips import chosen_clips
from ...scene.identification import identity
from ...scene.objects.deformed_meshes import make_evaluable, meshes_of_armature
from ...scene.objects.modifier_stack import armature_objects
from ..arguments.options import ROOT_MOTIONS
from ..arguments.play_arguments import SPEED, TRANSITION
from ..arguments.profiles import with_export_settings
from ..arguments.shared_arguments import require_clips_from
from ..program.blender_session import open_quietly, started_device
from ..program.clips_from import bring, names_to_play, packed_clips, told_of
from ..program.output_files import Outputs, prepared_file
from ..program.progress import ProgressLine
from ..program.streams import complain
from .play_script import chosen_script
from .play_strip import draw_strips
from .played_clips import read_clips
from .played_events import events_text
from .played_frames import Instant, PlayedInstance, instance_path, write_frames


def play(arguments: argparse.Namespace, output: TextIO) -> int:
    """Play the clips, write the requested files, and say so.

    Raises:
        SkinscopeError: the file can't be read, there is no such clip, or something can't be written.
    """
    if not (arguments.output or arguments.events or arguments.render):
        raise UsageError("There is no output to write; choose a file with --output, --events or --render.")
    require_clips_from(arguments)
    (profile,) = with_export_settings([arguments.profile or BLENDER], dict(arguments.export_option))
    inputs = [one for one in (arguments.file, arguments.clips_from, arguments.script) if one]
    path, events, strip = (
        prepared_file(one, suffix, option=option, inputs=inputs) if one else None
        for one, suffix, option in (
            (arguments.output, ".npz", "--output"),
            (arguments.events, ".json", "--events"),
            (arguments.render, ".png", "--render"),
        )
    )
    script = chosen_script(arguments)
    device = started_device("gpu" if strip else arguments.device)
    with ProgressLine() as progress:
        with packed_clips(arguments.clips_from, arguments.file, arguments.clips, progress) as packed:
            open_quietly(arguments.file, progress)
            brought = bring(packed, retarget=arguments.retarget)
        scene = bpy.context.scene
        named = script.script.clips if script else arguments.clips
        if script:
            script = script.naming(brought.named)
            armature, clips = script.chosen_clips(scene)
        else:
            armature, clips = chosen_clips(scene, names_to_play(brought, named))
        settings = _bake_settings(arguments, profile)
        keys = arguments.keys and settings.profile is None
        baked = read_clips(scene, armature, clips, progress.frames, settings, keys=keys)
    skeleton = settings.skeleton_of(armature)
    controller, seconds = script.timeline(baked, skeleton) if script else timeline(baked, skeleton, arguments)
    for one in told_of(brought, named):
        complain(one.message)
    meshes = _shown(scene, armature)
    instances = [PlayedInstance() for _ in range(controller.instances)]
    told: list[Passing] = []
    held = _held(scene, meshes, profile)
    _rest(armature)
    with PlayedMeshes(meshes, device, profile, held) as played, ProgressLine() as progress:
        for error in played.refused.values():
            complain(str(error))
        progress.say(arguments.file)
        rate = Fraction(arguments.rate or scene.render.fps / scene.render.fps_base).limit_denominator(1001)
        count = math.floor(seconds * float(rate) + 1e-6) + 1
        for number in range(count):
            if number:
                told += controller.advance(1 / rate)
            to_root = controller.to_root()
            for instance, one in enumerate(instances):
                one.instants.append(_instant(controller, number / rate, instance))
                for mesh in played.at({identity(armature): to_root[instance]}):
                    one.columns[mesh.name].append(mesh)
            progress.frames(number + 1, count)
        pixels = strip and draw_strips(scene, instances, Path(arguments.file).name)
    written = []
    with Outputs() as outputs:
        if path is not None:
            for instance, one in enumerate(instances):
                written += write_frames(outputs, instance_path(path, instance, len(instances)), one)
        if events is not None:
            transition = None if script else _transition(arguments)
            outputs.text(
                events,
                events_text(
                    arguments, baked, told, controller, seconds, foreign=brought.names, transition=transition
                ),
            )
            written.append(events)
        if strip is not None and pixels is not None:
            outputs.content(strip, png_content(pixels))
    for one in baked:
        if one.reduction is not None:
            print(printable(_reduced(one.clip.name, one.reduction)), file=output)
    names = ", ".join(one.name for one in (*written, *([strip] if strip else [])))
    said = (
        f"{names}: {counted(count, 'frame', 'frames')}, {seconds:g} s, "
        f"{counted(len(told), 'event', 'events')}."
    )
    print(printable(said), file=output)
    return 0


def _bake_settings(arguments: argparse.Namespace, profile: Profile) -> BakeSettings:
    root_motion = None
    if arguments.root_motion != ROOT_MOTIONS[0]:
        turning = arguments.root_motion == "extract-turning"
        root_motion = RootMotionSettings(arguments.root_bone, turning=turning)
    elif arguments.root_bone:
        raise UsageError("--root-bone has no effect by itself; add --root-motion extract.")
    # Played once, a clip has to end on its last frame instead of wrapping to its first; matched phases begin
    # anywhere.
    looping = arguments.script is not None or arguments.match_phase or _speed(arguments) < 0
    settings = BakeSettings(looping=looping, reduction=arguments.reduce, root_motion=root_motion)
    return settings.under(profile)


def _reduced(name: str, reduction: Reduction) -> str:
    keys, sizes = (
        (reduction.keys_after, reduction.keys_before),
        tuple(f"{one / 1000:.1f} kB" for one in (reduction.bytes_after, reduction.bytes_before)),
    )
    return f"{name}: {keys[0]} of {keys[1]} keys, {sizes[0]} of {sizes[1]}."


def timeline(
    baked: Sequence[BakedClip], skeleton: Skeleton, arguments: argparse.Namespace
) -> tuple[Controller, float]:
    """Make a controller that plays each clip once, fading to the next before it ends; return it and its
    length.
    """
    transition, speed = _transition(arguments), _speed(arguments)
    clips = [one.clip for one in baked]
    controller = Controller(skeleton, clips, tracks=len(clips))
    controller.set_track(0, clips[0].name, speed=speed)
    seconds = clips[0].duration / abs(speed) if speed else 0.0
    way = Transition.EASE if arguments.ease else Transition.LINEAR
    for track, clip in enumerate(clips[1:], start=1):
        if transition > seconds:
            raise UsageError(
                "A transition of {transition:g} s is longer than the {seconds:g} s played before '{clip}'; "
                "give a shorter one.",
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


def _transition(arguments: argparse.Namespace) -> float:
    return TRANSITION if arguments.transition is None else arguments.transition


def _speed(arguments: argparse.Namespace) -> float:
    return SPEED if arguments.speed is None else arguments.speed


def _shown(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the meshes that the armature moves, among those the file shows when opened."""
    meshes = [*meshes_of_armature(scene, armature), *rigid_parts(scene, armature)]
    for one in meshes:
        for finding in cut_after_armature(one) if armature in armature_objects(one) else ():
            complain(finding.message)
        make_evaluable(one, scene, bpy.context.view_layer)
    return meshes


def _held(scene: bpy.types.Scene, meshes: Sequence[bpy.types.Object], profile: Profile) -> HeldPlaces:
    """Read where the profile's file has meshes that move."""
    pairs = [
        (identity(one), identity(armature), one, armature)
        for one in meshes
        for armature in armature_objects(one)
    ]
    return read_held_places(scene, bpy.context.evaluated_depsgraph_get, pairs, [profile])


def _rest(armature: bpy.types.Object) -> None:
    """Put the file's own armature in its rest pose: rigid parts are bound to where it stands."""
    if armature.animation_data is not None:
        armature.animation_data_clear()
    reset_pose(armature)
    bpy.context.view_layer.update()


def _instant(controller: Controller, seconds: Fraction, instance: int) -> Instant:
    tracks = range(controller.track_count)
    numbers = [int(controller.states.clip[instance, track]) for track in tracks]
    return Instant(
        float(seconds),
        tuple("" if number == NO_CLIP else controller.clips[number].name for number in numbers),
        tuple(float(controller.weight(track)[instance]) for track in tracks),
    )
