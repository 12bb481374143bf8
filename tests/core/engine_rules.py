"""Each engine's rule for the weights of one vertex, in plain Python, written from the source that its profile
names.

A rule takes (joint, weight) pairs as Blender stores them, and returns those that the shader sums. Any shortfall
from one pulls the vertex to the origin. None: nothing moves the vertex.
"""

from __future__ import annotations

import math

import numpy as np

Influences = list[tuple[int, float]]


def f32(number: float) -> float:
    return float(np.float32(number))


def blender_gltf(stored: Influences, most: int | None) -> Influences | None:
    """io_scene_gltf2: above 1e-4, largest first, cut, divided by the sum in 32 bits; if none are left, a
    neutral bone.
    """
    kept = [one for one in stored if one[1] > 0.0001]
    kept.sort(key=lambda one: one[1], reverse=True)
    kept = kept[:most]
    if not kept:
        return None
    total = sum(weight for _, weight in kept)
    return [(joint, f32(weight / total)) for joint, weight in kept]


def blender_fbx(stored: Influences) -> Influences | None:
    """io_scene_fbx: every nonzero weight, unchanged."""
    return [one for one in stored if one[1]] or None


def blender_usd(stored: Influences) -> Influences | None:
    """usdSkel/utils.cpp, UsdSkelNormalizeWeights: divided by their sum; without any, all are zero."""
    return shares([one for one in stored if one[1]]) or [(0, 0.0)]


def as_blender(stored: Influences) -> Influences | None:
    total = sum(weight for _, weight in stored)
    if total <= 1e-4:
        return None
    return [(joint, weight / total) for joint, weight in stored if weight]


def shares(influences: Influences) -> Influences:
    total = sum(weight for _, weight in influences)
    return [(joint, weight / total) for joint, weight in influences] if total else influences


def largest(influences: Influences, most: int) -> Influences:
    indices = sorted(range(len(influences)), key=lambda index: -influences[index][1])[:most]
    return [influences[index] for index in sorted(indices)]


def threejs(stored: Influences) -> Influences | None:
    """GLTFLoader reads JOINTS_0 and WEIGHTS_0; normalizeSkinWeights divides by the sum."""
    file = blender_gltf(stored, 4)
    return file and shares(file[:4])


def homogeneous(influences: Influences | None) -> Influences | None:
    """The sum is the fourth coordinate, which the perspective division divides by."""
    return influences and shares(influences)


def godot(stored: Influences, most: int) -> Influences | None:
    """gltf_document.cpp normalizes; rendering_server.cpp truncates weight * 65535; skeleton.glsl doesn't
    divide.
    """
    file = blender_gltf(stored, most)
    return file and [
        (joint, math.floor(f32(weight * 65535)) / 65535) for joint, weight in shares(file[:most])
    ]


def first_set(stored: Influences) -> Influences | None:
    """One set is read, without normalization or division."""
    file = blender_gltf(stored, 4)
    return file and file[:4]


def ozz(stored: Influences) -> Influences | None:
    """skinning_job.h: the last joint's weight is what the others leave of one."""
    return with_last_implied(blender_gltf(stored, None))


def with_last_implied(influences: Influences | None) -> Influences | None:
    if not influences:
        return None
    others = influences[:-1]
    return [*others, (influences[-1][0], 1 - sum(weight for _, weight in others))]


def unity(stored: Influences, most: int) -> Influences | None:
    """SetBoneWeights: the largest, which are assumed to add up to one."""
    file = blender_fbx(stored)
    return file and shares(largest(file, most))


def unreal(stored: Influences, steps: int) -> Influences | None:
    """At most 12, normalized, rounded to 8 or 16 bits."""
    file = blender_fbx(stored)
    if not file:
        return None
    whole = [
        (joint, math.floor(f32(f32(weight) * steps) + 0.5) / steps)
        for joint, weight in shares(largest(file, 12))
    ]
    # It is unknown what happens to a vertex without any; the profile leaves it at rest.
    return shares(whole) if any(weight for _, weight in whole) else None


def o3de(stored: Influences) -> Influences | None:
    """SkinRule and MeshBuilderSkinningInfo: influences below the threshold are dropped, eight stay, divided by
    their sum.
    """
    file = blender_fbx(stored)
    kept = largest([one for one in file or [] if one[1] > f32(0.001)], 8)
    # A vertex that would lose all keeps the largest; the profile, which can't express that, leaves it at rest.
    return shares(kept) or None


def d3d9(stored: Influences) -> Influences | None:
    """Four, three of whose weights are stored."""
    kept = as_blender(stored)
    return kept and with_last_implied(shares(largest(kept, 4)))


def learnopengl(stored: Influences) -> Influences | None:
    """ExtractBoneWeightForVertices goes through the bones and fills a vertex's first free slot of four; w is
    their sum.
    """
    kept = as_blender(stored)
    return homogeneous(kept and sorted(kept)[:4])


MOST_BONES = {"learnopengl": 100}
"""By profile id: the size of the shader's array; an index beyond it puts the vertex at rest."""

RULES = {
    "threejs": threejs,
    # vtkGLTFReader reads the first set and divides by its sum.
    "vtk": threejs,
    "babylonjs": lambda stored: homogeneous(blender_gltf(stored, 4)),
    "playcanvas": lambda stored: homogeneous(first_set(stored)),
    "raylib": first_set,
    "godot4": lambda stored: godot(stored, 4),
    "godot4-8": lambda stored: godot(stored, 8),
    "filament": first_set,
    "bevy": first_set,
    "ozz": ozz,
    "unity-1": lambda stored: unity(stored, 1),
    "unity-2": lambda stored: unity(stored, 2),
    "unity-4": lambda stored: unity(stored, 4),
    "unity-unlimited": lambda stored: unity(stored, 255),
    "unreal": lambda stored: unreal(stored, 255),
    "unreal-mobile": lambda stored: unreal(stored, 255),
    "unreal-16bit": lambda stored: unreal(stored, 65535),
    "o3de": o3de,
    "usd": blender_usd,
    # panda3d-gltf divides the first set by its sum.
    "panda3d": threejs,
    "d3d9-26": d3d9,
    "d3d9-35": d3d9,
    "d3d9-indexed-12": d3d9,
    "d3d9-four-matrix": d3d9,
    "learnopengl": learnopengl,
}
"""By profile id."""
