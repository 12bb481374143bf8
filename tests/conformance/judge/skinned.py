"""World positions of skinned vertices by the specification's formula, in float64, from a file's bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.conformance.judge.keys import keyed
from tests.conformance.judge.reading import Reading
from tests.conformance.judge.stored_file import StoredFile

Keyed = Mapping[tuple[int, str], np.ndarray]


@dataclass(frozen=True)
class Part:
    """One primitive as one node skins it. vertices: how many; first: the number of the first in _SOURCE."""

    node: int
    mesh: int
    primitive: int
    vertices: int
    first: int


def parts_of(file: StoredFile) -> list[Part]:
    """Return the skinned primitives, by node, then primitive."""
    found = []
    for number, node in enumerate(file.json["nodes"]):
        if "skin" not in node:
            continue
        for index, one in enumerate(file.json["meshes"][node["mesh"]]["primitives"]):
            source = file.values(one["attributes"]["_SOURCE"])[:, 0]
            found.append(Part(number, node["mesh"], index, len(source), int(source[0])))
    return found


def triangles_of(file: StoredFile, part: Part) -> np.ndarray:
    """Return (T, 3) vertices of a part's triangles."""
    primitive = file.json["meshes"][part.mesh]["primitives"][part.primitive]
    corners = file.values(primitive["indices"]) if "indices" in primitive else np.arange(part.vertices)
    return corners.reshape(-1, 3).astype(int)


def positions(file: StoredFile, part: Part, time: float, reading: Reading) -> np.ndarray:
    """Return (V, 3) world positions at a time in seconds, in the order of the accessors."""
    set_by_keys = keyed(file, time, reading)
    node = file.json["nodes"][part.node]
    primitive = file.json["meshes"][part.mesh]["primitives"][part.primitive]
    rest = _morphed(file, part, primitive, node, set_by_keys)
    homogeneous = np.concatenate((rest, np.ones((len(rest), 1))), axis=1)
    joints, weights = _influences(file, primitive["attributes"], reading)
    matrices = _joint_matrices(file, file.json["skins"][node["skin"]], set_by_keys)
    result = np.einsum("vk,vkrc,vc->vr", weights, matrices[joints], homogeneous)[:, :3]
    empty = weights.sum(axis=1) == 0
    if reading.unweighted == "first":
        result[empty] = (homogeneous[empty] @ matrices[0].T)[:, :3]
    elif reading.unweighted == "unskinned":
        result[empty] = rest[empty]
    elif reading.unweighted == "nowhere":
        result[empty] = np.nan
    return result


def _influences(
    file: StoredFile, attributes: dict[str, int], reading: Reading
) -> tuple[np.ndarray, np.ndarray]:
    sets = [number for number in range(len(attributes)) if f"JOINTS_{number}" in attributes][: reading.sets]
    joints = np.concatenate([file.values(attributes[f"JOINTS_{one}"]) for one in sets], axis=1)
    weights = np.concatenate([file.values(attributes[f"WEIGHTS_{one}"]) for one in sets], axis=1)
    if reading.normalized:
        sums = weights.sum(axis=1, keepdims=True)
        weights = np.divide(weights, sums, out=np.zeros_like(weights), where=sums != 0)
    return joints.astype(int), weights


def _morphed(
    file: StoredFile, part: Part, primitive: dict[str, Any], node: dict[str, Any], set_by_keys: Keyed
) -> np.ndarray:
    result = file.values(primitive["attributes"]["POSITION"])
    targets = primitive.get("targets", ())
    weights = node.get("weights", file.json["meshes"][part.mesh].get("weights", [0.0] * len(targets)))
    for target, weight in zip(targets, set_by_keys.get((part.node, "weights"), weights), strict=True):
        result = result + weight * file.values(target["POSITION"])
    return result


def _joint_matrices(file: StoredFile, skin: dict[str, Any], set_by_keys: Keyed) -> np.ndarray:
    in_world = _global_matrices(file.json["nodes"], set_by_keys)
    joints = [in_world[joint] for joint in skin["joints"]]
    if "inverseBindMatrices" not in skin:
        return np.array(joints)
    stored = file.values(skin["inverseBindMatrices"])
    # Column by column.
    return np.array([joint @ one.reshape(4, 4).T for joint, one in zip(joints, stored, strict=False)])


def _global_matrices(nodes: list[dict[str, Any]], set_by_keys: Keyed) -> dict[int, np.ndarray]:
    children = {child for node in nodes for child in node.get("children", ())}
    waiting = [(number, np.eye(4)) for number in range(len(nodes)) if number not in children]
    result = {}
    while waiting:
        number, above = waiting.pop()
        result[number] = above @ _local_matrix(nodes[number], number, set_by_keys)
        waiting += [(child, result[number]) for child in nodes[number].get("children", ())]
    return result


def _local_matrix(node: dict[str, Any], number: int, set_by_keys: Keyed) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"]).reshape(4, 4).T
    translation, rotation, scale = (
        np.asarray(set_by_keys.get((number, path), node.get(path, usual)), dtype=np.float64)
        for path, usual in (("translation", (0, 0, 0)), ("rotation", (0, 0, 0, 1)), ("scale", (1, 1, 1)))
    )
    vector, w = rotation[:3], rotation[3]
    crossed = np.array([[0, -vector[2], vector[1]], [vector[2], 0, -vector[0]], [-vector[1], vector[0], 0]])
    # Rodrigues' formula for a unit quaternion.
    turned = np.eye(3) + 2 * w * crossed + 2 * crossed @ crossed
    matrix = np.eye(4)
    matrix[:3, :3] = turned @ np.diag(scale)
    matrix[:3, 3] = translation
    return matrix
