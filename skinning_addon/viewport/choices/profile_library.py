"""Engine profiles by id, read once: menus and draw callbacks ask for them all the time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ...core.profiles.aspects import aspects_of
from ...core.profiles.catalogue import load_profile, profile_ids
from ...core.profiles.exporter_settings import exported_so
from ...core.profiles.profile import BLENDER, BLENDER_ID, Profile
from ...core.text.errors import ProfileError
from ...scene.user_profiles import profile_folders

_known: dict[str, Profile | ProfileError] = {}
_version = 0


def reload_profiles() -> None:
    """Read all profiles again at the next request: files may have been added or changed."""
    _known.clear()
    _changed()


def profiles_version() -> int:
    """Return a number that changes whenever what `all_profiles` returns does."""
    return _version


def _changed() -> None:
    global _version  # noqa: PLW0603 - goes with the profiles above
    _version += 1


def all_profiles() -> dict[str, Profile | ProfileError]:
    """Return every profile by id, Blender's own first; an error in place of one whose file is wrong."""
    if not _known:
        folders = profile_folders()
        for name in profile_ids(folders):
            try:
                _known[name] = load_profile(name, folders)
            except ProfileError as error:
                _known[name] = error
        _changed()
    return _known


def profile_called(name: str) -> Profile | ProfileError:
    """Return a profile by its id, or the error that explains why there is none."""
    if name == BLENDER_ID or not name:
        return BLENDER
    known = all_profiles().get(name)
    if known is None:
        try:
            # Its file may have been added since all were read.
            known = _known[name] = load_profile(name, profile_folders())
            _changed()
        except ProfileError as error:
            return error
    return known


def profile_exported_so(name: str, settings: Mapping[str, object]) -> Profile | ProfileError:
    """Return a profile by its id, for files that are exported with these settings (`exporter_settings`)."""
    profile = profile_called(name)
    if isinstance(profile, ProfileError) or not settings:
        return profile
    return _exported_so(profile, tuple(settings.items()))


@lru_cache(maxsize=64)
def _exported_so(profile: Profile, settings: tuple[tuple[str, object], ...]) -> Profile:
    return exported_so(profile, dict(settings))


def profile_shown(profile: Profile | ProfileError, alone: str) -> Profile:
    """Return what previews skin with: the profile, or one of its causes alone; Blender's if there is none."""
    if isinstance(profile, ProfileError):
        return BLENDER
    return (
        next((one.alone for one in aspects_of(profile) if one.rule == alone), profile) if alone else profile
    )
