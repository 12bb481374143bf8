"""Whom `skinscope crowd` lets walk about: the characters and variants that its options and a file name."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import bpy

from ...animation.crowd.kinds import MOST_KINDS, MOST_SHARE, ROLE_NAMES
from ...core.text.errors import CrowdError, UsageError
from ...core.text.quoted import shown
from ...core.text.toml_tables import read_document, read_keys
from ...scene.crowd.character import Character, character_of_file
from ...scene.crowd.variants import Variant
from ..program.streams import complain

Row = dict[str, Any]
"""Keyword arguments of a `Variant`, but for its character, whose armature's name is under "character"."""


def variants_of_file(arguments: argparse.Namespace, file: str) -> list[Variant]:
    """Read the characters of the open file, each once, and leave them at rest.

    Raises:
        UsageError: options contradict each other. SkinscopeError: see `character_of_file`, `Variant` and
            `read_variants`.
    """
    rows = _rows(arguments)
    names = list(dict.fromkeys(one.get("character") for one in rows))
    chosen = {role: clip for role in ROLE_NAMES if (clip := getattr(arguments, role)) is not None}
    if len(names) > 1 and chosen:
        raise UsageError(
            "--idle, --walk and --run choose clips of one character; leave them out, and name the clips of "
            "several so that they are found: idle, walk and run."
        )
    characters: dict[str | None, Character] = {}
    # First the one that isn't named: others may name it.
    for name in sorted(names, key=lambda one: one is not None):
        if name in characters:
            continue
        found = characters[name] = character_of_file(bpy.context.scene, file, chosen, name)
        characters[found.name] = found
        for note in found.notes:
            complain(note)
    return [Variant(characters[one.pop("character", None)], **one) for one in rows]


def _rows(arguments: argparse.Namespace) -> list[Row]:
    if arguments.variants is None:
        return [{"character": one} for one in dict.fromkeys(arguments.character or (None,))]
    if arguments.character:
        raise UsageError("--variants names its characters itself; leave out --character.")
    return read_variants(Path(arguments.variants))


def read_variants(path: Path) -> list[Row]:
    """Read a file of variants: tables [[variant]] with the keys of READERS.

    Raises:
        CrowdError: it can't be read, or says something that makes no sense.
    """
    document = read_document(path, CrowdError)
    tables = document.pop("variant", None)
    rows = cast("list[object]", tables) if isinstance(tables, list) else []
    if document or not all(isinstance(one, dict) for one in rows) or not 0 < len(rows) <= MOST_KINDS:
        raise CrowdError(
            "'{path}' has no variants of a crowd; write 1 to {most} tables [[variant]], and nothing else.",
            path=path.name,
            most=MOST_KINDS,
        )
    return [_row(path, number, cast("Mapping[str, object]", one)) for number, one in enumerate(rows, start=1)]


def _row(path: Path, number: int, table: Mapping[str, object]) -> Row:
    def unknown(key: str) -> CrowdError:
        return CrowdError(
            "'{path}', variant {number}: there is no key {key}; choose from {known}.",
            path=path.name,
            number=number,
            key=key,
            known=", ".join(READERS),
        )

    def checked(key: str) -> Callable[[object], object]:
        def read(value: object) -> object:
            found = READERS[key][1](value)
            if found is None:
                raise CrowdError(
                    "'{path}', variant {number}: {key} is {value}; write {allowed}.",
                    path=path.name,
                    number=number,
                    key=key,
                    value=shown(value),
                    allowed=READERS[key][0],
                )
            return found

        return read

    return read_keys(table, {key: checked(key) for key in READERS}, unknown)


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _share(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_SHARE else None


def _numbers(count: int, least: float, most: float) -> Callable[[object], tuple[float, ...] | None]:
    def read(value: object) -> tuple[float, ...] | None:
        numbers = cast("list[object]", value) if isinstance(value, list) else []
        valid = [float(one) for one in numbers if isinstance(one, int | float) and not isinstance(one, bool)]
        fits = len(valid) == len(numbers) == count and all(least <= one <= most for one in valid)
        return tuple(valid) if fits else None

    return read


def _names(value: object) -> frozenset[str] | None:
    names = cast("list[object]", value) if isinstance(value, list) else [None]
    return frozenset(map(str, names)) if all(map(_name, names)) else None


READERS: Mapping[str, tuple[str, Callable[[object], object]]] = {
    "character": ("an armature's name", _name),
    "share": (f"a whole number from 0 to {MOST_SHARE}", _share),
    "scale": ("two factors from 0.1 to 10, such as [0.9, 1.1]", _numbers(2, 0.1, 10)),
    "tint": ("three numbers from 0 to 1, such as [1.0, 0.8, 0.7]", _numbers(3, 0, 1)),
    "without": ('names of meshes, such as ["Hat"]', _names),
}
"""By key: what is allowed, and what reads it, None for anything else."""
