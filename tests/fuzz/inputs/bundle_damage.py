"""Damage to bundles and to engines' positions, each kind with what it does."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator


FLOATS = (
    "positions", "normals", "weights", "drawn_normals", "drawn_uv",
    "frames", "mesh_to_root", "mesh_to_world", "skinned_positions", "blender_positions",
)  # fmt: skip


INDICES = ("triangles", "starts", "joints", "drawn_vertex")


TEXTS = ("joint_names", "clip")


def _put(array: np.ndarray, random: Random, value: object) -> np.ndarray:
    changed = array.copy()
    changed.reshape(-1)[random.integers(changed.size)] = value
    return changed


ARRAY_DAMAGE: dict[str, Callable[[np.ndarray, Random], np.ndarray]] = {
    "texts": lambda a, _: a.astype(str) if a.dtype.kind != "U" else np.zeros(a.shape),
    "complex": lambda a, _: np.zeros(a.shape, complex),
    "flags": lambda a, _: np.zeros(a.shape, bool),
    "objects": lambda a, _: a.astype(object),
    "dates": lambda a, _: np.zeros(a.shape, "datetime64[s]"),
    "records": lambda a, _: np.zeros(a.shape, [("x", "f4"), ("y", "f4")]),
    "bytes": lambda a, _: np.zeros(a.shape, "S4"),
    "one row less": lambda a, _: a[:-1],
    "one row more": lambda a, _: np.concatenate((a, a[-1:])),
    "one axis more": lambda a, _: a[None],
    "flat": lambda a, _: a.reshape(-1, 1) if a.ndim == 1 else a.reshape(-1),
    "empty": lambda a, _: a[:0],
    "a number": lambda a, _: a.reshape(-1)[0],
    "one column less": lambda a, _: a[..., :-1] if a.ndim > 1 else a[:-1],
}


FLOAT_DAMAGE: dict[str, Callable[[np.ndarray, Random], np.ndarray]] = {
    "NaN": lambda a, random: _put(a, random, np.nan),
    "all NaN": lambda a, _: np.full_like(a, np.nan),
    "infinite": lambda a, random: _put(a, random, random.choice([np.inf, -np.inf])),
}


INDEX_DAMAGE: dict[str, Callable[[np.ndarray, Random], np.ndarray]] = {
    "beyond the last": lambda a, random: _put(a, random, 10_000),
    "negative": lambda a, random: _put(a, random, -7),
    "largest": lambda a, random: _put(a, random, 2**31 - 1),
    "fractions": lambda a, _: a + 0.5,
}


NO_TEXT: list[Any] = [None, 5, 1.5, True, [], {}, ["Arm"], [[[]]]]


NO_NUMBER: list[Any] = [
    None,
    "1",
    True,
    [],
    {},
    [1],
    float("nan"),
    float("inf"),
    -float("inf"),
    0,
    -1,
    10**400,
]


NO_LIST: list[Any] = [None, 5, True, "meshes", {}, [5], ["x"], [None], [[]], [{}], []]


DOCUMENT_DAMAGE: dict[tuple[str | int, ...], list[Any]] = {
    ("version",): [None, "1", 3, True, [], {}, float("nan"), 1.5],
    ("profile",): NO_TEXT,
    ("unit_scale",): NO_NUMBER,
    ("clips",): NO_LIST[:-1],
    ("meshes",): NO_LIST,
    ("meshes", 0): [None, 5, "Arm", [], {}],
    ("meshes", 0, "object"): NO_TEXT,
    ("meshes", 0, "armature"): NO_TEXT,
    ("meshes", 0, "folder"): [
        *NO_TEXT,
        "",
        ".",
        "..",
        "../bundle/arm",
        "/etc",
        "a\0b",
        "nowhere",
        "x" * 5000,
    ],
    ("meshes", 0, "joints"): [None, "3", True, [], {}, -1, 1.5, float("nan")],
    ("engine_axes",): [5, "Y", True, [], {}, ["up"]],
    ("engine_axes", "up"): [*NO_TEXT, "", "W", "y", "Z", "-Z", "--Y"],
    ("engine_axes", "forward"): [*NO_TEXT, "", "W", "Y", "-Y"],
    ("engine_axes", "handedness"): [*NO_TEXT, "", "both"],
    ("engine_axes", "unit"): NO_NUMBER,
}


DEEP = 100_000


TEXT_DAMAGE: dict[str, bytes] = {
    "nothing": b"",
    "deep lists": b"[" * DEEP,
    "deep and whole": b"[" * DEEP + b"]" * DEEP,
    "deep tables": b'{"positions":' * DEEP,
    "a number": b"5",
    "null": b"null",
    "a list": b"[]",
    "a byte that is no text": b'{"version": 1, "profile": "\xff"}',
    "binary": bytes(range(256)),
    "UTF-16": '{"version": 1}'.encode("utf-16"),
    "digits": b'{"version": ' + b"9" * 5000 + b"}",
    "half": b'{"version": 1, "meshes": [',
}


ARCHIVE_DAMAGE = (
    "an .npy",
    "no archive",
    "empty archive",
    "no arrays in it",
    "giant",
    "giant in its header",
    "bomb",
)


def archive(kind: str) -> bytes:
    """Make something that isn't an archive of arrays, or an unreasonable one."""
    if kind == "no archive":
        return b"PK\x03\x04 and nothing more"
    stream = io.BytesIO()
    if kind == "an .npy":
        np.save(stream, np.zeros((3, 3)))
        return stream.getvalue()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if kind == "bomb" else zipfile.ZIP_STORED) as out:
        if kind == "no arrays in it":
            out.writestr("positions.npy", b"these are no numbers")
            out.writestr("readme.txt", b"nor is this")
        elif kind.startswith("giant"):
            shape = (2**60, 2**60, 3) if kind == "giant" else (10**11, 4, 3)
            header = io.BytesIO()
            np.lib.format.write_array_header_1_0(
                header, {"descr": "<f8", "fortran_order": False, "shape": shape}
            )
            out.writestr("positions.npy", header.getvalue() + b"\0" * 96)
        elif kind == "bomb":
            header = io.BytesIO()
            shape = (1, 2**31, 3)
            np.lib.format.write_array_header_1_0(
                header, {"descr": "<f4", "fortran_order": False, "shape": shape}
            )
            with out.open("positions.npy", "w", force_zip64=True) as member:
                member.write(header.getvalue())
                member.write(b"\0" * 2**24)
    return stream.getvalue()
