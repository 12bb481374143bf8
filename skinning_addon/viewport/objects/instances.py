"""Where instances show previewed meshes: an Empty draws a linked rig that isn't in any view layer itself,
nodes draw a crowd.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...scene.objects.instanced_meshes import instances_of, is_instanced, used_by_nodes_or_particles

LayerKey = tuple[int, str]
"""As `preview.LayerKey`."""


@dataclass(frozen=True, eq=False)
class Instance:
    """A mesh as it is shown: the object itself, or an instance of it.

    instancer: session_uid of the object that instances it; 0 for the object itself. mesh_to_world: (4, 4)
    float64, row vectors; None for the object itself.
    """

    instancer: int
    mesh_to_world: NDArray[np.float64] | None


ITSELF = Instance(0, None)


class Instances:
    """Lists for each view layer where its instancers show meshes; refreshed only after a change.

    Keeps no Blender object.
    """

    def __init__(self) -> None:
        self._found: dict[LayerKey, Mapping[int, tuple[Instance, ...]]] = {}
        self._current: set[LayerKey] = set()
        self._used: tuple[frozenset[int], bool] | None = None

    def mark(self, *, edited: bool = True) -> None:
        """Note that something may have moved. Cheap, and safe from any thread.

        edited: other than by its animation, which changes neither nodes nor particle systems.
        """
        self._current.clear()
        if edited:
            self._used = None

    def follow(self, layer: LayerKey, depsgraph: bpy.types.Depsgraph, uids: Collection[int]) -> bool:
        """Find where the objects with these session_uids are shown, unless that is known; tell whether others
        are instanced than before. Creates nothing.
        """
        if layer in self._current:
            return False
        before = self._found.get(layer, {})
        self._current.add(layer)
        wanted = frozenset(uids)
        if self._used is None or self._used[0] != wanted:
            self._used = wanted, used_by_nodes_or_particles(wanted)
        # Going through all instances takes long.
        is_shown = self._used[1] or is_instanced(depsgraph, wanted)
        self._found[layer] = _instances_by_object(depsgraph, wanted) if is_shown else {}
        return self._found[layer].keys() != before.keys()

    def of(self, uid: int, layer: LayerKey) -> tuple[Instance, ...]:
        """Return where the object with this session_uid is instanced, as `follow` has found last: panels are
        drawn before the view that looks again.
        """
        return self._found.get(layer, {}).get(uid, ())


def _instances_by_object(
    depsgraph: bpy.types.Depsgraph, uids: frozenset[int]
) -> dict[int, tuple[Instance, ...]]:
    """Collect the instances by object."""
    found: dict[int, list[Instance]] = {}
    for uid, instancer, mesh_to_world in instances_of(depsgraph, uids):
        found.setdefault(uid, []).append(Instance(instancer, mesh_to_world))
    return {uid: tuple(instances) for uid, instances in found.items()}
