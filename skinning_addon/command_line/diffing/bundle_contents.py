"""What a bundle must contain for a comparison: the keys of its index, and the arrays with their kinds, shapes
and limits.

docs/export-format.md describes them all. Anything `diff` does not read is not checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.text.quoted import shown

VERSIONS = (1, 2)
"""Bundle versions whose arrays `diff` can read."""

LONGEST_NAME = 255
"""Of a folder name, in most file systems."""

DIRECTIONS = ("X", "-X", "Y", "-Y", "Z", "-Z")


@dataclass(frozen=True)
class _Array:
    """kind: of its dtype, as in numpy. shape: letters stand for lengths that all arrays of a mesh share.

    below: the letter of the length that its indices must stay below.
    """

    kind: str
    shape: tuple[str | int, ...]
    below: str = ""


NEEDED: Mapping[str, Mapping[str, _Array]] = {
    "skin.npz": {
        "positions": _Array("f", ("V", 3)),
        "normals": _Array("f", ("V", 3)),
        "triangles": _Array("iu", ("T", 3), below="V"),
        "starts": _Array("iu", ("V + 1",)),
        "joints": _Array("iu", ("N",), below="J"),
        "weights": _Array("f", ("N",)),
        "joint_names": _Array("U", ("J",)),
        "drawn_vertex": _Array("iu", ("D",), below="V"),
        "drawn_normals": _Array("f", ("D", 3)),
        "drawn_uv": _Array("f", ("D", 2)),
    },
    "frames.npz": {
        "clip": _Array("U", ("F",)),
        "frames": _Array("f", ("F",)),
        "mesh_to_root": _Array("f", ("F", 4, 4)),
        "mesh_to_world": _Array("f", ("F", 4, 4)),
        "skinned_positions": _Array("f", ("F", "V", 3)),
        "blender_positions": _Array("f", ("F", "V", 3)),
    },
}
"""The arrays that comparing reads, by file. The first array with a letter defines its length."""


def wrong_with_arrays(
    arrays: Mapping[str, Mapping[str, NDArray[Any]]], joints: int
) -> tuple[str, str] | None:
    """Return the first file with a wrong array, and what is wrong; None if all are right.

    arrays: by file and name, all of `NEEDED`. joints: how many there are, according to the bundle's index.
    """
    lengths = {"J": joints}
    for file, needed in NEEDED.items():
        for name, rule in needed.items():
            if wrong := _wrong_with_array(arrays[file][name], rule, lengths):
                return file, f"'{name}' {wrong}"
    starts, count = arrays["skin.npz"]["starts"], lengths["N"]
    if starts[0] != 0 or starts[-1] != count or (np.diff(starts.astype(np.int64)) < 0).any():
        return "skin.npz", f"'starts' does not ascend from 0 to {count}, the number of weights"
    empty = next((letter for letter in ("V", "F") if not lengths[letter]), None)
    return None if empty is None else ("frames.npz", "'skinned_positions' is empty")


def _wrong_with_array(array: NDArray[Any], rule: _Array, lengths: dict[str, int]) -> str:
    if array.dtype.kind not in rule.kind:
        kinds = {"f": "floating-point numbers", "iu": "integers", "U": "strings"}
        return f"contains {array.dtype} instead of {kinds[rule.kind]}"
    if array.ndim != len(rule.shape):
        return f"has the shape {array.shape}"
    for length, wanted in zip(array.shape, rule.shape, strict=True):
        known = wanted if isinstance(wanted, int) else lengths.setdefault(wanted, length)
        if length != known:
            return f"has the shape {array.shape}, with {length} instead of {known}"
        if wanted == "V":
            lengths.setdefault("V + 1", length + 1)
    if rule.kind == "f" and not np.isfinite(array).all():
        return "contains a number that is not finite"
    limit = lengths[rule.below] if rule.below else 0
    if rule.below and array.size and not (array.min() >= 0 and array.max() < limit):
        return f"contains an index outside 0 to {limit - 1}"
    return ""


def wrong_with_document(document: object) -> str:
    """Say what is wrong with a bundle's index; '' if nothing is."""
    if not isinstance(document, dict):
        return "it is not a JSON object"
    version = document.get("version")
    if type(version) is not int or version not in VERSIONS:
        return f"it has the version {shown(version)}; this program reads {' and '.join(map(str, VERSIONS))}"
    wrong = (
        _wrong_text(document, "profile")
        or (
            "" if _is_length(document.get("unit_scale")) else _not(document, "unit_scale", "a length above 0")
        )
        or ("" if _are_clips(document.get("clips")) else _not(document, "clips", "a list of clips"))
        or ("" if _are_objects(document.get("meshes")) else _not(document, "meshes", "a list of meshes"))
    )
    axes = document.get("engine_axes")
    if not wrong and axes is not None:
        wrong = _wrong_axes(axes)
    return wrong or next(filter(None, map(_wrong_mesh, document["meshes"])), "")


def _wrong_mesh(mesh: Mapping[str, object]) -> str:
    if wrong := _wrong_text(mesh, "object") or _wrong_text(mesh, "armature") or _wrong_text(mesh, "folder"):
        return wrong
    folder = str(mesh["folder"])
    if folder in {".", ".."} or len(folder) > LONGEST_NAME or any(one in folder for one in "/\\\0"):
        return _not(mesh, "folder", "the name of a folder in the bundle")
    joints = mesh.get("joints")
    return "" if type(joints) is int and joints >= 0 else _not(mesh, "joints", "a whole number")


def _wrong_axes(axes: object) -> str:
    if not isinstance(axes, dict):
        return f"engine_axes is {shown(axes)}; it must be a JSON object"
    for key in ("up", "forward"):
        if axes.get(key) not in DIRECTIONS:
            return _not(axes, key, "X, -X, Y, -Y, Z or -Z")
    if axes["up"][-1] == axes["forward"][-1]:
        return f"up and forward are both along {axes['up'][-1]}"
    if axes.get("handedness") not in ("left", "right"):
        return _not(axes, "handedness", "left or right")
    return "" if _is_length(axes.get("unit")) else _not(axes, "unit", "a length above 0")


def _wrong_text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return "" if isinstance(value, str) and value else _not(values, key, "text")


def _not(values: Mapping[str, object], key: str, allowed: str) -> str:
    return f"{key} is {shown(values[key])}; it must be {allowed}" if key in values else f"{key} is missing"


def _is_length(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    # An integer may be larger than any float.
    return 0 < value <= 1e300 and math.isfinite(value)


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _are_clips(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and isinstance(one.get("name"), str) for one in value
    )
