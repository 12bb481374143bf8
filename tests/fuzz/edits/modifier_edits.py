"""Edits to modifier stacks: every type in this Blender, in every position, with every setting."""

from __future__ import annotations

import random
from typing import Any

import bpy

from tests.fuzz.edits.picking import (
    NothingToDoError,
    one_of,
    pick,
    pick_mesh,
    pick_mesh_with_modifiers,
    pick_rig,
    select_only,
)
from tests.fuzz.edits.start_scene import CHAIN

Random = random.Random

MOST_MODIFIERS = 5
SIMULATIONS = frozenset({"FLUID", "PARTICLE_SYSTEM", "PARTICLE_INSTANCE", "OCEAN"})
"""Modifiers that take seconds a frame, or need a cache on disk."""
HEAVY = frozenset(
    {"levels", "render_levels", "octree_depth", "resolution", "iterations", "count", "segments"}
)
MOST_OF_HEAVY = 2


def modifier_types() -> list[str]:
    kinds = bpy.types.Modifier.bl_rna.properties["type"].enum_items
    return sorted(kind.identifier for kind in kinds if kind.identifier not in SIMULATIONS)


def _refuse_where_full(mesh: bpy.types.Object) -> None:
    if len(mesh.modifiers) >= MOST_MODIFIERS:
        mesh.modifiers.remove(mesh.modifiers[-1])


def add_modifier(chance: Random) -> None:
    """Add a modifier of any type, anywhere in the stack."""
    mesh = pick_mesh(chance)
    _refuse_where_full(mesh)
    kind = chance.choice(modifier_types())
    modifier = mesh.modifiers.new(kind.title(), kind)
    if modifier is None:
        raise NothingToDoError
    _lighten(modifier)
    _point_somewhere(chance, modifier)
    mesh.modifiers.move(len(mesh.modifiers) - 1, chance.randrange(len(mesh.modifiers)))


def add_common_modifier(chance: Random) -> None:
    """Add one of the modifiers that characters usually have."""
    mesh = pick_mesh(chance)
    _refuse_where_full(mesh)
    kind = chance.choice(
        (
            "SUBSURF",
            "MIRROR",
            "SOLIDIFY",
            "CORRECTIVE_SMOOTH",
            "WEIGHTED_NORMAL",
            "TRIANGULATE",
            "MASK",
            "HOOK",
        )
    )
    modifier = mesh.modifiers.new(kind.title(), kind)
    _lighten(modifier)
    _point_somewhere(chance, modifier)
    if kind == "MASK":
        modifier.vertex_group = chance.choice(CHAIN)
    mesh.modifiers.move(len(mesh.modifiers) - 1, chance.randrange(len(mesh.modifiers)))


def add_armature_modifier(chance: Random) -> None:
    mesh = pick_mesh(chance)
    _refuse_where_full(mesh)
    modifier = mesh.modifiers.new("Armature", "ARMATURE")
    modifier.object = pick_rig(chance)
    modifier.use_multi_modifier = chance.random() < 0.5
    mesh.modifiers.move(len(mesh.modifiers) - 1, chance.randrange(len(mesh.modifiers)))


def _armature_modifier(chance: Random) -> Any:
    mesh = pick_mesh(chance)
    return one_of(chance, [one for one in mesh.modifiers if one.type == "ARMATURE"])


def change_armature_modifier(chance: Random) -> None:
    modifier = _armature_modifier(chance)
    what = chance.randrange(8)
    if what < 5:
        name = (
            "use_deform_preserve_volume",
            "use_vertex_groups",
            "use_bone_envelopes",
            "use_multi_modifier",
            "invert_vertex_group",
        )[what]
        setattr(modifier, name, not getattr(modifier, name))
    elif what == 5:
        modifier.vertex_group = chance.choice(("", *CHAIN, "mask", "missing"))
    elif what == 6:
        modifier.object = chance.choice([None, pick_rig(chance)])
    else:
        modifier.show_viewport = not modifier.show_viewport


def change_modifier(chance: Random) -> None:
    """Set any one setting of any modifier to a random value of its type."""
    mesh = pick_mesh_with_modifiers(chance)
    modifier = one_of(chance, mesh.modifiers)
    settings = sorted(
        prop.identifier
        for prop in modifier.bl_rna.properties
        if not prop.is_readonly
        and not getattr(prop, "is_array", False)
        and prop.identifier not in {"show_expanded", "execution_time"}
    )
    name = chance.choice(settings)
    prop = modifier.bl_rna.properties[name]
    if prop.type == "POINTER":
        _point(chance, modifier, prop)
    elif prop.type == "STRING":
        if "file" in name or "dir" in name or "path" in name:
            raise NothingToDoError
        setattr(modifier, name, chance.choice(("", *CHAIN)))
    elif prop.type == "ENUM":
        chosen = chance.choice([one.identifier for one in prop.enum_items] or [""])
        setattr(modifier, name, {chosen} if prop.is_enum_flag else chosen)
    elif prop.type == "BOOLEAN":
        setattr(modifier, name, not getattr(modifier, name))
    elif prop.type == "INT":
        most = MOST_OF_HEAVY if name in HEAVY else 4
        low = max(prop.hard_min, min(prop.soft_min, 0), -4)
        setattr(modifier, name, chance.randint(low, max(low, min(prop.soft_max, most))))
    else:
        low, high = max(prop.soft_min, -2.0), min(prop.soft_max, 2.0)
        setattr(modifier, name, chance.uniform(min(low, high), high))


def _point_somewhere(chance: Random, modifier: Any) -> None:
    for name in sorted(modifier.bl_rna.properties.keys()):
        prop = modifier.bl_rna.properties[name]
        if prop.type == "POINTER" and not prop.is_readonly:
            _point(chance, modifier, prop)


def _point(chance: Random, modifier: Any, prop: Any) -> None:
    kind = prop.fixed_type.identifier
    try:
        if kind == "Object":
            setattr(modifier, prop.identifier, pick(chance, "MESH", "ARMATURE", "EMPTY", "LATTICE", "CURVE"))
        elif kind in {"NodeTree", "GeometryNodeTree"}:
            setattr(modifier, prop.identifier, _node_group(chance.choice(("Push", "Smooth by Angle", "Fit"))))
        elif kind == "Texture":
            setattr(modifier, prop.identifier, _texture())
    except TypeError:
        # The property only accepts some object types, which aren't listed anywhere.
        return


def _texture() -> bpy.types.Texture:
    return bpy.data.textures.get("Clouds") or bpy.data.textures.new("Clouds", "CLOUDS")


def _node_group(name: str) -> bpy.types.NodeTree:
    """Make a node group that passes its geometry through, displaced if its name says so."""
    known = bpy.data.node_groups.get(name)
    if known is not None:
        return known
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    group.is_modifier = True
    for side in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    if name != "Push":
        group.links.new(start.outputs[0], end.inputs[0])
        return group
    push = group.nodes.new("GeometryNodeSetPosition")
    push.inputs["Offset"].default_value = (0.1, 0.0, 0.2)
    group.links.new(start.outputs[0], push.inputs["Geometry"])
    group.links.new(push.outputs[0], end.inputs[0])
    return group


def _lighten(modifier: Any) -> None:
    for name in HEAVY:
        prop = modifier.bl_rna.properties.get(name)
        if prop is not None and prop.type == "INT" and not prop.is_readonly:
            setattr(modifier, name, max(prop.hard_min, min(getattr(modifier, name), MOST_OF_HEAVY)))


def change_node_group(chance: Random) -> None:
    """Change what a node group does, without touching the modifiers that use it."""
    group = bpy.data.node_groups.get("Push")
    if group is None:
        raise NothingToDoError
    push = next(one for one in group.nodes if one.bl_idname == "GeometryNodeSetPosition")
    push.inputs["Offset"].default_value = [chance.uniform(-0.3, 0.3) for _ in range(3)]


def order_modifiers(chance: Random) -> None:
    mesh = pick_mesh_with_modifiers(chance, 2)
    count = len(mesh.modifiers)
    mesh.modifiers.move(chance.randrange(count), chance.randrange(count))


def remove_modifier(chance: Random) -> None:
    mesh = pick_mesh_with_modifiers(chance)
    mesh.modifiers.remove(one_of(chance, mesh.modifiers))


def toggle_modifier(chance: Random) -> None:
    modifier = one_of(chance, pick_mesh_with_modifiers(chance).modifiers)
    name = chance.choice(
        ("show_viewport", "show_viewport", "show_render", "show_in_editmode", "show_on_cage")
    )
    setattr(modifier, name, not getattr(modifier, name))


def rename_modifier(chance: Random) -> None:
    one_of(chance, pick_mesh_with_modifiers(chance).modifiers).name = chance.choice(
        ("Armature", "Renamed", "수정")
    )


def apply_modifier(chance: Random) -> None:
    mesh = pick_mesh_with_modifiers(chance)
    modifier = one_of(chance, mesh.modifiers)
    select_only(mesh)
    if chance.random() < 0.3:
        bpy.ops.object.modifier_copy(modifier=modifier.name)
    else:
        bpy.ops.object.modifier_apply(modifier=modifier.name)


MODIFIER_EDITS = (
    (add_modifier, 6),
    (add_common_modifier, 5),
    (add_armature_modifier, 3),
    (change_armature_modifier, 8),
    (change_modifier, 6),
    (change_node_group, 2),
    (order_modifiers, 4),
    (remove_modifier, 6),
    (toggle_modifier, 4),
    (rename_modifier, 1),
    (apply_modifier, 2),
)
"""Edits with their relative frequencies."""
