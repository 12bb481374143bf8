"""Bones whose names occur once in a scene: some engines find bones by name alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import bpy

from ...core.text.errors import UsageError
from ..clips.action_curves import OwnAction
from ..clips.actions import POSE_BONE_PATH
from ..clips.clips import list_clips
from ..identification import action_of, identity
from ..object_data import armature_of


def names_of_its_own(scene: bpy.types.Scene, armature: bpy.types.Object) -> dict[str, str]:
    """Return new names for an armature's bones that share theirs with an object of a scene or a bone of another
    armature there: the armature's own name comes first, so that endings such as .L stay.
    """
    taken = {one.name for one in scene.objects}
    for one in scene.objects:
        if one.type == "ARMATURE" and one.data != armature.data:
            taken |= set(armature_of(one).bones.keys())
    own = set(armature_of(armature).bones.keys())
    found: dict[str, str] = {}
    for name in sorted(own & taken):
        found[name] = _free(f"{armature.name}_{name}", taken | own | set(found.values()))
    return found


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{number}_{name}", number + 1
    return free


def actions_to_follow(
    scene: bpy.types.Scene, armature: bpy.types.Object, names: Collection[str]
) -> list[OwnAction]:
    """List an armature's actions that key some of these bones.

    Raises:
        UsageError: the armature or such an action is linked, or plays on another armature as well.
    """
    data = armature_of(armature)
    if armature.library or data.library or armature.override_library or data.override_library:
        raise UsageError("'{armature}' is linked; make it local to rename its bones.", armature=armature.name)
    name = identity(armature)
    found: dict[tuple[str, str | None], OwnAction] = {}
    for clip in list_clips(scene):
        for part in clip.parts:
            if part.armature != name or part.action is None:
                continue
            own = OwnAction.of(action_of(part.action), part.slot)
            if not any(_bone_of(curve) in names for curve in own.curves()):
                continue
            others = [
                one.armature for one in clip.parts if (one.action, one.slot) == (part.action, part.slot)
            ]
            _check_it_is_its_own(own, armature, [one for one in others if one != name])
            found[part.action, part.slot] = own
    return list(found.values())


def rename_bones(armature: bpy.types.Object, names: Mapping[str, str], actions: Iterable[OwnAction]) -> None:
    """Rename bones as `names` says, with everything that refers to them; Blender itself does that for vertex
    groups, constraints, drivers and the actions that are in use.
    """
    bones = armature_of(armature).bones
    for old, new in names.items():
        bones[old].name = new
    for own in actions:
        for curve in own.curves():
            old = _bone_of(curve)
            if old in names:
                start = f'pose.bones["{bpy.utils.escape_identifier(names[old])}"]'
                curve.data_path = POSE_BONE_PATH.sub(lambda _, start=start: start, curve.data_path, count=1)


def _bone_of(curve: bpy.types.FCurve) -> str:
    match = POSE_BONE_PATH.match(curve.data_path)
    return bpy.utils.unescape_identifier(match[1]) if match else ""


def _check_it_is_its_own(own: OwnAction, armature: bpy.types.Object, others: Sequence[str]) -> None:
    if own.action.library or own.action.override_library:
        raise UsageError(
            "'{action}' of '{armature}' is linked; make it local to rename the bones that it keys.",
            action=own.action.name,
            armature=armature.name,
        )
    if others:
        raise UsageError(
            "'{action}' moves '{other}' too, by the same names; give '{armature}' actions of its own first "
            "(the number beside the action's name makes a copy).",
            action=own.action.name,
            armature=armature.name,
            other=others[0],
        )
