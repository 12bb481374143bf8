"""Captures a glTF file imported by Blender; called as tests/engines/capture.py says."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np

from tests.engines.glb_file import GlbFile, Part, write_capture

RATE = 24


def posed(one: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Return (V, 3) world positions of a mesh at this frame, Y up, and (V,) their numbers in the file."""
    evaluated = one.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    positions, numbers = (
        np.empty(3 * len(mesh.vertices), np.float32),
        np.empty(len(mesh.vertices), np.float32),
    )
    mesh.vertices.foreach_get("co", positions)
    mesh.attributes["_SOURCE"].data.foreach_get("value", numbers)
    matrix = np.array(evaluated.matrix_world)
    world = positions.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    evaluated.to_mesh_clear()
    return np.stack((world[:, 0], world[:, 2], -world[:, 1]), axis=1), numbers.astype(int)


def parts_of(gltf: GlbFile, numbers: np.ndarray) -> Iterator[tuple[Part, np.ndarray]]:
    """Yield the primitives of a mesh in the scene, with the location of their vertices in it."""
    seen = set()
    for part in gltf.by_node:
        sources = gltf.sources(part)
        if (
            gltf.is_skinned(part)
            and (part.mesh, part.primitive) not in seen
            and np.isin(sources, numbers).all()
        ):
            seen.add((part.mesh, part.primitive))
            yield part, np.array([np.flatnonzero(numbers == one)[0] for one in sources])


def main(file: Path, times_file: Path, head_file: Path, data_file: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = RATE
    bpy.ops.import_scene.gltf(filepath=str(file))
    skinned = [
        one
        for one in scene.objects
        if one.type == "MESH" and any(modifier.type == "ARMATURE" for modifier in one.modifiers)
    ]
    instants: list[list[tuple[np.ndarray, np.ndarray]]] = []
    for time in json.loads(times_file.read_text(encoding="utf-8")):
        frame = time * RATE
        scene.frame_set(int(frame), subframe=frame % 1)
        instants.append([posed(one) for one in skinned])
    gltf = GlbFile(file)
    head, positions = [], []
    for index in range(len(skinned)):
        whole = np.array([instant[index][0] for instant in instants])
        for part, places in parts_of(gltf, instants[0][index][1]):
            head.append(gltf.head(part))
            positions.append(whole[:, places])
    write_capture(head_file, data_file, head, positions)


if __name__ == "__main__":
    main(*map(Path, sys.argv[-4:]))
