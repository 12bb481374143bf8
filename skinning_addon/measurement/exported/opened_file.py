"""The readers of exported files, chosen by extension."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...core.text.documents import DocumentError, read_bytes
from ...core.text.errors import SourceFileError
from .exported_file import ExportedFile
from .gltf_file import GltfExport
from .imported_file import ImportedFile

GLTF = (".glb", ".gltf", ".vrm")
FBX = ".fbx"
IMPORTED = (FBX, ".usd", ".usda", ".usdc", ".usdz")


ANIMATION_STACK = re.compile(rb"([^\x00-\x1f]+)\x00\x01AnimStack")
"""Finds the names of animations in a binary FBX file."""


@dataclass(frozen=True)
class Opener:
    """open: reads the file, which may close the scene. animations: returns the names of its animations, as
    far as they can be known before that. meshes: returns the names of its skinned meshes, or None if these are
    not known before that.

    keys_from_first: whether a clip's keys are a whole number of frames from its first one, wherever that is;
    between keys, programs interpolate as they like.
    """

    open: Callable[[], ExportedFile]
    animations: Callable[[], tuple[str, ...]]
    keys_from_first: bool = False
    meshes: Callable[[], tuple[str, ...] | None] = lambda: None


def opener_of(path: str) -> Opener:
    """Choose the reader for a file by its extension.

    Raises:
        SourceFileError: there is none, or it can't be read.
    """
    extension = Path(path).suffix.lower()
    if extension in GLTF:
        # Opening it needs no scene, so errors in it are reported before anything is played.
        file = GltfExport(path)
        return Opener(
            lambda: file,
            lambda: tuple(one.name for one in file.clips),
            meshes=lambda: tuple(one.name for one in file.meshes),
        )
    if extension in IMPORTED:
        is_fbx = extension == FBX
        return Opener(lambda: ImportedFile(path), lambda: _names_in_fbx(path), keys_from_first=is_fbx)
    raise SourceFileError(
        "'{path}' is not an exported file that can be read back; use {extensions}.",
        path=path,
        extensions=", ".join((*GLTF, *IMPORTED)),
    )


def _names_in_fbx(path: str) -> tuple[str, ...]:
    """Return the names of a binary FBX file's animations; none for other files."""
    try:
        content = read_bytes(Path(path))
    except DocumentError as error:
        raise SourceFileError(
            "'{path}' can't be read ({reason}); check the path.", path=path, reason=error
        ) from error
    found = ANIMATION_STACK.findall(content)
    return tuple(dict.fromkeys(one.decode("utf-8", "replace") for one in found))
