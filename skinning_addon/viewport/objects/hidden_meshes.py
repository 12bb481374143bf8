"""Keeps Blender from drawing its own mesh if a preview stands in for it, without changing the user's data.

Blender draws an object's *evaluated copy*, which the depsgraph remakes from the user's object whenever that
is updated. Only this copy is hidden: it isn't saved in files or undo steps, it is gone after a crash, and
nothing set here flows back. An object's eye or display type would work too, but those are the user's own:
they would turn up in autosaves and undo steps.

Copies of objects linked from a library can't be hidden: Blender accepts no changes to them at all. With a
library override they can.

So the copies have to be hidden again after each evaluation, and to show a mesh again it is enough to have its
copy remade.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .object_lookup import ObjectLookup

NOT_EVEN_BOUNDS = 0
"""Below every display type that an object can have: the solid, wireframe and material modes don't draw it at
all.
"""

RAY_VISIBILITY = ("visible_camera", "visible_shadow")
"""Checked by rendered views (EEVEE, Cycles) instead."""


class HiddenMeshes:
    """Knows which objects it has hidden. Keeps no Blender object."""

    def __init__(self, objects: ObjectLookup) -> None:
        self._objects = objects
        self._hidden: set[int] = set()

    def __contains__(self, uid: int) -> bool:
        return uid in self._hidden

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def apply(self, wanted: Iterable[int], depsgraph: bpy.types.Depsgraph) -> None:
        """Hide the objects with these session_uids in the current evaluation. Don't call while drawing.

        Costs next to nothing for an object that is hidden already; otherwise about a microsecond per object
        of the view layer.
        """
        copies = depsgraph.view_layer_eval.objects
        indices = []
        for uid in wanted:
            mesh_object = self._objects.find(uid)
            index = None if mesh_object is None else _index_of(mesh_object, copies)
            if index is not None:
                indices.append(index)
                self._hidden.add(uid)
        if indices:
            _hide(copies, indices)

    def reveal(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Have the current evaluation drawn as the user's objects are, until the next `apply`. Needs no update,
        so that a picture that Blender makes at once has it.
        """
        copies = depsgraph.view_layer_eval.objects
        originals: list[Any] = [one.original for one in copies]
        indices = [i for i, one in enumerate(originals) if one.session_uid in self._hidden]
        shown = [originals[index] for index in indices]
        if not indices:
            return
        kinds: Any = bpy.types.Object.bl_rna.properties["display_type"]
        numbers = [kinds.enum_items[one.display_type].value for one in shown]
        _put(copies, "display_type", np.int32, indices, numbers)
        for name in RAY_VISIBILITY:
            _put(copies, name, np.bool_, indices, [getattr(one, name) for one in shown])

    def show(self, uids: Iterable[int]) -> None:
        """Let Blender draw these again: their evaluated copies are remade before the next redraw."""
        for uid in tuple(uids):
            if uid in self._hidden:
                self._hidden.discard(uid)
                self.update(uid)

    def update(self, uid: int) -> None:
        """Have an object's evaluated copy remade, so that Blender decides again whether to draw it."""
        mesh_object = self._objects.find(uid)
        if mesh_object is not None:
            mesh_object.update_tag(refresh={"OBJECT"})


def can_be_hidden(mesh_object: bpy.types.Object) -> bool:
    """Whether Blender lets us hide an object; not if it is linked without a library override."""
    return mesh_object.library is None


def _index_of(mesh_object: bpy.types.Object, copies: bpy.types.LayerObjects) -> int | None:
    """Find the evaluated copy among those of its view layer, None if it isn't there, or is hidden already."""
    index = copies.find(mesh_object.name)
    if index < 0 or copies[index].original != mesh_object:
        # Objects of two libraries may have the same name.
        index = next((i for i, one in enumerate(copies) if one.original == mesh_object), -1)
    if index < 0:
        return None
    told = any(getattr(mesh_object, name) and not getattr(copies[index], name) for name in RAY_VISIBILITY)
    return None if told else index


def _hide(copies: bpy.types.LayerObjects, indices: list[int]) -> None:
    _put(copies, "display_type", np.int32, indices, NOT_EVEN_BOUNDS)
    for name in RAY_VISIBILITY:
        _put(copies, name, np.bool_, indices, False)


def _put(copies: bpy.types.LayerObjects, name: str, dtype: type, indices: list[int], values: Any) -> None:
    # In bulk: only that avoids an update, which would remake the copies and undo everything.
    all_values = np.empty(len(copies), dtype=dtype)
    copies.foreach_get(name, all_values)
    all_values[indices] = values
    copies.foreach_set(name, all_values)
