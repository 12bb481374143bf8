"""What the preview of a game-ready copy is compared with: the original, as Blender evaluates that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skinning.skeleton import invert_affine
from ...core.text.errors import BindingError
from ...scene.matrices import row_vectors


@dataclass(frozen=True, eq=False)
class Authored:
    """An original mesh object. Keeps no Blender object.

    uid: its session_uid. find: returns the object with a session_uid, None if it is gone. name: when last seen.
    """

    uid: int
    name: str
    find: Callable[[int], bpy.types.Object | None]

    @property
    def object(self) -> bpy.types.Object | None:
        """The object; None if it is gone."""
        return self.find(self.uid)

    def evaluated_in(self, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
        """Return the object, if a view layer evaluates it: of one that is hidden, Blender shows the rest pose.

        Raises:
            BindingError: it is gone, or hidden.
        """
        found = self.object
        if found is None:
            raise BindingError(
                "The original '{mesh}' is gone, so its copy is compared with nothing.", mesh=self.name
            )
        if not found.visible_get(view_layer=depsgraph.view_layer):
            raise BindingError(
                "The original '{mesh}' is hidden, so Blender doesn't move it; show it to compare its copy.",
                mesh=found.name,
            )
        return found


def mesh_to_mesh(
    source: bpy.types.Object, target: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from an object's space to another's, for row vectors."""
    to_world, target_to_world = (
        row_vectors(one.evaluated_get(depsgraph).matrix_world) for one in (source, target)
    )
    return to_world @ invert_affine(target_to_world[None])[0][0]
