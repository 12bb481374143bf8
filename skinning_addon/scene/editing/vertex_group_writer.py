"""Weights -> vertex groups of the user's mesh. Blender has no bulk call for them up to 5.2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skinning.skin import GroupSkin
from ..meshes.vertex_group_reader import Memberships
from ..object_data import mesh_of


def skin_over_groups(memberships: Memberships, groups: NDArray[np.integer]) -> GroupSkin:
    """Return a skin with the weights of the groups with these indices."""
    kept = np.isin(memberships.groups, groups)
    return GroupSkin.from_entries(
        memberships.vertices[kept],
        memberships.groups[kept],
        memberships.weights[kept],
        memberships.vertex_count,
    )


def write_weights(mesh_object: bpy.types.Object, before: GroupSkin, after: GroupSkin) -> NDArray[np.intp]:
    """Write the differences between two skins; return the changed vertices."""
    old, new = (_by_pair(one) for one in (before, after))
    removed: defaultdict[int, list[int]] = defaultdict(list)
    for vertex, group in old.keys() - new.keys():
        removed[group].append(vertex)
    changed: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for pair, weight in new.items():
        if old.get(pair) != weight:
            changed[pair[0]][pair[1]] = weight
    for group, vertices in removed.items():
        mesh_object.vertex_groups[group].remove(vertices)
    vertices = mesh_of(mesh_object).vertices
    for vertex, weights in changed.items():
        for member in vertices[vertex].groups:
            if member.group in weights:
                member.weight = weights.pop(member.group)
        for group, weight in weights.items():
            mesh_object.vertex_groups[group].add([vertex], weight, "REPLACE")
    mesh_of(mesh_object).update()
    touched = set(changed).union(*removed.values())
    return np.array(sorted(touched), dtype=np.intp)


def remove_groups(mesh_object: bpy.types.Object, names: Sequence[str]) -> None:
    """Remove vertex groups."""
    for name in names:
        mesh_object.vertex_groups.remove(mesh_object.vertex_groups[name])


def _by_pair(skin: GroupSkin) -> dict[tuple[int, int], float]:
    pairs = zip(skin.vertex_of_influence.tolist(), skin.groups.tolist(), strict=True)
    return dict(zip(pairs, skin.weights.tolist(), strict=True))
