"""Captures a glTF file skinned by raylib on the CPU, which needs a screen. Called as capture.py says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import raylib
from glb_file import GlbFile, write_capture
from raylib import ffi

RATE = 60
"""Poses per second that the loader samples from an animation."""


def vertices(mesh: ffi.CData) -> np.ndarray:
    """Return a copy of a mesh's (N, 3) vertices: the animated ones, if it has any."""
    data = mesh.animVertices if mesh.animVertices != ffi.NULL else mesh.vertices
    return np.frombuffer(ffi.buffer(data, mesh.vertexCount * 12), np.float32).reshape(-1, 3).copy()


def main(file: Path, times_file: Path, head_file: Path, data_file: Path) -> None:
    gltf = GlbFile(file)
    raylib.SetTraceLogLevel(raylib.LOG_WARNING)
    raylib.SetConfigFlags(raylib.FLAG_WINDOW_HIDDEN)
    raylib.InitWindow(16, 16, b"capture")
    name = str(file).encode()
    model = raylib.LoadModel(name)
    count = ffi.new("int *")
    animations = raylib.LoadModelAnimations(name, count)
    parts = gltf.by_node
    if model.meshCount != len(parts):
        raise ValueError(f"raylib has {model.meshCount} meshes of {len(parts)}.")
    instants = []
    for time in json.loads(times_file.read_text(encoding="utf-8")):
        for number in range(count[0]):
            # After the last pose it would start over.
            pose = min(time * RATE, animations[number].keyframeCount - 1)
            raylib.UpdateModelAnimation(model, animations[number], pose)
        instants.append([vertices(model.meshes[number]) for number in range(model.meshCount)])
    skinned = [number for number, part in enumerate(parts) if gltf.is_skinned(part)]
    write_capture(
        head_file,
        data_file,
        [gltf.head(parts[number]) for number in skinned],
        [np.array([instant[number] for instant in instants]) for number in skinned],
    )
    raylib.CloseWindow()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
