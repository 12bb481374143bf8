"""A glTF file posed at any time: world positions of all vertices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..text.errors import NothingToCompareError
from .animation import Animation, Channel, morph_weights, posed, read_animations
from .container import read_gltf, reading
from .node_tree import NodeTree, read_nodes
from .primitives import Primitive, read_primitives

TIMES_AT_ONCE = 64
"""How many times are computed together, which limits the memory for their matrices."""


@dataclass(frozen=True, eq=False)
class PosableFile:
    """A file that has been read completely. path: as given. generator: what wrote it, '' if it does not say."""

    path: str
    generator: str
    tree: NodeTree
    animations: tuple[Animation, ...]
    primitives: tuple[Primitive, ...]

    def positions(
        self, animations: Sequence[Animation], seconds: Sequence[float], primitives: Sequence[Primitive]
    ) -> list[NDArray[np.float64]]:
        """Return (F, V, 3) world positions of each primitive at the times, Y up; animations play together."""
        channels = [channel for one in animations for channel in one.channels]
        results = [np.empty((len(seconds), len(one.positions), 3)) for one in primitives]
        for first in range(0, len(seconds), TIMES_AT_ONCE):
            times = np.array(seconds[first : first + TIMES_AT_ONCE], dtype=np.float64)
            to_world = self.tree.to_world(posed(self.tree.rest, channels, times).to_parent())
            for one, result in zip(primitives, results, strict=True):
                for index, morphed in enumerate(_morphed(one, channels, times)):
                    result[first + index] = skinned(one, morphed, to_world[index])
        return results


def read_posable_file(path: str | Path) -> PosableFile:
    """Read all of a .glb or .gltf file.

    Raises:
        SourceFileError: it can't be read (`read_gltf`). NothingToCompareError: it has no mesh with a skin.
    """
    file = read_gltf(path)
    with reading(file.path):
        tree = read_nodes(file)
        primitives = read_primitives(file, tree)
        animations = read_animations(file)
        generator = str(file.document["asset"].get("generator", ""))
    if not any(one.skin is not None for one in primitives):
        raise NothingToCompareError(
            "'{path}' has no mesh with a skin, so there is nothing to pose; export the mesh with its armature.",
            path=file.path,
        )
    return PosableFile(file.path, generator, tree, animations, primitives)


def _morphed(
    primitive: Primitive, channels: Sequence[Channel], seconds: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    """Yield the (V, 3) positions before skinning at each time."""
    animated = morph_weights(channels, primitive.node, seconds) if len(primitive.morphs) else None
    for index in range(len(seconds)):
        weights = primitive.morph_weights if animated is None else animated[index]
        used = np.flatnonzero(weights)
        yield primitive.positions + np.tensordot(weights[used], primitive.morphs[used], 1)


def skinned(
    primitive: Primitive, positions: NDArray[np.float64], to_world: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (V, 3) world positions. positions: (V, 3), morphed. to_world: (N, 4, 4), of all nodes.

    A skinned mesh is placed by its joints alone; the node that shows it does not move it (clause 3.7.3.3).
    """
    if primitive.skin is None:
        matrix = to_world[primitive.node]
        return positions @ matrix[:3, :3] + matrix[3, :3]
    final = (primitive.skin.inverse_bind @ to_world[primitive.skin.nodes])[:, :, :3]
    result = np.zeros_like(positions)
    for influence in range(primitive.joints.shape[1]):
        weight = primitive.weights[:, influence]
        moved = np.flatnonzero(weight)
        matrices = final[primitive.joints[moved, influence]]
        point = np.einsum("vc,vcd->vd", positions[moved], matrices[:, :3]) + matrices[:, 3]
        result[moved] += weight[moved, None] * point
    return result
