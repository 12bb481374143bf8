"""A fit of weights while the user waits: the open file is copied, and another Blender fits the copy."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import bpy

from ...command_line.refitting.background import BackgroundFit, FitRequest, whose
from ...core.text.message import Message
from ...measurement.profiles.game_ready import clips_of
from ...measurement.refit.refit import Refit
from ...measurement.refit.refit_options import RefitOptions
from ...scene.clips.clips import SceneClip
from ...scene.clips.playback import Playback
from ...scene.files import save_copy
from ...scene.identification import action_of, identity
from ...scene.user_profiles import profile_folders
from ..settings.exporter_settings import own_settings
from ..settings.profile_settings import profile_settings
from ..widgets.stepped_operator import StepProgress
from .export_check_operator import SECONDS_BETWEEN_LOOKS

USUAL = RefitOptions()

SHARE = 60
"""Percent of all work that making a copy with fitted weights is."""


def fitted(
    context: bpy.types.Context, armature: bpy.types.Object, options: RefitOptions = USUAL
) -> Generator[StepProgress, None, Refit]:
    """Fit an armature's meshes for the scene's engine. Closed half-way, this ends the other Blender and removes
    its files. options: nothing is held out by name.

    Raises:
        OutputError: the copy can't be saved. SkinscopeError: the character can't be fitted.
    """
    with tempfile.TemporaryDirectory(prefix="skinscope-fit-", ignore_cleanup_errors=True) as name:
        file = Path(name, f"{Path(bpy.data.filepath).stem or 'untitled'}.blend")
        clips = clips_of(context.scene, armature)
        with _saved_too(clips):
            save_copy(file)
        began = time.monotonic()
        with closing(
            BackgroundFit(Path(name), _request(context, armature, file, clips, options))
        ) as background:
            while not background.is_done:
                time.sleep(SECONDS_BETWEEN_LOOKS)
                yield _progress(background.progress, time.monotonic() - began)
            return background.answer()


@contextmanager
def _saved_too(clips: Iterable[Playback]) -> Iterator[None]:
    """Have clips saved whose actions nothing uses: Blender leaves those out of a file."""
    parts = [part for one in clips if isinstance(one, SceneClip) for part in one.parts]
    played = {action_of(part.action) for part in parts if part.action}
    unused = [one for one in played if not one.users]
    for one in unused:
        one.use_fake_user = True
    try:
        yield
    finally:
        for one in unused:
            one.use_fake_user = False


def _request(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    file: Path,
    clips: Iterable[Playback],
    options: RefitOptions,
) -> FitRequest:
    scene = context.scene
    settings = profile_settings(scene)
    name, library = whose(identity(armature))
    return FitRequest(
        str(file),
        scene.name,
        context.view_layer.name,
        name,
        library,
        tuple(one.name for one in clips),
        asdict(options),
        settings.profile,
        tuple(map(str, profile_folders())),
        own_settings(settings.exporter),
    )


def _progress(line: str, seconds: float) -> StepProgress:
    """line: what the other Blender is doing, a message with its percentage; anything else while it starts."""
    told = getattr(line, "arguments", {})
    if "percent" not in told:
        line = Message("starting Blender")
    text = Message("Game-Ready Copy: {said}, {seconds:.0f} s. Esc to cancel", said=line, seconds=seconds)
    return StepProgress(text, round(SHARE / 100 * told.get("percent", 0)), 100)
