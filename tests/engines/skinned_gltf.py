"""Reads a glTF file's clips, and poses its skins by the specification alone, with none of our code."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


@dataclass(frozen=True, eq=False)
class SkinnedGltf:
    """A .glb whose accessors are not interleaved, as Blender writes them; sparse ones are of shape keys."""

    document: dict[str, Any]
    binary: bytes

    @classmethod
    def read(cls, path: Path) -> SkinnedGltf:
        content = path.read_bytes()
        length = struct.unpack_from("<I", content, 12)[0]
        return cls(json.loads(content[20 : 20 + length]), content[28 + length :])

    @property
    def clips(self) -> list[str]:
        """Names of its animations, in order."""
        return [one["name"] for one in self.document.get("animations", ())]

    def seconds(self, clip: str) -> tuple[float, float]:
        """Return the first and the last key's time."""
        times = [self._accessor(one["input"]) for one in self._animation(clip)["samplers"]]
        return min(float(one[0, 0]) for one in times), max(float(one[-1, 0]) for one in times)

    def positions(self, clip: str | None, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Return all vertices of skins, and others that have numbers, at a time of a clip, (N, 3), Y up, and the
        number each had in Blender, (N,); in files without numbers, the one in its primitive. clip: None for the file as it loads, with nothing playing.
        """
        to_world = self._to_world(self._locals(clip, seconds))
        positions, sources = [], []
        for index, node in enumerate(self.document["nodes"]):
            if "skin" not in node:
                for part in self._parts(node):
                    points = self._accessor(part["attributes"]["POSITION"])
                    positions.append((np.c_[points, np.ones(len(points))] @ to_world[index])[:, :3])
                    sources.append(self._accessor(part["attributes"]["_SOURCE"]).reshape(-1).astype(int))
                continue
            skin = self.document["skins"][node["skin"]]
            inverse = self._accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4)
            joints = np.array([to_world[joint] for joint in skin["joints"]])
            palette = inverse @ joints
            for part in self.document["meshes"][node["mesh"]]["primitives"]:
                attributes = {name: self._accessor(one) for name, one in part["attributes"].items()}
                shape = attributes["POSITION"] + self._morphed(self.document["meshes"][node["mesh"]], part)
                points = np.c_[shape, np.ones(len(shape))]
                moved = np.zeros_like(points)
                number = 0
                while f"JOINTS_{number}" in attributes:
                    for joint, weight in zip(
                        attributes[f"JOINTS_{number}"].T.astype(int),
                        attributes[f"WEIGHTS_{number}"].T,
                        strict=True,
                    ):
                        moved += weight[:, None] * np.einsum("vi,vij->vj", points, palette[joint])
                    number += 1
                positions.append(moved[:, :3])
                numbers = attributes.get("_SOURCE", np.arange(len(points)))
                sources.append(numbers.reshape(-1).astype(int))
        return np.concatenate(positions), np.concatenate(sources)

    def nodes(self, clip: str | None, seconds: float) -> dict[str, np.ndarray]:
        """Return where each node is at a time of a clip, by name: (4, 4) for row vectors, Y up."""
        to_world = self._to_world(self._locals(clip, seconds))
        return {one["name"]: place for one, place in zip(self.document["nodes"], to_world, strict=True)}

    def _parts(self, node: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the primitives of a node's mesh whose vertices have numbers."""
        parts = self.document["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []
        return [one for one in parts if "_SOURCE" in one["attributes"]]

    def at_rest(self) -> np.ndarray:
        """Return the vertices of all skinned meshes as the file stores them, (N, 3), Y up."""
        parts = (part for one in self.document["meshes"] for part in one["primitives"])
        return np.concatenate([self._accessor(part["attributes"]["POSITION"]) for part in parts])

    def _animation(self, clip: str) -> dict[str, Any]:
        return next(one for one in self.document["animations"] if one["name"] == clip)

    def _locals(self, clip: str | None, seconds: float) -> list[dict[str, np.ndarray]]:
        """Translation, rotation and scale of every node; the rotation is x y z w."""
        rest = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
        result = [
            {name: np.array(node.get(name, value), dtype=np.float64) for name, value in rest.items()}
            for node in self.document["nodes"]
        ]
        animation = self._animation(clip) if clip is not None else {"channels": ()}
        for channel in animation["channels"]:
            target = channel["target"]
            if target["path"] in rest:
                sampler = animation["samplers"][channel["sampler"]]
                result[target["node"]][target["path"]] = self._sampled(sampler, target["path"], seconds)
        return result

    def _sampled(self, sampler: dict[str, Any], path: str, seconds: float) -> np.ndarray:
        times, values = self._accessor(sampler["input"])[:, 0], self._accessor(sampler["output"])
        after = int(np.searchsorted(times, seconds, side="right"))
        way = sampler.get("interpolation", "LINEAR")
        if way == "CUBICSPLINE":
            return _on_spline(times, values.reshape(len(times), 3, -1), seconds)
        if after == 0 or after == len(times):
            return values[min(after, len(times) - 1)]
        share = (seconds - times[after - 1]) / (times[after] - times[after - 1])
        if way == "STEP":
            return values[after - 1]
        one, other = values[after - 1], values[after]
        if path != "rotation":
            return one + share * (other - one)
        return _between(one, other, share)

    def _to_world(self, parts: list[dict[str, np.ndarray]]) -> list[np.ndarray]:
        """Return each node's global transform for row vectors."""
        result: list[np.ndarray] = [np.eye(4)] * len(parts)

        def visit(node: int, parent: np.ndarray) -> None:
            one = self.document["nodes"][node]
            # Column by column, which are the rows of the matrix for row vectors.
            own = np.reshape(one["matrix"], (4, 4)) if "matrix" in one else _matrix(**parts[node])
            result[node] = own @ parent
            for child in one.get("children", ()):
                visit(child, result[node])

        for root in self.document["scenes"][self.document.get("scene", 0)]["nodes"]:
            visit(root, np.eye(4))
        return result

    def _morphed(self, mesh: dict[str, Any], part: dict[str, Any]) -> np.ndarray | float:
        """Return what shape keys add to a primitive's vertices as the file loads, (N, 3); 0 without any."""
        weights = mesh.get("weights", ())
        targets = (self._accessor(one["POSITION"]) for one in part.get("targets", ()))
        return sum((weight * one for weight, one in zip(weights, targets, strict=False)), 0.0)

    def _accessor(self, number: int) -> np.ndarray:
        accessor = self.document["accessors"][number]
        columns, count = COLUMNS[accessor["type"]], accessor["count"]
        values = np.zeros((count, columns))
        if "bufferView" in accessor:
            values = self._stored(accessor, accessor["componentType"], count, columns)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            places = self._stored(sparse["indices"], sparse["indices"]["componentType"], sparse["count"], 1)
            replaced = self._stored(sparse["values"], accessor["componentType"], sparse["count"], columns)
            values[places[:, 0].astype(int)] = replaced
        return values

    def _stored(self, where: dict[str, Any], kind: int, count: int, columns: int) -> np.ndarray:
        view = self.document["bufferViews"][where["bufferView"]]
        start = view.get("byteOffset", 0) + where.get("byteOffset", 0)
        values = np.frombuffer(self.binary, TYPES[kind], count * columns, start)
        return values.reshape(-1, columns).astype(np.float64)


def _matrix(translation: np.ndarray, rotation: np.ndarray, scale: np.ndarray) -> np.ndarray:
    x, y, z, w = rotation / np.linalg.norm(rotation)
    turned = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    result = np.eye(4)
    result[:3, :3] = scale[:, None] * turned
    result[3, :3] = translation
    return result


def _on_spline(times: np.ndarray, keys: np.ndarray, seconds: float) -> np.ndarray:
    """Return the point of a cubic spline by its keys: in-tangent, value, out-tangent (appendix C.5). The
    specification wants rotations normalized, which `_matrix` does.
    """
    after = int(np.searchsorted(times, seconds, side="right"))
    if after == 0 or after == len(times):
        return keys[min(after, len(times) - 1), 1]
    length = times[after] - times[after - 1]
    t = (seconds - times[after - 1]) / length
    powers = np.array((t**3, t**2, t, 1.0))
    hermite = np.array(((2, -2, 1, 1), (-3, 3, -2, -1), (0, 0, 1, 0), (1, 0, 0, 0)))
    (_, start, leaving), (arriving, end, _) = keys[after - 1], keys[after]
    return powers @ hermite @ np.array((start, end, length * leaving, length * arriving))


def _between(one: np.ndarray, other: np.ndarray, share: float) -> np.ndarray:
    """Return the rotation at a share of the shorter way from one to another.

    The angle is that of the chord: a cosine rounds to 1 for turns of less than 0.04 degrees, which would then
    hold the first key.
    """
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    other = -other if one @ other < 0 else other
    half = np.arctan2(np.linalg.norm(other - one), np.linalg.norm(other + one))
    if half == 0:
        return one
    return (np.sin((1 - share) * 2 * half) * one + np.sin(share * 2 * half) * other) / np.sin(2 * half)
