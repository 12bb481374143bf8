"""Reads back what export wrote, and skins it by the definition."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

Arrays = dict[str, np.ndarray]


def read_bundle(folder: Path) -> tuple[dict, dict[str, tuple[Arrays, Arrays]]]:
    bundle = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    meshes = {mesh["object"]: tuple(read_folder(folder, mesh)) for mesh in bundle["meshes"]}
    return bundle, meshes


def read_folder(
    folder: Path, entry: dict, names: tuple[str, ...] = ("skin.npz", "frames.npz")
) -> list[Arrays]:
    """Load the arrays that a list entry names; empty if the file doesn't exist."""
    files = [folder / entry["folder"] / name for name in names]
    return [dict(np.load(file)) if file.exists() else {} for file in files]


def read_skeletons(folder: Path) -> list[tuple[dict, Arrays, Arrays]]:
    entries = read_bundle(folder)[0]["skeletons"]
    return [(one, *read_folder(folder, one, ("skeleton.npz", "frames.npz"))) for one in entries]


def read_parts(folder: Path) -> dict[str, tuple[dict, Arrays, Arrays]]:
    entries = read_bundle(folder)[0]["parts"]
    return {one["object"]: (one, *read_folder(folder, one, ("part.npz", "frames.npz"))) for one in entries}


def recomputed(skin: Arrays, frames: Arrays, frame: int, start: np.ndarray, prefix: str = "") -> np.ndarray:
    """Skin by the definition, one vertex at a time, from everything except the palette."""
    mesh_to_root = frames[f"{prefix}mesh_to_root"][frame]
    result = np.empty((len(start), 3))
    amount = skin.get(f"{prefix}amount")
    starts = skin[f"{prefix}starts"]
    for vertex, position in enumerate(start):
        total = np.zeros(4)
        for entry in range(starts[vertex], starts[vertex + 1]):
            joint = skin[f"{prefix}joints"][entry]
            offset = mesh_to_root @ np.linalg.inv(skin[f"{prefix}rest_to_root"][joint])
            to_root = frames[f"{prefix}to_root"][frame, joint]
            moved = np.append(position, 1) @ offset @ to_root @ np.linalg.inv(mesh_to_root)
            total += skin[f"{prefix}weights"][entry] * moved
        result[vertex] = total[:3] if amount is None else position + amount[vertex] * (total[:3] - position)
    return result
