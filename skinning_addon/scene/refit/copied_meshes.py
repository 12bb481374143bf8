"""The meshes of a game-ready copy: the same rest mesh with the planned weights and one plain armature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import UsageError
from ..copies.copied_objects import followed_properties
from ..identification import object_of
from ..object_data import armature_of, mesh_of
from ..objects.modifier_stack import DEFORMING_TYPES
from .copied_animation import own_animation
from .copied_armature import Keep, game_ready_name
from .plan import CopiedMesh, CopyPlan

MAKES_VERTICES = frozenset({"SUBSURF"})
"""Modifiers among those that only move vertices which make new ones as well."""


def copy_meshes(
    plan: CopyPlan, original: bpy.types.Object, armature: bpy.types.Object, keep: Keep
) -> list[bpy.types.Object]:
    """Make the copies of the planned mesh objects, in no collection yet. armature: the copied one.

    Raises:
        UsageError: a mesh is being edited, or has other vertices than the plan.
    """
    originals = [object_of(mesh.object) for mesh in plan.meshes]
    copies = {original: armature}
    for mesh, one in zip(plan.meshes, originals, strict=True):
        _refuse_what_has_changed(mesh, one)
        copy = one.copy()
        keep(copy)
        copies[one] = copy
        copy.name = game_ready_name(one.name)
        copy.data = mesh_of(one).copy()
        keep(copy.data)
        copy.data.name = game_ready_name(mesh_of(one).name)
    own_animation({one: copies[one] for one in originals}, keep)
    for mesh, one in zip(plan.meshes, originals, strict=True):
        copy = copies[one]
        _keep_modifiers(copy, mesh, armature)
        _turn_to_copies(copy, one, copies)
        for name in mesh.taken_keys:
            copy.shape_key_remove(mesh_of(copy).shape_keys.key_blocks[name])
        if np.asarray(mesh.joints).shape[1]:
            _write_weights(copy, mesh, plan, {bone.name for bone in armature_of(original).bones})
    return [copies[one] for one in originals]


def taken_by_default(mesh_object: bpy.types.Object) -> frozenset[str]:
    """Name the modifiers behind a mesh's first armature that only move vertices: an engine has none of them."""
    modifiers = list(mesh_object.modifiers)
    first = _first_armature(modifiers)
    return frozenset(
        one.name
        for one in modifiers[first:]
        if one.show_viewport and one.type in DEFORMING_TYPES - MAKES_VERTICES
    )


def _refuse_what_has_changed(mesh: CopiedMesh, original: bpy.types.Object) -> None:
    if mesh_of(original).is_editmode:
        raise UsageError("'{mesh}' is being edited; leave Edit Mode.", mesh=original.name)
    if len(mesh.joints) != len(mesh_of(original).vertices):
        raise UsageError(
            "'{mesh}' has {vertices:,} vertices, but weights were found for {planned:,}; apply or remove the "
            "modifiers before its armature that change the number of vertices.",
            mesh=original.name,
            vertices=len(mesh_of(original).vertices),
            planned=len(mesh.joints),
        )


def _keep_modifiers(copy: bpy.types.Object, mesh: CopiedMesh, armature: bpy.types.Object) -> None:
    """Leave one armature modifier in place of the first one, and the modifiers that were not taken."""
    taken = taken_by_default(copy) if mesh.taken_modifiers is None else mesh.taken_modifiers
    modifiers = list(copy.modifiers)
    first = _first_armature(modifiers)
    name = modifiers[first].name if first < len(modifiers) else "Armature"
    removed = [one for one in modifiers if one.type == "ARMATURE" or one.name in taken]
    place = sum(one not in removed for one in modifiers[:first])
    for one in removed:
        copy.modifiers.remove(one)
    if not np.asarray(mesh.joints).shape[1]:
        return
    new = copy.modifiers.new(name, "ARMATURE")
    assert isinstance(new, bpy.types.ArmatureModifier)  # noqa: S101 - for the type checker
    new.object = armature
    new.use_deform_preserve_volume = False
    new.use_vertex_groups = True
    new.use_bone_envelopes = False
    copy.modifiers.move(len(copy.modifiers) - 1, place)


def _first_armature(modifiers: list[bpy.types.Modifier]) -> int:
    """Return the place of the first armature modifier, or where one would be: before all if it is the parent
    that deforms, which has no modifier.
    """
    places = [
        index
        for index, one in enumerate(modifiers)
        if isinstance(one, bpy.types.ArmatureModifier) and one.object
    ]
    return places[0] if places else 0


def _turn_to_copies(
    copy: bpy.types.Object, original: bpy.types.Object, copies: Mapping[bpy.types.Object, bpy.types.Object]
) -> None:
    """Make a copy refer to the others: as its parent, in modifiers and in constraints."""
    parent = copies.get(original.parent) if original.parent else None
    if parent is not None:
        stands = original.matrix_parent_inverse.copy()
        copy.parent = parent
        if original.parent_type == "ARMATURE":
            # Such a parent deforms once more.
            copy.parent_type = "OBJECT"
        elif original.parent_type == "BONE":
            copy.parent_type, copy.parent_bone = "BONE", original.parent_bone
        copy.matrix_parent_inverse = stands
    for owner in (*copy.modifiers, *copy.constraints):
        _turn(owner, copies)


def _turn(owner: bpy.types.bpy_struct, copies: Mapping[bpy.types.Object, bpy.types.Object]) -> None:
    for name in followed_properties(type(owner), frozenset({"Object"})):
        target = getattr(owner, name)
        if target in copies:
            setattr(owner, name, copies[target])


def _write_weights(copy: bpy.types.Object, mesh: CopiedMesh, plan: CopyPlan, authored: Iterable[str]) -> None:
    """Replace the weights of all bones by the planned ones; other groups stay."""
    groups = copy.vertex_groups
    names = {*authored, *(bone.name for bone in plan.bones)}
    for group in [one for one in groups if one.name in names]:
        groups.remove(group)
    joints, weights = np.asarray(mesh.joints), np.asarray(mesh.weights, dtype=np.float32)
    vertices, _ = np.nonzero((joints >= 0) & (weights > 0))
    used = joints[(joints >= 0) & (weights > 0)]
    values = weights[(joints >= 0) & (weights > 0)]
    for number in np.unique(used).tolist():
        of_joint = used == number
        group = groups.new(name=plan.bones[number].name)
        for chosen, weight in _by_weight(vertices[of_joint], values[of_joint]):
            group.add(chosen, weight, "REPLACE")


def _by_weight(vertices: NDArray[np.intp], weights: NDArray[np.float32]) -> Iterable[tuple[list[int], float]]:
    """Yield each weight with all of its vertices: Blender takes many vertices of one weight at a time."""
    order = np.argsort(weights, kind="stable")
    starts = np.flatnonzero(np.diff(weights[order], prepend=np.nan) != 0)
    for some in np.split(order, starts[1:]):
        yield vertices[some].tolist(), float(weights[some[0]])
