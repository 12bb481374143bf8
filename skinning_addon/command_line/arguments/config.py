"""`skinscope.toml`: a studio's requirements for its files, found beside a file or above it. docs/ci.md
describes the keys.

Read strictly: an unknown key, type or value is rejected, naming the file, the key and what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ...core.text.errors import ConfigError, SkinscopeError
from ...core.text.toml_tables import as_table, read_document, read_keys
from ...core.verdicts.finding import Severity
from ...core.verdicts.rules import RULES
from ...core.verdicts.rules_of_files import TOLERANCE
from ...core.verdicts.verdict import USUAL, Thresholds
from .file_settings import Key, asked_for, text_read
from .nearest_names import no_such
from .options import one_of, read_tolerance

FILE_NAME = "skinscope.toml"

SEVERITIES = ("error", "warning", "info", "off")


@dataclass(frozen=True)
class CheckConfig:
    """A parsed configuration. check: values by setting name; only those it sets.

    thresholds: None if not set. severities: by rule; None switches a rule off.
    """

    check: Mapping[str, Any] = field(default_factory=dict)
    thresholds: Thresholds | None = None
    severities: Mapping[str, Severity | None] = field(default_factory=dict)


def find_config(file: str) -> Path | None:
    """Return the configuration of a file: the nearest one in its folder or above it."""
    start = Path(file).absolute().parent
    return next(
        (folder / FILE_NAME for folder in (start, *start.parents) if (folder / FILE_NAME).is_file()), None
    )


def read_config(path: Path) -> CheckConfig:
    """Read a configuration.

    Raises:
        ConfigError: it can't be read, isn't TOML, or has a key, type or value that is not allowed.
        ProfileError, UsageError: a profile that it names is wrong, or two have the same name.
    """
    tables = _tables(path)
    keys = {name: asked.key for name, asked in asked_for().items() if asked.key is not None}
    readers = {name: _key_reader(key, path.parent) for name, key in keys.items()}
    return CheckConfig(
        check=_checked(path, "check", tables.get("check", {}), readers),
        thresholds=_thresholds(path, tables["thresholds"]) if "thresholds" in tables else None,
        severities=_severities(path, tables.get("severity", {})),
    )


Read = Callable[[object], object]


def _tables(path: Path) -> Mapping[str, Mapping[str, object]]:
    readers = {key: partial(_as_table, path, key) for key in _TABLES}

    def unknown(key: str) -> ConfigError:
        return ConfigError(f"'{path}': {no_such('table of a configuration', key, _TABLES)}")

    return read_keys(read_document(path, ConfigError), readers, unknown)


def _as_table(path: Path, key: str, value: object) -> dict[str, object]:
    return as_table(path, key, value, ConfigError)


_TABLES = ("check", "thresholds", "severity")


def _checked(
    path: Path, table: str, values: Mapping[str, object], readers: Mapping[str, Read]
) -> dict[str, Any]:
    def unknown(key: str) -> ConfigError:
        return ConfigError(f"'{path}': {no_such(f'key of [{table}]', key, tuple(readers))}")

    named = {key: partial(_read, f"'{path}': {table}.{key}", read) for key, read in readers.items()}
    return read_keys(values, named, unknown)


def _read(place: str, read: Read, value: object) -> object:
    try:
        return read(value)
    except SkinscopeError as error:
        raise ConfigError(f"{place}: {error}") from error


def _key_reader(key: Key, folder: Path) -> Read:
    return lambda value: key.read(value, folder)


def _text(read: Callable[[str], object], allowed: str) -> Read:
    return lambda value: text_read(read, allowed, value)


def _thresholds(path: Path, values: Mapping[str, object]) -> Thresholds:
    lengths = _text(_length, 'a length, such as "1mm"')
    chosen = asdict(USUAL) | _checked(path, "thresholds", values, dict.fromkeys(asdict(USUAL), lengths))
    try:
        return Thresholds(**chosen)
    except ValueError as error:
        told = ", ".join(f"{name} {1000 * one:g} mm" for name, one in chosen.items())
        raise ConfigError(
            f"'{path}': the thresholds {told} are not in ascending order; put them in order."
        ) from error


def _length(text: str) -> float:
    tolerance = read_tolerance(text)
    if tolerance.relative:
        raise ConfigError(f"'{text}' is not a length; write one with its unit, such as 1mm.")
    return tolerance.value


def _severities(path: Path, values: Mapping[str, object]) -> Mapping[str, Severity | None]:
    def severity(value: str) -> Severity | None:
        one_of("severity", SEVERITIES)(value)
        return None if value == "off" else Severity(value)

    reader = _text(severity, '"error", "warning", "info" or "off"')
    rules = [rule for rule in RULES if rule != TOLERANCE]
    return _checked(path, "severity", values, dict.fromkeys(rules, reader))
