"""The script of `play --script`: a file's clips on tracks and keyed changes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy

from ...animation.controller import Controller
from ...animation.script import Script, controller_of, seconds_of, track_name
from ...animation.script_file import in_file, read_script
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import ScriptError, SkinscopeError, UsageError
from ...core.text.message import Continuation
from ...scene.baking.clip_baking import BakedClip
from ...scene.clips.clips import SceneClip, chosen_clips


@dataclass(frozen=True)
class ScriptFile:
    """A script and the file it came from, for messages."""

    path: Path
    script: Script

    def naming(self, named: Callable[[str], str]) -> ScriptFile:
        """Return it with clips renamed.

        Raises:
            SkinscopeError: what `named` raises, with the file's name.
        """
        script = self.script
        try:
            tracks = tuple(replace(one, clip=named(one.clip)) for one in script.tracks)
            script = replace(script, tracks=tracks, once=tuple(named(one) for one in script.once))
        except SkinscopeError as error:
            raise in_file(self.path, error) from error
        return replace(self, script=script)

    def chosen_clips(self, scene: bpy.types.Scene) -> tuple[bpy.types.Object, list[SceneClip]]:
        """Find the clips it names, and the armature that they all move.

        Raises:
            ScriptError: a clip is unknown, or there is no such armature.
        """
        for track in self.script.tracks:
            try:
                chosen_clips(scene, (track.clip,))
            except UsageError as error:
                where, reason = track_name(track.number), Continuation(error.args[0])
                raise in_file(
                    self.path, ScriptError("{where}: {reason}", where=where, reason=reason)
                ) from error
        try:
            return chosen_clips(scene, self.script.clips)
        except UsageError as error:
            raise in_file(self.path, error) from error

    def timeline(self, baked: Sequence[BakedClip], skeleton: Skeleton) -> tuple[Controller, float]:
        """Make the controller that follows it; return it and its length in seconds.

        Raises:
            ScriptError: a mask names a bone that the armature lacks.
        """
        clips = [one.clip for one in baked]
        try:
            return controller_of(self.script, skeleton, clips), seconds_of(self.script, clips)
        except ScriptError as error:
            raise in_file(self.path, error) from error


def chosen_script(arguments: argparse.Namespace) -> ScriptFile | None:
    """Read the requested script; None if there is none.

    Raises:
        ScriptError: it can't be read, or asks for something a controller can't do. UsageError: options also
        say what to play.
    """
    if arguments.script is None:
        return None
    also = {
        "--clips": arguments.clips is not None,
        "--transition": arguments.transition is not None,
        "--ease": arguments.ease,
        "--match-phase": arguments.match_phase,
        "--speed": arguments.speed is not None,
    }
    for option, given in also.items():
        if given:
            raise UsageError(
                "--script and {option} can't be used together; leave out one of them.", option=option
            )
    path = Path(arguments.script)
    return ScriptFile(path, read_script(path))
