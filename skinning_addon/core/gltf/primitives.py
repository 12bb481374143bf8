"""Primitives with the vertices, weights and morph targets that pose them (clauses 3.7.2 and 3.7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..text.message import Message
from .accessors import read_accessor
from .container import GltfFile
from .node_tree import NodeTree

SOURCE = "_SOURCE"
"""The attribute that holds, for each vertex of the file, its number before the export."""


@dataclass(frozen=True, eq=False)
class Joints:
    """A skin. nodes: (J,). inverse_bind: (J, 4, 4), row vectors, mesh space to joint."""

    nodes: NDArray[np.intp]
    inverse_bind: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Primitive:
    """One primitive of a mesh, as one node shows it.

    node: its number; name: the node's, or else the mesh's; mesh_name: the mesh's. mesh, index: of the mesh,
    and of the primitive in it. positions: (V, 3), at rest, mesh space. joints: (V, K) into `skin`; weights:
    (V, K), as stored; both empty without a skin. morphs: (T, V, 3); morph_weights: (T,), unless animated.
    source: (V,), -1 where unknown; None if the file does not say. normals: (V, 3), uv: (V, 2), the first; None
    likewise.
    """

    node: int
    name: str
    mesh_name: str
    mesh: int
    index: int
    positions: NDArray[np.float64]
    skin: Joints | None
    joints: NDArray[np.int64]
    weights: NDArray[np.float64]
    morphs: NDArray[np.float64]
    morph_weights: NDArray[np.float64]
    source: NDArray[np.int64] | None
    normals: NDArray[np.float64] | None
    uv: NDArray[np.float64] | None


def read_primitives(file: GltfFile, tree: NodeTree) -> tuple[Primitive, ...]:
    """Read the primitives of all meshes in the file's scene.

    Raises:
        SourceFileError: an attribute is missing, or contradicts the others.
    """
    return tuple(
        primitive
        for node, held in enumerate(file.all_of("nodes"))
        if held.get("mesh") is not None and tree.shown[node]
        for primitive in _of_node(file, node, held)
    )


def _of_node(file: GltfFile, node: int, held: Mapping[str, Any]) -> Iterator[Primitive]:
    mesh = file.one_of("meshes", held["mesh"])
    skin = _skin(file, held["skin"]) if held.get("skin") is not None else None
    name = str(held.get("name") or mesh.get("name") or "")
    for index, primitive in enumerate(mesh["primitives"]):
        attributes = primitive["attributes"]
        if attributes.get("POSITION") is None:
            continue
        positions = _vertices(file, attributes["POSITION"], None, 3).astype(np.float64)
        count = len(positions)
        joints, weights = _influences(file, attributes, count, skin)
        targets = primitive.get("targets", ())
        morphs = np.zeros((len(targets), count, 3))
        for target_index, target in enumerate(targets):
            if target.get("POSITION") is not None:
                morphs[target_index] = _vertices(file, target["POSITION"], count, 3)
        usual = np.zeros(len(targets)) if not len(targets) else held.get("weights") or mesh.get("weights")
        morph_weights = np.zeros(len(targets)) if usual is None else np.array(usual, dtype=np.float64)
        if len(morph_weights) != len(targets):
            file.invalid(Message("a mesh has other morph weights than targets"))
        extras = {
            name: None if attributes.get(name) is None else _vertices(file, attributes[name], count, width)
            for name, width in ((SOURCE, 1), ("NORMAL", 3), ("TEXCOORD_0", 2))
        }
        source, normals, uv = (extras[name] for name in (SOURCE, "NORMAL", "TEXCOORD_0"))
        yield Primitive(
            node,
            name,
            str(mesh.get("name", "")),
            held["mesh"],
            index,
            positions,
            skin,
            joints,
            weights,
            morphs,
            morph_weights,
            None if source is None else _numbers(source),
            None if normals is None else normals.astype(np.float64),
            None if uv is None else uv.astype(np.float64),
        )


def _numbers(stored: NDArray[Any]) -> NDArray[np.int64]:
    values = stored.reshape(-1).astype(np.float64)
    return np.where(np.isfinite(values), np.rint(values), -1).astype(np.int64)


def _influences(
    file: GltfFile, attributes: Mapping[str, int], count: int, skin: Joints | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return all sets of joints and weights side by side."""
    joints, weights = [np.zeros((count, 0), dtype=np.int64)], [np.zeros((count, 0))]
    sets = 0
    while skin is not None and f"JOINTS_{sets}" in attributes and f"WEIGHTS_{sets}" in attributes:
        joints.append(_vertices(file, attributes[f"JOINTS_{sets}"], count, 4).astype(np.int64))
        weights.append(_vertices(file, attributes[f"WEIGHTS_{sets}"], count, 4).astype(np.float64))
        sets += 1
    all_joints, all_weights = np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)
    if skin is not None and not sets:
        file.invalid(Message("a skinned mesh has no joints and weights"))
    beyond = skin is not None and all_joints.size and int(all_joints.max()) >= len(skin.nodes)
    if beyond or (all_joints.size and int(all_joints.min()) < 0):
        file.invalid(Message("a vertex refers to a joint that its skin does not have"))
    return all_joints, all_weights


def _vertices(file: GltfFile, accessor: int, count: int | None, width: int) -> NDArray[Any]:
    values = read_accessor(file, accessor)
    if values.shape[1:] != (width,) or (count is not None and len(values) != count):
        file.invalid(
            Message(
                "an attribute has {have} values for {needed} vertices",
                have=len(values),
                needed=len(values) if count is None else count,
            )
        )
    return values


def _skin(file: GltfFile, index: int) -> Joints:
    skin = file.one_of("skins", index)
    nodes = np.array(skin["joints"], dtype=np.intp)
    for node in skin["joints"]:
        file.one_of("nodes", node)
    if skin.get("inverseBindMatrices") is None:
        return Joints(nodes, np.tile(np.eye(4), (len(nodes), 1, 1)))
    inverse_bind = read_accessor(file, skin["inverseBindMatrices"]).astype(np.float64)
    if inverse_bind.shape[1:] != (4, 4) or len(inverse_bind) < len(nodes):
        file.invalid(
            Message(
                "a skin has {count} inverse bind matrices for {joints} joints",
                count=len(inverse_bind),
                joints=len(nodes),
            )
        )
    return Joints(nodes, inverse_bind[: len(nodes)])
