"""All values that a property group stores, read at once: whatever is made of them need not be made again while
they are the same.

Blender reports changes in its interface and from Python, but not those of undo, of a loaded file or of
animation, so values are compared instead.
"""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter
from typing import Any

import bpy


class StoredValues:
    """Reads the values of one class of property groups, and of the groups in it. Collections are left out.

    All of them, so that a property that is added later can't be forgotten: reading one takes a tenth of a
    microsecond.
    """

    def __init__(self, properties: Any, *, without: Collection[str] = ()) -> None:
        """properties: the registered class's `bl_rna`, or what a pointer points to. without: names of
        properties to leave out, in the groups in it too.
        """
        single, arrays, groups = ["bl_rna", "bl_rna"], [], []
        for one in properties.properties:
            name = one.identifier
            if name in {"rna_type", "name", "bl_idname", *without} or one.type == "COLLECTION":
                continue
            if isinstance(one, bpy.types.PointerProperty):
                groups.append((name, StoredValues(one.fixed_type, without=without)))
            else:
                (arrays if getattr(one, "is_array", False) else single).append(name)
        # With one name alone, attrgetter returns no tuple.
        self._single = attrgetter(*single)
        self._arrays = tuple(arrays)
        self._groups = tuple(groups)

    def __call__(self, group: bpy.types.bpy_struct) -> tuple[Any, ...]:
        """Return a group's values, comparable with those of another time."""
        return (
            *self._single(group)[2:],
            *[getattr(group, name)[:] for name in self._arrays],
            *[read(getattr(group, name)) for name, read in self._groups],
        )
