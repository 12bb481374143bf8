"""A mesh object of the scene -> Binding: the passes that reproduce its deformation, and what they can't reproduce."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.binding import Binding, Reason
from ..core.errors import BindingError
from ..core.palette import Joints, Pass, PassInput, joints_in_use
from ..core.skin import Skin
from .armature_reader import ArmatureReader, read_armature
from .matrices import inverse_of_object, row_vectors
from .mesh_reader import read_source_mesh
from .modifier_stack import ModifierStack, keeps_positions, multi_modifier_passes, read_stack
from .vertex_group_reader import read_bone_skin, read_group_weights


def read_binding(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Binding:
    """Bind a mesh object (the original, not an evaluated copy) to the armatures that deform it.

    Costs about 60 ms per 50,000 vertices, most of it for the vertex groups.

    Raises:
        BindingError: nothing deforms the mesh, it has no vertices or is being edited, an armature has no bones, or
            an object is scaled to zero.
    """
    stack = read_stack(mesh_object)
    _refuse_what_cannot_be_bound(mesh_object, stack)
    mesh = mesh_object.data
    readers = {armature.name: read_armature(armature) for armature in stack.armature_objects}
    passes = tuple(_read_passes(mesh_object, stack, readers, depsgraph))
    reasons = (*_reasons_of_stack(mesh_object, stack), *_reasons_of_passes(mesh_object, stack, readers, passes))
    return Binding(
        mesh_object=mesh_object.name,
        mesh=read_source_mesh(mesh),
        skeletons={name: reader.skeleton for name, reader in readers.items()},
        passes=passes,
        reasons=tuple(dict.fromkeys(reasons)),
    )


def mesh_to_root(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from the mesh object's space to the armature object's, at the present frame."""
    mesh_to_world = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
    root_to_world = row_vectors(armature.evaluated_get(depsgraph).matrix_world)
    inverse_of_object(mesh_to_world, mesh_object.name)
    return mesh_to_world @ inverse_of_object(root_to_world, armature.name)


def _refuse_what_cannot_be_bound(mesh_object: bpy.types.Object, stack: ModifierStack) -> None:
    name = mesh_object.name
    if mesh_object.type != "MESH":
        raise BindingError(f"'{name}' is no mesh; select a mesh that an armature deforms.")
    if not stack.armature_objects:
        raise BindingError(
            f"No armature deforms '{name}'; give it an Armature modifier whose Object is the armature.", "no-armature"
        )
    if mesh_object.mode == "EDIT":
        raise BindingError(f"'{name}' is in Edit Mode, where Blender does not deform it; leave Edit Mode.", "edit-mode")
    if not len(mesh_object.data.vertices):
        raise BindingError(f"'{name}' has no vertices, so there is nothing to skin.", "no-vertices")
    for armature in stack.armature_objects:
        if not len(armature.data.bones):
            raise BindingError(f"'{armature.name}', which deforms '{name}', has no bones; add some.", "no-bones")


def _read_passes(
    mesh_object: bpy.types.Object,
    stack: ModifierStack,
    readers: dict[str, ArmatureReader],
    depsgraph: bpy.types.Depsgraph,
) -> Iterator[Pass]:
    modifiers = (None,) * (stack.armature_parent is not None) + stack.armatures
    from_run_start = multi_modifier_passes(mesh_object)
    for modifier, armature in zip(modifiers, stack.armature_objects, strict=True):
        reader = readers[armature.name]
        by_groups = modifier is None or modifier.use_vertex_groups
        skin, joints = _read_skin(mesh_object, reader, mesh_to_root(mesh_object, armature, depsgraph), by_groups)
        yield Pass(
            skin,
            joints,
            armature.name,
            amount=None if modifier is None else _read_mask(mesh_object, modifier),
            input=PassInput.RUN_START
            if modifier is not None and modifier.name in from_run_start
            else PassInput.PREVIOUS,
        )


def _read_skin(
    mesh_object: bpy.types.Object, reader: ArmatureReader, relation: NDArray[np.float64], by_groups: bool
) -> tuple[Skin, Joints]:
    names = reader.skeleton.names
    bone_of_name = {name: bone for bone, name in enumerate(names) if reader.deforms[bone]} if by_groups else {}
    skin = read_bone_skin(mesh_object.data, mesh_object.vertex_groups, bone_of_name)
    return joints_in_use(reader.skeleton, skin, relation)


def _read_mask(
    mesh_object: bpy.types.Object, modifier: bpy.types.ArmatureModifier
) -> NDArray[np.float32] | None:
    group = mesh_object.vertex_groups.get(modifier.vertex_group) if modifier.vertex_group else None
    if group is None:
        return None
    weights = read_group_weights(mesh_object.data, group.index)
    return 1 - weights if modifier.invert_vertex_group else weights


def _reasons_of_stack(mesh_object: bpy.types.Object, stack: ModifierStack) -> Iterator[Reason]:
    name = mesh_object.name
    if mesh_object.data.shape_keys is not None:
        yield Reason("shape-keys", f"'{name}' has shape keys, which change the mesh before the armature does.")
    for modifier in stack.before:
        if not keeps_positions(modifier):
            yield Reason(
                "modifier-before", f"'{modifier.name}' changes '{name}' before the armature does; move or apply it."
            )
    for modifier in stack.between:
        if not keeps_positions(modifier):
            yield Reason("modifier-between", f"'{modifier.name}' stands between two armature modifiers of '{name}'.")
    for modifier in stack.after:
        if not keeps_positions(modifier):
            yield Reason(
                "modifier-after", f"'{modifier.name}' changes '{name}' after the armature has; Blender's result has it."
            )


def _reasons_of_passes(
    mesh_object: bpy.types.Object,
    stack: ModifierStack,
    readers: dict[str, ArmatureReader],
    passes: tuple[Pass, ...],
) -> Iterator[Reason]:
    modifiers = (None,) * (stack.armature_parent is not None) + stack.armatures
    for modifier, armature, one in zip(modifiers, stack.armature_objects, passes, strict=True):
        if modifier is not None and modifier.use_deform_preserve_volume:
            yield Reason(
                "preserve-volume", f"'{modifier.name}' of '{mesh_object.name}' has Preserve Volume on; this is linear."
            )
        yield from _reasons_of_bones(armature, readers[armature.name], one)
        envelopes = modifier is None or modifier.use_bone_envelopes
        if envelopes and _envelopes_reach_vertices(mesh_object, modifier, readers[armature.name]):
            yield Reason(
                "envelopes", f"Bone envelopes of '{armature.name}' deform vertices of '{mesh_object.name}'."
            )


def _reasons_of_bones(armature: bpy.types.Object, reader: ArmatureReader, one: Pass) -> Iterator[Reason]:
    bones = armature.data.bones
    influencing = [bones[reader.skeleton.names[bone]] for bone in one.joints.bone[1:]]
    bendy = [bone.name for bone in influencing if bone.bbone_segments > 1]
    if bendy:
        yield Reason("bendy-bones", f"{_listed(bendy, 'bone')} of '{armature.name}' bend in segments (Bendy Bones).")
    multiplied = [bone.name for bone in influencing if bone.use_envelope_multiply]
    if multiplied:
        yield Reason(
            "envelope-multiply", f"{_listed(multiplied, 'bone')} of '{armature.name}' multiply weights by an envelope."
        )


def _envelopes_reach_vertices(
    mesh_object: bpy.types.Object, modifier: bpy.types.ArmatureModifier | None, reader: ArmatureReader
) -> bool:
    """Envelopes act on vertices that are in no group of a deforming bone; a membership of weight 0 blocks them."""
    if modifier is not None and not modifier.use_vertex_groups:
        return True
    deforming = {name: bone for bone, name in enumerate(reader.skeleton.names) if reader.deforms[bone]}
    skin = read_bone_skin(mesh_object.data, mesh_object.vertex_groups, deforming)
    return bool((skin.counts == 0).any())


def _listed(names: list[str], noun: str) -> str:
    if len(names) == 1:
        return f"The {noun} '{names[0]}'"
    return f"{len(names)} {noun}s ('{names[0]}' and others)"
