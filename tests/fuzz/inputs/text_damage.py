"""Malformed texts, and JSON documents with one wrong value."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

DEEP = 100_000

TOML_DAMAGE: dict[str, bytes] = {
    "deep lists": b"[check]\nclips = " + b"[" * DEEP,
    "deep and whole": b"[check]\nclips = " + b"[" * DEEP + b"]" * DEEP,
    "deep tables": b"[check]\nclips = " + b"{a = " * DEEP,
    "deep keys": b"[check]\n" + b"a." * 1500 + b"b = 1",
    "deep header": b"[check." + b"a." * 1500 + b"b]\n",
    "digits": b"[check]\nclips = " + b"9" * 5000,
    "hexadecimal digits": b"[check]\nclips = 0x" + b"f" * 20000,
    "date": b"[check]\nclips = 1979-05-27T07:32:00Z",
    "no text": b'[check]\nclips = "\xff\xfe"',
    "UTF-16": "[check]\nclips = 'all'\n".encode("utf-16"),
    "binary": bytes(range(256)),
    "null": b"[check]\0\n",
    "half": b'[check]\nclips = ["Walk"',
    "twice": b'[check]\nclips = "all"\nclips = "all"\n',
    "a list of tables": b"[[check]]\n",
    "no table": b"check = 5\n",
    "unknown table": b"[chekc]\n",
    "unknown key": b'[check]\nclipz = "all"\n',
    "escapes in a key": b'[check]\n"\\u001b[31mred\\u000a::error::x" = 1\n',
    "escapes in a value": b'[check]\nclips = "\\u001b[31mred\\u000a::error::x,"\n',
    "long key": b"[check]\n" + b"k" * 100_000 + b" = 1\n",
    "long value": b'[check]\nvisibility = "' + b"v" * 100_000 + b'"\n',
    "JSON": b'{"check": {}}',
}
"""None of these is a valid configuration or profile."""

JSON_DAMAGE: dict[str, bytes] = {
    "nothing": b"",
    "deep lists": b"[" * DEEP,
    "deep and whole": b"[" * DEEP + b"]" * DEEP,
    "deep tables": b'{"findings":' * DEEP,
    "a number": b"5",
    "null": b"null",
    "a list": b"[]",
    "text": b'"findings"',
    "no text": b'{"version": 1, "findings": "\xff"}',
    "UTF-16": '{"version": 1, "findings": []}'.encode("utf-16"),
    "binary": bytes(range(256)),
    "digits": b'{"version": ' + b"9" * 5000 + b', "findings": []}',
    "half": b'{"version": 1, "findings": [',
    "twice the document": b'{"version": 1, "findings": []}' * 2,
}

OTHER_TYPES: dict[type, list[Any]] = {
    str: [None, 5, True, [], {}],
    float: ["x", True, [], {}],
    int: ["x", True, [], {}, 1e400],
    bool: [None, "x", 5, [], {}],
    list: [None, 5, "x", {}, [[]], [None], [5]],
    dict: [None, 5, "x", []],
    type(None): [[], {}, True],
}


def with_one_wrong_value(document: Any, random: np.random.Generator) -> tuple[Any, str]:
    """Return a copy in which one value has another type or is missing, and which one."""
    changed = copy.deepcopy(document)
    places = list(_places(changed))
    inside, key, path = places[random.integers(len(places))]
    if isinstance(inside, dict) and random.random() < 0.2:
        del inside[key]
        return changed, f"{path} is gone"
    values = [one for one in OTHER_TYPES[type(inside[key])] if one != inside[key]]
    inside[key] = values[random.integers(len(values))]
    return changed, f"{path} is {inside[key]!r}"


def _places(inside: Any, path: str = "") -> Any:
    items = (
        inside.items() if isinstance(inside, dict) else enumerate(inside) if isinstance(inside, list) else ()
    )
    for key, value in list(items):
        here = f"{path}.{key}" if isinstance(key, str) else f"{path}[]"
        yield inside, key, here.removeprefix(".")
        yield from _places(value, here)
