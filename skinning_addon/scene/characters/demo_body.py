"""The demo's body: edges along a rig's bones, thickened by Blender's Skin modifier and rounded by Subdivision.

The edges form *strands*, chains of *rings*. A ring gives the next point along a bone, and how thick the body is
there. A strand starts at a ring of another strand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import bmesh
import bpy
from mathutils import Vector

from ..object_data import armature_of

SUBDIVISIONS = 2
"""Gives about 7,600 vertices."""


class Ring(NamedTuple):
    """A point of a strand; lengths in meters.

    bone, along: bone of the metarig, and position along it, from 0 at its head to 1 at its tail.
    width, depth: half the thickness, before subdivision shrinks it.
    forward, up: offset from the bone to the center of the body there.
    """

    bone: str
    along: float
    width: float
    depth: float
    forward: float = 0.0
    up: float = 0.0


class Strand(NamedTuple):
    """A chain of rings. start: the ring where it starts, as bone and position; None for the first strand."""

    start: tuple[str, float] | None
    rings: tuple[Ring, ...]


HIPS = ("spine", 0.05)
SHOULDERS = ("spine.003", 0.55)

TRUNK = Strand(
    None,
    (
        Ring(*HIPS, 0.175, 0.130, forward=0.030),
        Ring("spine", 1.00, 0.165, 0.125, forward=0.030),
        Ring("spine.001", 1.00, 0.145, 0.112, forward=0.030),
        Ring("spine.002", 0.60, 0.180, 0.130, forward=0.030),
        Ring("spine.003", 0.10, 0.210, 0.145, forward=0.020),
        Ring(*SHOULDERS, 0.160, 0.110),
        Ring("spine.003", 0.97, 0.078, 0.078, forward=0.005),
        Ring("spine.005", 0.00, 0.064, 0.068, forward=0.012),
        Ring("spine.006", 0.00, 0.085, 0.105, forward=0.035),
        Ring("spine.006", 0.30, 0.108, 0.135, forward=0.040),
        Ring("spine.006", 0.62, 0.115, 0.140, forward=0.030),
        Ring("spine.006", 0.88, 0.085, 0.105, forward=0.022),
        Ring("spine.006", 1.00, 0.035, 0.040, forward=0.018),
    ),
)

LEFT_SIDE = (
    Strand(
        HIPS,
        (
            Ring("thigh.L", 0.13, 0.105, 0.110),
            Ring("thigh.L", 0.45, 0.090, 0.095),
            Ring("thigh.L", 0.88, 0.066, 0.070),
            Ring("shin.L", 0.06, 0.060, 0.064),
            Ring("shin.L", 0.30, 0.066, 0.072),
            Ring("shin.L", 0.70, 0.046, 0.048),
            Ring("shin.L", 0.95, 0.042, 0.045),
            Ring("foot.L", 0.50, 0.045, 0.038),
            Ring("foot.L", 1.00, 0.052, 0.030),
            Ring("toe.L", 0.95, 0.045, 0.022),
        ),
    ),
    Strand(("shin.L", 0.95), (Ring("heel.02.L", 0.50, 0.040, 0.038, forward=0.005, up=0.035),)),
    Strand(
        SHOULDERS,
        (
            Ring("shoulder.L", 0.80, 0.085, 0.085),
            Ring("upper_arm.L", 0.15, 0.072, 0.072),
            Ring("upper_arm.L", 0.50, 0.058, 0.058),
            Ring("upper_arm.L", 0.92, 0.048, 0.048),
            Ring("forearm.L", 0.08, 0.047, 0.047),
            Ring("forearm.L", 0.35, 0.052, 0.052),
            Ring("forearm.L", 0.75, 0.038, 0.038),
            Ring("forearm.L", 1.00, 0.034, 0.027),
            # Between the second and third of the palm's four bones.
            Ring("palm.02.L", 0.25, 0.050, 0.022, forward=-0.009),
            Ring("palm.02.L", 0.90, 0.050, 0.020, forward=-0.011),
        ),
    ),
    *(
        Strand(
            ("palm.02.L", 0.90),
            tuple(
                Ring(f"{finger}.{bone}.L", along, radius, radius)
                for bone, along, radius in (
                    # Between 0.15 and 0.30, so that the Skin modifier joins all fingers to the palm without
                    # holes.
                    ("01", 0.22, thickness),
                    ("01", 0.95, 0.93 * thickness),
                    ("02", 1.00, 0.86 * thickness),
                    ("03", 1.00, 0.80 * thickness),
                )
            ),
        )
        for finger, thickness in (
            ("f_index", 0.0145),
            ("f_middle", 0.0145),
            ("f_ring", 0.0145),
            ("f_pinky", 0.0125),
        )
    ),
    Strand(
        ("palm.02.L", 0.25),
        (
            Ring("thumb.01.L", 0.35, 0.0180, 0.0180),
            Ring("thumb.01.L", 1.00, 0.0167, 0.0167),
            Ring("thumb.02.L", 1.00, 0.0156, 0.0156),
            Ring("thumb.03.L", 1.00, 0.0145, 0.0145),
        ),
    ),
)


def grow_body(metarig: bpy.types.Object) -> bpy.types.Object:
    """Create a smooth-shaded body without modifiers along the bones of Rigify's human metarig, in the scene.

    It is named 'Body' and has the metarig's origin.
    """
    frame = bpy.data.meshes.new("Body")
    body = bpy.data.objects.new("Body", frame)
    bpy.context.scene.collection.objects.link(body)
    points = _points(metarig)
    frame.from_pydata(
        [point.position for point in points], [(point.previous, i) for i, point in enumerate(points) if i], []
    )
    skin = cast("bpy.types.SkinModifier", body.modifiers.new("Skin", "SKIN"))
    skin.branch_smoothing = 0.6
    subdivision = cast("bpy.types.SubsurfModifier", body.modifiers.new("Subdivision", "SUBSURF"))
    subdivision.levels = SUBDIVISIONS
    for index, (point, flesh) in enumerate(zip(points, frame.skin_vertices[0].data, strict=True)):
        flesh.radius = cast("Any", point.radii)
        flesh.use_root = index == 0
    grown = bpy.data.meshes.new_from_object(body.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    body.modifiers.clear()
    body.data = grown
    bpy.data.meshes.remove(frame)
    _remove_loose_vertices(grown)
    grown.name = "Body"
    grown.shade_smooth()
    return body


def _remove_loose_vertices(mesh: bpy.types.Mesh) -> None:
    """Remove the few loose vertices that the Skin modifier leaves near the surface where strands meet."""
    edit = bmesh.new()
    edit.from_mesh(mesh)
    bmesh.ops.delete(edit, geom=[vertex for vertex in edit.verts if not vertex.link_faces], context="VERTS")
    edit.to_mesh(mesh)
    edit.free()


@dataclass(frozen=True)
class _Point:
    position: Vector
    radii: tuple[float, float]
    previous: int


def _points(metarig: bpy.types.Object) -> list[_Point]:
    """Lay out all strands, parents before children."""
    bones = armature_of(metarig).bones
    points: list[_Point] = []
    index_of_ring: dict[tuple[str, float], int] = {}
    for strand in _strands():
        previous = index_of_ring[strand.start] if strand.start else -1
        for ring in strand.rings:
            bone = bones[ring.bone]
            middle = bone.head_local.lerp(bone.tail_local, ring.along)
            # Rigify's characters face -Y.
            points.append(
                _Point(middle + Vector((0, -ring.forward, ring.up)), (ring.width, ring.depth), previous)
            )
            previous = index_of_ring[ring.bone, ring.along] = len(points) - 1
    return points


def _strands() -> Iterator[Strand]:
    yield TRUNK
    yield from LEFT_SIDE
    for strand in LEFT_SIDE:
        start = (_right(strand.start[0]), strand.start[1]) if strand.start else None
        yield Strand(start, tuple(ring._replace(bone=_right(ring.bone)) for ring in strand.rings))


def _right(bone: str) -> str:
    return bone.removesuffix(".L") + ".R" if bone.endswith(".L") else bone
