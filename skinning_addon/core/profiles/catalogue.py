"""The available profiles and their files: the shipped ones, and the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..text.errors import ProfileError
from .profile import BLENDER, BLENDER_ID, Profile
from .profile_file import read_profile

SHIPPED = Path(__file__).parent / "data"


def profile_files(folders: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the file of every profile by id: shipped ones first, then those in `folders`, which may replace
    them.
    """
    files: dict[str, Path] = {}
    for folder in (SHIPPED, *folders):
        for path in sorted(folder.glob("*.toml")):
            files[path.stem] = path
    # Blender comes first: all others are compared with it.
    files.pop(BLENDER_ID, None)
    return files


def profile_ids(folders: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return the ids of all profiles, Blender's own first."""
    return BLENDER_ID, *profile_files(folders)


def load_profile(name: str, folders: Sequence[Path] = ()) -> Profile:
    """Load a profile by its id, or from a file whose path ends in '.toml'.

    Raises:
        ProfileError: there is no profile of this id, or its file is invalid.
    """
    if name == BLENDER_ID:
        return BLENDER
    files = profile_files(folders)
    path = Path(name).absolute() if name.endswith(".toml") else files.get(name)
    if path is None:
        raise ProfileError(
            "'{name}' is not a profile; choose one of {profiles}.",
            name=name,
            profiles=", ".join((BLENDER_ID, *files)),
        )
    return read_profile(path, files.get)
