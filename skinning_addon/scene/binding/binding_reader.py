"""Mesh object -> Binding: the passes that reproduce its deformation, and the reasons why they can't."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.maths.once import Once, each_time
from ...core.profiles.binding import Binding, Reason
from ...core.profiles.index_width import wrapped_indices
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.passes import FollowingWeights, Pass, PassInput
from ...core.skinning.skeleton import invert_affine
from ...core.text.errors import BindingError
from ...core.text.message import Message
from ...core.verdicts.rules import RULES
from ..armatures.armature_reader import ArmatureReader, ArmatureReaders
from ..armatures.profiled_reading import armatures_under, blend_under, reader_under, weight_rule
from ..identification import identity
from ..matrices import relation, row_vectors
from ..meshes.mesh_contents import MeshContents, read_mesh_contents
from ..object_data import armature_of
from ..objects.animated_settings import armature_is_switched
from ..objects.modifier_stack import (
    WEIGHT_CHANGING_TYPES,
    ModifierStack,
    evaluated_stack,
    keeps_positions,
    multi_modifier_passes,
)
from .binding_signature import BindingSignature, binding_signature
from .rigid_parts import carrier, hangs_on_own_bone, read_rigid_binding
from .skin_reader import grouped_weights, skin_at


def read_binding(
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    contents: MeshContents | None = None,
    profile: Profile = BLENDER,
    armatures: ArmatureReaders | None = None,
    *,
    signature: BindingSignature | None = None,
    once: Once = each_time,
) -> Binding:
    """Bind a mesh object (the original, not an evaluated copy) to the armatures that deform or carry it.

    Settings have the values that `depsgraph` evaluates, animated or not. If all armature modifiers are off
    until a key or a driver switches one on, nothing deforms the mesh, and there are no passes.

    contents: of the mesh, if it has not changed since; read here if omitted, which costs about 60 ms
    per 50,000 vertices, mostly for the vertex groups.
    profile: the engine whose weights the passes get, and the features lost on the way to it.
    armatures: armatures already read, shared by several bindings of one moment. signature: likewise, the
    `binding_signature`. once: shares what other bindings of the moment are made of, such as those of the
    mesh under other profiles.

    Raises:
        BindingError: nothing deforms the mesh, it has no vertices or is being edited, an armature has no bones,
            or an object's scale is zero or otherwise not invertible for Blender.
    """
    evaluated = mesh_object.evaluated_get(depsgraph)
    of_mesh = mesh_object.session_uid
    carried = once(("carried", of_mesh), lambda: carrier(evaluated) is not None)
    if carried or (profile.lost.skins_on_bones and hangs_on_own_bone(evaluated)):
        contents = contents or read_mesh_contents(mesh_object, depsgraph)
        rigid = read_rigid_binding(evaluated, contents)
        read_from = signature or binding_signature(mesh_object, depsgraph)
        return replace(rigid, read_from=read_from, profile=profile)
    deformed = once(("deformed", of_mesh), lambda: _DeformedMesh.read(mesh_object, depsgraph))
    armatures = armatures or ArmatureReaders()
    contents = contents or read_mesh_contents(mesh_object, depsgraph)
    kept = armatures_under(profile, evaluated, deformed.stack.armature_objects)
    readers: dict[str, ArmatureReader] = {
        one.identity: reader_under(profile, armatures.of(one.armature)) for one in deformed.passes[kept]
    }
    passes = tuple(_read_passes(deformed, contents, kept, readers, profile=profile, once=once))
    return Binding(
        mesh_object=deformed.identity,
        mesh=contents.source,
        skeletons={name: reader.skeleton for name, reader in readers.items()},
        passes=passes,
        reasons=(
            *contents.reasons,
            *deformed.reasons,
            *_reasons_of_bones(deformed.identity, passes, readers, once),
        ),
        read_from=signature or binding_signature(mesh_object, depsgraph),
        profile=profile,
    )


@dataclass(frozen=True, eq=False)
class _ArmaturePass:
    """One pass over a mesh as it is in Blender, whatever an engine makes of it.

    modifier: None for a parent that acts as one. armature: evaluated; identity: its own.
    """

    modifier: bpy.types.ArmatureModifier | None
    armature: bpy.types.Object
    identity: str

    @property
    def by_groups(self) -> bool:
        """Whether vertex groups give weights."""
        return self.modifier is None or self.modifier.use_vertex_groups

    @property
    def by_envelopes(self) -> bool:
        """Whether bones' envelopes do, where there are no groups."""
        return self.modifier is None or self.modifier.use_bone_envelopes

    @property
    def preserve_volume(self) -> bool:
        return self.modifier is not None and self.modifier.use_deform_preserve_volume


@dataclass(frozen=True, eq=False)
class _DeformedMesh:
    """What every binding of a deformed mesh at a moment begins with, under whichever profile. Holds Blender
    objects of that moment.

    from_run_start: the modifiers that start from where their run does. reasons: of the stack.
    """

    mesh_object: bpy.types.Object
    depsgraph: bpy.types.Depsgraph
    identity: str
    stack: ModifierStack
    passes: tuple[_ArmaturePass, ...]
    group_names: tuple[str, ...]
    from_run_start: frozenset[str]
    reasons: tuple[Reason, ...]

    @classmethod
    def read(cls, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> _DeformedMesh:
        """Read a mesh object, the original.

        Raises:
            BindingError: see `read_binding`.
        """
        stack = evaluated_stack(mesh_object, depsgraph)
        _refuse_what_cannot_be_bound(mesh_object, stack)
        carrying = tuple(one for one in stack.armatures if one.object)
        modifiers = (None,) * (stack.armature_parent is not None) + carrying
        return cls(
            mesh_object,
            depsgraph,
            identity(mesh_object),
            stack,
            tuple(
                _ArmaturePass(modifier, armature, identity(armature))
                for modifier, armature in zip(modifiers, stack.armature_objects, strict=True)
            ),
            tuple(mesh_object.vertex_groups.keys()),
            multi_modifier_passes(mesh_object.evaluated_get(depsgraph)),
            tuple(_reasons_of_stack(mesh_object, stack)),
        )


def mesh_to_root(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from the mesh object's space to the armature object's, at the current frame."""
    mesh_to_world = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
    root_to_world = row_vectors(armature.evaluated_get(depsgraph).matrix_world)
    return relation(mesh_to_world, root_to_world, identity(mesh_object), identity(armature))[0]


def _refuse_what_cannot_be_bound(mesh_object: bpy.types.Object, stack: ModifierStack) -> None:
    name = identity(mesh_object)
    if mesh_object.type != "MESH":
        raise BindingError("'{object}' is not a mesh; select a mesh with an armature.", object=name)
    if not stack.armature_objects and not armature_is_switched(mesh_object):
        raise BindingError(
            "'{mesh}' has no armature; add an Armature modifier and choose the armature as its Object.",
            rule="no-armature",
            mesh=name,
        )
    for armature in stack.armature_objects:
        if not len(armature_of(armature).bones):
            raise BindingError(
                "'{armature}', which deforms '{mesh}', has no bones; add bones to it.",
                rule="no-bones",
                armature=identity(armature),
                mesh=name,
            )


def _read_passes(
    deformed: _DeformedMesh,
    contents: MeshContents,
    kept: slice,
    readers: dict[str, ArmatureReader],
    *,
    profile: Profile,
    once: Once,
) -> Iterator[Pass]:
    starts_at_rest = True
    for index, one in enumerate(deformed.passes[kept]):
        reader, modifier = readers[one.identity], one.modifier
        blend = blend_under(profile, preserve_volume=one.preserve_volume)
        weights = FollowingWeights(
            grouped_weights(
                contents.memberships, deformed.group_names if one.by_groups else (), reader, once
            ),
            by_envelopes=one.by_envelopes and not profile.lost.envelopes,
            multiplied=not profile.lost.envelopes,
            rule=weight_rule(profile, blend),
        )
        # An armature that the engine doesn't have may be scaled to zero.
        relation = once(
            ("mesh to root", deformed.mesh_object.session_uid, one.armature.original.session_uid),
            partial(mesh_to_root, deformed.mesh_object, one.armature, deformed.depsgraph),
        )
        # Most of what profiles do differently concerns poses, or other meshes than this one.
        read = once(
            (
                *("pass skin", weights.key, contents.source, relation.tobytes()),
                *(
                    one.armature.original.session_uid,
                    reader.skeleton,
                    reader.segments_key,
                    reader.deforms_key,
                ),
            ),
            partial(skin_at, weights, contents.source.positions, relation, one.armature, reader, once=once),
        )
        continues = index > 0 and modifier is not None and modifier.name in deformed.from_run_start
        if not continues:
            starts_at_rest = index == 0
        yield Pass(
            wrapped_indices(read.skin, profile.palette),
            read.joints,
            one.identity,
            blend=blend,
            amount=None
            if modifier is None or profile.lost.masks
            else _read_mask(deformed.mesh_object, contents, modifier),
            input=PassInput.RUN_START if continues else PassInput.PREVIOUS,
            positional=read.positional,
            following=weights if read.positional and not starts_at_rest else None,
            dropped=read.dropped,
            authored_counts=read.authored_counts,
        )


def _reasons_of_bones(
    mesh: str, passes: tuple[Pass, ...], readers: dict[str, ArmatureReader], once: Once
) -> Iterator[Reason]:
    for one in passes:
        skeleton = readers[one.armature].skeleton
        joints = one.joints
        # A bendy bone's joints may be flat even if the bone is not: its scale at rest is an option of the bone.
        flat = once(
            ("flat", joints),
            lambda joints=joints: np.unique(joints.bone[1:][~invert_affine(joints.rest_to_root[1:])[1]]),
        )
        if not len(flat):
            continue
        has_rest = invert_affine(skeleton.rest_to_root)[1]
        for bone in np.unique(one.joints.bone[1:]):
            names = {"bone": skeleton.names[bone], "armature": one.armature, "mesh": mesh}
            if not has_rest[bone]:
                yield Reason(
                    "bone-without-length",
                    Message(
                        "'{bone}' of '{armature}' has zero length, so Blender's result for '{mesh}' can't "
                        "be reproduced there; give the bone a length.",
                        **names,
                    ),
                )
            elif bone in flat:
                yield Reason(
                    "bone-without-length",
                    Message(
                        "The bendy bone '{bone}' of '{armature}' is scaled to zero at rest, so Blender's "
                        "result for '{mesh}' can't be reproduced there; scale it up in Edit Mode.",
                        **names,
                    ),
                )


def _read_mask(
    mesh_object: bpy.types.Object, contents: MeshContents, modifier: bpy.types.ArmatureModifier
) -> NDArray[np.float32] | None:
    group = mesh_object.vertex_groups.get(modifier.vertex_group) if modifier.vertex_group else None
    if group is None:
        return None
    weights = contents.memberships.weights_of(group.index)
    return 1 - weights if modifier.invert_vertex_group else weights


def _reasons_of_stack(mesh_object: bpy.types.Object, stack: ModifierStack) -> Iterator[Reason]:
    name = identity(mesh_object)
    if stack.half_way and stack.passed_over is not None:
        yield RULES["modifier-passed-over"].reason(
            armature=stack.armatures[0].name, mesh=name, modifier=stack.passed_over.name
        )
    for modifier in stack.between:
        if not keeps_positions(modifier) or modifier.type in WEIGHT_CHANGING_TYPES:
            yield RULES["modifier-between"].reason(modifier=modifier.name, mesh=name)
