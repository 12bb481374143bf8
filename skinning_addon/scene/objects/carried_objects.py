"""A character's other objects: those attached to its bones, armature or meshes, at any depth.

`rigid_parts` lists those that are drawn with the skin. This module finds all objects that become nodes in an
exported file, including sockets and lamps, and names those that would be missing from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import bpy

from ...core.text.identity import Identity
from ...core.text.message import Message
from ..identification import identity, object_of
from .animated_settings import armatures_at_some_frame
from .deformed_meshes import widgets

WITH_TRIANGLES = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})
"""Types of objects that Blender turns into meshes."""

WITHOUT_TRIANGLES = frozenset({"CURVES", "POINTCLOUD", "VOLUME", "GPENCIL", "GREASEPENCIL"})
"""Types of visible objects that can't be represented by a mesh."""


@dataclass(frozen=True)
class Carried:
    """An object that moves with an armature without being bent by it.

    armature: the nearest above it. parent: the armature, a mesh or another carried object. bone: the bone of
    that armature that the object is parented to; '' if its parent is not a bone.
    """

    object: Identity
    parent: Identity
    bone: str
    armature: Identity


@dataclass(frozen=True)
class LeftOut:
    """An object that is not exported, and why. of_character: whether it is part of a character."""

    object: Identity
    reason: str
    of_character: bool


@dataclass(frozen=True)
class SceneContents:
    """carried: parents before their children. left_out: objects that are neither carried nor skins."""

    carried: tuple[Carried, ...]
    left_out: tuple[LeftOut, ...]

    def armatures_with_parts(self) -> tuple[Identity, ...]:
        """Return the armatures that carry a visible object."""
        shown = (one.armature for one in self.carried if object_of(one.object).type in WITH_TRIANGLES)
        return tuple(dict.fromkeys(shown))


def scene_contents(scene: bpy.types.Scene, skins: Sequence[bpy.types.Object]) -> SceneContents:
    """Sort the objects of a scene. skins: the meshes that armatures deform (`deformed_meshes`).

    Omits bones' custom shapes silently, as well as armatures, cameras, lamps and empties not below an armature.
    """
    armature_of = {one: armatures_at_some_frame(one)[0] for one in skins}
    shapes = widgets(scene)
    found: list[tuple[int, Carried]] = []
    left_out: list[LeftOut] = []
    for one in sorted(scene.objects, key=identity):
        if one in armature_of or one in shapes:
            continue
        above = _above(one, armature_of)
        reason = _why_not_carried(one, above[0]) if above else _why_outside(one)
        if reason:
            left_out.append(LeftOut(identity(one), reason, bool(above) or _follows(one) is not None))
        elif above:
            found.append((len(above), _carried(one, above[0], above[-1])))
    found.sort(key=lambda pair: pair[0])
    return SceneContents(tuple(one for _, one in found), tuple(left_out))


def _above(
    one: bpy.types.Object, armature_of: Mapping[bpy.types.Object, bpy.types.Object]
) -> list[bpy.types.Object]:
    """List an object's parents up to the armature that it moves with; empty if there is none."""
    above: list[bpy.types.Object] = []
    parent = one.parent
    while parent is not None:
        above.append(parent)
        if parent.type == "ARMATURE":
            return above
        if parent in armature_of:
            return [*above, armature_of[parent]]
        parent = parent.parent
    return []


def _carried(one: bpy.types.Object, parent: bpy.types.Object, armature: bpy.types.Object) -> Carried:
    on_bone = parent.type == "ARMATURE" and one.parent_type == "BONE" and one.parent_bone in _bones(parent)
    return Carried(identity(one), identity(parent), one.parent_bone if on_bone else "", identity(armature))


def _bones(armature: bpy.types.Object) -> Collection[str]:
    return armature.pose.bones.keys() if armature.pose is not None else ()


def _why_not_carried(one: bpy.types.Object, parent: bpy.types.Object) -> str:
    """Explain why an object below an armature can't be carried; '' if it can."""
    name = identity(one)
    if one.parent_type in {"VERTEX", "VERTEX_3"}:
        return Message(
            "'{object}' is parented to vertices of '{parent}', which nodes in a file can't follow; parent "
            "it to a bone.",
            object=name,
            parent=identity(parent),
        )
    if one.parent_type in {"ARMATURE", "LATTICE"} or _bent_by_armature(one):
        return Message(
            "'{object}' is deformed by an armature or a lattice, but only meshes can be skinned; convert "
            "it to a mesh with an Armature modifier.",
            object=name,
        )
    if one.type in WITHOUT_TRIANGLES:
        return Message("'{object}' has no triangles; convert it to a mesh.", object=name)
    return _why_instancer(one)


def _bent_by_armature(one: bpy.types.Object) -> bool:
    """Tell whether an object has an armature modifier but is not a mesh; on a mesh here, it would be off."""
    modifiers = () if one.type == "MESH" else one.modifiers
    return any(isinstance(each, bpy.types.ArmatureModifier) and each.object for each in modifiers)


def _why_outside(one: bpy.types.Object) -> str:
    """Explain why an object that is not below an armature isn't exported; '' if that is obvious."""
    if (armature := _follows(one)) is not None and one.type in WITH_TRIANGLES:
        return Message(
            "'{object}' follows '{armature}' by a constraint, but nodes in a file only follow their "
            "parents; parent it to the bone.",
            object=identity(one),
            armature=identity(armature),
        )
    if one.type in WITH_TRIANGLES | WITHOUT_TRIANGLES:
        return Message(
            "'{object}' is neither deformed by an armature nor attached to one.", object=identity(one)
        )
    return _why_instancer(one)


def _why_instancer(one: bpy.types.Object) -> str:
    collection = one.instance_collection if one.instance_type == "COLLECTION" else None
    if collection is None:
        return ""
    return Message(
        "'{object}' instances the collection '{collection}'; make its instances real to export them.",
        object=identity(one),
        collection=collection.name,
    )


def _follows(one: bpy.types.Object) -> bpy.types.Object | None:
    """Return the armature that a constraint ties an object to, for objects not below an armature."""
    for constraint in one.constraints:
        targets = [getattr(constraint, "target", None)]
        if isinstance(constraint, bpy.types.ArmatureConstraint):
            targets = [each.target for each in constraint.targets]
        found = next((each for each in targets if each is not None and each.type == "ARMATURE"), None)
        if found is not None and constraint.enabled:
            return found
    return None
