"""What commands have Blender do before their own work starts."""

from __future__ import annotations

# gpu can only be imported after bpy.
import bpy  # noqa: F401

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
    """Turn 'auto' into 'gpu' or 'cpu', and start the GPU where it is meant.

    Raises:
        DeviceError: 'gpu' was asked for and there is none that this Blender can use.
    """
    # Drivers complain about what they then do without; what counts is whether the GPU answers.
    with captured_native_output():
        return resolve_device(device)


def open_quietly(file: str, progress: ProgressLine, *, reported: bool = False) -> str:
    """Open a file; return what Blender printed meanwhile. If all went well, what it complained about is passed on afterwards.

    reported: the report will have the complaints, so that they are not to be told twice. With --verbose all is passed on. Where it fails, the error is one line of ours; an importer would add its own, or a traceback.

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


def chosen_frames(frames: FrameRange | None) -> FramesOf:
    """Turn the value of --frames into what a scan asks for."""
    return spread_over_clip if frames is None else FrameChoice(*frames).frames_of
