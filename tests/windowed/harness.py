"""A desktop Blender in a window on a virtual screen, for tests that look at what a person would see::

with windowed_blender(display, user_resources) as blender:
    blender.run("bpy.ops.mesh.primitive_cube_add()")
    image = blender.screenshot()
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 1280, 800
"""Of the screen, unless a test asks for another, in pixels."""
DRIVER = Path(__file__).with_name("driver.py")
DESCRIPTOR_POOLS = Path(__file__).with_name("descriptor_pools.c")


class BlenderFailedError(AssertionError):
    """Blender died, timed out or raised; the message holds its traceback or console output."""


@contextlib.contextmanager
def virtual_screen(width: int = WIDTH, height: int = HEIGHT) -> Iterator[str]:
    """Run Xvfb on a free display of this size in pixels, and yield its name (`:N`)."""
    if not shutil.which("Xvfb") or not shutil.which("import"):
        raise FileNotFoundError("window tests need Xvfb and ImageMagick: apt-get install -y xvfb imagemagick")
    read_end, write_end = os.pipe()
    screen = f"{width}x{height}x24"
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise BlenderFailedError("Xvfb did not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


class WindowedBlender:
    """A running Blender, created by `windowed_blender`."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        connection: socket.socket,
        console: Path,
        display: str,
        size: tuple[int, int] = (WIDTH, HEIGHT),
    ) -> None:
        self.process = process
        self.console = console
        self.display = display
        self.width, self.height = size
        self.connection = connection
        self.answers = connection.makefile("rb")
        self.screenshots_taken = 0

    def run(self, code: str, timeout: float = 60) -> Any:
        """Execute Python between two iterations of Blender's event loop; return the value of its last
        expression, via JSON.

        The code has `bpy`, can import `skinning_addon` (the installed one), keeps its variables between calls,
        and gets the 3D viewport's context from `with view3d() as area:`. Timeouts and errors raise
        BlenderFailedError.
        """
        self.connection.settimeout(timeout)
        try:
            self.connection.sendall(json.dumps({"code": code}).encode() + b"\n")
            line = self.answers.readline()
        except OSError as error:
            raise BlenderFailedError(self.post_mortem(f"no answer ({error}) to:\n{code}")) from error
        if not line:
            raise BlenderFailedError(self.post_mortem(f"Blender is gone; it was asked:\n{code}"))
        answer = json.loads(line)
        if "error" in answer:
            raise BlenderFailedError(f"{answer['error']}\nin:\n{code}")
        return answer["result"]

    def wait_until(self, expression: str, timeout: float = 60) -> None:
        """Let Blender keep running until a Python expression is true there."""
        end = time.monotonic() + timeout
        while not self.run(f"bool({expression})"):
            if time.monotonic() > end:
                raise BlenderFailedError(f"still not true after {timeout} s: {expression}")
            time.sleep(0.05)

    def screenshot(
        self, *, settled: bool = True, timeout: float = 30, keep: bool = True, name: str = ""
    ) -> NDArray[np.uint8]:
        """What is on the screen: (height, width, 3) uint8, the top row first.

        settled: wait until the picture has stopped changing. Redraws are Blender's own: a picture that should
        have been redrawn and was not shows up as it was. During playback, pass False.
        Where SKINSCOPE_SCREENSHOTS names a folder, each one is written there too, unless `keep` is False, under
        the test's name or `name`.
        """
        # One full iteration of the event loop: what the last `run` tagged for redraw is being drawn.
        self.run("None", timeout)
        picture = self.grab()
        end = time.monotonic() + timeout
        while settled:
            time.sleep(0.2)
            self.run("None", timeout)
            before, picture = picture, self.grab()
            if np.array_equal(before, picture):
                break
            if time.monotonic() > end:
                raise BlenderFailedError(f"the screen still changes after {timeout} s")
        if keep:
            self.keep(picture, name)
        return picture

    def grab(self) -> NDArray[np.uint8]:
        # Captured from outside, from the X screen: Blender's own operator writes black there.
        raw = subprocess.run(
            ["import", "-display", self.display, "-window", "root", "-depth", "8", "rgb:-"],
            check=True,
            capture_output=True,
        ).stdout
        return np.frombuffer(raw, np.uint8).reshape(self.height, self.width, 3)

    def keep(self, picture: NDArray[np.uint8], name: str = "") -> None:
        folder = os.environ.get("SKINSCOPE_SCREENSHOTS")
        if not folder:
            return
        test = os.environ.get("PYTEST_CURRENT_TEST", "screenshot").split("::")[-1].split(" ")[0]
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.screenshots_taken += 1
        # ImageMagick reads brackets after a name as a selection of one of the file's images.
        name = "".join(letter if letter.isalnum() or letter in "_-" else "-" for letter in name or test)
        path = Path(folder, f"{name}-{self.screenshots_taken}.png")
        size = f"{self.width}x{self.height}"
        subprocess.run(
            ["convert", "-size", size, "-depth", "8", "rgb:-", path], input=picture.tobytes(), check=True
        )

    def xdotool(self, *arguments: str) -> None:
        """Send keyboard and mouse input to the screen: xdotool("mousemove", "640", "400", "click", "1")."""
        subprocess.run(["xdotool", *arguments], check=True, env={**os.environ, "DISPLAY": self.display})

    def post_mortem(self, message: str) -> str:
        self.kill()
        console = self.console.read_text(encoding="utf-8", errors="replace")
        return f"{message}\nBlender's console (exit status {self.process.returncode}):\n{console[-8000:]}"

    def kill(self) -> None:
        # The whole group, since Blender may have been started by a script.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def windowed_blender(
    display: str,
    user_resources: Path,
    arguments: Sequence[str] = (),
    start_timeout: float = 120,
    *,
    size: tuple[int, int] = (WIDTH, HEIGHT),
) -> Iterator[WindowedBlender]:
    """Start the Blender that SKINSCOPE_BLENDER names, with the extension enabled and otherwise factory
    settings.

    user_resources: a Blender user folder with the extension installed; Blender gets a copy of it. arguments:
    more command-line arguments, such as a .blend file. size: of the window and the display, in pixels. SKINSCOPE_GPU_BACKEND picks opengl or vulkan.
    """
    with contextlib.ExitStack() as stack:
        # Not pytest's folder: a local socket's path is at most 107 characters long.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skinscope-window-")))
        shutil.copytree(user_resources, folder / "user")
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        address = folder / "driver"
        listener.bind(str(address))
        listener.listen(1)

        backend = os.environ.get("SKINSCOPE_GPU_BACKEND")
        command = [
            os.environ["SKINSCOPE_BLENDER"],
            *(["--gpu-backend", backend] if backend else []),
            *["-noaudio", "--window-geometry", "0", "0", *map(str, size)],
            *arguments,
            *["--python-exit-code", "1", "--python", str(DRIVER)],
        ]
        environment = {
            **os.environ,
            "DISPLAY": display,
            "BLENDER_USER_RESOURCES": str(folder / "user"),
            "SKINSCOPE_DRIVER": str(address),
        }
        environment.pop("WAYLAND_DISPLAY", None)
        # Blenders that bundle their own Mesa abort on another version's cache.
        key = hashlib.sha256(os.environ["SKINSCOPE_BLENDER"].encode()).hexdigest()[:8]
        environment.setdefault(
            "MESA_SHADER_CACHE_DIR", str(Path(tempfile.gettempdir(), f"skinscope-shaders-{key}"))
        )
        if backend == "vulkan":
            environment["LD_PRELOAD"] = str(limited_descriptor_pools(folder))
        console = folder / "console.txt"
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stack.enter_context(console.open("wb")),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        connection = stack.enter_context(connect(listener, process, console, start_timeout))
        blender = WindowedBlender(process, connection, console, display, size)
        stack.enter_context(blender.answers)
        stack.callback(blender.kill)
        # Areas have no size until the window has been drawn once.
        blender.wait_until("bpy.context.window_manager.windows[0].screen.areas[0].width > 1")
        yield blender


def limited_descriptor_pools(folder: Path) -> Path:
    """Build the library that lets software Vulkan survive more than a few hundred redraws; see its source."""
    if not shutil.which("cc"):
        raise FileNotFoundError("window tests on Vulkan need a C compiler: apt-get install -y gcc libc6-dev")
    library = folder / "descriptor_pools.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, DESCRIPTOR_POOLS], check=True)
    return library


def connect(
    listener: socket.socket, process: subprocess.Popen[bytes], console: Path, timeout: float
) -> socket.socket:
    """Wait for the driver to connect."""
    listener.settimeout(1)
    end = time.monotonic() + timeout
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(TimeoutError):
            return listener.accept()[0]
    status = process.poll()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    why = f"did not open a window in {timeout} s" if status is None else f"ended with exit status {status}"
    output = console.read_text(encoding="utf-8", errors="replace")
    raise BlenderFailedError(f"Blender {why}:\n{output[-8000:]}")
