"""Records characters' frames in a Blender of its own, from a copy of the user's file."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...command_line.program.background_blender import answered
from ...command_line.program.blender_session import open_quietly, show_view_layer
from ...command_line.program.progress import ProgressLine
from ...core.text.message import Message
from ...viewport.cached.frame_cache import AnyCachedMesh, FrameCache
from ...viewport.cached.frames_file import RecordedFrames, write_frames
from ...viewport.cached.moving_mesh import MovingMesh
from ...viewport.cached.stored_frame import StoredFrame
from ...viewport.layers import layer_key
from ...viewport.objects.object_lookup import ObjectLookup

SECONDS_BETWEEN_FILES = 0.5

ATTEMPTS = 4
"""A mesh that has to be bound again is; if its poses still don't do, its vertices are kept instead."""

FILE, FILES = "frames-{number:06}.npz", "frames-*.npz"

NICENESS = 10
"""The user's own Blender comes first."""


@dataclass(frozen=True)
class RecordingRequest:
    """What to record. file: of the copy that was saved. scene, view_layer: their names. characters: names of
    the groups. frames: whole numbers.
    """

    file: str
    scene: str
    view_layer: str
    characters: tuple[str, ...]
    frames: tuple[int, ...]


def answer_request(folder: str) -> None:
    """Record what a folder requests, and write frames there as they come; runs in the other process."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answered(folder, _record)


def _record(folder: Path, request: Any, progress: ProgressLine) -> None:
    wanted = RecordingRequest(**request)
    open_quietly(wanted.file, progress)
    show_view_layer(wanted.scene, wanted.view_layer)
    recorder = _Recorder(wanted.characters)
    progress.say(Message("Recording"))
    number, due = 0, time.monotonic() + SECONDS_BETWEEN_FILES
    for done, frame in enumerate(wanted.frames, 1):
        recorder.record(frame)
        if time.monotonic() >= due or done == len(wanted.frames):
            write_frames(folder / FILE.format(number=number), recorder.taken())
            number, due = number + 1, time.monotonic() + SECONDS_BETWEEN_FILES
        progress.frames(done, len(wanted.frames))


class _Recorder:
    """Goes to frames of the open scene, and keeps them until they are taken."""

    def __init__(self, characters: Iterable[str]) -> None:
        self._names = set(characters)
        self._cache = FrameCache(ObjectLookup(), lambda: sys.maxsize)
        self._told: dict[str, AnyCachedMesh] = {}

    def record(self, frame: int) -> None:
        """Go to a frame and keep it."""
        scene, view_layer = bpy.context.scene, bpy.context.view_layer
        scene.frame_set(frame)
        for _ in range(ATTEMPTS):
            self._cache.refresh(view_layer, layer_key(scene, view_layer))
            # Binding may have made data-blocks, and had the scene evaluated.
            depsgraph = bpy.context.evaluated_depsgraph_get()
            chosen = [one for one in self._cache.groups if one.name in self._names]
            self._cache.record(scene, depsgraph, chosen)
            if not self._cache.is_stale:
                break

    def taken(self) -> RecordedFrames:
        """Return what was recorded since the last time, and let go of it."""
        for one in self._cache.groups:
            self._cache.is_proven(one)
        meshes: dict[str, AnyCachedMesh] = {
            mesh.name: mesh for one in self._cache.groups for mesh in self._cache.meshes_of(one)
        }
        withdrawn = {
            name: self._reason(meshes.get(name))
            for name, one in self._told.items()
            if meshes.get(name) is not one
        }
        frames: dict[str, dict[float, StoredFrame]] = {
            name: dict(mesh.frames) for name, mesh in meshes.items() if mesh.frames
        }
        for name in frames:
            # Only the frames: the next one need not be proven again.
            meshes[name].frames.clear()
            self._told[name] = meshes[name]
        return RecordedFrames(frames, withdrawn)

    @staticmethod
    def _reason(mesh: AnyCachedMesh | None) -> str:
        return mesh.reason if isinstance(mesh, MovingMesh) else ""
