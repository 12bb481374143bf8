"""Profiles as TOML, read strictly: unknown input is rejected, naming what is accepted.

docs/profiles.md describes the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, cast, get_type_hints

from ..text.errors import ProfileError
from ..text.message import Message
from ..text.quoted import brief, shown
from ..text.toml_tables import as_table, read_document, read_keys
from ..text.value_readers import ALL, FLAG, TEXT, Reader, number, one_of, whole, whole_or_all, word
from .hierarchy import HierarchyRule
from .profile import FROM_TO, ONE_OF, Group, Profile
from .verification import ALLOWED, Verification, read_verification


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    texts = cast("list[object]", value)
    return tuple(str(one) for one in texts) if all(isinstance(one, str) and one for one in texts) else None


_TEXTS = Reader(Message("a list of strings"), _texts)
_SOURCES = Reader(Message("a list of strings that is not empty"), lambda value: _texts(value) or None)

_TOP: Mapping[str, Reader] = {
    "label": TEXT,
    "group": word(Group.ENGINE.value, Group.HISTORIC.value),
    "version": TEXT,
    "sources": _SOURCES,
    "unchecked": _TEXTS,
    "extends": TEXT,
    "verified": Reader(ALLOWED, read_verification),
}

_REQUIRED = ("label", "version", "sources")


def _reader(hint: object, one: Field[Any]) -> Reader:
    """Return the reader for a stage's field, by its type and metadata. hint: the type, or a union of it and
    None.
    """
    if ONE_OF in one.metadata:
        return word(*one.metadata[ONE_OF])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return one_of(hint)
    if hint is bool:
        return FLAG
    smallest, largest = one.metadata[FROM_TO]
    if hint is float:
        return number(smallest, largest)
    return whole(smallest, largest) if hint is int else whole_or_all(smallest, largest)


def _readers(stage: type) -> Mapping[str, Reader]:
    hints = get_type_hints(stage)
    return {one.name: _reader(hints[one.name], one) for one in fields(stage)}


@dataclass(frozen=True)
class _Hierarchy:
    """The one stage that is a single value; in a file it is a table like the others."""

    rule: HierarchyRule = HierarchyRule.MATRICES


STAGES: Mapping[str, type[Any]] = {
    name: _Hierarchy if hint is HierarchyRule else hint
    for name, hint in get_type_hints(Profile).items()
    if hint is HierarchyRule or (isinstance(hint, type) and is_dataclass(hint) and hint is not Verification)
}
"""A profile's stages by name, each a table of its file."""

_TABLES: Mapping[str, Mapping[str, Reader]] = {name: _readers(stage) for name, stage in STAGES.items()}


def read_profile(path: Path, find_base: Callable[[str], Path | None]) -> Profile:
    """Read the profile that a file holds; its id is the file's name without '.toml'.

    find_base: returns another profile's file by id, for `extends`; None if there is none.

    Raises:
        ProfileError: the file can't be read, is not TOML, or has an invalid key, type or value.
    """
    values = _read_values(path, find_base, ())
    missing = [key for key in _REQUIRED if key not in values]
    if missing:
        raise ProfileError(
            "'{path}': the key {key} is missing; it must be {allowed}.",
            path=path,
            key=missing[0],
            allowed=_TOP[missing[0]].allowed,
        )
    tables = {
        name: made_of(**{key: None if value is ALL else value for key, value in values.get(name, {}).items()})
        for name, made_of in STAGES.items()
    }
    axes = tables["axes"]
    if axes.up[-1] == axes.forward[-1]:
        raise ProfileError(
            "'{path}': axes.up and axes.forward are both along {axis}; choose two different axes.",
            path=path,
            axis=axes.up[-1],
        )
    hierarchy = tables.pop("hierarchy")
    return Profile(
        id=path.stem,
        # Translated along with the sentences that name it.
        label=Message(values["label"]),
        group=Group(values.get("group", Group.ENGINE.value)),
        version=values["version"],
        sources=values["sources"],
        unchecked=values.get("unchecked", ()),
        hierarchy=hierarchy.rule,
        verified=values.get("verified", Verification()),
        file=path,
        **tables,
    )


def _read_values(
    path: Path, find_base: Callable[[str], Path | None], extending: tuple[str, ...]
) -> dict[str, Any]:
    values = _checked(path, read_document(path, ProfileError))
    base = values.pop("extends", None)
    if base is None:
        return values
    if base in (path.stem, *extending):
        raise ProfileError(
            "'{path}': extends leads back to '{base}' itself; extend another profile.", path=path, base=base
        )
    base_path = find_base(base)
    if base_path is None:
        raise ProfileError(
            "'{path}': extends is '{base}', which is not a profile; write the id of a profile.",
            path=path,
            base=base,
        )
    merged = _read_values(base_path, find_base, (*extending, path.stem))
    # What was compared was the other profile.
    merged.pop("verified", None)
    for key, value in values.items():
        merged[key] = {**merged.get(key, {}), **value} if key in _TABLES else value
    return merged


def _checked(path: Path, document: Mapping[str, object]) -> dict[str, Any]:
    readers = {key: partial(_value, path, key, reader) for key, reader in _TOP.items()}
    tables = {table: partial(_checked_table, path, table) for table in _TABLES}

    def unknown(key: str) -> ProfileError:
        return ProfileError(
            "'{path}': there is no key '{key}'; the keys are {keys}.",
            path=path,
            key=brief(key),
            keys=", ".join([*_TOP, *(f"[{table}]" for table in _TABLES)]),
        )

    return read_keys(document, {**readers, **tables}, unknown)


def _checked_table(path: Path, table: str, value: object) -> dict[str, Any]:
    readers = {
        name: partial(_value, path, f"{table}.{name}", reader) for name, reader in _TABLES[table].items()
    }

    def unknown(name: str) -> ProfileError:
        return ProfileError(
            "'{path}': [{table}] has no key '{key}'; its keys are {keys}.",
            path=path,
            table=table,
            key=brief(name),
            keys=", ".join(readers),
        )

    return read_keys(as_table(path, table, value, ProfileError), readers, unknown)


def _value(path: Path, key: str, reader: Reader, value: object) -> object:
    read = reader.read(value)
    if read is None:
        raise ProfileError(
            "'{path}': {key} is {value}; it must be {allowed}.",
            path=path,
            key=key,
            value=shown(value),
            allowed=reader.allowed,
        )
    return read
