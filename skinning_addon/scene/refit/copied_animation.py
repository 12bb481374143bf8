"""The animation of a copied mesh: of its object, its data and its shape keys, apart from the original's.

When Blender copies a data-block, it copies the drivers, but the copy shares its actions with the original:
editing a key of one would change the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import bpy

from ..clips.action_curves import OwnAction
from ..clips.actions import GAME_READY, POSE_BONE_PATH
from ..object_data import mesh_of
from .copied_armature import Keep, game_ready_name


def own_animation(copies: Mapping[bpy.types.Object, bpy.types.Object], keep: Keep) -> None:
    """Give copied mesh objects actions of their own, with the same slots, and have their drivers follow the
    copies. copies: by original.

    Drivers that follow an armature go on following the original's: what poses it, the copy hasn't.
    """
    blocks = {
        one: other
        for original, copy in copies.items()
        for one, other in zip(animated_blocks(original), animated_blocks(copy), strict=True)
    }
    for original, copy in copies.items():
        for block in animated_blocks(copy):
            if block.animation_data is not None:
                _own_actions(block.animation_data, original.name, keep)
                _turn_drivers(block.animation_data, blocks)


def animated_blocks(mesh_object: bpy.types.Object) -> list[Any]:
    """List what of a mesh object can be animated: itself, its data, and its shape keys if it has any."""
    mesh = mesh_of(mesh_object)
    return [mesh_object, mesh, *([mesh.shape_keys] if mesh.shape_keys else [])]


def actions_of(block: bpy.types.ID) -> Iterator[bpy.types.Action]:
    """Yield the actions that a data-block plays, also on tracks; one may come several times."""
    data = getattr(block, "animation_data", None)
    if data is None:
        return
    if data.action is not None:
        yield data.action
    for strip in _strips(data):
        if strip.action is not None:
            yield strip.action


def _own_actions(data: bpy.types.AnimData, owner: str, keep: Keep) -> None:
    # The action can't be changed while a strip is being tweaked.
    data.use_tweak_mode = False
    made: dict[tuple[bpy.types.Action, str | None], OwnAction] = {}
    for user in (data, *_strips(data)):
        if user.action is None:
            continue
        # The type checker knows only one Blender, and up to 4.3 there are no slots.
        any_user = cast("Any", user)
        slot = getattr(any_user, "action_slot", None)
        if slot is None and hasattr(user.action, "slots"):
            # Without a slot it plays nothing.
            any_user.action = None
            continue
        which = user.action, slot.identifier if slot is not None else None
        if which not in made:
            made[which] = _copied(*which, owner, keep)
        any_user.action = made[which].action
        if made[which].slot is not None:
            any_user.action_slot = made[which].slot


def _copied(action: bpy.types.Action, slot: str | None, owner: str, keep: Keep) -> OwnAction:
    display = next(
        (one.name_display for one in getattr(action, "slots", ()) if one.identifier == slot), owner
    )
    own = OwnAction.copy_of(action, slot, display)
    keep(own.action)
    own.action.name = game_ready_name(f"{action.name} of {owner}")
    own.action.use_fake_user = False
    # A mesh may hold the action of an armature. It moves nothing there, and would be taken for a clip.
    own.remove([one for one in own.curves() if POSE_BONE_PATH.match(one.data_path)])
    own.action[GAME_READY] = ""
    return own


def _strips(data: bpy.types.AnimData) -> Iterator[bpy.types.NlaStrip]:
    waiting = [strip for track in data.nla_tracks for strip in track.strips]
    while waiting:
        strip = waiting.pop()
        waiting += strip.strips
        yield strip


def _turn_drivers(data: bpy.types.AnimData, copies: Mapping[bpy.types.ID, bpy.types.ID]) -> None:
    for curve in data.drivers:
        for variable in curve.driver.variables:
            for target in variable.targets:
                if target.id is not None and target.id in copies:
                    target.id = copies[target.id]
