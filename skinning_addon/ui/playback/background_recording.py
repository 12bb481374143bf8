"""Recording all frames in another Blender, on a copy of the file, while the user goes on in this one."""

from __future__ import annotations

import atexit
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import bpy

from ...command_line.program.background_blender import BackgroundBlender
from ...core.text.errors import SkinscopeError, UsageError
from ...core.text.message import Message
from ...scene.files import save_copy
from ...viewport.cached.awaited_frames import AwaitedFrames
from ...viewport.cached.cached_playback import played_frames
from ...viewport.cached.frames_file import read_frames
from ...viewport.cached.groups import Group
from ...viewport.redraw import Later, redraw_panels, redraw_status_bars, redraw_timelines
from ...viewport.session import current_session
from ..widgets.status_message import tell_in_status_bar
from .recording_worker import FILES, RecordingRequest

SECONDS_BETWEEN_LOOKS = 0.25

ENDED = Message("Recording in the background ended early; play, and the rest are recorded")
RECORDED = Message("All frames are recorded")

WORKER = "ui.playback.recording_worker"


class BackgroundRecording:
    """One at a time. progress: frames that are done, and how many there are; none before the other Blender has
    begun.
    """

    def __init__(self) -> None:
        self.progress = (0, 0)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._blender: BackgroundBlender | None = None
        self._awaited: AwaitedFrames | None = None
        self._scene_uid = 0
        self._frames: tuple[int, ...] = ()
        self._look = Later(self.look)

    @property
    def is_running(self) -> bool:
        """Whether another Blender records."""
        return self._blender is not None

    def start(self, context: bpy.types.Context) -> None:
        """Save a copy, and have another Blender record the frames of the chosen characters that are not known.

        Raises:
            OutputError: the copy can't be saved. UsageError: Blender can't be started.
        """
        self.stop()
        cached, scene = current_session().cached, context.scene
        folder = tempfile.TemporaryDirectory(prefix="skinscope-frames-", ignore_cleanup_errors=True)
        self._folder = folder
        try:
            file = Path(folder.name, "recorded.blend")
            save_copy(file)
            chosen = groups_to_record(context)
            known = cached.cache.known_frames(chosen)
            missing = [one for one in played_frames(scene) if one not in known]
            request = RecordingRequest(
                str(file),
                scene.name,
                context.view_layer.name,
                tuple(one.name for one in chosen),
                tuple(missing),
            )
            self._awaited = AwaitedFrames(cached.cache, scene, chosen)
            self._scene_uid, self._frames = scene.session_uid, request.frames
            self.progress = (0, len(missing))
            self._blender = BackgroundBlender(Path(folder.name), WORKER, asdict(request))
        except SkinscopeError:
            self.stop()
            raise
        atexit.register(self.stop)
        self._look.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)

    def look(self) -> None:
        """Take the frames that have arrived. A timer calls this until the other Blender is done, or its frames
        are no longer wanted.
        """
        blender, awaited = self._blender, self._awaited
        scene = next((one for one in bpy.data.scenes if one.session_uid == self._scene_uid), None)
        if blender is None or awaited is None:
            return
        # Asked first, so that files written just before the end are taken too.
        is_done = blender.is_done
        if scene is not None:
            self._take(awaited, scene)
        cached = current_session().cached
        if scene is None or not cached.is_on(scene) or not awaited.groups or cached.cache.is_full:
            self.stop()
            # The message redraws the status bar, too.
            tell_in_status_bar(ENDED, good=False)
        elif is_done:
            self._end(blender, awaited)
        else:
            self._look.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)
        redraw_panels()
        redraw_timelines()
        redraw_status_bars()

    def _take(self, awaited: AwaitedFrames, scene: bpy.types.Scene) -> None:
        assert self._folder is not None  # noqa: S101 - for the type checker
        for path in sorted(Path(self._folder.name).glob(FILES)):
            awaited.take(scene, read_frames(path))
            path.unlink()
        told = getattr(self._blender.progress if self._blender else "", "arguments", {})
        self.progress = (told.get("done", self.progress[0]), self.progress[1])

    def _end(self, blender: BackgroundBlender, awaited: AwaitedFrames) -> None:
        try:
            status = blender.status()
            complete = awaited.all_came(self._frames)
            # Blender 4.2 as a Python module crashes as it exits, with its work done: Python's cache of generic
            # classes keeps some that use bpy longer than that lasts.
            if status and not complete:
                raise UsageError(
                    "Blender exited with status {status} while recording frames; play them instead.",
                    status=status,
                )
            tell_in_status_bar(RECORDED if complete else ENDED, good=complete)
        except SkinscopeError as error:
            tell_in_status_bar(error.args[0], good=False)
        finally:
            self.stop()

    def stop(self) -> None:
        """End the other Blender and remove its files; frames that have come stay."""
        self._look.cancel()
        atexit.unregister(self.stop)
        if self._blender is not None:
            self._blender.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._blender = self._folder = self._awaited = None


def groups_to_record(context: bpy.types.Context) -> list[Group]:
    """List the chosen characters that are not known at every frame that Blender plays; previewed ones stay
    Blender's.
    """
    cached, frames = current_session().cached, played_frames(context.scene)
    chosen = cached.chosen(context.scene, context.view_layer)
    return [one for one in chosen if not cached.is_previewed(one) and not cached.cache.has_all(one, frames)]


recording = BackgroundRecording()
