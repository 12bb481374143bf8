"""Damage to a glTF document that leaves it parseable: what buggy exporters write, and what none does."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.files.gltf import FLOAT, Document, Rig, document_of, random_rig

Random = np.random.Generator

ODD_NAMES = (
    "", " ", "Ärm ✓", "a/b", "x" * 80, "x" * 3000, "\x1b[31mred", "a\n::error::b", "{0}", "{name}", "%s", "con", "手",
    ".", "..", "Bone.001", "\u202eabc", "\ud800", "a\0b",
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, "", "x", -1, 0, 1, 7, 2**31 - 1, 2**31, 2**32, 2**53, 10**30, 1.5, float("nan"), float("inf"), 1e300,
    [], {}, [[]], [0, 0, 0], [None], ["x"], {"a": 1},
)  # fmt: skip


def _accessor_of(document: Document, name: str) -> dict[str, Any]:
    return document.json["accessors"][document.json["meshes"][0]["primitives"][0]["attributes"][name]]


def _values(document: Document, accessor: dict[str, Any]) -> np.ndarray:
    """Return an accessor's floats as a writable view."""
    view = document.json["bufferViews"][accessor["bufferView"]]
    count = view["byteLength"] // 4
    return np.frombuffer(document.buffer, dtype="<f4", count=count, offset=view["byteOffset"])


def _put(document: Document, accessor: dict[str, Any], random: Random, value: float) -> None:
    if accessor["componentType"] != FLOAT:
        return
    values = _values(document, accessor)
    values[random.integers(len(values), size=random.integers(1, 4))] = value


def _any_float(random: Random) -> float:
    return float(random.choice([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40, 0.0, -1.0, 1e20]))


def _weights(document: Document, random: Random) -> None:
    _put(document, _accessor_of(document, "WEIGHTS_0"), random, _any_float(random))


def _positions(document: Document, random: Random) -> None:
    _put(document, _accessor_of(document, "POSITION"), random, _any_float(random))


def _bind(document: Document, random: Random) -> None:
    skin = document.json["skins"][0]
    _put(document, document.json["accessors"][skin["inverseBindMatrices"]], random, _any_float(random))


def _no_bind(document: Document, _: Random) -> None:
    del document.json["skins"][0]["inverseBindMatrices"]


def _singular_bind(document: Document, _: Random) -> None:
    skin = document.json["skins"][0]
    _values(document, document.json["accessors"][skin["inverseBindMatrices"]])[:] = 0


def _keys(document: Document, random: Random) -> None:
    sampler = _pick(document.json["animations"][0]["samplers"], random)
    _put(document, document.json["accessors"][sampler["output"]], random, _any_float(random))


def _times(document: Document, random: Random) -> None:
    clock = document.json["accessors"][document.json["animations"][0]["samplers"][0]["input"]]
    values = _values(document, clock)
    way = random.integers(4)
    if way == 0:
        values[:] = values[::-1].copy()
    elif way == 1:
        values[:] = 0
    else:
        values[random.integers(len(values))] = random.choice([np.nan, np.inf, -5.0, 1e6, 1e30])


def _fewer_keys(document: Document, random: Random) -> None:
    sampler = _pick(document.json["animations"][0]["samplers"], random)
    document.json["accessors"][sampler["output"]]["count"] = int(random.choice([0, 1, 7]))


def _interpolation(document: Document, random: Random) -> None:
    _pick(document.json["animations"][0]["samplers"], random)["interpolation"] = str(
        random.choice(["STEP", "CUBICSPLINE", "linear", "", "SPLINE"])
    )


def _target(document: Document, random: Random) -> None:
    channel = _pick(document.json["animations"][0]["channels"], random)
    if random.random() < 0.5:
        channel["target"]["path"] = str(
            random.choice(["scale", "weights", "rotation", "translation", "", "matrix"])
        )
    else:
        channel["target"]["node"] = int(random.choice([-1, 0, 99, 2**31]))


def _loop(document: Document, random: Random) -> None:
    nodes = document.json["nodes"]
    last = int(random.integers(1, len(nodes)))
    nodes[last].setdefault("children", []).append(int(random.integers(len(nodes))))


def _joint(document: Document, random: Random) -> None:
    joints = document.json["skins"][0]["joints"]
    joints[random.integers(len(joints))] = int(random.choice([-1, 0, 1, len(joints) + 1, 99, 2**31]))


def _fewer_joints(document: Document, random: Random) -> None:
    skin = document.json["skins"][0]
    skin["joints"] = skin["joints"][: random.integers(len(skin["joints"]))]


def _wrong_type(document: Document, random: Random) -> None:
    accessor = _pick(document.json["accessors"], random)
    if random.random() < 0.5:
        accessor["componentType"] = int(random.choice([5120, 5121, 5122, 5123, 5125, 5126, 0, 5130]))
    else:
        accessor["type"] = str(
            random.choice(["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", "", "VEC9"])
        )


def _count(document: Document, random: Random) -> None:
    accessor = _pick(document.json["accessors"], random)
    # Not so many that reading them becomes a matter of memory; `view` covers that.
    accessor["count"] = int(random.choice([0, 1, 2, accessor["count"] + 1, 1000, -1]))


def _huge_count(document: Document, random: Random) -> None:
    _pick(document.json["accessors"], random)["count"] = int(random.choice([2**31 - 1, 2**32, 2**53, 10**15]))


def _view(document: Document, random: Random) -> None:
    view = _pick(document.json["bufferViews"], random)
    view[str(random.choice(["byteOffset", "byteLength", "byteStride", "buffer"]))] = int(
        random.choice([-1, 0, 1, 3, 4, 16, 2**31, len(document.buffer), 10**15])
    )


def _buffer(document: Document, random: Random) -> None:
    way = random.integers(3)
    if way == 0:
        del document.buffer[random.integers(len(document.buffer)) :]
    elif way == 1:
        document.json["buffers"] = [{"byteLength": int(random.choice([0, 1, 10**15, -1]))}]
    else:
        document.json["buffers"] = []


def _uri(document: Document, random: Random) -> None:
    uri = random.choice(
        [
            "missing.bin", "data:application/octet-stream;base64,!!!!", "data:,", "data:application/octet-stream;base64,AAAA",
            "", "../../../etc/passwd", "file:///etc/passwd", "http://localhost:9/x.bin", "%00", "x" * 5000, "/dev/null",
            "data:application/octet-stream;base64", ".", "C:\\x.bin", "a\0b",
        ]
    )  # fmt: skip
    document.json["buffers"] = [{"byteLength": len(document.buffer), "uri": str(uri)}]


def _no_weights(document: Document, random: Random) -> None:
    attributes = document.json["meshes"][0]["primitives"][0]["attributes"]
    del attributes[str(random.choice(["WEIGHTS_0", "JOINTS_0"]))]


def _no_skin(document: Document, random: Random) -> None:
    body = next(node for node in document.json["nodes"] if "mesh" in node)
    if random.random() < 0.5:
        del body["skin"]
    else:
        del document.json["skins"]


def _second_set(document: Document, random: Random) -> None:
    attributes = document.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_1"] = attributes["WEIGHTS_0"]
    if random.random() < 0.7:
        attributes["JOINTS_1"] = attributes["JOINTS_0"]


def _indices(document: Document, random: Random) -> None:
    beyond = np.array([0, 1, int(random.choice([99, 2**31, 2**32 - 1]))])
    document.json["meshes"][0]["primitives"][0]["indices"] = document.accessor(beyond, 5125, "SCALAR")


def _mode(document: Document, random: Random) -> None:
    document.json["meshes"][0]["primitives"][0]["mode"] = int(random.integers(-1, 9))


def _names(document: Document, random: Random) -> None:
    for kind in ("nodes", "meshes", "animations", "skins"):
        for one in document.json[kind]:
            if random.random() < 0.5:
                one["name"] = ODD_NAMES[random.integers(len(ODD_NAMES))]


def _same_names(document: Document, _: Random) -> None:
    for node in document.json["nodes"]:
        node["name"] = "Bone"


def _scale(document: Document, random: Random) -> None:
    node = _pick(document.json["nodes"], random)
    if "matrix" not in node:
        node["scale"] = [float(random.choice([0, -1, 1e-20, 1e20, 2, float("nan")])) for _ in range(3)]


def _rotation(document: Document, random: Random) -> None:
    node = _pick(document.json["nodes"], random)
    node.pop("matrix", None)
    node["rotation"] = [[0, 0, 0, 0], [9, 9, 9, 9], [1, 0, 0], [float("nan")] * 4][random.integers(4)]


def _version(document: Document, random: Random) -> None:
    document.json["asset"] = [{}, {"version": "1.0"}, {"version": "3.0"}, {"version": 2}, None, [], {"version": "2.0", "minVersion": "9.9"}][random.integers(7)]  # fmt: skip


def _extension(document: Document, random: Random) -> None:
    name = str(random.choice(["KHR_draco_mesh_compression", "EXT_unheard_of", "EXT_meshopt_compression"]))
    document.json["extensionsRequired"] = document.json["extensionsUsed"] = [name]
    if random.random() < 0.5:
        primitive = document.json["meshes"][0]["primitives"][0]
        primitive["extensions"] = {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}
        }


def _anything(document: Document, random: Random) -> None:
    """Put an odd value anywhere, or remove one."""
    places = list(_places(document.json))
    inside, key = places[random.integers(len(places))]
    if random.random() < 0.25:
        del inside[key]
    else:
        inside[key] = copy.deepcopy(ODD_VALUES[random.integers(len(ODD_VALUES))])


def _places(inside: Any) -> Any:
    for key, value in list(inside.items() if isinstance(inside, dict) else enumerate(inside)):
        yield inside, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _pick(things: list[Any], random: Random) -> Any:
    return things[random.integers(len(things))]


DAMAGE: dict[str, Callable[[Document, Random], None]] = {
    "weights": _weights,
    "positions": _positions,
    "bind matrices": _bind,
    "no bind matrices": _no_bind,
    "bind matrices of zeros": _singular_bind,
    "values of keys": _keys,
    "times": _times,
    "number of keys": _fewer_keys,
    "interpolation": _interpolation,
    "animated node": _target,
    "loop of nodes": _loop,
    "joint that is none": _joint,
    "fewer joints": _fewer_joints,
    "type of an accessor": _wrong_type,
    "count of an accessor": _count,
    "huge count": _huge_count,
    "view of a buffer": _view,
    "buffer": _buffer,
    "address of a buffer": _uri,
    "weights or joints gone": _no_weights,
    "skin gone": _no_skin,
    "second set of weights": _second_set,
    "indices": _indices,
    "mode": _mode,
    "odd names": _names,
    "one name for all": _same_names,
    "scale": _scale,
    "rotation": _rotation,
    "version": _version,
    "extension": _extension,
    "anything": _anything,
}


def whole(random: Random) -> tuple[Rig, Document]:
    """Make a rig and its undamaged document."""
    rig = random_rig(random)
    return rig, document_of(rig, random)


def damaged(random: Random) -> tuple[Document, str]:
    """Make a document with one or two kinds of damage; return it and their names."""
    _, document = whole(random)
    # Values are written to the buffer in place, and it grows: each kind of damage works on the previous one's
    # result.
    kinds = [str(one) for one in random.choice(list(DAMAGE), size=random.choice([1, 1, 1, 2]), replace=False)]
    done = []
    for kind in kinds:
        try:
            DAMAGE[kind](document, random)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError, StopIteration):
            # The previous damage has removed what this one would damage.
            continue
        done.append(kind)
    return document, done[0] if done else "none"
