"""Findings about weights, names and scales: what is wrong with a rig in any engine, whatever the pose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skinning.binding import Binding
from ...core.skinning.skin import SMALLEST_MOVING_SUM
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...scene.editing.vertex_group_use import groups_without_bone
from ...scene.identification import identity
from ...scene.matrices import row_vectors, scales
from ...scene.meshes.mesh_parts import MeshParts
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects

SAME_SCALE = 1e-4
"""Scales that differ by less, as a share, are one scale."""

FIX_OF_STRAY_VERTICES = Message("Weight them, for instance like the nearest bone.")

DROPPED_BY_ENGINES = re.compile(r"[\[\].:/\s_-]")
"""What loaders take out of names, or turn into one another (three.js, PropertyBinding.sanitizeNodeName), and what FBX and
file systems do; letters are compared without case, as Unreal's names are."""


def findings_of_rig(mesh_object: bpy.types.Object, parts: MeshParts, binding: Binding) -> Iterator[Finding]:
    """List what is wrong with the weights of a mesh, the scales of its objects and the names of its bones.

    By itself none of it takes a vertex away from where Blender has it, on the ways that profiles describe: three.js deforms
    such rigs as Blender does. They break at what comes after: another importer, code that finds bones by name, physics.
    """
    for one in _found(mesh_object, parts, binding):
        yield replace(one, deviation=0.0)


def _found(mesh_object: bpy.types.Object, parts: MeshParts, binding: Binding) -> Iterator[Finding]:
    yield from _of_weights(identity(mesh_object), parts, binding)
    yield from _of_groups(mesh_object, parts)
    for one in (mesh_object, *armature_objects(mesh_object)):
        yield from _of_scale(identity(mesh_object), one)
    for armature in armature_objects(mesh_object):
        yield from _of_names(
            identity(mesh_object), identity(armature), [bone.name for bone in armature_of(armature).bones]
        )


def _of_weights(mesh: str, parts: MeshParts, binding: Binding) -> Iterator[Finding]:
    if not binding.joint_count:
        return
    counts = np.zeros(parts.source.vertex_count, dtype=np.int64)
    sums = np.zeros(parts.source.vertex_count)
    for one in binding.passes:
        counts += one.skin.counts
        sums = np.maximum(sums, one.skin.weight_sums)
    unweighted = np.flatnonzero(counts == 0)
    if len(unweighted):
        message = Message(
            "{count:,} vertices of '{mesh}' are weighted to no bone: they stay behind when the character moves.",
            count=len(unweighted),
            mesh=mesh,
        )
        yield _about(
            unweighted, Finding("unweighted-vertices", Severity.WARNING, mesh, message, FIX_OF_STRAY_VERTICES)
        )
    zero = np.flatnonzero((counts > 0) & (sums <= SMALLEST_MOVING_SUM))
    if len(zero):
        message = Message(
            "All weights of {count:,} vertices of '{mesh}' are zero; engines give such vertices to the first bone, to "
            "the origin, or to none.",
            count=len(zero),
            mesh=mesh,
        )
        yield _about(
            zero, Finding("all-zero-weights", Severity.WARNING, mesh, message, FIX_OF_STRAY_VERTICES)
        )


def _of_groups(mesh_object: bpy.types.Object, parts: MeshParts) -> Iterator[Finding]:
    names = groups_without_bone(mesh_object)
    if not names:
        return
    numbers = [mesh_object.vertex_groups[name].index for name in names]
    members = parts.memberships
    vertices = np.unique(members.vertices[np.isin(members.groups, numbers) & (members.weights > 0)])
    message = Message(
        "{count} vertex groups of '{mesh}' are called after no bone, such as '{group}'; what they weight is lost.",
        count=len(names),
        mesh=identity(mesh_object),
        group=names[0],
    )
    fix = Message("Remove the groups, or rename them after the bones that they were meant for.")
    yield _about(vertices, Finding("groups-without-bone", Severity.INFO, identity(mesh_object), message, fix))


def _of_scale(mesh: str, one: bpy.types.Object) -> Iterator[Finding]:
    scale = scales(row_vectors(one.matrix_world))
    if one.matrix_world.is_negative:
        yield Finding(
            "negative-scale",
            Severity.WARNING,
            mesh,
            Message(
                "'{object}' is mirrored by a negative scale; engines turn its faces inside out or mirror its bones.",
                object=identity(one),
            ),
            Message("Apply the scale."),
        )
    if scale.min() > 0 and scale.max() / scale.min() > 1 + SAME_SCALE:
        yield Finding(
            "non-uniform-scale",
            Severity.WARNING,
            mesh,
            Message(
                "'{object}' is scaled unevenly; parts that turn inside it are sheared, which engines can't hold.",
                object=identity(one),
            ),
            Message("Apply the scale."),
        )
    elif abs(float(scale.max()) - 1) > SAME_SCALE:
        yield Finding(
            "object-scale",
            Severity.INFO,
            mesh,
            Message(
                "'{object}' is scaled by {factor:.3g}; in engines its bones and all that is attached to them inherit that.",
                object=identity(one),
                factor=float(scale.max()),
            ),
            Message("Apply the scale."),
        )


def _of_names(mesh: str, armature: str, names: Sequence[str]) -> Iterator[Finding]:
    by_plain: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_plain[DROPPED_BY_ENGINES.sub("", name).casefold()].append(name)
    for several in by_plain.values():
        if len(several) < 2:
            continue
        yield Finding(
            "bone-names-collide",
            Severity.WARNING,
            mesh,
            Message(
                "'{bone}' and '{other}' of '{armature}' become one name in engines that ignore case, dots or dashes.",
                bone=several[0],
                other=several[1],
                armature=armature,
            ),
            Message("Rename one of the bones."),
            count=len(several),
        )


def _about(vertices: NDArray[np.intp], finding: Finding) -> Finding:
    return replace(finding, vertices=tuple(vertices.tolist()), count=len(vertices))
