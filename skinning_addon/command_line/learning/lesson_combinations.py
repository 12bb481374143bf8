"""The section of a lesson about bone combinations: splitting a mesh into draw calls with small palettes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.groups.draw_groups import refuse_what_cannot_be_cut
from ...core.profiles.packing import BoneCombinations, bone_combinations, packed_skin
from ...core.profiles.profile import Beyond, Profile
from ...core.profiles.weight_rules import WeightRule
from ...core.skinning.joints import NO_BONE
from ...core.skinning.passes import Pass
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import BindingError
from ...core.text.message import counted
from ...measurement.lesson import Lesson

SAMPLE_ENTRIES = 26
"""Palette size if the profile draws a mesh in one call: what vs_1_1 has registers for, as in the
MultiAnimation sample.
"""


def combinations_section(lesson: Lesson, packing: Profile, joints: int | None) -> Iterator[str]:
    """Show which joints are in which slot of which draw call. joints: maximum per call; None for the
    profile's.
    """
    limit = joints or packing.palette.split_at or SAMPLE_ENTRIES
    small = replace(packing, palette=replace(packing.palette, entries=limit, beyond=Beyond.SPLIT))
    mesh, chain = lesson.binding.mesh, lesson.frame.chain
    try:
        refuse_what_cannot_be_cut(chain)
    except BindingError as error:
        yield f"{error}\n"
        return
    one = chain[0]
    skin = WeightRule(small).over_joints(one.skin.normalised())
    packed = packed_skin(skin, small)
    table = bone_combinations(skin, packed, mesh, small)
    skeleton = lesson.binding.skeletons[one.armature]
    yield (
        f"{lesson.binding.mesh_object} in draw calls of at most {counted(limit, 'joint', 'joints')}: the "
        f"bone combination table.\n"
    )
    if mesh.material is not None:
        yield (
            "A draw call has one material, so the triangles of each material (D3DX: an attribute "
            "group) are split separately.\n"
        )
    lines = [f"{'call':>6}{'material':>10}{'triangles':>11}{'vertices':>10}  joint in each slot"]
    for call, slots in enumerate(table.slot_joints.tolist()):
        triangles, vertices = (
            int(starts[call + 1] - starts[call]) for starts in (table.triangle_starts, table.vertex_starts)
        )
        names = [
            f"{slot}: {_joint_name(one, skeleton, joint)}" for slot, joint in enumerate(slots) if joint >= 0
        ]
        material = int(table.materials[call])
        lines.append(f"{call:>6}{material:>10}{triangles:>11}{vertices:>10}  {', '.join(names)}")
    whole = len(np.unique(mesh.triangles))
    lines.append(f"{'mesh':>6}{'':>10}{len(mesh.triangles):>11}{whole:>10}")
    yield "\n".join([*lines, ""])
    again = len(table.vertices) - len(np.unique(table.vertices))
    yield f"{counted(again, 'vertex is', 'vertices are')} stored in more than one draw call.\n"
    if len(table.oversized):
        faces = counted(len(table.oversized), "triangle needs", "triangles need")
        yield (f"{faces} more joints than a draw call has, however the mesh is split: the CPU skins them.\n")
    yield from _vertex_slots(lesson.trace.vertex, table, packed.joints[lesson.trace.vertex])


def _vertex_slots(vertex: int, table: BoneCombinations, joints: np.ndarray) -> Iterator[str]:
    """Show the slots of the vertex's joints, in each call that draws it."""
    of_mesh = ", ".join(map(str, joints.tolist()))
    for index in np.flatnonzero(table.vertices == vertex).tolist():
        call = int(np.searchsorted(table.vertex_starts, index, side="right")) - 1
        slots = ", ".join(map(str, table.slots[index].tolist()))
        yield f"Vertex {vertex}, joints ({of_mesh}) of the mesh: in call {call} slots ({slots}).\n"


def _joint_name(one: Pass, skeleton: Skeleton, joint: int) -> str:
    if joint == NO_BONE:
        return "no bone"
    bone = int(one.joints.bone[joint])
    return skeleton.names[bone] if bone >= 0 else "the origin"
