"""Objects that Blender draws in front of everything, such as bones: which a 3D view shows, and whether their
looks may have changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import bpy
import numpy as np

from .visibility import is_shown

TYPES = frozenset({"ARMATURE", "CAMERA", "EMPTY", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"})
"""Types of objects that are overlays. Meshes and curves in front of everything are not: those are surfaces."""

SHADINGS = frozenset({"SOLID", "WIREFRAME"})
"""Shading in which a view is quickly drawn once more. In the others an engine renders it, in many samples."""


@dataclass(frozen=True)
class ShownInFront:
    """What a 3D view shows in front. types: of its objects. selection: their session_uids, whether each is
    selected, and in which mode; objects of other view layers have their own.
    """

    types: frozenset[str] = frozenset()
    selection: tuple[tuple[int, bool, str], ...] = ()


NOTHING = ShownInFront()


class InFront:
    """changes: how often something may have changed. Event handlers count."""

    def __init__(self) -> None:
        self.changes = 0
        self._names: tuple[str, ...] = ()
        self._names_of: tuple[int, int, int] | None = None
        self._types: frozenset[str] = frozenset()
        self._types_of: tuple[int, int] | None = None

    def mark(self) -> None:
        """Note that an object may have changed. Cheap, and safe from any thread."""
        self.changes += 1

    def types_there(self) -> frozenset[str]:
        """List the types of all objects of the file: instances may show those that no view layer has. Goes
        through them only after a change.
        """
        objects = bpy.data.objects
        key = (len(objects), self.changes)
        if self._types_of != key:
            kinds = np.empty(len(objects), dtype=np.int32)
            objects.foreach_get("type", kinds)
            self._types_of = key
            self._types = frozenset(map(_type_names().__getitem__, set(kinds.tolist())))
        return self._types

    def shown_in(self, context: bpy.types.Context) -> ShownInFront:
        """List what the context's 3D view shows in front, if it shows such overlays at all."""
        space, view_layer = context.space_data, context.view_layer
        if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
            return NOTHING
        if space.shading.type not in SHADINGS:
            return NOTHING
        objects = view_layer.objects
        there = map(objects.get, self._names_in(view_layer))
        found = [
            one
            for one in there
            if one is not None and _has_overlay(one, space) and is_shown(one, view_layer, space)
        ]
        if not found:
            return NOTHING
        active = objects.active
        selection = [
            (one.session_uid, one.select_get(view_layer=view_layer), f"{one.mode} {one is active}")
            for one in found
        ]
        return ShownInFront(frozenset(one.type for one in found), tuple(selection))

    def _names_in(self, view_layer: bpy.types.ViewLayer) -> tuple[str, ...]:
        """Name the objects in front. Goes through all objects only after a change."""
        key = (view_layer.as_pointer(), len(view_layer.objects), self.changes)
        if self._names_of != key:
            self._names_of = key
            self._names = tuple(
                one.name for one in view_layer.objects if one.show_in_front and one.type in TYPES
            )
        return self._names


@cache
def _type_names() -> dict[int, str]:
    """Name the types of objects by the numbers that Blender has for them."""
    kinds: Any = bpy.types.Object.bl_rna.properties["type"]
    return {one.value: one.identifier for one in kinds.enum_items}


def _has_overlay(one: bpy.types.Object, space: bpy.types.SpaceView3D) -> bool:
    return space.overlay.show_bones if one.type == "ARMATURE" else space.overlay.show_extras
