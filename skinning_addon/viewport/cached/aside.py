"""Objects that step aside while characters are shown from memory: Blender then evaluates neither rig nor mesh.

Only `hide_viewport` stops evaluation. It is the user's own, and would be in files and undo steps; so it is set
only while Blender plays, and each object is marked meanwhile: whoever finds marks with nothing aside shows the
objects again (`heal`). The mark is the object's own: a list of them, kept by the scene, would have Blender
evaluate all that are in it.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..objects.object_lookup import ObjectLookup

MARK = "skinscope_aside"
"""A custom property of objects that are aside."""


class Aside:
    """Hides objects, and shows them again as they were. Keeps no Blender object."""

    def __init__(self, objects: ObjectLookup) -> None:
        self._objects = objects
        self._hidden: list[int] = []
        self._selected: list[int] = []
        self._scene = 0

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def was_selected(self, uid: int) -> bool:
        """Whether an object that is aside was selected before."""
        return uid in self._selected

    def put(self, uids: Iterable[int], scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        """Hide these objects, by session_uid, in one step."""
        found = [one for one in map(self._objects.find, uids) if one is not None and not one.hide_viewport]
        self._scene = scene.session_uid
        self._selected = [one.session_uid for one in found if one.select_get(view_layer=view_layer)]
        self._hidden = [one.session_uid for one in found]
        for one in found:
            one[MARK] = True
            one.hide_viewport = True

    def bring_back(self) -> None:
        """Show what was hidden, selected as it was."""
        uids, selected = self._hidden, set(self._selected)
        self._hidden, self._selected = [], []
        scene = next((one for one in bpy.data.scenes if one.session_uid == self._scene), None)
        found = [one for one in map(self._objects.find, uids) if one is not None]
        for one in found:
            _show(one)
        for one in found:
            if one.session_uid in selected:
                for layer in scene.view_layers if scene is not None else ():
                    if one.name in layer.objects:
                        one.select_set(True, view_layer=layer)


def heal() -> int:
    """Show objects that are aside in what was loaded or undone, where nothing of ours is; return how many."""
    found = [one for one in bpy.data.objects if one.library is None and MARK in one]
    for one in found:
        _show(one)
    return len(found)


def _show(one: bpy.types.Object) -> None:
    one.hide_viewport = False
    if MARK in one:
        del one[MARK]
