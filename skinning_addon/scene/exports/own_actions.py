"""The actions that Blender's glTF exporter writes where there are game-ready copies: of each armature, its own.

In the modes *Actions* and *Broadcast*, the exporter adds actions of the file that an armature does not use, if
only they move bones. A copy does not have all of its original's bones, and its keys lack what the original's
constraints and drivers do: neither is right on the other. The exporter asks every enabled add-on about its list
(`gather_actions_hook`), which differs before Blender 4.4.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..clips.exported_actions import may_play


def leave_own_actions(animated: bpy.types.Object | None, found: Any, _settings: Any) -> None:
    """Leave actions of game-ready copies out of others' lists, and all but its own out of a copy's.

    found: the exporter's own list, which is changed.
    """
    if animated is None or animated.type != "ARMATURE":
        return
    if hasattr(found, "blender_actions"):
        found.blender_actions[:] = [one for one in found.blender_actions if may_play(animated, one)]
        return
    for key, each in list(found.actions.items()):
        if not may_play(animated, each[0].action):
            del found.actions[key]
