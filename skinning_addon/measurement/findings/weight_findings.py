"""Findings about weights, names and scales: what is wrong with a rig in any engine, whatever the pose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.skinning.skin import SMALLEST_MOVING_SUM
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...scene.editing.vertex_group_use import groups_without_bone
from ...scene.identification import identity
from ...scene.matrices import row_vectors, scales
from ...scene.meshes.mesh_contents import MeshContents
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects

SAME_SCALE = 1e-4
"""Relative; scales that differ by less count as equal."""

DROPPED_BY_ENGINES = re.compile(r"[\[\].:/\s_-]")
"""Characters that loaders drop from names or merge (three.js, PropertyBinding.sanitizeNodeName), as do FBX
and file systems; letters are compared without case, like Unreal's names.
"""


def findings_of_rig(
    mesh_object: bpy.types.Object, contents: MeshContents, binding: Binding
) -> Iterator[Finding]:
    """List what is wrong with the weights of a mesh, the scales of its objects and the names of its bones.

    None of it alone moves a vertex away from Blender's position, on the paths that profiles describe:
    three.js deforms such rigs as Blender does. They break later: in another importer, in code that finds
    bones by name, in physics.
    """
    for one in _found(mesh_object, contents, binding):
        yield replace(one, deviation=0.0)


def _found(mesh_object: bpy.types.Object, contents: MeshContents, binding: Binding) -> Iterator[Finding]:
    yield from _of_weights(identity(mesh_object), contents, binding)
    yield from _of_groups(mesh_object, contents)
    for one in (mesh_object, *armature_objects(mesh_object)):
        yield from _of_scale(identity(mesh_object), one)
    for armature in armature_objects(mesh_object):
        yield from _of_names(
            identity(mesh_object), identity(armature), [bone.name for bone in armature_of(armature).bones]
        )


def _of_weights(mesh: str, contents: MeshContents, binding: Binding) -> Iterator[Finding]:
    if not binding.joint_count:
        return
    counts = np.zeros(contents.source.vertex_count, dtype=np.int64)
    sums = np.zeros(contents.source.vertex_count)
    for one in binding.passes:
        counts += one.skin.counts
        sums = np.maximum(sums, one.skin.weight_sums)
    unweighted = np.flatnonzero(counts == 0)
    for rule, vertices in (
        (RULES["unweighted-vertices"], unweighted),
        (RULES["all-zero-weights"], np.flatnonzero((counts > 0) & (sums <= SMALLEST_MOVING_SUM))),
    ):
        if len(vertices):
            yield _about(vertices, rule.finding(mesh, rule.told(count=len(vertices), mesh=mesh)))


def _of_groups(mesh_object: bpy.types.Object, contents: MeshContents) -> Iterator[Finding]:
    names = groups_without_bone(mesh_object)
    if not names:
        return
    numbers = [mesh_object.vertex_groups[name].index for name in names]
    members = contents.memberships
    vertices = np.unique(members.vertices[np.isin(members.groups, numbers) & (members.weights > 0)])
    rule = RULES["groups-without-bone"]
    mesh = identity(mesh_object)
    yield _about(vertices, rule.finding(mesh, rule.told(count=len(names), mesh=mesh, group=names[0])))


def _of_scale(mesh: str, one: bpy.types.Object) -> Iterator[Finding]:
    scale = scales(row_vectors(one.matrix_world))
    name = identity(one)
    if one.matrix_world.is_negative:
        rule = RULES["negative-scale"]
        yield rule.finding(mesh, rule.told(object=name))
    if scale.min() > 0 and scale.max() / scale.min() > 1 + SAME_SCALE:
        rule = RULES["non-uniform-scale"]
        yield rule.finding(mesh, rule.told(object=name))
    elif abs(float(scale.max()) - 1) > SAME_SCALE:
        rule = RULES["object-scale"]
        yield rule.finding(mesh, rule.told(object=name, factor=float(scale.max())))


def _of_names(mesh: str, armature: str, names: Sequence[str]) -> Iterator[Finding]:
    by_plain: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_plain[DROPPED_BY_ENGINES.sub("", name).casefold()].append(name)
    rule = RULES["bone-names-collide"]
    for several in by_plain.values():
        if len(several) < 2:
            continue
        message = rule.told(bone=several[0], other=several[1], armature=armature)
        yield replace(rule.finding(mesh, message), count=len(several))


def _about(vertices: NDArray[np.intp], finding: Finding) -> Finding:
    return replace(finding, vertices=tuple(vertices.tolist()), count=len(vertices))
