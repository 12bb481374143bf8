"""The value of --profile: found and read before Blender does any work."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.text.errors import UsageError
from ...core.text.quoted import brief
from .nearest_names import no_such

if TYPE_CHECKING:
    from ...core.profiles.profile import Profile


_EXAMPLES = {"gltf": ("glTF", "threejs"), "fbx": ("FBX", "unity-4")}
"""The name of an exporter by format, and a profile that goes through it."""


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


def read_export_setting(text: str) -> tuple[str, object]:
    """Read NAME=VALUE, a setting of one of Blender's exporters.

    Raises:
        UsageError: there is no value, or no such setting; the message suggests the nearest.
        ProfileError: its value is not allowed.
    """
    from ...core.profiles.exporter_settings import SETTINGS, checked

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(
            "'{text}' sets nothing; write NAME=VALUE, such as export_def_bones=true.", text=brief(text)
        )
    if name not in SETTINGS:
        raise UsageError(no_such("setting of an exporter", name, tuple(SETTINGS)))
    return name, checked({name: _value_of(value)})[name]


def _value_of(text: str) -> object:
    """Return a value of an option as TOML would: a flag, a number, or else text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def with_export_settings(profiles: Sequence[Profile], settings: Mapping[str, object]) -> tuple[Profile, ...]:
    """Return the profiles for files that are exported with these settings.

    Raises:
        UsageError: a setting belongs to an exporter that none of the profiles goes through.
    """
    from ...core.profiles.exporter_settings import SETTINGS, exported_so

    formats = {one.exporter.format for one in profiles}
    for name in settings:
        if (wanted := SETTINGS[name].format) not in formats:
            raise UsageError(
                "{name} is a setting of Blender's {format} exporter, and no chosen profile goes through it; "
                "choose one, such as --profile {example}.",
                name=name,
                format=_EXAMPLES[wanted.value][0],
                example=_EXAMPLES[wanted.value][1],
            )
    return tuple(exported_so(one, settings) for one in profiles)


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
