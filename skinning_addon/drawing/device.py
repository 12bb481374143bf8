"""Detecting a usable GPU, and starting it."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import NoReturn

import gpu

from ..core.text.errors import DeviceError
from ..core.text.message import Message

NO_DRIVER = Message(
    "Blender can't find a graphics driver: install one (without a graphics card, software OpenGL will do: "
    "apt-get install -y libegl1 libegl-mesa0 libgl1-mesa-dri), or use the CPU (--device cpu)."
)

PATIENCE = 30.0
"""In seconds, the time a driver gets to start."""


def start_gpu() -> None:
    """Make Blender's GPU usable, with or without a window; cheap if it already is.

    Raises:
        DeviceError: there is no GPU; the message says what to do.
    """
    if reason := gpu_problem():
        raise DeviceError(reason)


def gpu_problem() -> str | None:
    """Return None if the GPU can be used, otherwise one sentence that says why not and what to do.

    Starts the GPU if Blender runs without a window, which takes about half a second, once.
    """
    if _answers():
        return None
    start = getattr(gpu, "init", None)
    if start is None:
        return Message(
            "Before Blender 5.2 the GPU can't be used without a window: use the CPU (--device cpu), "
            "Blender's window, or Blender 5.2."
        )
    # Without a driver, gpu.init() does not raise: it crashes Blender.
    if not _survives(start):
        return NO_DRIVER
    try:
        start()
    except (SystemError, RuntimeError) as error:
        return Message("{problem} (Blender says: {error})", problem=NO_DRIVER, error=error)
    return None if _answers() else NO_DRIVER


def describe_gpu() -> str:
    """Return backend and device, such as 'OPENGL, llvmpipe'; the GPU must have been started."""
    return f"{gpu.platform.backend_type_get()}, {gpu.platform.renderer_get()}"


def _answers() -> bool:
    try:
        return gpu.platform.backend_type_get() not in ("NONE", "UNKNOWN")
    except SystemError:
        return False


def _survives(start: Callable[[], None]) -> bool:
    """Try `start` in a copy of this process, which may crash or hang. Outside Linux there is always a
    driver.
    """
    if sys.platform != "linux":
        return True
    with warnings.catch_warnings():
        # The copy has no other threads; it does nothing that needs them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _run_and_exit(start)
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        finished, status = os.waitpid(child, os.WNOHANG)
        if finished:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run_and_exit(start: Callable[[], None]) -> NoReturn:
    """Run `start` silently and end the process, with status 0 on success; none of the parent's cleanup is
    run.
    """
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        # Blender would write a crash report.
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        signal.signal(signal.SIGABRT, signal.SIG_DFL)
        start()
        status = 0
    finally:
        os._exit(status)
