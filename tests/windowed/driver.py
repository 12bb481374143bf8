"""Runs inside a windowed Blender: executes the Python that the test sends and replies with its result.

One line of JSON each way over a local socket: {"code": ...} in, {"result": ...} or {"error": traceback} out.
The code runs in a timer, between two iterations of Blender's event loop, as a user's script or operator would.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import socket
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from installed_package import EXTENSION, name_installed_package

del sys.path[0]

POLL_SECONDS = 0.02


@contextlib.contextmanager
def view3d() -> Iterator[Any]:
    """Enter the context of the first 3D viewport, which a timer lacks. Yields the area."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    override: Any = bpy.context.temp_override(window=window, area=area, region=region)
    with override:
        yield area


def evaluate(code: str, namespace: dict[str, Any]) -> Any:
    """Execute `code`; return the value of its last expression, or None."""
    tree = ast.parse(code, "<sent by the test>")
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, "<sent by the test>", "exec"), namespace)  # noqa: S102 - it is what this file is for
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<sent by the test>", "eval"), namespace)  # noqa: S307 - see above


def as_json(value: Any) -> Any:
    """Convert what json can't encode: vectors, matrices, arrays and collections become lists, anything else its
    repr.
    """
    try:
        return list(value)
    except TypeError:
        return repr(value)


class Driver:
    def __init__(self, address: str) -> None:
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(address)
        self.connection.setblocking(False)
        self.received = b""
        self.namespace: dict[str, Any] = {"bpy": bpy, "view3d": view3d}

    def poll(self) -> float | None:
        try:
            data = self.connection.recv(1 << 16)
        except BlockingIOError:
            return POLL_SECONDS
        if not data:
            # The test has finished or died.
            bpy.ops.wm.quit_blender()
            return None
        self.received += data
        while b"\n" in self.received:
            line, self.received = self.received.split(b"\n", 1)
            self.answer(json.loads(line)["code"])
        return POLL_SECONDS

    def answer(self, code: str) -> None:
        try:
            answer = json.dumps({"result": evaluate(code, self.namespace)}, default=as_json)
        except Exception:  # noqa: BLE001 - whatever it is, the test is told
            answer = json.dumps({"error": traceback.format_exc()})
        self.connection.setblocking(True)
        self.connection.sendall(answer.encode() + b"\n")
        self.connection.setblocking(False)


# Blender reads this after this script has run.
bpy.context.preferences.view.show_splash = False
assert EXTENSION in bpy.context.preferences.addons, f"{EXTENSION} is not enabled"
name_installed_package()
# Persistent, since a test may open another file.
bpy.app.timers.register(Driver(os.environ["SKINSCOPE_DRIVER"]).poll, persistent=True)
