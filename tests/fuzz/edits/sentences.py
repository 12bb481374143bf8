"""The sentences that a preview may give instead of Blender's shape, and when each one is true.

Written by hand, from what a user would understand by each sentence; any sentence that isn't listed here is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

Holds = Callable[[bpy.types.Object], bool]


SIMULATED = frozenset({"CLOTH", "SOFT_BODY", "DYNAMIC_PAINT", "EXPLODE"})
"""Types from `modifier_edits.modifier_types` whose result at a frame depends on the frames before."""
COPIED = frozenset(
    {
        *(
            "ARMATURE",
            "ARRAY",
            "BEVEL",
            "CAST",
            "DISPLACE",
            "EDGE_SPLIT",
            "HOOK",
            "LATTICE",
            "MASK",
            "MIRROR",
        ),
        *("SIMPLE_DEFORM", "SMOOTH", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "WAVE", "WEIGHTED_NORMAL", "WELD"),
    }
)
"""Modifiers whose copy, with the same settings, gives the same result."""


def _is_edited(mesh_object: Any) -> bool:
    return bool(mesh_object.data.is_editmode)


def _armatures(mesh_object: bpy.types.Object) -> list[Any]:
    """List the armatures that deform an object or carry it along."""
    found = [
        one.object
        for one in mesh_object.modifiers
        if one.type == "ARMATURE" and one.show_viewport and one.object is not None
    ]
    parent = mesh_object.parent
    if parent is not None and parent.type == "ARMATURE" and mesh_object.parent_type in {"ARMATURE", "BONE"}:
        found.append(parent)
    return found


def _has_no_armature(mesh_object: bpy.types.Object) -> bool:
    return not _armatures(mesh_object)


def _has_armature_without_bones(mesh_object: bpy.types.Object) -> bool:
    return any(not len(one.data.bones) for one in _armatures(mesh_object))


def _has_no_vertices(mesh_object: Any) -> bool:
    evaluated: Any = mesh_object.evaluated_get(bpy.context.view_layer.depsgraph).data
    return not len(mesh_object.data.vertices) or not len(evaluated.vertices)


def _has_fewer_vertices(mesh_object: Any) -> bool:
    """Whether Blender removes vertices behind what is bound: only this may show it."""
    return _has_something_between(mesh_object)


def _is_flat(mesh_object: bpy.types.Object) -> bool:
    """Tell whether it, or one of its armatures, has an axis of zero length."""
    depsgraph = bpy.context.view_layer.depsgraph
    for one in (mesh_object, *_armatures(mesh_object)):
        matrix = np.array(one.evaluated_get(depsgraph).matrix_world, dtype=np.float64)[:3, :3]
        if np.linalg.svd(matrix, compute_uv=False).min() < 1e-6:
            return True
    return False


def _lacks_its_bone(mesh_object: Any) -> bool:
    parent = mesh_object.parent
    return mesh_object.parent_type == "BONE" and mesh_object.parent_bone not in parent.data.bones


def _is_not_finite(mesh_object: Any) -> bool:
    evaluated: Any = mesh_object.evaluated_get(bpy.context.view_layer.depsgraph).data
    positions = np.empty(len(evaluated.vertices) * 3, dtype=np.float32)
    evaluated.vertices.foreach_get("co", positions)
    return not np.isfinite(positions).all()


def _has_something_between(mesh_object: bpy.types.Object) -> bool:
    on = [one for one in mesh_object.modifiers if one.show_viewport]
    armatures = [index for index, one in enumerate(on) if one.type == "ARMATURE" and one.object is not None]
    first = 0 if mesh_object.parent_type == "ARMATURE" else (armatures or [0])[0]
    return any(one.type != "ARMATURE" for one in on[first : (armatures or [0])[-1]])


def _up_to_last_armature(mesh_object: bpy.types.Object) -> list[Any]:
    """List the enabled modifiers that act before the last armature; all of them if there is none."""
    on = [one for one in mesh_object.modifiers if one.show_viewport]
    armatures = [index for index, one in enumerate(on) if one.type == "ARMATURE" and one.object is not None]
    return on[: armatures[-1]] if armatures else on


def _has_simulation_before(mesh_object: bpy.types.Object) -> bool:
    return any(one.type in SIMULATED for one in _up_to_last_armature(mesh_object))


def _has_what_may_not_copy(mesh_object: bpy.types.Object) -> bool:
    return any(one.type not in COPIED for one in _up_to_last_armature(mesh_object))


def _has_constraints(mesh_object: bpy.types.Object) -> bool:
    return any(bone.constraints for one in _armatures(mesh_object) for bone in one.pose.bones)


def _has_bone_without_length(mesh_object: bpy.types.Object) -> bool:
    return any(bone.length < 1e-6 for one in _armatures(mesh_object) for bone in one.data.bones)


SENTENCES: tuple[tuple[str, str, Holds], ...] = (
    ("edit-mode", r"is in Edit Mode, which shows it undeformed", _is_edited),
    ("no-armature", r"' has no armature; add an Armature modifier", _has_no_armature),
    ("no-bones", r"which deforms '.*', has no bones", _has_armature_without_bones),
    (
        "vertices-differ",
        (
            r"^Blender's result for '.*' has \d+ vertices instead of \d+; leave Edit Mode, show the object, "
            r"and switch off"
        ),
        _has_fewer_vertices,
    ),
    ("no-vertices", r"has no vertices, so there is nothing to skin", _has_no_vertices),
    ("scaled to zero", r"is scaled to zero along an axis", _is_flat),
    ("no such bone", r"is parented to the bone '.*', which does not exist in '", _lacks_its_bone),
    (
        "simulation-before",
        r"^The result of '.*' on '.*' before the armature depends on earlier",
        _has_simulation_before,
    ),
    ("copy-differs", r"^A copy of '.*' differs from the mesh that Blender shows", _has_what_may_not_copy),
    ("copy-differs", r"^A copy of '.*' is not posed as Blender shows the armature", _has_constraints),
    ("blender-not-finite", r"contains invalid numbers", _is_not_finite),
)
"""(class, pattern, when it is true)."""

REASONS: dict[str, Holds] = {
    "modifier-between": _has_something_between,
    "simulation-before": _has_simulation_before,
    "copy-differs": _has_what_may_not_copy,
    "bone-without-length": _has_bone_without_length,
}
"""By rule: when a binding may say that it doesn't reproduce everything."""
