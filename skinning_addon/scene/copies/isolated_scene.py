"""A separate scene that evaluates copies of objects (`copied_objects`), so that the user's don't change."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import bpy

from .copied_objects import CopiedObjects
from .scene_settings import take_over_settings

SCENE_NAME = ".skinscope input"
"""Name of the scenes created here; handlers that follow the user's scenes ignore them."""


class IsolatedScene:
    """Creates copies and evaluates them. Use it as a context manager: its end removes the copies, and data read
    from them is invalid after that.

    Creates and removes data-blocks, which takes a few milliseconds: never use it while drawing.
    """

    def __init__(self, depsgraph: bpy.types.Depsgraph | None = None) -> None:
        """depsgraph: evaluates the originals; if None, their last evaluated transforms are used."""
        self._depsgraph = depsgraph
        self._made: list[bpy.types.ID] = []

    def __enter__(self) -> IsolatedScene:
        source = bpy.context.scene
        if self._depsgraph is not None:
            source = cast("bpy.types.Scene", self._depsgraph.scene.original)
        self._scene = bpy.data.scenes.new(SCENE_NAME)
        self._made.append(self._scene)
        origin = bpy.data.objects.new(SCENE_NAME, None)
        self._made.append(origin)
        self._origin = origin
        self._copied = CopiedObjects(origin, self._depsgraph)
        self._apart: list[CopiedObjects] = []
        take_over_settings(self._scene, source)
        self._camera = source.camera
        return self

    def __exit__(self, *_: object) -> None:
        # In one batch, because Blender rebuilds users and relations after each removal.
        copied = [made for one in (self._copied, *self._apart) for made in one.made]
        bpy.data.batch_remove([*self._made, *copied])

    def copy_of(
        self,
        original: bpy.types.Object,
        modifiers: Collection[str] | None = None,
        *,
        by_parent: bool = True,
    ) -> bpy.types.Object:
        """Return a new copy of an object, to be evaluated here.

        modifiers: names of those to keep; None for all. by_parent: whether a deforming parent still deforms it.
        """
        return self._copy(self._copied, original, modifiers, by_parent=by_parent)

    def copy_apart(
        self,
        original: bpy.types.Object,
        modifiers: Collection[str] | None = None,
        *,
        by_parent: bool = True,
    ) -> bpy.types.Object:
        """Return a copy as `copy_of` does, which depends on copies of its own, as if it were alone here."""
        self._apart.append(CopiedObjects(self._origin, self._depsgraph))
        return self._copy(self._apart[-1], original, modifiers, by_parent=by_parent)

    def _copy(
        self,
        copied: CopiedObjects,
        original: bpy.types.Object,
        modifiers: Collection[str] | None,
        *,
        by_parent: bool,
    ) -> bpy.types.Object:
        copy = copied.with_modifiers(original, modifiers, by_parent=by_parent)
        if self._camera is not None and any(one.type == "NODES" for one in copy.modifiers):
            # Nodes may read the active camera.
            self._scene.camera = copied.of(self._camera)
        self._scene.collection.objects.link(copy)
        return copy

    def evaluated(self, copy: bpy.types.Object) -> bpy.types.Object:
        """Evaluate all copies created so far and return this one's evaluated object."""
        view_layer = self._scene.view_layers[0]
        view_layer.update()
        return copy.evaluated_get(view_layer.depsgraph)

    def seen_as(self, original: bpy.types.Object) -> bpy.types.Object:
        """Return what the last evaluated copies use in place of `original`: its first copy, evaluated."""
        return self._copied.of(original).evaluated_get(self._scene.view_layers[0].depsgraph)
