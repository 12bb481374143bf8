"""Relations of objects and bones: parents, constraints, locations and scales, and bones' own settings."""

from __future__ import annotations

from functools import cache

import bpy
import numpy as np
from mathutils import Euler, Matrix

from tests.fuzz.rigs.modifiers import random_pointer, random_string
from tests.fuzz.rigs.plain_rig import Rig
from tests.fuzz.rigs.recipe import Feature
from tests.fuzz.rigs.rna_values import randomise

PARENTS = (
    "OBJECT EMPTY",
    "OBJECT ARMATURE",
    "OBJECT RIG",
    "ARMATURE RIG",
    "ARMATURE ARMATURE",
    "LATTICE LATTICE",
    "DEFORM CURVE",
    "BONE RIG",
    "BONE ARMATURE",
    "VERTEX MESH",
    "VERTEX_3 MESH",
)
"""Parent type and parent; RIG is the rig's own armature. DEFORM: the parent type of an armature, which files
may combine with a curve, although Blender's interface doesn't offer that."""

TRANSFORMS = ("moved", "scaled", "mirrored", "sheared", "far", "small", "large", "thin", "zero", "beyond")

BENDY = tuple(
    one
    for one in (
        "bbone_x",
        "bbone_z",
        "bbone_mapping_mode",
        "bbone_handle_type_start",
        "bbone_handle_type_end",
        "bbone_rollin",
        "bbone_rollout",
        "bbone_curveinx",
        "bbone_curveinz",
        "bbone_curveoutx",
        "bbone_curveoutz",
        "bbone_easein",
        "bbone_easeout",
        "bbone_scalein",
        "bbone_scaleout",
        "use_endroll_as_inroll",
        "use_scale_easing",
    )
)


@cache
def constraint_types() -> tuple[str, ...]:
    return tuple(item.identifier for item in bpy.types.Constraint.bl_rna.properties["type"].enum_items)


def parent_mesh(rig: Rig, feature: Feature) -> None:
    _parent(rig, rig.mesh, feature.detail)


def parent_armature(rig: Rig, feature: Feature) -> None:
    _parent(rig, rig.armature, feature.detail)


def transform(rig: Rig, feature: Feature) -> None:
    """Move, rotate or scale the mesh, the armature or both. detail: 'mesh moved', 'armature thin', 'both far',
    ...
    """
    whose, how = feature.detail.split()
    for one in {"mesh": (rig.mesh,), "armature": (rig.armature,), "both": (rig.mesh, rig.armature)}[whose]:
        if how == "sheared":
            _shear(rig, one)
        else:
            one.matrix_basis = _placed(rig.random, how)


def inherit(rig: Rig, _feature: Feature) -> None:
    """Set random scale inheritance on bones."""
    modes = [item.identifier for item in bpy.types.Bone.bl_rna.properties["inherit_scale"].enum_items]
    for bone in rig.armature.data.bones:
        bone.inherit_scale = str(rig.random.choice(modes))
        bone.use_inherit_rotation = bool(rig.random.random() < 0.7)
        bone.use_local_location = bool(rig.random.random() < 0.7)
        bone.use_relative_parent = bool(rig.random.random() < 0.3)
        bone.use_deform = bool(rig.random.random() < 0.8)


def bendy(rig: Rig, _feature: Feature) -> None:
    for bone in rig.armature.data.bones:
        if rig.random.random() < 0.3:
            continue
        bone.bbone_segments = int(rig.random.integers(2, 6))
        randomise(
            bone,
            rig.random,
            pointer=lambda _one: None,
            string=lambda _one: None,
            leave=_all_but(bone, BENDY),
        )
        posed = rig.armature.pose.bones[bone.name]
        posed.bbone_curveinx, posed.bbone_curveoutz = rig.random.normal(size=2) * 0.2


def envelopes(rig: Rig, _feature: Feature) -> None:
    modifier = rig.mesh.modifiers["Armature"]
    modifier.use_bone_envelopes = True
    modifier.use_vertex_groups = bool(rig.random.random() < 0.5)
    for bone in rig.armature.data.bones:
        bone.envelope_weight = rig.random.uniform(0.1, 1)
        bone.use_envelope_multiply = bool(rig.random.random() < 0.3)


def armature_settings(rig: Rig, _feature: Feature) -> None:
    """Set Preserve Volume, masks and Multi Modifier, with or without a second armature modifier."""
    modifiers = [rig.mesh.modifiers["Armature"]]
    if rig.random.random() < 0.5:
        second = rig.mesh.modifiers.get("Armature again")
        if second is None:
            second = rig.mesh.modifiers.new("Armature again", "ARMATURE")
        second.object = rig.armature if rig.random.random() < 0.5 else rig.thing("ARMATURE")
        modifiers.append(second)
    for modifier in modifiers:
        modifier.use_deform_preserve_volume = bool(rig.random.random() < 0.5)
        modifier.use_multi_modifier = bool(rig.random.random() < 0.5)
        modifier.vertex_group = str(rig.random.choice(["", "half", "bone 1", "missing"]))
        modifier.invert_vertex_group = bool(rig.random.random() < 0.5)


def bone_constraint(rig: Rig, feature: Feature) -> None:
    bones = rig.armature.pose.bones
    bone = bones[int(rig.random.integers(len(bones)))]
    _settle_constraint(rig, bone.constraints.new(feature.detail))


def object_constraint(rig: Rig, feature: Feature) -> None:
    """Constrain an object. detail: 'mesh COPY_LOCATION', 'armature TRACK_TO', ..."""
    whose, kind = feature.detail.split()
    one = rig.mesh if whose == "mesh" else rig.armature
    _settle_constraint(rig, one.constraints.new(kind))


def _settle_constraint(rig: Rig, constraint: bpy.types.Constraint) -> None:
    targets = {"SPLINE_IK": "CURVE", "CLAMP_TO": "CURVE", "FOLLOW_PATH": "CURVE", "SHRINKWRAP": "MESH"}
    kind = targets.get(constraint.type, str(rig.random.choice(["EMPTY", "ARMATURE"])))
    randomise(constraint, rig.random, pointer=random_pointer(rig, kind), string=_second_bone(rig))
    if isinstance(constraint, bpy.types.StretchToConstraint):
        # As its button leaves it: at 0, Blender's result depends on when it is first evaluated.
        constraint.rest_length = float(rig.random.uniform(0.5, 2))
    if isinstance(constraint, bpy.types.ArmatureConstraint):
        target = constraint.targets.new()
        target.target, target.subtarget = rig.thing("ARMATURE"), "bone 2"


def _second_bone(rig: Rig):
    inner = random_string(rig)

    def chosen(one: bpy.types.Property) -> str | None:
        return "bone 2" if "subtarget" in one.identifier else inner(one)

    return chosen


def _parent(rig: Rig, child: bpy.types.Object, detail: str) -> None:
    parent_type, kind = detail.split()
    parent = rig.armature if kind == "RIG" else rig.thing(kind)
    if parent is child:
        parent, parent_type = rig.thing("EMPTY"), "OBJECT"
    if parent_type == "DEFORM":
        child.parent, child.parent_type = rig.armature, "ARMATURE"
        child.parent = parent
    else:
        child.parent = parent
        child.parent_type = parent_type
    if parent_type == "BONE":
        child.parent_bone = "bone 1"
    if parent_type.startswith("VERTEX"):
        child.parent_vertices = (0, 1, 2)
    bpy.context.view_layer.update()
    if rig.random.random() < 0.5:
        # Like the operator, which accepts a parent that is scaled to zero.
        child.matrix_parent_inverse = parent.matrix_world.inverted_safe()


def _shear(rig: Rig, one: bpy.types.Object) -> None:
    parent = bpy.data.objects.new(f"Shears {one.name}", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = rig.random.uniform(0.5, 2, 3)
    parent.rotation_euler = Euler(rig.random.uniform(-1, 1, 3))
    one.parent, one.parent_type = parent, "OBJECT"
    one.rotation_euler = Euler(rig.random.uniform(-1, 1, 3))


def _placed(random: np.random.Generator, how: str) -> Matrix:
    location, scale = random.normal(size=3) * 0.5, np.ones(3)
    match how:
        case "scaled":
            scale = random.uniform(0.4, 2.5, 3)
        case "mirrored":
            scale = random.uniform(0.6, 1.6, 3) * random.choice((-1, 1), 3)
        case "far":
            location *= 200
        case "small":
            scale *= 10.0 ** -random.integers(2, 5)
        case "large":
            scale *= 10.0 ** random.integers(2, 5)
        case "thin":
            scale[random.integers(3)] = 1e-3
        case "zero":
            scale[random.integers(3)] = 0
        case "beyond":
            scale *= 10.0 ** (random.choice((-1, 1)) * random.integers(10, 25))
    return Matrix.LocRotScale(location, Euler(random.uniform(-1, 1, 3)), scale)


def _all_but(owner: bpy.types.bpy_struct, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(one.identifier for one in owner.bl_rna.properties) - frozenset(names)
