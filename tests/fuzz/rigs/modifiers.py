"""Adds a modifier of any type, anywhere in the stack, with random settings, along with whatever some types need
to take effect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import bpy

from tests.fuzz.rigs.node_groups import GROUPS, node_group
from tests.fuzz.rigs.plain_rig import Rig
from tests.fuzz.rigs.recipe import BEFORE, BEHIND, BETWEEN, Feature
from tests.fuzz.rigs.rna_values import randomise

OBJECT_TYPES = {
    "ARMATURE": "ARMATURE",
    "CURVE": "CURVE",
    "LATTICE": "LATTICE",
    "MESH_DEFORM": "CAGE",
    "BOOLEAN": "MESH",
    "DATA_TRANSFER": "MESH",
    "SURFACE_DEFORM": "CAGE",
    "SHRINKWRAP": "MESH",
    "VERTEX_WEIGHT_PROXIMITY": "MESH",
    "PARTICLE_INSTANCE": "MESH",
    "MASK": "ARMATURE",
}
"""The kind of object that a type of modifier points to; an empty for all others."""

CONSTANT = {
    "ARMATURE": ("use_vertex_groups", "use_bone_envelopes", "object"),
    "SIMPLE_DEFORM": ("limits",),
    "FLUID": ("fluid_type",),
    "BUILD": ("frame_start", "frame_duration"),
    # At the mesh's own width, it makes Blender merge different vertices each time.
    "BOOLEAN": ("double_threshold",),
}
"""Settings that are left alone, or set in `_PREPARED`, by type."""


@cache
def modifier_types() -> tuple[str, ...]:
    """List the modifier types that this Blender can add to a mesh, with Geometry Nodes once per
    kind of group.
    """
    mesh = bpy.data.meshes.new("of every modifier")
    one = bpy.data.objects.new("of every modifier", mesh)
    found = []
    for item in bpy.types.Modifier.bl_rna.properties["type"].enum_items:
        try:
            taken = one.modifiers.new(item.identifier, item.identifier)
        except RuntimeError:
            continue
        if taken is not None:
            own = [f"NODES:{group}" for group in GROUPS] if taken.type == "NODES" else [taken.type]
            found += own
            one.modifiers.remove(taken)
    bpy.data.objects.remove(one)
    bpy.data.meshes.remove(mesh)
    return tuple(found)


def add_modifier(rig: Rig, feature: Feature) -> None:
    """Add the modifier that a feature describes. For a place between two armatures, add the second if it is
    missing.
    """
    if feature.place == BETWEEN and "Armature again" not in rig.mesh.modifiers:
        second = rig.mesh.modifiers.new("Armature again", "ARMATURE")
        second.object = rig.armature
        second.vertex_group = "half"
    kind, _, group = feature.detail.partition(":")
    modifier = rig.mesh.modifiers.new(f"{kind.capitalize()} {feature.place}", kind)
    if modifier is None:
        # Blender allows only one per object of some types, Dynamic Paint among them.
        return
    _settle(rig, modifier)
    if group:
        modifier.node_group = node_group(rig, group)
    if not _moved(rig, modifier, feature.place):
        rig.mesh.modifiers.remove(modifier)
        return
    bpy.context.view_layer.update()
    if bind := _BINDING.get(kind):
        bind(rig, modifier)


def random_string(rig: Rig) -> Callable[[bpy.types.Property], str | None]:
    """Return a chooser of string values: names that exist in the rig, and now and then one that doesn't."""

    def chosen(one: bpy.types.Property) -> str | None:
        if "vertex_group" in one.identifier or one.identifier.startswith("mask_vertex"):
            return str(rig.random.choice([*(group.name for group in rig.mesh.vertex_groups), "", "missing"]))
        if "uv" in one.identifier:
            return "UVMap"
        if "bone" in one.identifier or one.identifier == "subtarget":
            return str(rig.random.choice([bone.name for bone in rig.armature.data.bones]))
        return None

    return chosen


def random_pointer(rig: Rig, object_type: str) -> Callable[[bpy.types.Property], bpy.types.ID | None]:
    """Return a chooser of pointer values. object_type: of objects, a key of `THINGS`."""

    def chosen(one: bpy.types.Property) -> bpy.types.ID | None:
        assert isinstance(one, bpy.types.PointerProperty)
        match one.fixed_type.identifier:
            case "Object":
                return rig.thing(object_type)
            case "Texture":
                return rig.thing("TEXTURE")
            case "Collection":
                return rig.thing("COLLECTION")
            case _:
                return None

    return chosen


def _settle(rig: Rig, modifier: bpy.types.Modifier) -> None:
    kind = modifier.type
    randomise(
        modifier,
        rig.random,
        pointer=random_pointer(rig, OBJECT_TYPES.get(kind, "EMPTY")),
        string=random_string(rig),
        leave=CONSTANT.get(kind, ()),
    )
    if prepare := _PREPARED.get(kind):
        prepare(rig, modifier)


def _moved(rig: Rig, modifier: bpy.types.Modifier, place: str) -> bool:
    """Move a modifier to its place, and tell whether Blender allows it there.

    Blender doesn't allow a modifier that needs the original mesh, such as a hook, below one that makes a new
    mesh.
    """
    stack = rig.mesh.modifiers
    names = [one.name for one in stack]
    own = names.index(modifier.name)
    anchors = {BEFORE: "Armature", BETWEEN: "Armature again"}
    target = names.index(anchors[place]) if place in anchors else len(names) - 1
    if own < target and place in anchors:
        # Removed above, so everything below it moves up.
        target -= 1
    try:
        stack.move(own, target)
    except RuntimeError:
        return False
    names = [one.name for one in stack]
    own, first = names.index(modifier.name), names.index("Armature")
    if place == BEFORE:
        return own < first
    if place == BETWEEN:
        return first < own < names.index("Armature again")
    return own == len(names) - 1


def _hook(rig: Rig, modifier: bpy.types.Modifier) -> None:
    # A modifier after the armature gets its own object: that one is moved below, without affecting what is
    # before the armature.
    modifier.object = rig.thing("HOOKED" if modifier.name.endswith(BEHIND) else "EMPTY")
    count = len(rig.mesh.data.vertices)
    modifier.vertex_indices_set([int(one) for one in rig.random.choice(count, count // 2, replace=False)])
    # As the operator leaves it: with the object where it is now, nothing moves.
    modifier.matrix_inverse = modifier.object.matrix_world.inverted() @ rig.mesh.matrix_world
    modifier.object.location.x += 0.4


def _armature(rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.object = rig.armature if rig.random.random() < 0.5 else rig.thing("ARMATURE")


def _build(_rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.frame_start, modifier.frame_duration = 0, 4


def _ocean(_rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.resolution = modifier.viewport_resolution = 2
    modifier.repeat_x = modifier.repeat_y = 1


def _fluid(rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.fluid_type = str(rig.random.choice(["NONE", "FLOW", "EFFECTOR"]))


def _dynamic_paint(rig: Rig, modifier: bpy.types.Modifier) -> None:
    bpy.context.view_layer.objects.active = rig.mesh
    with bpy.context.temp_override(object=rig.mesh, active_object=rig.mesh):
        bpy.ops.dpaint.type_toggle(type="CANVAS")
    surface = modifier.canvas_settings.canvas_surfaces[0]
    surface.surface_format = "VERTEX"
    surface.surface_type = "WAVE"


def _cloth(rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.settings.quality = 1
    modifier.settings.vertex_group_mass = "half"
    modifier.collision_settings.use_collision = rig.random.random() < 0.2


def _soft_body(_rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.settings.vertex_group_goal = "half"


def _particles(rig: Rig, _modifier: bpy.types.Modifier) -> None:
    settings = rig.mesh.particle_systems[-1].settings
    settings.count, settings.frame_start, settings.frame_end = 20, 0, 2


def _explode(rig: Rig, modifier: bpy.types.Modifier) -> None:
    """Add the particles that Explode needs right above it."""
    rig.mesh.modifiers.new("Particles", "PARTICLE_SYSTEM")
    _particles(rig, modifier)
    names = [one.name for one in rig.mesh.modifiers]
    if names.index(modifier.name) < len(names) - 1:
        rig.mesh.modifiers.move(len(names) - 1, names.index(modifier.name))


def _particle_instance(rig: Rig, modifier: bpy.types.Modifier) -> None:
    ball = rig.thing("MESH")
    if not ball.particle_systems:
        ball.modifiers.new("Particles", "PARTICLE_SYSTEM")
        settings = ball.particle_systems[0].settings
        settings.count, settings.frame_start, settings.frame_end = 3, 0, 1
    modifier.object, modifier.particle_system_index = ball, 1


def _displace(rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.strength = rig.random.uniform(0.05, 0.4)


def _laplacian_deform(_rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.vertex_group = "half"


def _projectors(rig: Rig, modifier: bpy.types.Modifier) -> None:
    modifier.projectors[0].object = rig.thing("CAMERA")


_PREPARED: dict[str, Callable[[Rig, bpy.types.Modifier], None]] = {
    "ARMATURE": _armature,
    "BUILD": _build,
    "CLOTH": _cloth,
    "DISPLACE": _displace,
    "DYNAMIC_PAINT": _dynamic_paint,
    "FLUID": _fluid,
    "HOOK": _hook,
    "LAPLACIANDEFORM": _laplacian_deform,
    "OCEAN": _ocean,
    "PARTICLE_INSTANCE": _particle_instance,
    "PARTICLE_SYSTEM": _particles,
    "SOFT_BODY": _soft_body,
    "UV_PROJECT": _projectors,
}
"""What else a type needs to have any effect."""


def _operator(name: str) -> Callable[[Rig, bpy.types.Modifier], None]:
    def bind(rig: Rig, modifier: bpy.types.Modifier) -> None:
        with bpy.context.temp_override(object=rig.mesh, active_object=rig.mesh):
            getattr(bpy.ops.object, name)(modifier=modifier.name)

    return bind


def _corrective_smooth(rig: Rig, modifier: bpy.types.Modifier) -> None:
    if modifier.rest_source == "BIND":
        _operator("correctivesmooth_bind")(rig, modifier)


def _multires(rig: Rig, modifier: bpy.types.Modifier) -> None:
    _operator("multires_subdivide")(rig, modifier)
    levels = min(modifier.total_levels, 1)
    modifier.levels = modifier.render_levels = levels


def _bound_to_cage(name: str) -> Callable[[Rig, bpy.types.Modifier], None]:
    """Bind, and change the cage afterwards: once bound, it has no effect as long as the cage stays
    unchanged.
    """

    def bind(rig: Rig, modifier: bpy.types.Modifier) -> None:
        if modifier.name.endswith(BEHIND):
            # For the same reason as a hook.
            owner = "target" if modifier.type == "SURFACE_DEFORM" else "object"
            setattr(modifier, owner, rig.thing("CAGE BEHIND"))
        _operator(name)(rig, modifier)
        for vertex in rig.thing("CAGE BEHIND" if modifier.name.endswith(BEHIND) else "CAGE").data.vertices:
            vertex.co.y += 0.3 * vertex.co.x

    return bind


_BINDING: dict[str, Callable[[Rig, bpy.types.Modifier], None]] = {
    "CORRECTIVE_SMOOTH": _corrective_smooth,
    "EXPLODE": _explode,
    "LAPLACIANDEFORM": _operator("laplaciandeform_bind"),
    "MESH_DEFORM": _bound_to_cage("meshdeform_bind"),
    "MULTIRES": _multires,
    "SURFACE_DEFORM": _bound_to_cage("surfacedeform_bind"),
}
"""What a type needs once it is in its place."""
