"""Preparing Blender before a command's own work starts."""

from __future__ import annotations

# gpu can only be imported after bpy.
import bpy

from ...core.text.printed_lines import worth_telling
from ...drawing.native_output import captured_native_output
from ...measurement.check.frame_choice import FrameChoice, spread_over_clip
from ...measurement.check.scan import FramesOf
from ...measurement.frame.devices import resolve_device
from ...scene.files import open_file
from ..arguments.options import FrameRange
from .progress import ProgressLine
from .streams import is_verbose, say


def started_device(device: str) -> str:
    """Turn 'auto' into 'gpu' or 'cpu', and start the GPU if chosen.

    Raises:
        DeviceError: 'gpu' was asked for and this Blender has none it can use.
    """
    # Drivers complain about features they can do without; all that counts is whether the GPU answers.
    with captured_native_output():
        return resolve_device(device)


def open_quietly(file: str, progress: ProgressLine, *, reported: bool = False) -> str:
    """Open a file; return what Blender printed meanwhile. If all went well, its complaints are passed on
    afterwards.

    reported: the report will have the complaints, so don't print them too. With --verbose everything is
    passed on. If opening fails, the error is one line of ours; an importer would add its own, or a traceback.

    Raises:
        SourceFileError: see `open_file`.
    """
    progress.say(file)
    with captured_native_output() as chatter:
        open_file(file)
    progress.clear()
    told = chatter.text.rstrip("\n") if is_verbose() else worth_telling(chatter.text)
    if told and (is_verbose() or not reported):
        say(told)
    progress.say(file)
    return chatter.text


def show_view_layer(scene: str, view_layer: str) -> None:
    """Show a scene and view layer of the open file, which may have others open in its windows. Both: names."""
    window = bpy.context.window or bpy.context.window_manager.windows[0]
    window.scene = bpy.data.scenes[scene]
    window.view_layer = window.scene.view_layers[view_layer]


def chosen_frames(frames: FrameRange | None) -> FramesOf:
    """Turn the value of --frames into a scan's choice of frames."""
    return spread_over_clip if frames is None else FrameChoice(*frames).frames_of
