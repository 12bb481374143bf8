"""A bundle written by hand, following docs/export-format.md, and an engine's positions for it: both known in
closed form.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]

VERTICES, FRAMES = 12, 3
FOLDER = "arm"
CLIP = "Walk"


@dataclass
class Written:
    """The future content of the files. Damage changes it, or the files afterwards."""

    document: Any
    skin: Arrays
    frames: Arrays
    engine: Arrays = field(default_factory=dict)

    def write(self, folder: Path, positions: str) -> tuple[Path, Path]:
        """Write the bundle and the engine's positions, named `positions`; return both paths."""
        bundle = folder / "bundle"
        (bundle / FOLDER).mkdir(parents=True)
        (bundle / "bundle.json").write_text(json.dumps(self.document), encoding="utf-8")
        np.savez(bundle / FOLDER / "skin.npz", **self.skin)
        np.savez(bundle / FOLDER / "frames.npz", **self.frames)
        path = folder / positions
        if path.suffix == ".json":
            path.write_text(
                json.dumps({name: one.tolist() for name, one in self.engine.items()}), encoding="utf-8"
            )
        else:
            np.savez(path, **self.engine)
        return bundle, path


def whole_bundle(random: np.random.Generator) -> Written:
    """Make a bundle of one mesh with two joints, and an engine that agrees with it to the last bit, in its own
    axes and order.
    """
    positions = random.normal(size=(VERTICES, 3)).astype(np.float32)
    turns = [_turn(angle) for angle in (0.0, 0.4, 0.9)]
    share = random.random(VERTICES)
    skinned = np.array(
        [
            share[:, None] * positions + (1 - share[:, None]) * (positions @ turn[:3, :3] + turn[3, :3])
            for turn in turns
        ],
        dtype=np.float32,
    )
    identity = np.tile(np.eye(4), (FRAMES, 1, 1))
    skin: Arrays = {
        "positions": positions,
        "normals": _unit(positions),
        "triangles": np.arange(VERTICES, dtype=np.int32).reshape(-1, 3),
        "starts": np.arange(0, 2 * VERTICES + 1, 2, dtype=np.int32),
        "joints": np.tile(np.array([1, 2], dtype=np.int32), VERTICES),
        "weights": np.stack((share, 1 - share), axis=1).astype(np.float32).ravel(),
        "joint_names": np.array(["", "upper", "lower"]),
        "parents": np.array([-1, -1, 1], dtype=np.int32),
        "rest_to_root": np.tile(np.eye(4), (3, 1, 1)),
        "offset": np.tile(np.eye(4), (3, 1, 1)),
        "drawn_vertex": np.arange(VERTICES, dtype=np.int32),
        "drawn_normals": _unit(positions),
        "drawn_uv": random.random((VERTICES, 2)).astype(np.float32),
        "drawn_triangles": np.arange(VERTICES, dtype=np.int32).reshape(-1, 3),
    }
    frames: Arrays = {
        "clip": np.array([CLIP] * FRAMES),
        "frames": np.array([1.0, 2.0, 3.5]),
        "mesh_to_root": identity,
        "mesh_to_world": identity,
        "skinned_positions": skinned,
        "blender_positions": skinned,
    }
    document = {
        "version": 2,
        "file": "arm.blend",
        "profile": "threejs",
        "unit_scale": 1.0,
        "axes": {"up": "Z", "forward": "-Y", "handedness": "right"},
        "engine_axes": {"up": "Y", "forward": "Z", "handedness": "right", "unit": 1.0},
        "clips": [{"name": CLIP, "frames": [1.0, 2.0, 3.5]}],
        "meshes": [
            {
                "object": "Arm",
                "armature": "Rig",
                "folder": FOLDER,
                "vertices": VERTICES,
                "joints": 3,
                "exact": True,
                "reasons": [],
            }
        ],
        "left_out": [],
    }
    engine: Arrays = {
        "positions": skinned.astype(np.float64),
        "clip": np.array([CLIP] * FRAMES),
        "frames": np.array([1.0, 2.0, 3.5]),
        "mesh": np.array("Arm"),
    }
    return Written(document, skin, frames, engine)


def _turn(angle: float) -> np.ndarray:
    turn = np.eye(4)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn[:3, :3] = [[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]]
    turn[3, :3] = (0.2 * angle, 0.1, -0.3 * angle)
    return turn


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
