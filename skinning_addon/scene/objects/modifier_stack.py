"""A mesh object's modifier stack, split for skinning: before, armatures, after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard, cast

import bpy

from ..object_data import mesh_of
from .node_trees import has_state, keeps_geometry

WEIGHT_CHANGING_TYPES = frozenset(
    {"VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "DATA_TRANSFER"}
)
POSITION_KEEPING_TYPES = WEIGHT_CHANGING_TYPES | {
    "COLLISION",
    "EDGE_SPLIT",
    "NORMAL_EDIT",
    "PARTICLE_SYSTEM",
    "SURFACE",
    "TRIANGULATE",
    "UV_PROJECT",
    "UV_WARP",
    "WEIGHTED_NORMAL",
}
"""Modifiers that leave every vertex in place: after the armature, they don't affect positions."""

DEFORMING_TYPES = frozenset(
    {
        "CAST",
        "CORRECTIVE_SMOOTH",
        "CURVE",
        "DISPLACE",
        "HOOK",
        "LAPLACIANDEFORM",
        "LAPLACIANSMOOTH",
        "LATTICE",
        "MESH_CACHE",
        "MESH_DEFORM",
        "SHRINKWRAP",
        "SIMPLE_DEFORM",
        "SMOOTH",
        "SUBSURF",
        "SURFACE_DEFORM",
        "VOLUME_DISPLACE",
        "WARP",
        "WAVE",
    }
)
"""Modifiers that move vertices from frame to frame, but don't change weights, nor topology unless a setting is
animated."""

SIMULATED_TYPES = frozenset({"CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "PARTICLE_INSTANCE", "SOFT_BODY"})
"""Modifiers whose result depends on earlier frames, or is stored in a cache that is not copied with them."""

COPIED_TYPES = (
    POSITION_KEEPING_TYPES
    | DEFORMING_TYPES - {"LAPLACIANDEFORM"}
    | {
        "ARMATURE",
        "ARRAY",
        "BEVEL",
        "BOOLEAN",
        "BUILD",
        "DECIMATE",
        "MASK",
        "MESH_SEQUENCE_CACHE",
        "MIRROR",
        "MULTIRES",
        "REMESH",
        "SCREW",
        "SKIN",
        "SOLIDIFY",
        "VOLUME_TO_MESH",
        "WELD",
        "WIREFRAME",
    }
)
"""Modifiers whose copies give the same result. Nodes can do anything, Laplacian Deform and Ocean have a state,
and unknown modifiers may do either: their copies have to be tested (`copy_proof`).
"""

STILL_TYPES = WEIGHT_CHANGING_TYPES | {
    "ARRAY",
    "BEVEL",
    "CAST",
    "DECIMATE",
    "DISPLACE",
    "LAPLACIANSMOOTH",
    "MASK",
    "MIRROR",
    "MULTIRES",
    "REMESH",
    "SCREW",
    "SIMPLE_DEFORM",
    "SKIN",
    "SMOOTH",
    "SOLIDIFY",
    "SUBSURF",
    "WELD",
    "WIREFRAME",
}
"""Modifiers with the same result for the same mesh at every frame, unless a setting is animated or they use
other data."""


LEFT_OUT_WHILE_PAINTED = frozenset(
    {
        "BEVEL",
        "BOOLEAN",
        "BUILD",
        "DECIMATE",
        "EXPLODE",
        "OCEAN",
        "REMESH",
        "SCREW",
        "SKIN",
        "VOLUME_TO_MESH",
        "WIREFRAME",
    }
)
"""Modifiers whose result has no mapping to the original vertices: left out by Blender if painting needs it."""


@dataclass(frozen=True)
class ModifierStack:
    """The enabled modifiers of one mesh object. Holds Blender objects: use it immediately, and don't store it.

    armature_parent: the armature object of the parent type Armature, which acts as a first modifier, or None.
    deforming_parent: likewise, the lattice or curve that deforms the mesh as its parent, before any modifier.
    before, after: modifiers before the first and after the last armature modifier, without any that is passed
    over.
    armatures: armature modifiers that have an object, in order. between: other modifiers between them.
    left_out: names of the enabled modifiers that Blender leaves out while the mesh is being painted.
    passed_over: the lattice or mesh deform, a modifier or the parent, whose result the first armature modifier
        discards, see `_handing_on`; with half_way, it discards it only where its vertex group applies.
    """

    armature_parent: bpy.types.Object | None
    deforming_parent: bpy.types.Object | None
    before: tuple[bpy.types.Modifier, ...]
    armatures: tuple[bpy.types.ArmatureModifier, ...]
    between: tuple[bpy.types.Modifier, ...]
    after: tuple[bpy.types.Modifier, ...]
    left_out: frozenset[str] = frozenset()
    passed_over: bpy.types.Modifier | bpy.types.Object | None = None
    half_way: bool = False

    @property
    def armature_objects(self) -> tuple[bpy.types.Object, ...]:
        """The armature object of every pass, in the order in which they deform the mesh."""
        parent = () if self.armature_parent is None else (self.armature_parent,)
        return parent + tuple(modifier.object for modifier in self.armatures if modifier.object)


def read_stack(mesh_object: bpy.types.Object, left_out: frozenset[str] = frozenset()) -> ModifierStack:
    """Sort the modifiers that are enabled in the viewport, except those named in `left_out`."""
    enabled = [one for one in mesh_object.modifiers if one.show_viewport and one.name not in left_out]
    indices = [index for index, modifier in enumerate(enabled) if _is_armature(modifier)]
    parent = mesh_object.parent
    by_parent = parent is not None and parent.type == "ARMATURE" and mesh_object.parent_type == "ARMATURE"
    first = 0 if by_parent else indices[0] if indices else len(enabled)
    last = indices[-1] + 1 if indices else first
    armatures = tuple(modifier for modifier in enabled if _is_armature(modifier))
    passed_over = None if by_parent or not armatures else _handing_on(mesh_object, armatures[0])
    half_way = passed_over is not None and armatures[0].vertex_group in mesh_object.vertex_groups
    return ModifierStack(
        armature_parent=parent if by_parent else None,
        deforming_parent=parent if deforms_as_parent(mesh_object) else None,
        before=tuple(one for one in enabled[:first] if half_way or one != passed_over),
        armatures=armatures,
        between=tuple(modifier for modifier in enabled[first:last] if not _is_armature(modifier)),
        after=tuple(enabled[last:]),
        left_out=left_out,
        passed_over=passed_over,
        half_way=half_way,
    )


def left_out_modifiers(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> frozenset[str]:
    """Name the enabled modifiers that Blender leaves out in a view layer while the mesh is painted there.

    That applies to weight and vertex paint, and to texture paint with masked faces; in other view layers, in
    which it is not the active object, the modifiers stay.
    """
    mode = mesh_object.mode
    painted = mode in {"WEIGHT_PAINT", "VERTEX_PAINT"}
    painted = painted or (mode == "TEXTURE_PAINT" and mesh_of(mesh_object).use_paint_mask)
    if not painted or depsgraph.view_layer.objects.active != mesh_object.original:
        return frozenset()
    return frozenset(
        one.name
        for one in mesh_object.evaluated_get(depsgraph).modifiers
        if one.show_viewport and one.type in LEFT_OUT_WHILE_PAINTED
    )


def deforms_as_parent(mesh_object: bpy.types.Object) -> bool:
    """Tell whether the parent is a lattice or a curve that deforms the mesh before any modifier does."""
    parent = mesh_object.parent
    if parent is None or parent.type not in {"LATTICE", "CURVE"}:
        return False
    if mesh_object.parent_type == "LATTICE":
        return True
    # Only scripts and old files can make a curve such a parent; RNA has no name for its type.
    return mesh_object.parent_type == "" and _has_path(parent)


def _has_path(curve: bpy.types.Object) -> bool:
    """Tell whether Blender computes a curve's path: for the curve itself, or for anything that follows it."""
    original = cast("bpy.types.Object", curve.original)
    return cast("bpy.types.Curve", original.data).use_path or any(
        original == getattr(owner, name, None) for one in bpy.data.objects for owner, name in _followers(one)
    )


def _followers(one: bpy.types.Object) -> Iterator[tuple[bpy.types.bpy_struct | None, str]]:
    """Yield everything on an object that may follow a curve's path, with the property that names the curve."""
    bones = one.pose.bones if one.pose else ()
    for constraint in (*one.constraints, *(each for bone in bones for each in bone.constraints)):
        if constraint.type in {"CLAMP_TO", "FOLLOW_PATH", "SPLINE_IK"}:
            yield constraint, "target"
    for modifier in one.modifiers:
        if modifier.type in {"ARRAY", "CURVE"}:
            yield modifier, "curve" if modifier.type == "ARRAY" else "object"
    yield one.data, "follow_curve"


def evaluated_stack(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> ModifierStack:
    """Sort the modifiers by their switches in a depsgraph; the result's objects are evaluated ones, too.

    Switches may be keyed or driven, and the originals have the values of the depsgraph that was evaluated last.
    depsgraph: None for the originals.
    """
    if depsgraph is None:
        return read_stack(mesh_object)
    return read_stack(mesh_object.evaluated_get(depsgraph), left_out_modifiers(mesh_object, depsgraph))


def is_placed_by_bone(mesh_object: bpy.types.Object) -> bool:
    """Tell whether the parent is a bone, and the object has no constraints that affect its transform."""
    return mesh_object.parent_type == "BONE" and not len(mesh_object.constraints)


def armature_objects(mesh_object: bpy.types.Object) -> tuple[bpy.types.Object, ...]:
    """Return the armature object of every pass, including that of a rigid part's bone.

    A faster equivalent of `ModifierStack`, since this runs every frame: it asks Blender nothing twice.
    """
    found: list[bpy.types.Object] = []
    for modifier in mesh_object.modifiers:
        if isinstance(modifier, bpy.types.ArmatureModifier) and modifier.show_viewport:
            armature = modifier.object
            if armature is not None:
                found.append(armature)
    carried = mesh_object.parent_type
    if carried == "ARMATURE" or (carried == "BONE" and not found and is_placed_by_bone(mesh_object)):
        parent = mesh_object.parent
        if parent is not None and parent.type == "ARMATURE":
            found.insert(0, parent)
    return tuple(found)


def ends_with_armature(mesh_object: bpy.types.Object) -> bool:
    """Tell whether the last enabled modifier is an armature's, so that none comes after it. A shortcut for the
    usual stack, which previews that compare ask for at every frame.
    """
    for modifier in reversed(mesh_object.modifiers[:]):
        if modifier.show_viewport:
            return _is_armature(modifier)
    return False


def keeps_positions(modifier: bpy.types.Modifier) -> bool:
    """Tell whether `modifier` leaves every vertex in place."""
    if isinstance(modifier, bpy.types.ArmatureModifier):
        return modifier.object is None or not (modifier.use_vertex_groups or modifier.use_bone_envelopes)
    if isinstance(modifier, bpy.types.NodesModifier):
        return keeps_geometry(modifier.node_group)
    return modifier.type in POSITION_KEEPING_TYPES


def leaves_input_alone(modifier: bpy.types.Modifier) -> bool:
    """Tell whether `modifier`, before an armature, keeps every vertex's position and weights."""
    return keeps_positions(modifier) and modifier.type not in WEIGHT_CHANGING_TYPES | {
        "EDGE_SPLIT",
        "TRIANGULATE",
    }


def only_moves_vertices(modifier: bpy.types.Modifier) -> bool:
    """Tell whether `modifier` only changes vertices' positions from frame to frame, and not their weights."""
    return leaves_input_alone(modifier) or modifier.type in DEFORMING_TYPES


def is_simulated(modifier: bpy.types.Modifier) -> bool:
    """Tell whether `modifier`'s result depends on more than its settings and the current frame."""
    if isinstance(modifier, bpy.types.NodesModifier):
        return has_state(modifier.node_group)
    if isinstance(modifier, bpy.types.FluidModifier):
        return modifier.fluid_type == "DOMAIN"
    if isinstance(modifier, bpy.types.DynamicPaintModifier):
        return modifier.canvas_settings is not None
    return modifier.type in SIMULATED_TYPES


def is_copied_exactly(modifier: bpy.types.Modifier) -> bool:
    """Tell whether a copy of `modifier` is known to give the same result."""
    if isinstance(modifier, bpy.types.NodesModifier):
        return keeps_geometry(modifier.node_group)
    return modifier.type in COPIED_TYPES or (modifier.type in SIMULATED_TYPES and not is_simulated(modifier))


def _is_armature(modifier: bpy.types.Modifier) -> TypeGuard[bpy.types.ArmatureModifier]:
    return isinstance(modifier, bpy.types.ArmatureModifier) and modifier.object is not None


def _handing_on(
    mesh_object: bpy.types.Object, first: bpy.types.Modifier
) -> bpy.types.Modifier | bpy.types.Object | None:
    """Return the lattice or mesh deform, a modifier or the parent, that passes its own input on to the first
    armature modifier.

    Only these and armature modifiers do so, see `multi_modifier_passes`. Its result is then visible only where
    a vertex group masks that armature modifier.
    """
    modifiers = list(mesh_object.modifiers)
    for index in range(modifiers.index(first), -1, -1):
        one = modifiers[index]
        if isinstance(one, (bpy.types.LatticeModifier, bpy.types.MeshDeformModifier)):
            return one if one.show_viewport and one.object is not None else None
        if not isinstance(one, bpy.types.ArmatureModifier) or not one.use_multi_modifier:
            return None
    parent = mesh_object.parent
    return parent if parent is not None and mesh_object.parent_type == "LATTICE" else None


def multi_modifier_passes(mesh_object: bpy.types.Object) -> frozenset[str]:
    """Name the armature modifiers that start from the coordinates before their run (Blender's Multi Modifier).

    An armature modifier passes its input on to the modifiers right below it as long as these are armature
    modifiers with Multi Modifier on, even if switched off; the first one to pass on its input wins. A modifier
    with the option that no other passes its input to works like any other. Lattices and mesh deforms pass on
    their input, too: see `ModifierStack.passed_over`.
    """
    found = set()
    parent = mesh_object.parent
    anyone_above = parent is not None and parent.type == "ARMATURE" and mesh_object.parent_type == "ARMATURE"
    for modifier in mesh_object.modifiers:
        acts = modifier.show_viewport and _is_armature(modifier)
        multi = isinstance(modifier, bpy.types.ArmatureModifier) and modifier.use_multi_modifier
        if multi and anyone_above and acts:
            found.add(modifier.name)
        anyone_above = acts or (multi and anyone_above)
    return frozenset(found)
