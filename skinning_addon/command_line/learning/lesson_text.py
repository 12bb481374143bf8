"""A lesson as text: one function per section, each with its formula and every number in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.inspection.matrix_text import MatrixNotation, NamedMatrix, matrices_as_text
from ...core.inspection.vertex_trace import Contribution, PassTrace
from ...core.profiles.packing import packed_skin
from ...core.profiles.profile import Profile
from ...core.profiles.weight_rules import WeightRule
from ...core.skinning.joints import NO_BONE
from ...core.skinning.passes import Blend, Pass
from ...core.skinning.skeleton import Skeleton
from ...core.skinning.skin import SMALLEST_MOVING_SUM
from ...core.text.message import counted
from ...measurement.lesson import Lesson

DIGITS = 6
"""Decimals shown; beyond them is Blender's float32 rounding."""


def vector(values: ArrayLike) -> str:
    """Write a vector: aligned, without minus zero."""
    return "(" + ", ".join(f"{value:.{DIGITS}f}" for value in _rounded(values).tolist()) + ")"


def matrices(title: str, *named: tuple[str, NDArray[np.floating]]) -> str:
    """Write matrices under a title, as the panel Matrices copies them."""
    rows = [NamedMatrix(name, _rounded(value), False, False) for name, value in named]
    return matrices_as_text(title, rows, MatrixNotation())


def _rounded(values: ArrayLike) -> NDArray[np.float64]:
    return np.round(np.asarray(values, dtype=np.float64), DIGITS) + 0.0


def bones_section(lesson: Lesson) -> Iterator[str]:
    """Show the hierarchy above the vertex, at rest and posed."""
    for one, skeleton in _passes(lesson):
        chain = _chain(one, skeleton)
        if not chain:
            yield (
                f"No bone of {one.armature} moves vertex {lesson.trace.vertex} of "
                f"{lesson.binding.mesh_object}.\n"
            )
            continue
        yield (
            f"The bones of {one.armature} that move vertex {lesson.trace.vertex} of "
            f"{lesson.binding.mesh_object}, and those "
            f"above them, parents first; frame {lesson.frame_number:g}.\n"
        )
        at_rest, _ = skeleton.to_parent(skeleton.rest_to_root)
        posed, attached = skeleton.to_parent(lesson.bones[one.armature])
        for bone in chain:
            parent = int(skeleton.parents[bone])
            where = f"a child of {skeleton.names[parent]}" if parent >= 0 else "a root"
            yield matrices(
                f"{skeleton.names[bone]}, {where}",
                ("to_parent at rest", at_rest[bone]),
                ("to_parent", posed[bone]),
            )
            if not attached[bone]:
                yield (
                    f"{skeleton.names[parent]} is scaled to zero, so to_parent does not exist; "
                    "Blender's to_root is shown instead.\n"
                )


def to_root_section(lesson: Lesson) -> Iterator[str]:
    """Show the top-down pass."""
    yield (
        "to_root(i) = to_parent(i) @ to_root(parent(i)): one pass from the roots down; each product "
        "is computed once.\n"
    )
    for one, skeleton in _passes(lesson):
        to_root = skeleton.to_root(*skeleton.to_parent(lesson.bones[one.armature]))
        for bone in _chain(one, skeleton):
            name, parent = skeleton.names[bone], int(skeleton.parents[bone])
            made = f"to_parent({name})" + (f" @ to_root({skeleton.names[parent]})" if parent >= 0 else "")
            yield matrices(name, (f"to_root = {made}", to_root[bone]))


def offset_section(lesson: Lesson) -> Iterator[str]:
    """Show where each bone sees the mesh at rest."""
    yield (
        "offset(i) = mesh_to_root @ inverse(rest_to_root(i)): from the mesh at rest to the bone. It "
        "never changes.\n"
    )
    for (one, _), posed in zip(_passes(lesson), lesson.frame.passes, strict=True):
        yield matrices(lesson.binding.mesh_object, ("mesh_to_root", posed.mesh_to_root))
        for each in _moving(one):
            yield matrices(
                joint_title(each),
                ("rest_to_root", posed.joints.rest_to_root[each.joint]),
                ("offset", posed.joints.offset[each.joint]),
            )


def final_section(lesson: Lesson) -> Iterator[str]:
    """Show the palette's entries."""
    yield "final(i) = offset(i) @ to_root(i) @ root_to_mesh: the palette entry, rounded to float32 once.\n"
    for (one, _), posed in zip(_passes(lesson), lesson.frame.passes, strict=True):
        yield matrices(lesson.binding.mesh_object, ("root_to_mesh", posed.root_to_mesh))
        for each in _moving(one):
            yield matrices(
                joint_title(each),
                ("offset @ to_root", posed.joints.offset[each.joint] @ posed.pose.to_root[each.joint]),
                ("final", posed.final.final[each.joint]),
            )


def weights_section(lesson: Lesson, packing: Profile) -> Iterator[str]:
    """Show the vertex's weights: as stored, normalised, and as an engine's slots hold them."""
    for number, (one, _) in enumerate(_passes(lesson)):
        if not _moving(one):
            yield (
                f"No weight above {SMALLEST_MOVING_SUM:g}: the vertex stays where it is (joint "
                f"{NO_BONE}, weight 1).\n"
            )
            continue
        lines = [f"{'joint':>7}{'stored':>10}{'share':>10}  bone"]
        lines += [
            f"{each.joint:>7}{each.stored_weight:>10.4f}{each.weight:>10.4f}  {joint_title(each)}"
            for each in one.contributions
        ]
        yield "\n".join([*lines, f"{'sum':>7}{one.weight_sum:>10.4f}{1:>10.4f}", ""])
        yield from _packed(lesson.frame.chain[number], lesson.trace.vertex, packing)


def _packed(one: Pass, vertex: int, packing: Profile) -> Iterator[str]:
    """Show what an engine's slots hold, and the last weight as the samples' vertex shaders derive it."""
    skin = WeightRule(packing).over_joints(one.skin.normalised().of_vertices(np.array([vertex])))
    packed = packed_skin(skin, packing)
    indices = ", ".join(map(str, packed.joints[0].tolist()))
    weights = ", ".join(f"{float(weight):.4f}" for weight in packed.weights[0].tolist())
    yield (
        f"As {packing.label} holds it: indices ({indices}), weights ({weights}). Unused slots have joint 0 "
        f"and weight 0.\n"
    )
    if packing.weights.last_implied:
        *stored, _ = skin.weights.tolist()
        said = " - ".join(f"{weight:.4f}" for weight in (1.0, *stored))
        yield (
            f"The vertex shader reads {counted(len(stored), 'weight', 'weights')} of {skin.largest_count}; "
            f"the last is "
            f"implied: {said} = {1 - sum(stored):.4f}.\n"
        )


def vertex_section(lesson: Lesson) -> Iterator[str]:
    """Show the blending."""
    yield "v' = sum of weight(k) * (v @ final(index(k)))\n"
    for one, _ in _passes(lesson):
        lines = [f"before         {vector(one.start)}"]
        for each in _moving(one):
            lines += [
                f"{joint_title(each)}",
                f"  v @ offset   {vector(each.in_bone)}   in the bone's space",
                f"  @ to_root    {vector(each.in_root)}   in root space",
                (
                    f"  v @ final    {vector(each.in_mesh)}   in mesh space: where this bone alone would "
                    "move it"
                ),
            ]
            if each.share is not None:
                lines.append(f"  * {each.weight:<10.4f} {vector(each.share)}   its share")
        if one.blend is not Blend.LINEAR:
            lines.append(
                f"blended as {one.blend.value}: motions are added up instead of positions, so no bone "
                "has a share"
            )
        if one.amount < 1:
            lines += [f"skinned        {vector(one.skinned)}", f"mask           {one.amount:.4f}"]
        lines.append(f"after          {vector(one.result)}")
        yield "\n".join([*lines, ""])
    off = float(np.linalg.norm(lesson.trace.result - lesson.blender))
    lines = [f"in the mesh    {vector(lesson.skinned)}   as the whole mesh is skinned"]
    lines += [f"in Blender     {vector(lesson.blender)}   {off:.6f} away"]
    yield "\n".join([*lines, ""])


def pixel_section(lesson: Lesson) -> Iterator[str]:
    """Show the rest of the way to the screen."""
    view, mesh_to_world = lesson.view, lesson.frame.mesh_to_world
    camera = f"through the camera {view.camera}" if view.camera else "framed as `skinscope render` does"
    width, height = view.size
    yield f"pixel: v' @ mesh_to_world @ view_projection, divided by w; {width} x {height} pixels, {camera}.\n"
    yield matrices(
        "To the screen",
        ("mesh_to_world", mesh_to_world),
        ("world_to_view", view.world_to_view),
        ("view_to_clip", view.view_to_clip),
        ("view_projection = world_to_view @ view_to_clip", view.view_projection),
    )
    world = np.append(lesson.trace.result, 1.0) @ mesh_to_world
    clip = world @ view.view_projection
    lines = [
        f"in the world   {vector(world[:3])}",
        f"in clip space  {vector(clip)}   depth from -w to w (OpenGL; Direct3D has 0 to w)",
    ]
    if clip[3] <= 0:
        lines.append("behind the camera: it has no pixel")
    else:
        x, y = view.pixel(clip)
        lines += [f"divided by w   {vector(clip[:3] / clip[3])}"]
        lines += [f"pixel          ({x:.2f}, {y:.2f})   from the upper left corner"]
    yield "\n".join([*lines, ""])


TRACED: dict[str, Callable[[Lesson], Iterator[str]]] = {
    "bones": bones_section,
    "to-root": to_root_section,
    "offset": offset_section,
    "final": final_section,
    "vertex": vertex_section,
    "pixel": pixel_section,
}


def joint_title(each: Contribution) -> str:
    """Name a joint by its bone."""
    if not each.bone:
        return "no bone"
    return each.bone if each.segment is None else f"{each.bone}, joint {each.segment}"


def _passes(lesson: Lesson) -> Iterator[tuple[PassTrace, Skeleton]]:
    for one in lesson.trace.passes:
        yield one, lesson.binding.skeletons[one.armature]


def _moving(one: PassTrace) -> list[Contribution]:
    return [each for each in one.contributions if each.joint != NO_BONE]


def _chain(one: PassTrace, skeleton: Skeleton) -> list[int]:
    """Return the bones of the vertex and all above them, parents first."""
    bones: set[int] = set()
    for each in _moving(one):
        bone = skeleton.index(each.bone) if each.bone else -1
        while bone >= 0:
            bones.add(bone)
            bone = int(skeleton.parents[bone])
    return sorted(bones)
