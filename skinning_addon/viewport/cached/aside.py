"""Objects that step aside while characters are shown from memory: Blender then evaluates neither rig nor mesh.

Only `hide_viewport` stops evaluation. It is the user's own, and would be in files and undo steps; so it is set
only while Blender plays, and the scene is marked meanwhile: whoever finds a mark with nothing aside shows the
objects again (`heal`).
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..objects.object_lookup import ObjectLookup

MARK = "skinscope_aside"
"""A custom property of scenes, with the objects that are aside."""


class Aside:
    """Hides objects, and shows them again as they were. Keeps no Blender object."""

    def __init__(self, objects: ObjectLookup) -> None:
        self._objects = objects
        self._hidden: list[int] = []
        self._selected: list[int] = []
        self._scene = 0

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def put(self, uids: Iterable[int], scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        """Hide these objects, by session_uid, in one step."""
        found = [one for one in map(self._objects.find, uids) if one is not None and not one.hide_viewport]
        self._scene = scene.session_uid
        self._selected = [one.session_uid for one in found if one.select_get(view_layer=view_layer)]
        self._hidden = [one.session_uid for one in found]
        if found:
            scene[MARK] = {str(number): one for number, one in enumerate(found)}
        for one in found:
            one.hide_viewport = True

    def bring_back(self) -> None:
        """Show what was hidden, selected as it was."""
        uids, selected = self._hidden, set(self._selected)
        self._hidden, self._selected = [], []
        scene = next((one for one in bpy.data.scenes if one.session_uid == self._scene), None)
        if scene is not None and MARK in scene:
            del scene[MARK]
        found = [one for one in map(self._objects.find, uids) if one is not None]
        for one in found:
            one.hide_viewport = False
        for one in found:
            if one.session_uid in selected:
                for layer in scene.view_layers if scene is not None else ():
                    if one.name in layer.objects:
                        one.select_set(True, view_layer=layer)


def heal() -> int:
    """Show objects that are aside in what was loaded or undone, where nothing of ours is; return how many."""
    count = 0
    for scene in bpy.data.scenes:
        if scene.library is not None or MARK not in scene:
            continue
        # Pointers, which survive new names, as in a scene that is appended to another file.
        for one in scene[MARK].values():
            if isinstance(one, bpy.types.Object) and one.hide_viewport:
                one.hide_viewport = False
                count += 1
        del scene[MARK]
    return count
