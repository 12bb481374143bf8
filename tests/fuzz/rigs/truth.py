"""Blender's own result for a rig, read vertex by vertex from its evaluated mesh. No Skinscope code is used
here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import bpy
import numpy as np

from tests.fuzz.rigs.features import build
from tests.fuzz.rigs.recipe import BEHIND, Feature, Recipe

EXACT_RELATIVE = 1e-5
"""Relative to a rig's size and movement; the documentation promises this."""

ROUNDING = 16 * 2.0**-24
"""Relative to the largest number that Blender computes with: it uses float32, with a handful of successive
products."""

SINGULAR = 1e-7
"""Relative to the longest axis: anything shorter is lost in float32."""

SMALLEST, LARGEST = 1e-36, 1e36
"""Determinants whose inverses float32 can still hold, with a small margin."""


@dataclass(frozen=True)
class Truth:
    """positions: by frame, (V, 3) float64 in mesh space. tolerance: how far a position may deviate, mesh space.

    singular: whether an object is scaled to zero at some frame; beyond: so far that float32 can't hold the
    inverse that relates one to the other. idle: frames at which every armature modifier is off. collapsed:
    whether a bone is posed onto a line. uneven: whether an object is scaled more than a hundred times as much
    along one axis as along another. distant: whether an object is further than ten times the mesh's size from
    the world's origin. whole: like `positions`, of the frames at which every armature is off, including what
    follows the armature.
    """

    positions: dict[float, np.ndarray]
    tolerance: dict[float, float]
    singular: bool
    beyond: bool
    idle: frozenset[float]
    collapsed: bool = False
    uneven: bool = False
    distant: bool = False
    whole: dict[float, np.ndarray] = field(default_factory=dict)

    def without(self, frames: frozenset[float]) -> Truth:
        """Return the same without some frames."""
        positions = {frame: one for frame, one in self.positions.items() if frame not in frames}
        return replace(self, positions=positions)

    def when_shown(self, shown: dict[float, np.ndarray]) -> Truth:
        """Return the same for a mesh that Blender evaluates differently each time: as it was when it was looked
        at.
        """
        return replace(
            self, positions=self.positions | {f: one for f, one in shown.items() if f in self.positions}
        )

    @property
    def numberless(self) -> frozenset[float]:
        """The frames at which some position isn't a number."""
        return frozenset(frame for frame, one in self.positions.items() if not np.isfinite(one).all())

    @property
    def finite(self) -> bool:
        return not self.numberless

    @property
    def fewest(self) -> int:
        """The smallest number of vertices at any frame."""
        return min((len(one) for one in self.positions.values()), default=0)

    @property
    def most(self) -> int:
        """The largest number of vertices at any frame."""
        return max(len(one) for one in self.positions.values())


def is_cut(recipe: Recipe, feature: Feature) -> bool:
    """Tell whether a feature plays no part in the comparison: modifiers after the armature, and anything that
    hides a mesh.
    """
    if feature.kind == "modifier" and feature.detail != "ARMATURE":
        return recipe.place_of(feature) == BEHIND
    return feature.kind == "scene" and feature.detail.startswith("hidden")


def blenders_truth(recipe: Recipe, folder: Path) -> Truth:
    """Build the rig without what follows the armature, and read Blender's mesh at each frame, one after
    another.
    """
    rig = build(recipe.without(lambda one: is_cut(recipe, one)), folder)
    positions, tolerance = {}, {}
    singular = beyond = collapsed = uneven = distant = False
    idle = set()
    rest = positions_of(rig.mesh.data)
    for frame in rig.frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame - np.floor(frame))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        mesh = rig.mesh.evaluated_get(depsgraph)
        positions[frame] = positions_of(mesh.data)
        armature = rig.armature.evaluated_get(depsgraph)
        tolerance[frame] = _tolerance(rest, positions[frame], mesh, armature)
        if mesh.parent_type != "ARMATURE" and not any(
            one.type == "ARMATURE" and one.show_viewport for one in mesh.modifiers
        ):
            idle.add(frame)
        collapsed |= any(_is_line(bone) for bone in armature.pose.bones)
        scales = [_scales(one) for one in (mesh, armature)]
        uneven |= any(one[0] >= 100 * one[-1] for one in scales)
        singular |= any(one[-1] <= SINGULAR * one[0] or one[-1] < SMALLEST for one in scales)
        distant |= _away(mesh, armature) >= 10 * np.linalg.norm(np.ptp(rest, axis=0))
        sizes = [float(np.prod(one)) for one in scales]
        beyond |= not all(SMALLEST < one < LARGEST for one in (*sizes, sizes[0] / max(sizes[1], SMALLEST)))
    truth = Truth(positions, tolerance, singular, beyond, frozenset(idle), collapsed, uneven, bool(distant))
    return replace(truth, whole=_whole(recipe, folder / "whole", idle))


def _whole(recipe: Recipe, folder: Path, frames: set[float]) -> dict[float, np.ndarray]:
    """Read Blender's mesh at some frames with the entire recipe, including what follows the armature."""
    if not frames or not any(is_cut(recipe, one) for one in recipe.features):
        return {}
    rig = build(recipe, folder)
    found = {}
    for frame in rig.frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame - np.floor(frame))
        found[frame] = positions_of(rig.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)
    return {frame: one for frame, one in found.items() if frame in frames}


def _is_line(bone: bpy.types.PoseBone) -> bool:
    """Tell whether the matrix of a bone, or of one of its bendy segments, has only one direction, at Blender's
    precision.
    """
    count = bone.bone.bbone_segments
    bends = [bone.bbone_segment_matrix(one) for one in range(count + 1)] if count > 1 else []
    for one in (bone.matrix, *(bone.matrix @ bend for bend in bends)):
        matrix = np.array(one.to_3x3())
        if np.isfinite(matrix).all():
            longest, second, _ = np.linalg.svd(matrix, compute_uv=False)
            if longest > 0 and second <= 1e-5 * longest:
                return True
    return False


def positions_of(mesh: bpy.types.Mesh) -> np.ndarray:
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


def _tolerance(
    rest: np.ndarray, posed: np.ndarray, mesh: bpy.types.Object, armature: bpy.types.Object
) -> float:
    """Include rounding: far from the origin Blender's own float32 positions are coarse."""
    if not len(posed) or not np.isfinite(posed).all():
        return 0.0
    same = len(rest) == len(posed)
    moved = np.linalg.norm(posed - rest, axis=1).max() if same else 0.0
    diagonal = np.linalg.norm(np.ptp(rest, axis=0))
    coarse = ROUNDING * max(_away(mesh, armature), float(np.abs(posed).max()))
    return max(EXACT_RELATIVE * float(diagonal + moved), coarse)


def _away(mesh: bpy.types.Object, armature: bpy.types.Object) -> float:
    """Return how far the two are from the world's origin, in units of mesh space."""
    shrink = max(float(_scales(mesh)[-1]), SMALLEST)
    return float(max(np.abs(one.matrix_world.translation).max() for one in (mesh, armature)) / shrink)  # pyright: ignore[reportCallIssue]


def _scales(one: bpy.types.Object) -> np.ndarray:
    """Return the axis lengths of an object's unit sphere in the world, longest first; infinite if a
    matrix is.
    """
    matrix = np.array(one.matrix_world.to_3x3(), dtype=np.float64)
    if not np.isfinite(matrix).all():
        return np.full(3, np.inf)
    return np.linalg.svd(matrix, compute_uv=False)
