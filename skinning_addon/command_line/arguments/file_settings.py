"""The settings one file is checked with, each with its option of `check` and its key in a configuration.
Needs no numpy.

A setting is a field of `FileSettings`. Only the code it is for has to know about it: `--help`, the
configuration's reader, the checking processes, the result cache and docs/ci.md all iterate over the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...core.text.errors import ConfigError
from ...core.text.quoted import shown
from .options import VISIBILITIES, one_of, read_angle, read_clips, read_frame_range, read_tolerance
from .profiles import once_each, read_export_setting, read_profile

if TYPE_CHECKING:
    from ...core.profiles.profile import Profile
    from ...core.verdicts.finding import Severity
    from ...core.verdicts.suppression import Suppression
    from ...core.verdicts.tolerance import Tolerance
    from ...core.verdicts.verdict import Thresholds
    from .options import FrameRange

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Key:
    """A key of [check] in a configuration. allowed: the values it takes, in words.

    read: takes its value, and the folder that relative paths start from; raises `SkinscopeError` for values
    that are not allowed.
    """

    allowed: str
    read: Callable[[object, Path], object]


@dataclass(frozen=True)
class Asked:
    """Where a user can set a setting. option: what argparse's `add_argument` takes besides the name; None if
    `shared_arguments` adds it, or there is none. key: None if configurations have none. measured: whether
    what is measured depends on it.
    """

    option: Mapping[str, Any] | None
    key: Key | None
    measured: bool


def asked_for() -> dict[str, Asked]:
    """Return the settings that users can set, by name, in order."""
    return {one.name: one.metadata["asked"] for one in fields(FileSettings) if one.metadata}


def _asked(
    *, option: Mapping[str, Any] | None = None, key: Key | None = None, measured: bool = True
) -> Mapping[str, Asked]:
    return {"asked": Asked(option, key, measured)}


def text_read(read: Callable[[str], _Value], allowed: str, value: object) -> _Value:
    """Read a configuration's string the way an option is read.

    Raises:
        ConfigError: it is not a string.
        SkinscopeError: see `read`.
    """
    if not isinstance(value, str):
        raise ConfigError(f"{shown(value)} is not text; write {allowed}.")
    return read(value)


def _text(read: Callable[[str], object], allowed: str) -> Key:
    return Key(allowed, lambda value, _folder: text_read(read, allowed, value))


def _path(allowed: str) -> Key:
    def read(value: object, folder: Path) -> Path:
        text = text_read(str, allowed, value)
        if not text or "\0" in text:
            raise ConfigError(f"{shown(text)} is not a path; write the path of a file or folder.")
        return folder / text

    return Key(allowed, read)


def _read_flag(value: object, _folder: Path) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{shown(value)} is neither true nor false; write one of the two.")
    return value


def _read_profiles(value: object, folder: Path) -> tuple[Profile, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise ConfigError(f"{shown(value)} is not a list of profiles; write a list such as {_SOME_PROFILES}.")
    # A custom profile's path is relative to the configuration, wherever the program is started.
    return once_each([read_profile(str(folder / one) if one.endswith(".toml") else one) for one in value])


def _read_clips(value: object, _folder: Path) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(one, str) for one in names):
        raise ConfigError(f"{shown(value)} is not a list of clips; write {_CLIPS}.")
    return tuple(name for one in names for name in read_clips(one))


def _read_patterns(value: object, _folder: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ConfigError(f'{shown(value)} is not a list of patterns; write one such as ["backup"].')
    return tuple(value)


def _read_export_settings(value: object, _folder: Path) -> Mapping[str, object]:
    from ...core.profiles.exporter_settings import checked

    if not isinstance(value, dict):
        raise ConfigError(f"{shown(value)} is not a table; write {_EXPORT_SETTINGS}.")
    return checked(value)


_EXPORT_SETTINGS = "a table such as { export_def_bones = true }"
_SOME_PROFILES = '["threejs", "unity-4"]'
_CLIPS = '"all" or a list of names'
_FLAG = Key("true or false", _read_flag)


@dataclass(frozen=True)
class FileSettings:
    """Everything besides the file itself that its report depends on, and where the report is kept and judged.

    severities: by rule; None switches a rule off. clips_from: another file whose clips are played. retarget:
    whether those are retargeted, by rest rotation. strict: whether findings that make a result less
    meaningful are errors; `severities` already reflects it. suppressions: of its configuration.
    """

    file: str
    thresholds: Thresholds
    severities: Mapping[str, Severity | None]
    suppressions: tuple[Suppression, ...] = ()
    profiles: tuple[Profile, ...] = field(
        default=(),
        metadata=_asked(key=Key(f"a list of ids or files, such as {_SOME_PROFILES}", _read_profiles)),
    )
    export_option: Mapping[str, object] = field(
        default_factory=dict,
        metadata=_asked(
            option={
                "metavar": "NAME=VALUE",
                "type": read_export_setting,
                "action": "append",
                "help": "how you export, if not with Blender's defaults: a setting of its glTF or FBX "
                "exporter, such as export_def_bones=true (docs/profiles.md lists them); may be given several "
                "times",
            },
            key=Key(_EXPORT_SETTINGS, _read_export_settings),
        ),
    )
    clips: tuple[str, ...] | None = field(default=None, metadata=_asked(key=Key(_CLIPS, _read_clips)))
    clips_from: str | None = field(
        default=None, metadata=_asked(key=_path('the path of a file, such as "walk.glb"'))
    )
    retarget: bool = field(default=False, metadata=_asked(key=_FLAG))
    frames: FrameRange | None = field(
        default=None,
        metadata=_asked(key=_text(read_frame_range, 'FIRST:LAST or FIRST:LAST:STEP, such as "1:40"')),
    )
    tolerance: Tolerance | None = field(
        default=None,
        metadata=_asked(
            option={
                "metavar": "X",
                "type": read_tolerance,
                "help": "largest deviation that passes: a length (0.5mm, 2cm) or a share of size and "
                "movement (1e-5, 0.1%%) (default: 1e-5; under a profile other than Blender's, 1 mm "
                "for a character 1.8 m tall)",
            },
            key=_text(read_tolerance, 'a length or a share, such as "1mm" or "0.1%"'),
        ),
    )
    normals: float | None = field(
        default=None,
        metadata=_asked(
            option={
                "metavar": "ANGLE",
                "type": read_angle,
                "help": "largest angle between normals and Blender's that passes under an engine's profile, "
                "for 99%% of them, such as 5deg (default: normals are reported and make nothing fail)",
            },
            key=_text(read_angle, 'an angle, such as "5deg"'),
            measured=False,
        ),
    )
    visibility: str = field(
        default=VISIBILITIES[0],
        metadata=_asked(
            option={
                "metavar": "viewport|render",
                "type": one_of("visibility", VISIBILITIES),
                "help": (
                    f"whose visibility settings of modifiers and objects apply (default: {VISIBILITIES[0]})"
                ),
            },
            key=_text(one_of("visibility", VISIBILITIES), '"viewport" or "render"'),
        ),
    )
    device: str = field(default="auto", metadata=_asked())
    strict: bool = field(
        default=False,
        metadata=_asked(
            option={
                "action": "store_true",
                "help": "also fail if little was checked: nothing moves, clips were not played, a library "
                "is missing, drivers were not run, or the importer complained",
            },
            key=_FLAG,
            measured=False,
        ),
    )
    baseline: Path | None = field(
        default=None,
        metadata=_asked(
            option={"metavar": "JSON", "help": "file of known problems, which don't fail the check"},
            key=_path('the path of a file, such as "skinscope-baseline.json"'),
            measured=False,
        ),
    )
    cache: Path | None = field(
        default=None,
        metadata=_asked(
            option={
                "metavar": "DIR",
                "help": (
                    "folder to cache results in, and to reuse them from for files that have not changed"
                ),
            },
            key=_path('the path of a folder, such as ".skinscope-cache"'),
            measured=False,
        ),
    )
    pictures: Path | None = field(
        default=None,
        metadata=_asked(
            option={
                "metavar": "DIR",
                "help": "folder for a picture of each character at its worst frame, for the HTML page; needs a "
                "GPU and Blender 5.2",
            },
            key=_path('the path of a folder, such as "pictures"'),
            measured=False,
        ),
    )
    fix: Path | None = field(
        default=None,
        metadata=_asked(
            option={
                "metavar": "DIR",
                "help": "folder for copies in which all is mended that shows nowhere in Blender: weights that "
                "don't add up to one, vertex groups without a bone, scale that is not applied",
            },
            measured=False,
        ),
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=_asked(
            option={
                "metavar": "PATTERN",
                "action": "append",
                "help": "what to leave out of folders and patterns: the name of a file or folder ('backup', "
                "'*_old.blend'), or with a slash the way to it from the folder; may be given several times",
            },
            key=Key('a list of patterns, such as ["backup", "*_old.blend"]', _read_patterns),
            measured=False,
        ),
    )

    @property
    def fixed_copy(self) -> Path | None:
        """Where a copy with fixes is written; None for none."""
        return None if self.fix is None else self.fix / f"{Path(self.file).stem}.blend"

    def measured_with(self) -> str:
        """Return everything that changes what is measured as one string, for comparing."""
        told = {name: getattr(self, name) for name, asked in asked_for().items() if asked.measured}
        profiles = [replace(one, file=None) for one in self.profiles]
        return repr((told | {"profiles": profiles}, self.thresholds))

    def named(self, names: Container[str]) -> dict[str, Any]:
        """Return the settings with these names, by name."""
        return {name: getattr(self, name) for name in asked_for() if name in names}
