"""A fit in a Blender of its own, on a copy of the user's file: fitting plays the scene and changes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import bpy

from ...core.profiles.catalogue import load_profile
from ...core.profiles.exporter_settings import exported_so
from ...core.text.errors import UsageError
from ...core.text.identity import Identity
from ...core.text.message import Message
from ...measurement.profiles.game_ready import clips_of, meshes_to_copy
from ...measurement.refit.fit_sentences import DOING
from ...measurement.refit.refit import Refit, refit
from ...measurement.refit.refit_file import read_refit, write_refit
from ...measurement.refit.refit_options import RefitOptions
from ...scene.identification import find_object, library_everywhere, seen_from_file
from ...scene.objects.deformed_meshes import deformed_meshes, make_evaluable
from ..program.background_blender import BackgroundBlender, answered
from ..program.blender_session import open_quietly, show_view_layer
from ..program.progress import ProgressLine

ANSWER = "fit.npz"


@dataclass(frozen=True)
class FitRequest:
    """What to fit. file: of the copy that was saved. scene, view_layer: their names. armature, library: its
    name, and the path of the file that it is linked from, None if it is local. clips: their names. options:
    see `RefitOptions`, by name. profile: its id; folders: of the user's own profiles; settings: of the
    exporter, by name.
    """

    file: str
    scene: str
    view_layer: str
    armature: str
    library: str | None
    clips: tuple[str, ...]
    options: Mapping[str, Any]
    profile: str
    folders: tuple[str, ...]
    settings: Mapping[str, object]


def whose(armature: str) -> tuple[str, str | None]:
    """Return a request's name and library of an armature, by its identity."""
    one = Identity.of(armature)
    return one.name, None if one.library is None else library_everywhere(one.library)


class BackgroundFit(BackgroundBlender):
    """A fit that runs in another Blender."""

    def __init__(self, folder: Path, request: FitRequest) -> None:
        """Start it. folder: its own, for both processes.

        Raises:
            UsageError: it can't be started.
        """
        self._answers = folder
        super().__init__(folder, "command_line.refitting.background", asdict(request))

    def answer(self) -> Refit:
        """Return the fit, once it is done.

        Raises:
            SkinscopeError: the character can't be fitted.
        """
        status, answer = self.status(), self._answers / ANSWER
        if status or not answer.is_file():
            raise UsageError(
                "Blender exited with status {status} while fitting weights; run 'skinscope refit' to see why.",
                status=status,
            )
        return read_refit(answer)


def answer_request(folder: str) -> None:
    """Fit what a folder requests, and write the answer there; runs in the other process."""
    answered(folder, _fit)


def _fit(folder: Path, request: Any, progress: ProgressLine) -> None:
    wanted = FitRequest(**request)
    open_quietly(wanted.file, progress)
    show_view_layer(wanted.scene, wanted.view_layer)
    scene = bpy.context.scene
    for one in deformed_meshes(scene):
        make_evaluable(one, scene, bpy.context.view_layer)
    library = None if wanted.library is None else seen_from_file(wanted.library)
    armature = find_object(Identity(wanted.armature, library))
    if armature is None:
        raise UsageError(
            "The saved copy has no armature '{armature}'; save the file.", armature=wanted.armature
        )
    playbacks = clips_of(scene, armature)
    missing = set(wanted.clips) - {one.name for one in playbacks}
    if missing:
        raise UsageError(
            "The clip '{clip}' is not saved with the file, since nothing uses its action; give it a fake user.",
            clip=min(missing),
        )
    profile = load_profile(wanted.profile, [Path(one) for one in wanted.folders])
    found = refit(
        scene,
        armature,
        meshes_to_copy(scene, armature),
        playbacks,
        profile=exported_so(profile, wanted.settings) if wanted.settings else profile,
        options=RefitOptions.of(wanted.options),
        progress=lambda done, doing: progress.say(
            Message("{doing}: {percent:.0f}%", doing=DOING[doing], percent=100 * done)
        ),
    )
    write_refit(folder / ANSWER, found)
