"""The sound of footsteps, by Blender's own `aud`: as loud as they are near to the viewer."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.footsteps import Footstep
from ...core.text.errors import CrowdError

MOST_AT_ONCE = 12
"""Footsteps that are played for one picture, the loudest: more are noise."""

FULL_WITHIN = 3.0
"""Heights of its character from which a footstep is heard at its full volume."""

SILENT = 0.02
"""A volume that isn't played."""


class StepSound:
    """Owns a device and a sound once one is chosen. Without a device nothing is heard, and nothing is said.

    error: a sentence, why the sound that was chosen is not heard; empty if it is.
    """

    def __init__(self) -> None:
        self.error = ""
        self._path = ""
        self._device: Any = None
        self._sound: Any = None

    @property
    def is_on(self) -> bool:
        """Whether footsteps are heard."""
        return self._sound is not None

    def choose(self, path: str) -> None:
        """Choose a sound file; an empty path for silence. The same path again changes nothing."""
        if path == self._path:
            return
        self._path, self.error = path, ""
        self._sound = None
        if path:
            try:
                self._load(path)
            except CrowdError as error:
                self.error = str(error)

    def _load(self, path: str) -> None:
        if not Path(path).is_file():
            raise CrowdError("There is no sound file '{file}'; choose another.", file=path)
        try:
            # Some Blenders are built without it.
            aud: Any = importlib.import_module("aud")
        except ImportError:
            return
        try:
            sound = aud.Sound.file(path).cache()
        except aud.error as error:
            raise CrowdError(
                "'{file}' can't be read as a sound ({reason}); choose another.",
                file=Path(path).name,
                reason=str(error),
            ) from error
        try:
            self._device = self._device or aud.Device()
        except aud.error:
            return
        self._sound = sound

    def play(
        self,
        steps: Sequence[Footstep],
        places: NDArray[np.float64],
        heights: NDArray[np.float64],
        viewer: NDArray[np.float64],
    ) -> None:
        """Play footsteps. places: (N, 3), where agents are; heights: (N,), theirs; viewer: (3,)."""
        if self._sound is None or not steps:
            return
        who = np.array([one.agent for one in steps])
        away = np.linalg.norm(places[who] - viewer, axis=1)
        near = FULL_WITHIN * heights[who] / np.maximum(away, 1e-9)
        volumes = np.minimum(near, 1.0) * np.array([one.weight for one in steps])
        for number in np.argsort(-volumes, kind="stable")[:MOST_AT_ONCE].tolist():
            if volumes[number] > SILENT:
                # Of the sound: what a device plays may have ended already.
                self._device.play(self._sound.volume(float(volumes[number])))

    def stop(self) -> None:
        """Be silent, and give the device back."""
        if self._device is not None:
            self._device.stopAll()
        self._device = self._sound = None
        self._path = ""
