"""`skinscope.toml`: a studio's requirements for its files, found beside a file or above it. docs/ci.md
describes the keys.

Read strictly: an unknown key, type or value is rejected, naming the file, the key and what is allowed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from ...core.text.errors import ConfigError, SkinscopeError
from ...core.text.quoted import shown
from ...core.text.toml_tables import as_table, read_document, read_keys
from ...core.verdicts.finding import Severity
from ...core.verdicts.rules import RULES
from ...core.verdicts.rules_of_files import TOLERANCE
from ...core.verdicts.suppression import Suppression, read_day
from ...core.verdicts.verdict import USUAL, Thresholds
from .file_list import matches
from .file_settings import asked_for, text_read
from .nearest_names import no_such
from .options import one_of, read_tolerance
from .same_file import is_same_file

FILE_NAME = "skinscope.toml"

SEVERITIES = ("error", "warning", "info", "off")

EXCLUDE = "exclude"
"""The key of [check] whose patterns begin at the configuration that has them."""


@dataclass(frozen=True)
class Files:
    """Some of the files below a folder. patterns: see `file_list.matches`; none for all files."""

    folder: Path
    patterns: tuple[str, ...] = ()

    def has(self, file: str | Path) -> bool:
        """Whether a file is one of them."""
        if not self.patterns:
            return True
        # Not the file itself: what it is called counts, not what it links to.
        place = Path(os.path.realpath(Path(file).parent), Path(file).name)
        folder = os.path.realpath(self.folder)
        return place.is_relative_to(folder) and matches(place.relative_to(folder), self.patterns)


@dataclass(frozen=True)
class CheckConfig:
    """A parsed configuration, with those that it extends.

    check: values by setting name; only those it sets. lengths: of [thresholds], in metres; only those it sets.
    severities: by rule; None switches a rule off. suppressions: each with the files that it is about.
    overrides: what holds for some files only; a later one wins. excluded: what `exclude` of [check] stands for.
    """

    check: Mapping[str, Any] = field(default_factory=dict)
    lengths: Mapping[str, float] = field(default_factory=dict)
    severities: Mapping[str, Severity | None] = field(default_factory=dict)
    suppressions: tuple[tuple[Files, Suppression], ...] = ()
    overrides: tuple[tuple[Files, CheckConfig], ...] = ()
    excluded: Files | None = None

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds; the usual ones where it sets none.

        Raises:
            ValueError: they are not in ascending order.
        """
        return Thresholds(**{**asdict(USUAL), **self.lengths})

    def over(self, base: CheckConfig) -> Self:
        """Return this configuration, with another's values for what it doesn't set."""
        return type(self)(
            check={**base.check, **self.check},
            lengths={**base.lengths, **self.lengths},
            severities={**base.severities, **self.severities},
            suppressions=self.suppressions + base.suppressions,
            overrides=base.overrides + self.overrides,
            excluded=self.excluded or base.excluded,
        )

    def of_file(self, file: str | Path) -> CheckConfig:
        """Return what holds for a file: with the overrides that are about it."""
        found = self
        for files, override in self.overrides:
            if files.has(file):
                found = override.over(found)
        return found


def find_config(file: str) -> Path | None:
    """Return the configuration of a file: the nearest one in its folder or above it."""
    start = Path(file).absolute().parent
    return next(
        (folder / FILE_NAME for folder in (start, *start.parents) if (folder / FILE_NAME).is_file()), None
    )


def read_config(path: Path, extending: Sequence[Path] = ()) -> CheckConfig:
    """Read a configuration and those that it extends.

    extending: the configurations that extend it, the first one first.

    Raises:
        ConfigError: one can't be read, isn't TOML, has a key, type or value that is not allowed, or extends
            itself.
        ProfileError, UsageError: a profile that it names is wrong, or two have the same name.
    """
    readers: Mapping[str, Read] = {
        "extends": partial(_base, path, extending),
        **{key: partial(_as_table, path, key) for key in _TABLES},
        "override": partial(_as_tables, path, "override"),
        "suppress": partial(_as_tables, path, "suppress"),
    }

    def unknown(key: str) -> ConfigError:
        return ConfigError(f"'{path}': {no_such('table of a configuration', key, tuple(readers))}")

    document = read_keys(read_document(path, ConfigError), readers, unknown)
    own = _part(path, "", document)
    overrides = tuple(
        _override(path, number, table) for number, table in enumerate(document.get("override", ()), 1)
    )
    suppressions = tuple(
        _suppression(path, number, table) for number, table in enumerate(document.get("suppress", ()), 1)
    )
    own = CheckConfig(own.check, own.lengths, own.severities, suppressions, overrides, own.excluded)
    config = own.over(document.get("extends", CheckConfig()))
    _refuse_disorder(path, config)
    for _, override in config.overrides:
        _refuse_disorder(path, override.over(config))
    return config


Read = Callable[[object], object]

_TABLES = ("check", "thresholds", "severity")


def _base(path: Path, extending: Sequence[Path], value: object) -> CheckConfig:
    """Read the configuration that this one extends."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise ConfigError(
            f"'{path}': extends is {shown(value)}; it must be the path of another configuration, such as "
            f'"../{FILE_NAME}".'
        )
    base = (path.parent / value).absolute()
    chain = [*extending, path]
    # Not `Path.resolve`, which raises if the name is too long; opening it then says so.
    if any(is_same_file(base, one) for one in chain):
        raise ConfigError(
            f"'{path}' extends '{value}', which extends it in turn; let one of them stand alone."
        )
    return read_config(base, chain)


def _part(path: Path, place: str, tables: Mapping[str, Any]) -> CheckConfig:
    """Read [check], [thresholds] and [severity], those of an override too. place: what precedes their names."""
    readers = {
        name: (lambda value, read=asked.key.read: read(value, path.parent))
        for name, asked in asked_for().items()
        if asked.key is not None
    }
    check = _checked(path, f"{place}check", tables.get("check", {}), readers)
    return CheckConfig(
        check=check,
        lengths=_checked(
            path, f"{place}thresholds", tables.get("thresholds", {}), dict.fromkeys(asdict(USUAL), _LENGTH)
        ),
        severities=_severities(path, f"{place}severity", tables.get("severity", {})),
        excluded=Files(path.parent, check[EXCLUDE]) if EXCLUDE in check else None,
    )


def _override(path: Path, number: int, table: Mapping[str, object]) -> tuple[Files, CheckConfig]:
    place = f"override {number}"
    readers: Mapping[str, Read] = {
        "files": partial(_patterns, path, f"{place}: files"),
        **{key: partial(_as_table, path, f"{place}: {key}") for key in _TABLES},
    }

    def unknown(key: str) -> ConfigError:
        return ConfigError(f"'{path}': {place}: {no_such('key of [[override]]', key, tuple(readers))}")

    read = read_keys(table, readers, unknown)
    if "files" not in read:
        raise ConfigError(f"'{path}': {place} has no files; write {_PATTERNS}, or use the tables themselves.")
    part = _part(path, f"{place}: ", read)
    if EXCLUDE in part.check:
        raise ConfigError(f"'{path}': {place} sets exclude, which holds for all files; write it in [check].")
    return Files(path.parent, read["files"]), part


def _suppression(path: Path, number: int, table: Mapping[str, object]) -> tuple[Files, Suppression]:
    place = f"'{path}': suppress {number}"
    readers: Mapping[str, Read] = {
        "rule": _text(one_of("rule", tuple(RULES)), 'a rule, such as "influence-limit"'),
        "reason": _text(_reason, "why it is accepted"),
        "until": read_day,
        "object": _text(str, "the name of an object, or a pattern"),
        "profile": _text(str, 'the id of a profile, such as "threejs"'),
        "up_to": _LENGTH,
    }
    named = {key: partial(_read, f"{place}: {key}", read) for key, read in readers.items()}
    named["files"] = partial(_patterns, path, f"suppress {number}: files")

    def unknown(key: str) -> ConfigError:
        return ConfigError(f"{place}: {no_such('key of [[suppress]]', key, tuple(named))}")

    read = read_keys(table, named, unknown)
    for key in ("rule", "reason"):
        if key not in read:
            raise ConfigError(f"{place} has no {key}; a suppression needs a rule and a reason.")
    files = Files(path.parent, read.pop("files", ()))
    return files, Suppression(**read)


def _reason(text: str) -> str:
    if not text.strip():
        raise ConfigError("there is no reason; write why it is accepted.")
    return text.strip()


_PATTERNS = 'a list of patterns, such as ["crowd/*"]'


def _patterns(path: Path, place: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
        raise ConfigError(f"'{path}': {place} is {shown(value)}; it must be {_PATTERNS}.")
    return tuple(value)


def _as_table(path: Path, key: str, value: object) -> dict[str, object]:
    return as_table(path, key, value, ConfigError)


def _as_tables(path: Path, key: str, value: object) -> list[dict[str, object]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ConfigError(f"'{path}': {key} is {shown(value)}; it must be a list of tables, [[{key}]].")
    return value


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


def _text(read: Callable[[str], object], allowed: str) -> Read:
    return lambda value: text_read(read, allowed, value)


def _refuse_disorder(path: Path, config: CheckConfig) -> None:
    try:
        config.thresholds  # noqa: B018 - it raises
    except ValueError as error:
        chosen = {**asdict(USUAL), **config.lengths}
        told = ", ".join(f"{name} {1000 * one:g} mm" for name, one in chosen.items())
        raise ConfigError(
            f"'{path}': the thresholds {told} are not in ascending order; put them in order."
        ) from error


def _length(text: str) -> float:
    tolerance = read_tolerance(text)
    if tolerance.relative:
        raise ConfigError(f"'{text}' is not a length; write one with its unit, such as 1mm.")
    return tolerance.value


_LENGTH = _text(_length, 'a length, such as "1mm"')


def _severities(path: Path, table: str, values: Mapping[str, object]) -> Mapping[str, Severity | None]:
    def severity(value: str) -> Severity | None:
        one_of("severity", SEVERITIES)(value)
        return None if value == "off" else Severity(value)

    reader = _text(severity, '"error", "warning", "info" or "off"')
    rules = [rule for rule in RULES if rule != TOLERANCE]
    return _checked(path, table, values, dict.fromkeys(rules, reader))
