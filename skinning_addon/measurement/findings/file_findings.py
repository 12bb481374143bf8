"""Findings about what a check could not cover: files where nothing moves, clips left out, libraries, drivers
and importers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import bpy

from ...core.text.identity import Identity
from ...core.text.message import Message
from ...core.text.printed_lines import complaints_in
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import RULES
from ...scene.brought.differing_skeletons import Told
from ...scene.clips.clips import SceneClip, list_clips
from ...scene.clips.playback import ScenePlayback
from ...scene.clips.range_of_motion import RangeOfMotion
from ...scene.identification import identity
from ...scene.staging.clip_staging import Scanned

NAMES_AT_MOST = 10

ANY_NUMBER = re.compile(r"\d+")


def finding_of_stillness(playbacks: Sequence[Scanned]) -> Finding:
    """Say that nothing in the file moves a bone, and what was played instead."""
    ranges = [one for one in playbacks if isinstance(one, RangeOfMotion)]
    if ranges:
        message = Message(
            "Nothing in this file moves a bone, so in addition to the current pose a range of motion of "
            "{armatures} was played, with each control rotated on its own.",
            armatures=", ".join(f"'{one.armature}'" for one in ranges),
        )
    else:
        message = Message(
            "Nothing in this file moves a bone, and no bone can be rotated, so only the current pose was "
            "compared."
        )
    return RULES["nothing-moves"].finding(
        "", message, Message("Also check the file that contains the character's animation.")
    )


def finding_of_rest(mesh_object: str) -> Finding:
    """Say that a mesh stayed at rest in every frame."""
    return RULES["nothing-moves"].finding(
        mesh_object,
        Message(
            "'{mesh}' is not moved by a bone in any frame that was played, so it was only compared at rest.",
            mesh=mesh_object,
        ),
        Message("Play clips that move it, or a range of motion (--clips range-of-motion)."),
    )


def findings_of_clips(scene: bpy.types.Scene, playbacks: Sequence[Scanned]) -> Iterator[Finding]:
    """Say which clips of the file were not played. For checks of what the scene plays; other checks name
    their clips.

    Call it before playing anything: playing clips removes the scene's own animation.
    """
    if not any(isinstance(one, ScenePlayback) for one in playbacks):
        return
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    clips = list_clips(scene, armatures)
    playing = {pair for one in armatures for pair in _playing(one)}
    silent = [one for one in clips if not _plays(one, playing)]
    if not silent or any(isinstance(one, SceneClip) for one in playbacks):
        return
    rule = RULES["clips-not-played"]
    message = rule.told(
        played=len(clips) - len(silent),
        count=len(clips),
        names=_listed([f"'{one.name}'" for one in silent]),
    )
    yield replace(rule.finding("", message), count=len(silent))


def findings_of_brought_clips(told: Iterable[Told]) -> Iterator[Finding]:
    """Report how clips from another file fit the character."""
    for one in told:
        finding = RULES["foreign-clips"].finding("", one.message)
        yield finding if one.loses else replace(finding, severity=Severity.INFO)


def findings_of_libraries() -> Iterator[Finding]:
    """Name the missing libraries, and what is empty because of them."""
    gone: dict[str, list[str]] = {one.filepath: [] for one in bpy.data.libraries if one.is_missing}
    blocks: Iterable[bpy.types.ID] = (
        *bpy.data.objects,
        *bpy.data.collections,
        *bpy.data.meshes,
        *bpy.data.armatures,
    )
    for one in (*blocks, *bpy.data.actions, *bpy.data.node_groups):
        if one.library is not None and one.is_missing:
            gone.setdefault(one.library.filepath, []).append(one.name)
    for path, names in sorted(gone.items()):
        is_there = Path(bpy.path.abspath(path)).exists()
        what = _listed([f"'{name}'" for name in sorted(set(names))]) if names else Message("its contents")
        if is_there:
            message = Message(
                "The library '{library}' does not contain {names}, which this file links from it.",
                library=path,
                names=what,
            )
        else:
            message = Message(
                "The library '{library}' is missing, and {names} with it.", library=path, names=what
            )
        yield replace(RULES["library-missing"].finding("", message), count=len(names))


def findings_of_drivers(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Find drivers of the scene's objects that Blender did not run. Call it after frames were evaluated."""
    for one in sorted(scene.objects, key=identity):
        idle = [curve for block in _driven_blocks(one) for curve in _idle_drivers(block)]
        if not idle:
            continue
        python = [curve for curve in idle if _needs_python(curve.driver)]
        told = python or idle
        words = {
            "object": identity(one),
            "paths": _listed([f"'{path}'" for path in dict.fromkeys(curve.data_path for curve in told)]),
        }
        if python:
            message = Message(
                "Drivers of '{object}' need Python, which checked files are not allowed to run: {paths}.",
                **words,
            )
            fix = Message("Rewrite them as simple arithmetic of variables, or bake what they drive.")
        else:
            message = Message(
                "Drivers of '{object}' are invalid, so Blender does not run them: {paths}.", **words
            )
            fix = Message("Fix the drivers' variables, or remove the drivers.")
        yield replace(RULES["drivers-not-run"].finding(identity(one), message, fix), count=len(idle))


def findings_of_importer(printed: str) -> Iterator[Finding]:
    """Report an importer's complaints, repeated lines once. printed: everything it printed."""
    said = complaints_in(printed)
    alike = Counter(ANY_NUMBER.sub("#", line) for line in said)
    first = {ANY_NUMBER.sub("#", line): line for line in reversed(said)}
    rule = RULES["importer-complained"]
    for kind, count in list(alike.items())[:NAMES_AT_MOST]:
        yield replace(rule.finding("", rule.told(line=first[kind])), count=count)


def _playing(armature: bpy.types.Object) -> Iterator[tuple[Identity, str]]:
    """Yield each armature with every action and track that the scene plays on it."""
    data = armature.animation_data
    if data is None:
        return
    if data.action is not None:
        yield identity(armature), identity(data.action)
    tracks = [one for one in data.nla_tracks if data.use_nla and not one.mute]
    solo = [one for one in tracks if one.is_solo]
    for track in solo or tracks:
        yield identity(armature), track.name
        for strip in track.strips:
            if strip.action is not None and not strip.mute:
                yield identity(armature), identity(strip.action)


def _plays(clip: SceneClip, playing: set[tuple[Identity, str]]) -> bool:
    return any(
        (Identity.of(part.armature), name) in playing
        for part in clip.parts
        for name in (part.action, part.track)
        if name is not None
    )


def _driven_blocks(one: bpy.types.Object) -> Iterator[bpy.types.ID]:
    yield one
    if one.data is not None:
        yield one.data
    keys = getattr(one.data, "shape_keys", None)
    if keys is not None:
        yield keys
    for modifier in one.modifiers:
        group = getattr(modifier, "node_group", None)
        if group is not None:
            yield group


def _idle_drivers(block: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    animation = getattr(block, "animation_data", None)
    for curve in animation.drivers if animation is not None else ():
        if curve.driver is not None and not curve.mute and not curve.driver.is_valid:
            yield curve


def _needs_python(driver: bpy.types.Driver | None) -> bool:
    return driver is not None and driver.type == "SCRIPTED" and not driver.is_simple_expression


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMES_AT_MOST])
    rest = len(names) - NAMES_AT_MOST
    return Message("{names} and {count} more", names=shown, count=rest) if rest > 0 else shown
