"""Scripts as TOML, read strictly and written back. docs/animation.md describes the keys."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from ..core.text.errors import ScriptError, SkinscopeError
from ..core.text.message import Continuation, Message
from ..core.text.quoted import brief
from ..core.text.toml_tables import read_document, read_keys
from .events import EventKind
from .ramps import Transition
from .script import (
    KEYED,
    LONGEST_SCRIPT,
    MOST_INSTANCES,
    MOST_TRACKS,
    Script,
    ScriptKey,
    ScriptTrack,
    check_script,
    key_name,
    track_name,
)

KINDS = {kind.value.replace(" ", "-"): kind for kind in KEYED}
TRANSITIONS = {"linear": Transition.LINEAR, "ease-in-ease-out": Transition.EASE}
PRIORITIES = {"low": False, "high": True}


@dataclass(frozen=True)
class _Reader:
    """allowed: the allowed values, worded to follow 'it must be'. read: returns None for anything else."""

    allowed: Message
    read: Callable[[object], Any]


def _finite(value: object) -> float | None:
    # Not isinstance: True is an int as well. Numbers that are not finite are rejected later, where their
    # bounds are known.
    if type(value) is not int and type(value) is not float:
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _whole(least: int, most: int) -> _Reader:
    allowed = Message("a whole number from {smallest} to {largest}", smallest=least, largest=most)
    return _Reader(allowed, lambda value: value if type(value) is int and least <= value <= most else None)


def _one_of(words: Mapping[str, object]) -> _Reader:
    *others, last = (f'"{word}"' for word in words)
    allowed = Message("{words} or {last}", words=", ".join(others), last=last)
    return _Reader(allowed, lambda value: words.get(value) if isinstance(value, str) else None)


def _seconds(value: object) -> float | None:
    number = _finite(value)
    return number if number is not None and 0 < number <= LONGEST_SCRIPT else None


def _share(value: object) -> float | None:
    number = _finite(value)
    return number if number is not None and 0 <= number <= 1 else None


def _mask(value: object) -> dict[str, float] | None:
    if not isinstance(value, dict):
        return None
    amounts = {bone: _finite(one) for bone, one in cast("dict[str, object]", value).items()}
    return None if None in amounts.values() else cast("dict[str, float]", amounts)


def _names(value: object) -> tuple[str, ...] | None:
    names = cast("list[object]", value) if isinstance(value, list) else [None]
    return cast("tuple[str, ...]", tuple(names)) if all(isinstance(one, str) for one in names) else None


_NUMBER = _Reader(Message("a number"), _finite)
_FLAG = _Reader(Message("true or false"), lambda value: value if isinstance(value, bool) else None)
_CLIP = _Reader(Message("a clip's name"), lambda value: value if isinstance(value, str) and value else None)
_TRACK = _whole(0, MOST_TRACKS - 1)
_INSTANCE = _whole(0, MOST_INSTANCES - 1)

_SCRIPT: Mapping[str, _Reader] = {
    "instances": _whole(1, MOST_INSTANCES),
    "seconds": _Reader(Message("a number above 0, up to {largest:g}", largest=LONGEST_SCRIPT), _seconds),
    "priority_blend": _Reader(Message("a number from 0 to 1"), _share),
    "once": _Reader(Message("a list of clips"), _names),
}

_OF_TRACK: Mapping[str, _Reader] = {
    "number": _TRACK,
    "clip": _CLIP,
    "enabled": _FLAG,
    "speed": _NUMBER,
    "weight": _NUMBER,
    "position": _NUMBER,
    "priority": _one_of({word: word for word in PRIORITIES}),
    "mask": _Reader(Message("bones with numbers from 0 to 1, such as "
                            "{example}", example="{ Spine = 1.0 }"), _mask),
    "instance": _INSTANCE,
}  # fmt: skip

_OF_KEY: Mapping[str, _Reader] = {
    "time": _NUMBER,
    "what": _one_of(KINDS),
    "track": _TRACK,
    "value": _NUMBER,
    "duration": _NUMBER,
    "transition": _one_of(TRANSITIONS),
    "instance": _INSTANCE,
}

_VALUES: Mapping[EventKind, _Reader] = {
    EventKind.ENABLE: _FLAG,
    EventKind.PRIORITY: _Reader(_one_of(PRIORITIES).allowed, lambda value: PRIORITIES.get(str(value))),
}
"""The type of a key's value if it is not a number."""


def read_script(path: Path) -> Script:
    """Read a script.

    Raises:
        ScriptError: it can't be read, is not TOML, has an invalid key, type or value, or asks for something
        no controller can do; the sentence names the file and the entry in it.
    """
    document = read_document(path, ScriptError)
    try:
        script = _script(document)
        check_script(script)
    except ScriptError as error:
        raise in_file(path, error) from error
    return script


def in_file(path: Path, error: SkinscopeError) -> ScriptError:
    """Return a script's error as a sentence that also names its file."""
    return ScriptError("'{path}': {reason}", path=brief(str(path)), reason=Continuation(error.args[0]))


def script_text(script: Script) -> str:
    """Return a script as TOML, which `read_script` reads as the same script."""
    general = _plain_script(script)
    texts = ["\n".join(_lines(general))] if general else []
    texts += ["\n".join(("[[track]]", *_lines(_plain_track(one)))) for one in script.tracks]
    texts += ["\n".join(("[[key]]", *_lines(_plain_key(one)))) for one in script.keys]
    return "\n\n".join(texts) + "\n"


def _script(document: Mapping[str, object]) -> Script:
    tables = {"track": _OF_TRACK, "key": _OF_KEY}
    top = {key: value for key, value in document.items() if key not in tables}
    values = _checked(None, top, _SCRIPT, (*_SCRIPT, *(f"[[{table}]]" for table in tables)))
    tracks = [_track(number, values) for number, values in enumerate(_tables(document, "track"), start=1)]
    keys = [_key(key_name(number), values) for number, values in enumerate(_tables(document, "key"), start=1)]
    return Script(tuple(tracks), tuple(keys), **values)


def _tables(document: Mapping[str, object], table: str) -> list[dict[str, object]]:
    tables: object = document.get(table, [])
    entries = cast("list[object]", tables) if isinstance(tables, list) else [None]
    if not all(isinstance(one, dict) for one in entries):
        raise ScriptError(
            "{key} is {value}; it must be a list of tables, each with the header {head}.",
            key=table,
            value=_as_toml(document[table]),
            head=f"[[{table}]]",
        )
    return cast("list[dict[str, object]]", entries)


def _track(position: int, table: Mapping[str, object]) -> ScriptTrack:
    number = _TRACK.read(table.get("number"))
    where = Message("[[track]] {number}", number=position) if number is None else track_name(number)
    values = _checked(where, table, _OF_TRACK, tuple(_OF_TRACK), needed=("number", "clip"))
    high = PRIORITIES[values.pop("priority", "low")]
    return ScriptTrack(**values, high=high)


def _key(where: Message, table: Mapping[str, object]) -> ScriptKey:
    kind = _OF_KEY["what"].read(table.get("what"))
    of_blend = kind is EventKind.PRIORITY_BLEND
    if of_blend and "track" in table:
        raise ScriptError("{key}: the priority blend belongs to no single track; remove track.", key=where)
    readers = {**_OF_KEY, "value": _VALUES.get(kind, _NUMBER)}
    needed = ("what", "time", "value") if of_blend else ("what", "time", "track", "value")
    values = _checked(where, table, readers, tuple(readers), needed=needed)
    values["value"] = float(values["value"])
    return ScriptKey(kind=values.pop("what"), **values)


def _checked(
    where: Message | None,
    values: Mapping[str, object],
    readers: Mapping[str, _Reader],
    known: tuple[str, ...],
    needed: tuple[str, ...] = (),
) -> dict[str, Any]:
    def unknown(key: str) -> ScriptError:
        problem = Message(
            "there is no setting '{setting}'; the settings are {settings}.",
            setting=brief(key),
            settings=", ".join(known),
        )
        return _refused(where, problem)

    result = read_keys(
        values, {key: partial(_value, where, key, reader) for key, reader in readers.items()}, unknown
    )
    for key in needed:
        if key not in result:
            problem = Message(
                "the setting '{setting}' is missing; it must be {allowed}.",
                setting=key,
                allowed=readers[key].allowed,
            )
            raise _refused(where, problem)
    return result


def _value(where: Message | None, key: str, reader: _Reader, value: object) -> object:
    read = reader.read(value)
    if read is None:
        problem = Message(
            "{key} is {value}; it must be {allowed}.",
            key=key,
            value=_as_toml(value),
            allowed=reader.allowed,
        )
        raise _refused(where, problem)
    return read


def _refused(where: Message | None, problem: Message) -> ScriptError:
    if where is None:
        return ScriptError(problem)
    return ScriptError("{where}: {reason}", where=where, reason=Continuation(problem))


def _plain_script(script: Script) -> dict[str, object]:
    usual = Script(())
    plain: dict[str, object] = {
        "instances": script.instances,
        "seconds": script.seconds,
        "priority_blend": script.priority_blend,
    }
    said = {name: value for name, value in plain.items() if value != getattr(usual, name)}
    return said | ({"once": list(script.once)} if script.once else {})


def _plain_track(track: ScriptTrack) -> dict[str, object]:
    usual = ScriptTrack(track.number, track.clip)
    plain: dict[str, object] = {"number": track.number, "clip": track.clip}
    for name in ("enabled", "speed", "weight", "position", "mask", "instance"):
        if getattr(track, name) != getattr(usual, name):
            plain[name] = getattr(track, name)
    return plain | ({"priority": "high"} if track.high else {})


def _plain_key(key: ScriptKey) -> dict[str, object]:
    word = next(word for word, kind in KINDS.items() if kind is key.kind)
    plain: dict[str, object] = {"time": key.time, "what": word}
    if key.kind is not EventKind.PRIORITY_BLEND:
        plain["track"] = key.track
    plain["value"] = key.value
    if key.kind is EventKind.ENABLE:
        plain["value"] = bool(key.value)
    elif key.kind is EventKind.PRIORITY:
        plain["value"] = "high" if key.value else "low"
    if key.duration:
        plain["duration"] = key.duration
    if key.transition is Transition.EASE:
        plain["transition"] = next(word for word, one in TRANSITIONS.items() if one is key.transition)
    return plain | ({} if key.instance is None else {"instance": key.instance})


def _as_toml(value: object) -> str:
    """Return a value as a sentence shows it."""
    try:
        return brief(_written(value))
    except ValueError:
        # An integer with thousands of digits.
        return "a number too large to show"
    except RecursionError:
        return "a list too deep to show"


def _lines(plain: Mapping[str, object]) -> Iterator[str]:
    for key, value in plain.items():
        yield f"{key} = {_written(value)}"


def _written(value: object) -> str:
    if isinstance(value, dict):
        entries = cast("dict[str, object]", value).items()
        return "{ " + ", ".join(f"{_name(key)} = {_written(one)}" for key, one in entries) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_written(one) for one in cast("list[object]", value)) + "]"
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    # JSON's strings, numbers and booleans are valid TOML, except for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _name(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _written(key)
