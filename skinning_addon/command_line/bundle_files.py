"""A bundle that `export` wrote, read back. Nothing here needs Blender."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import ConfigError
from .nearest_names import no_such

Arrays = Mapping[str, NDArray[Any]]

NEEDED = {
    "skin.npz": ("positions", "normals", "triangles", "starts", "joints", "weights", "joint_names", "drawn_vertex", "drawn_normals", "drawn_uv"),
    "frames.npz": ("clip", "frames", "mesh_to_root", "mesh_to_world", "skinned_positions", "blender_positions"),
}  # fmt: skip
"""The arrays that comparing reads."""


@dataclass(frozen=True, eq=False)
class Bundle:
    """document: what bundle.json says. folder: where it lies."""

    folder: Path
    document: Mapping[str, Any]

    @property
    def profile(self) -> str:
        return str(self.document["profile"])

    @property
    def metres_per_unit(self) -> float:
        return float(self.document["unit_scale"])

    def find_mesh(self, name: str) -> Mapping[str, Any]:
        """Return what the bundle says about a mesh object; without a name, its only one.

        Raises:
            ConfigError: there is none of that name, or several and none is named.
        """
        meshes = {one["object"]: one for one in self.document["meshes"]}
        if name and name not in meshes:
            raise ConfigError(f"'{self.folder}': {no_such('mesh of the bundle', name, tuple(meshes))}")
        if not name and len(meshes) > 1:
            raise ConfigError(
                f"'{self.folder}' has {len(meshes)} meshes ({', '.join(meshes)}); name one with --mesh."
            )
        return meshes[name] if name else next(iter(meshes.values()))

    def arrays(self, mesh: Mapping[str, Any]) -> Arrays:
        """Return the arrays of a mesh's skin and frames.

        Raises:
            ConfigError: they are not there, or lack what is needed.
        """
        return {
            name: array
            for file, needed in NEEDED.items()
            for name, array in _load(self.folder / mesh["folder"] / file, needed).items()
        }


def read_bundle(folder: str) -> Bundle:
    """Read a bundle's list.

    Raises:
        ConfigError: the folder holds none.
    """
    path = Path(folder) / "bundle.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] != 1:
            raise ConfigError(
                f"The bundle '{folder}' has the version {document['version']!r}; this program reads 1."
            )
        for key in ("profile", "unit_scale", "clips"):
            document[key]
        if not [(one["object"], one["folder"]) for one in document["meshes"]]:
            raise ConfigError(f"The bundle '{folder}' has no mesh; export one.")
    except OSError as error:
        raise ConfigError(
            f"'{folder}' is no bundle ({path.name}: {error.strerror}); name a folder that 'skinscope export' wrote."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"'{path}' is not what 'skinscope export' writes ({type(error).__name__}: {error}); export it anew."
        ) from error
    return Bundle(Path(folder), document)


def _load(path: Path, needed: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = dict(archive)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ConfigError(f"'{path}' can't be read ({error}); export the bundle anew.") from error
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise ConfigError(f"'{path}' lacks '{missing[0]}'; export the bundle anew with this version.")
    return arrays
