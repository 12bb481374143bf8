"""Characters that can step aside: a rig, the meshes that it moves, and whatever else keeps Blender evaluating
it.

A rig rests only if nothing that Blender evaluates relies on it any more. So a group is all that relies on a
rig, and if any of that can't be shown from memory, the whole rig stays Blender's, and the reason is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import bpy

from ...core.text.message import Message
from ...scene.identification import identity
from ...scene.objects.animated_settings import animated_paths, armatures_at_some_frame
from ...scene.objects.modifier_stack import armature_objects, keeps_positions
from ...scene.objects.reliance import Reliance
from ...scene.objects.repeatability import foreign_handlers, reasons_against_remembering

OWN_PACKAGE = __package__.removesuffix(".viewport.cached")

STEPS = (
    bpy.types.Armature,
    bpy.types.Curve,
    bpy.types.Key,
    bpy.types.Lattice,
    bpy.types.Mesh,
    bpy.types.Object,
)
"""Types of what may stand between a rig and the objects that rely on it."""


@dataclass(frozen=True)
class Group:
    """What steps aside together, each by session_uid.

    name: of its first rig. objects: all of them. meshes: those to be shown. relied_on: the data-blocks that
    decide how they look: after a change of any, their frames are no longer known.
    """

    name: str
    objects: tuple[int, ...]
    meshes: tuple[int, ...]
    relied_on: frozenset[int]

    def __hash__(self) -> int:
        # Characters are looked up at every frame that is recorded.
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.objects, self.meshes, self.relied_on))


@dataclass(frozen=True)
class Found:
    """groups: that may step aside. kept: sentences, why others stay Blender's."""

    groups: tuple[Group, ...] = ()
    kept: tuple[Message, ...] = ()


def find_groups(view_layer: bpy.types.ViewLayer) -> Found:
    """Find the characters that a view layer shows."""
    foreign = foreign_handlers(OWN_PACKAGE)
    if foreign:
        return Found(kept=(Message("'{function}', in Python, runs at every frame", function=foreign[0]),))
    reliance = Reliance()
    evaluated = {one for one in view_layer.objects if _is_evaluated(one, view_layer)}
    groups: list[Group] = []
    kept: list[Message] = []
    done: set[bpy.types.ID] = set()
    for armature in sorted(_rigs(evaluated), key=identity):
        if armature in done:
            continue
        together = _together(armature, reliance)
        done |= together
        reason = _why_kept(together, evaluated, view_layer, reliance)
        if reason is not None:
            kept.append(reason)
            continue
        objects = sorted((one for one in evaluated if one in together), key=identity)
        meshes = [one for one in objects if one.type == "MESH" and one.visible_get(view_layer=view_layer)]
        relied_on = reliance.relied_on_by(objects)
        reason = next(reasons_against_remembering(sorted(relied_on, key=lambda one: one.name)), None)
        if reason is not None:
            kept.append(reason)
            continue
        groups.append(
            Group(
                identity(armature),
                tuple(one.session_uid for one in objects),
                tuple(one.session_uid for one in meshes),
                frozenset(one.session_uid for one in relied_on),
            )
        )
    return Found(tuple(groups), tuple(dict.fromkeys(kept)))


def _is_evaluated(one: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> bool:
    """Whether Blender evaluates an object for a view layer; also with its eye closed."""
    if one.hide_viewport:
        return False
    return one.visible_get(view_layer=view_layer) or one.hide_get(view_layer=view_layer)


def _rigs(evaluated: Iterable[bpy.types.Object]) -> set[bpy.types.Object]:
    """Collect the armatures that move any visible mesh."""
    return {
        armature
        for one in evaluated
        if one.type == "MESH"
        for armature in (*armatures_at_some_frame(one), *armature_objects(one))
    }


def _together(armature: bpy.types.Object, reliance: Reliance) -> set[bpy.types.ID]:
    """Collect what relies on a rig, and on the other rigs among that or that move the same meshes."""
    found: set[bpy.types.ID] = set()
    rigs = {armature}
    while rigs - found:
        found |= reliance.relying_on(rigs)
        rigs |= {one for one in found if isinstance(one, bpy.types.Object) and one.type == "ARMATURE"}
        rigs |= _rigs(one for one in found if isinstance(one, bpy.types.Object))
    return found


def _why_kept(
    together: Iterable[bpy.types.ID],
    evaluated: set[bpy.types.Object],
    view_layer: bpy.types.ViewLayer,
    reliance: Reliance,
) -> Message | None:
    """Return the first reason why these can't step aside, None if they can."""
    for block in sorted(together, key=lambda one: one.name):
        if not isinstance(block, STEPS):
            return Message("'{block}' follows the rig", block=block.name)
        if isinstance(block, bpy.types.Object) and block in evaluated:
            reason = next(_reasons_of(block, view_layer, reliance), None)
            if reason is not None:
                return reason
    return None


def _reasons_of(
    one: bpy.types.Object, view_layer: bpy.types.ViewLayer, reliance: Reliance
) -> Iterator[Message]:
    name = identity(one)
    if one.type not in {"ARMATURE", "MESH"} and one.visible_get(view_layer=view_layer):
        yield Message("'{object}' follows the rig, and is no mesh", object=name)
    if one.library is not None:
        yield Message("'{object}' is linked; make a library override", object=name)
    if len(one.users_scene) > 1:
        yield Message("'{object}' is in several scenes", object=name)
    if one.instance_type != "NONE" or reliance.instancers_of(one):
        yield Message("'{object}' is instanced", object=name)
    if "hide_viewport" in animated_paths(one):
        yield Message("'{object}' appears and disappears", object=name)
    if one.mode not in {"OBJECT", "POSE"}:
        yield Message("'{object}' is being edited", object=name)
    if len(one.particle_systems):
        yield Message("'{object}' has particles", object=name)
    nodes = (each for each in one.modifiers if each.type == "NODES" and each.show_viewport)
    if any(not keeps_positions(each) for each in nodes):
        yield Message("'{object}' has Geometry Nodes", object=name)
