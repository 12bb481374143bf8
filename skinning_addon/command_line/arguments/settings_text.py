"""A file's settings as text, for another machine to read: a configuration, and profiles of the user's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .check_settings import settings_of
from .file_settings import FileSettings
from .parser import parse_arguments

if TYPE_CHECKING:
    from ...core.verdicts.tolerance import Tolerance


@dataclass(frozen=True)
class SettingsText:
    """config: TOML, as in a `skinscope.toml`; what a report is judged by is left out. profiles: contents of the
    user's own, by file name. device: see `--device`.
    """

    config: str
    profiles: Mapping[str, str]
    device: str


def settings_text(one: FileSettings) -> SettingsText:
    """Write everything that measuring a file depends on.

    Raises:
        OSError: a profile of the user's own can't be read any more.
    """
    own = {Path(each.file).name: Path(each.file) for each in one.profiles if each.file is not None}
    check: dict[str, object] = {
        "profiles": [Path(each.file).name if each.file is not None else each.id for each in one.profiles],
        "clips": None if one.clips is None else list(one.clips),
        "clips_from": one.clips_from and str(Path(one.clips_from).absolute()),
        "retarget": one.retarget,
        "frames": one.frames and ":".join(repr(each) for each in one.frames if each is not None),
        "tolerance": one.tolerance and _tolerance(one.tolerance),
        "visibility": one.visibility,
        "cache": None if one.cache is None else str(one.cache),
        "pictures": None if one.pictures is None else str(one.pictures),
    }
    lines = ["[check]", *(f"{key} = {_toml(value)}" for key, value in check.items() if value is not None)]
    if one.export_option:
        lines += ["[check.export_option]", *_table(one.export_option)]
    lines += [
        "[thresholds]",
        *_table({name: f"{value!r}m" for name, value in asdict(one.thresholds).items()}),
    ]
    profiles = {name: path.read_text(encoding="utf-8") for name, path in own.items()}
    return SettingsText("\n".join(lines) + "\n", profiles, one.device)


def read_settings_text(told: SettingsText, file: str, folder: Path) -> FileSettings:
    """Read what `settings_text` wrote, for a file of this machine. folder: a new one, for what was written.

    Raises:
        SkinscopeError: it is something else.
    """
    for name, content in told.profiles.items():
        (folder / Path(name).name).write_text(content, encoding="utf-8")
    config = folder / "skinscope.toml"
    config.write_text(told.config, encoding="utf-8")
    arguments = parse_arguments(["check", f"--config={config}", f"--device={told.device}", "--", file])
    (one,) = settings_of(arguments, lambda _sentence: None)
    return one


def _table(values: Mapping[str, object]) -> list[str]:
    return [f"{_toml(key)} = {_toml(value)}" for key, value in values.items()]


def _tolerance(tolerance: Tolerance) -> str:
    return f"{tolerance.value!r}{'' if tolerance.relative else 'm'}"


def _toml(value: object) -> str:
    """Write a value as TOML, whose texts are JSON's but for one character."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
