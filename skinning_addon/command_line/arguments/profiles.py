"""The value of --profile: found and read before Blender does any work."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.text.errors import UsageError
from .nearest_names import no_such

if TYPE_CHECKING:
    from ...core.profiles.profile import Profile


def read_profile(text: str) -> Profile:
    """Load a profile by its id, or from a file whose name ends in '.toml'.

    Raises:
        UsageError: there is no such id; the message suggests the nearest.
        ProfileError: its file is wrong.
    """
    from ...core.profiles.catalogue import load_profile, profile_ids

    folders = _folders()
    names = profile_ids(folders)
    if text not in names and not text.endswith(".toml"):
        raise UsageError(no_such("profile", text, names))
    return load_profile(text, folders)


def once_each(profiles: Sequence[Profile]) -> tuple[Profile, ...]:
    """Return the profiles in order, without repeats.

    Raises:
        UsageError: two files have the same name, and so the same id.
    """
    by_id: dict[str, Profile] = {}
    for one in profiles:
        if by_id.setdefault(one.id, one).file != one.file:
            raise UsageError(
                "Two profiles are called '{name}': '{one}' and '{other}'; rename one of the files.",
                name=one.id,
                one=by_id[one.id].file,
                other=one.file,
            )
    return tuple(by_id.values())


def _folders() -> tuple[Path, ...]:
    # Only an installed Skinscope has a user folder, and there Blender is loaded already.
    if not __name__.startswith("bl_ext.") or "bpy" not in sys.modules:
        return ()
    from ...scene.user_profiles import profile_folders

    return profile_folders()
