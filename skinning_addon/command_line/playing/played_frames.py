"""The output of `play --output`: every played frame, as arrays. docs/animation.md describes them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...measurement.bundles.bundle import Arrays
from ...measurement.pictures.played_meshes import PlayedMesh
from ..program.folder_names import folder_names
from ..program.output_files import Outputs


@dataclass(frozen=True)
class Instant:
    """One played frame. seconds: since the start. clips: by track; weights: theirs, likewise."""

    seconds: float
    clips: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def clip(self) -> str:
        """The clip with the largest weight."""
        return self.clips[int(np.argmax(self.weights))]


@dataclass(frozen=True, eq=False)
class PlayedInstance:
    """Everything one instance played. columns: by mesh, one per instant."""

    instants: list[Instant] = field(default_factory=list)
    columns: defaultdict[str, list[PlayedMesh]] = field(default_factory=lambda: defaultdict(list))


def instance_path(path: Path, instance: int, instances: int) -> Path:
    """Return one instance's file: the requested one, or one beside it if there are several."""
    return path if instances == 1 else path.with_stem(f"{path.stem}-{instance}")


def write_frames(outputs: Outputs, path: Path, played_instance: PlayedInstance) -> list[Path]:
    """Write one file per mesh: the requested one, or several beside it, named after their meshes.

    Raises:
        OutputError: one can't be written.
    """
    columns, instants = played_instance.columns, played_instance.instants
    slugs = folder_names(list(columns))
    paths = [path] if len(columns) == 1 else [path.with_stem(f"{path.stem}-{slug}") for slug in slugs]
    for file, played in zip(paths, columns.values(), strict=True):
        arrays: Arrays = {
            "clip": np.array([one.clip for one in instants], dtype=np.str_),
            "frames": np.arange(len(instants), dtype=np.float64),
            "seconds": np.array([one.seconds for one in instants]),
            "weights": np.array([one.weights for one in instants]),
        }
        for index in range(len(played[0].frame.passes)):
            prefix = f"pass_{index + 1}_" if index else ""
            posed = [one.frame.passes[index] for one in played]
            arrays[f"{prefix}mesh_to_root"] = np.stack([one.mesh_to_root for one in posed])
            arrays[f"{prefix}to_root"] = np.stack([one.pose.to_root for one in posed])
            arrays[f"{prefix}final"] = np.stack([one.final.final for one in posed])
        arrays["skinned_positions"] = np.stack([one.skinned.positions for one in played])
        arrays["skinned_normals"] = np.stack([one.skinned.normals for one in played])
        outputs.arrays(file, arrays)
    return paths
