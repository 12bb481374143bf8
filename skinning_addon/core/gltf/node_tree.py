"""A file's nodes: their hierarchy and their transforms (clause 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..text.message import Message
from .container import GltfFile


@dataclass(frozen=True, eq=False)
class Locals:
    """Every node's transform relative to its parent, as translation, rotation (x, y, z, w) and scale.

    translation, scale: (..., N, 3). rotation: (..., N, 4). matrix: (..., N, 4, 4), row vectors, which
    replaces them where has_matrix (..., N) is set.
    """

    translation: NDArray[np.float64]
    rotation: NDArray[np.float64]
    scale: NDArray[np.float64]
    matrix: NDArray[np.float64]
    has_matrix: NDArray[np.bool_]

    def to_parent(self) -> NDArray[np.float64]:
        """Return (..., N, 4, 4) row-vector matrices to the parents: scale, then rotation, then translation."""
        x, y, z, w = np.moveaxis(self.rotation, -1, 0)
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
            (2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
            (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)),
        )
        result = np.zeros((*self.scale.shape[:-1], 4, 4))
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                result[..., row, column] = value * self.scale[..., row]
        result[..., 3, :3] = self.translation
        result[..., 3, 3] = 1
        result[self.has_matrix] = self.matrix[self.has_matrix]
        return result


@dataclass(frozen=True, eq=False)
class NodeTree:
    """names: (N,). parents: (N,), -1 for roots. order: parents before children. shown: (N,) whether a node is
    in the file's scene. rest: the nodes' own transforms.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    order: tuple[int, ...]
    shown: NDArray[np.bool_]
    rest: Locals

    def to_world(self, to_parent: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chain (..., N, 4, 4) row-vector matrices from the roots down."""
        world = np.empty_like(to_parent)
        for node in self.order:
            parent = self.parents[node]
            own = to_parent[..., node, :, :]
            world[..., node, :, :] = own if parent < 0 else own @ world[..., parent, :, :]
        return world


def read_nodes(file: GltfFile) -> NodeTree:
    """Read the nodes.

    Raises:
        SourceFileError: a node has two parents or is its own ancestor, or a transform is not a list of numbers.
    """
    nodes = file.all_of("nodes")
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for child in node.get("children", ()):
            file.one_of("nodes", child)
            if parents[child] >= 0:
                file.invalid(Message("node {index} has two parents", index=child))
            parents[child] = index
    order = _from_roots(file, nodes, parents)
    return NodeTree(
        tuple(str(node.get("name", "")) for node in nodes),
        tuple(parents),
        order,
        _shown(file, order, parents),
        _rest(file, nodes),
    )


def _from_roots(file: GltfFile, nodes: list[Any], parents: list[int]) -> tuple[int, ...]:
    order = [node for node, parent in enumerate(parents) if parent < 0]
    for node in order:
        order.extend(nodes[node].get("children", ()))
    if len(order) != len(nodes):
        file.invalid(Message("a node is its own ancestor"))
    return tuple(order)


def _shown(file: GltfFile, order: tuple[int, ...], parents: list[int]) -> NDArray[np.bool_]:
    if not file.all_of("scenes"):
        return np.ones(len(parents), dtype=np.bool_)
    shown = np.zeros(len(parents), dtype=np.bool_)
    for root in file.one_of("scenes", file.document.get("scene", 0)).get("nodes", ()):
        file.one_of("nodes", root)
        shown[root] = True
    for node in order:
        shown[node] |= parents[node] >= 0 and shown[parents[node]]
    return shown


def _rest(file: GltfFile, nodes: list[Mapping[str, Any]]) -> Locals:
    def values(name: str, otherwise: tuple[float, ...]) -> NDArray[np.float64]:
        rows = np.array([node.get(name, otherwise) for node in nodes], dtype=np.float64)
        rows = rows.reshape(len(nodes), len(otherwise))
        if not np.isfinite(rows).all():
            file.invalid(Message("the {name} of a node is not finite", name=name))
        return rows

    return Locals(
        values("translation", (0, 0, 0)),
        values("rotation", (0, 0, 0, 1)),
        values("scale", (1, 1, 1)),
        values("matrix", tuple(np.eye(4).reshape(-1))).reshape(-1, 4, 4),
        np.array(["matrix" in node for node in nodes], dtype=np.bool_),
    )
