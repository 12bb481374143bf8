"""Records what the accuracy tests measured, for docs/accuracy.md.

If SKINSCOPE_ACCURACY names a file, every figure is appended to it as one line of JSON, with what it was
measured on.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import bpy
import numpy as np


def log_accuracy(test: str, case: str, device: str, relative: float, cause: str = "") -> None:
    """Log the relative deviation of one case and, if it isn't exact, the cause."""
    print(f"{test}: {case}, {device}: {relative:.2g} {cause}")
    path = os.environ.get("SKINSCOPE_ACCURACY")
    if path:
        entry = {
            "test": test,
            "case": case,
            "device": device,
            "relative": relative,
            "cause": cause,
            "on": _on(device),
        }
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _on(device: str) -> str:
    if device == "cpu":
        return f"Blender {bpy.app.version_string}, numpy {np.__version__}"
    import gpu

    backend, renderer = gpu.platform.backend_type_get(), gpu.platform.renderer_get()
    return f"Blender {bpy.app.version_string}, {backend}, {renderer}"
