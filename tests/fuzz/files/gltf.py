"""Small skinned glTF files written from scratch, with the positions that glTF's specification implies, in
float64.

Variants that the specification allows (component types, sparse accessors, separate buffers, a skin shared by
two meshes) don't change the positions.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Random = np.random.Generator

RATE = 24
FLOAT, UBYTE, USHORT, UINT = 5126, 5121, 5123, 5125
DTYPES = {FLOAT: "<f4", UBYTE: "u1", USHORT: "<u2", UINT: "<u4"}


@dataclass
class Rig:
    """What a file says, before it is written. Matrices are the specification's: of column vectors.

    parents: (J,) of joints, -1 for those below the armature's node. rest: (J, 4, 4) local. turns, moves: (F, J,
    4) quaternions as x, y, z, w and (F, J, 3) translations, the pose of each frame. armature: (4, 4).
    positions: (V, 3). joints, weights: (V, 4).
    inverse_bind: (J, 4, 4).
    """

    parents: list[int]
    rest: np.ndarray
    turns: np.ndarray
    moves: np.ndarray
    armature: np.ndarray
    positions: np.ndarray
    joints: np.ndarray
    weights: np.ndarray
    inverse_bind: np.ndarray

    def skinned(self, frame: int) -> np.ndarray:
        """Return (V, 3) scene positions at a frame: the sum of weight * joint's world matrix * inverse bind
        matrix.
        """
        final = self.in_world(_matrices(self.turns[frame], self.moves[frame])) @ self.inverse_bind
        homogeneous = np.concatenate((self.positions, np.ones((len(self.positions), 1))), axis=1)
        moved = np.einsum("vkrc,vc->vkr", final[self.joints], homogeneous)
        return np.einsum("vk,vkr->vr", self.weights, moved)[:, :3]

    def in_world(self, local: np.ndarray) -> np.ndarray:
        """Return the joints' world matrices, (J, 4, 4), from those in their parents' spaces."""
        world = np.empty_like(local)
        for joint, parent in enumerate(self.parents):
            world[joint] = (self.armature if parent < 0 else world[parent]) @ local[joint]
        return world


def random_rig(random: Random) -> Rig:
    """Make an ordinary rig of one to five joints and a mesh of a few triangles."""
    count, frames, vertices = (
        int(random.integers(1, 6)),
        int(random.integers(1, 4)),
        3 * int(random.integers(2, 9)),
    )
    parents = [-1, *(int(random.integers(0, joint)) for joint in range(1, count))]
    rest_moves = _as_stored(random.normal(size=(count, 3)))
    joints = np.zeros((vertices, 4), dtype=np.int64)
    weights = np.zeros((vertices, 4))
    for vertex in range(vertices):
        own = int(random.integers(1, min(4, count) + 1))
        joints[vertex, :own] = random.permutation(count)[:own]
        # Multiples of 1/255, so that all weight types hold the same values.
        weights[vertex, :own] = (random.multinomial(255 - own, random.dirichlet(np.ones(own))) + 1) / 255
    armature = np.eye(4)
    armature[:3, 3] = _as_stored(random.normal(size=3))
    rig = Rig(
        parents,
        _matrices(_quaternions(random, (count,)), rest_moves),
        _quaternions(random, (frames, count)),
        _as_stored(rest_moves + 0.3 * random.normal(size=(frames, count, 3))),
        armature,
        _as_stored(random.normal(size=(vertices, 3))),
        joints,
        weights,
        np.zeros((count, 4, 4)),
    )
    rig.inverse_bind = _as_stored(np.linalg.inv(rig.in_world(rig.rest)))
    return rig


def _as_stored(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32).astype(np.float64)


def _quaternions(random: Random, shape: tuple[int, ...]) -> np.ndarray:
    quaternions = random.normal(size=(*shape, 4))
    return _as_stored(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True))


def _matrices(quaternions: np.ndarray, moves: np.ndarray) -> np.ndarray:
    x, y, z, w = np.moveaxis(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True), -1, 0)
    matrices = np.zeros((*x.shape, 4, 4))
    matrices[..., 0, :3] = np.stack(
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)), axis=-1
    )
    matrices[..., 1, :3] = np.stack(
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)), axis=-1
    )
    matrices[..., 2, :3] = np.stack(
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)), axis=-1
    )
    matrices[..., :3, 3] = moves
    matrices[..., 3, 3] = 1
    return matrices


class Document:
    """A glTF document with one buffer, which grows as accessors are added."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}
        self.buffer = bytearray()

    def accessor(self, array: np.ndarray, component: int, kind: str, **more: Any) -> int:
        """Add an accessor; return its index."""
        content = np.ascontiguousarray(array, dtype=DTYPES[component])
        entry = {
            "bufferView": self.view(content.tobytes()),
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        self.json["accessors"].append(entry | more)
        return len(self.json["accessors"]) - 1

    def view(self, content: bytes) -> int:
        """Add a view of the buffer; return its index."""
        self.buffer += b"\0" * (-len(self.buffer) % 4)
        self.json["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(content)}
        )
        self.buffer += content
        return len(self.json["bufferViews"]) - 1


def document_of(rig: Rig, random: Random) -> Document:
    """Write a rig as a document, in a variant that the specification allows."""
    document = Document()
    out = document.json
    count = len(rig.parents)
    limits = {"min": rig.positions.min(axis=0).tolist(), "max": rig.positions.max(axis=0).tolist()}
    positions = document.accessor(rig.positions, FLOAT, "VEC3", **limits)
    if random.random() < 0.2:
        _make_sparse(document, positions, rig.positions, random)
    joints = document.accessor(rig.joints, int(random.choice([UBYTE, USHORT])), "VEC4")
    weights = _weights(document, rig.weights, random)
    primitive: dict[str, Any] = {
        "attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}
    }
    if random.random() < 0.8:
        kind = int(random.choice([UBYTE, USHORT, UINT]))
        primitive["indices"] = document.accessor(np.arange(len(rig.positions)), kind, "SCALAR")
    out["meshes"] = [{"name": "Skin", "primitives": [primitive]}]
    out["nodes"] = [{"name": "Armature", "translation": rig.armature[:3, 3].tolist(), "children": []}]
    out["nodes"] += [{"name": f"joint {joint}", **_place(rig.rest[joint], random)} for joint in range(count)]
    for joint, parent in enumerate(rig.parents):
        out["nodes"][parent + 1].setdefault("children", []).append(joint + 1)
    matrices = document.accessor(np.swapaxes(rig.inverse_bind, 1, 2).reshape(-1, 16), FLOAT, "MAT4")
    skin: dict[str, Any] = {"joints": list(range(1, count + 1)), "inverseBindMatrices": matrices}
    if random.random() < 0.5:
        skin["skeleton"] = 0
    out["skins"] = [skin]
    out["nodes"].append({"name": "Body", "mesh": 0, "skin": 0})
    roots = [0, count + 1]
    if random.random() < 0.15:
        out["nodes"].append({"name": "Second", "mesh": 0, "skin": 0})
        roots.append(count + 2)
    out["scenes"], out["scene"] = [{"nodes": roots}], 0
    out["animations"] = [_animation(document, rig)]
    if random.random() < 0.2:
        out["extensionsUsed"], out["extras"] = ["EXT_unheard_of"], {"note": ["anything", None, 5]}
    return document


def _weights(document: Document, weights: np.ndarray, random: Random) -> int:
    kind = int(random.choice([FLOAT, UBYTE, USHORT]))
    if kind == FLOAT:
        return document.accessor(weights, FLOAT, "VEC4")
    most = 255 if kind == UBYTE else 65535
    return document.accessor(np.rint(weights * most), kind, "VEC4", normalized=True)


def _make_sparse(document: Document, accessor: int, positions: np.ndarray, random: Random) -> None:
    """Store some positions wrongly, and override them with the right ones."""
    entry = document.json["accessors"][accessor]
    view = document.json["bufferViews"][entry["bufferView"]]
    few = np.sort(random.permutation(len(positions))[: max(1, len(positions) // 3)])
    stored = positions.copy()
    stored[few] += 1
    content = stored.astype("<f4").tobytes()
    document.buffer[view["byteOffset"] : view["byteOffset"] + len(content)] = content
    entry["sparse"] = {
        "count": len(few),
        "indices": {"bufferView": document.view(few.astype("<u2").tobytes()), "componentType": USHORT},
        "values": {"bufferView": document.view(positions[few].astype("<f4").tobytes())},
    }


def _place(matrix: np.ndarray, random: Random) -> dict[str, Any]:
    if random.random() < 0.3:
        return {"matrix": matrix.T.reshape(-1).tolist()}
    return {"translation": matrix[:3, 3].tolist(), "rotation": _quaternion_of(matrix[:3, :3])}


def _quaternion_of(m: np.ndarray) -> list[float]:
    """Return x, y, z, w of a rotation: the eigenvector of the largest eigenvalue (Bar-Itzhack 2000)."""
    k = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
            [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
            [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    return np.linalg.eigh(k)[1][:, -1].tolist()


def _animation(document: Document, rig: Rig) -> dict[str, Any]:
    times = np.arange(len(rig.turns)) / RATE
    clock = document.accessor(
        times, FLOAT, "SCALAR", min=[float(times[0])], max=[float(np.float32(times[-1]))]
    )
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for joint in range(len(rig.parents)):
        for path, values, kind in (("rotation", rig.turns, "VEC4"), ("translation", rig.moves, "VEC3")):
            samplers.append({"input": clock, "output": document.accessor(values[:, joint], FLOAT, kind)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": joint + 1, "path": path}})
    return {"name": "Move", "samplers": samplers, "channels": channels}


CONTAINERS = ("glb", "data URI", "beside")


def write(document: Document, folder: Path, container: str, stem: str = "rig") -> Path:
    """Write a document; return its path."""
    buffers = document.json.setdefault("buffers", [{"byteLength": len(document.buffer)}])
    if container == "glb":
        path = folder / f"{stem}.glb"
        path.write_bytes(binary(document.json, bytes(document.buffer)))
        return path
    path = folder / f"{stem}.gltf"
    uri = "data:application/octet-stream;base64," + base64.b64encode(document.buffer).decode()
    if container == "beside":
        uri = "part%201.bin"
        (folder / "part 1.bin").write_bytes(document.buffer)
    if isinstance(buffers, list) and buffers and isinstance(buffers[0], dict):
        buffers[0].setdefault("uri", uri)
    path.write_text(json.dumps(document.json), encoding="utf-8")
    return path


def binary(content: Any, buffer: bytes) -> bytes:
    """Return the bytes of a .glb file."""
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    chunks = (
        struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
