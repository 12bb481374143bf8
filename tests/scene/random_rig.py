"""Random rigs for comparison with Blender: a blob of vertices around a random bone hierarchy.

Everything is drawn from one seed. `RigOptions` switches on what Blender's Armature modifier can do.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

INHERIT_SCALE_MODES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


@dataclass(frozen=True)
class RigOptions:
    """The options of a random rig.

    scale: 'none', 'uniform', 'non-uniform' or 'negative', of the posed bones. transformed: both objects are
    moved, rotated and scaled. bendy: segments of the bendy bones, 1 for none; handles: their handle type, or
    'MIXED'.
    """

    seed: int = 0
    vertices: int = 300
    bones: int = 12
    influences: int = 5
    groups: bool = True
    envelopes: bool = False
    envelope_multiply: bool = False
    preserve_volume: bool = False
    mask: bool = False
    invert_mask: bool = False
    modifiers: int = 1
    multi_modifier: bool = False
    parent_armature: bool = False
    bendy: int = 1
    bendy_mapping: str = "STRAIGHT"
    handles: str = "AUTO"
    scale: str = "non-uniform"
    transformed: bool = False
    inherit_scale: str = "FULL"
    constraints: bool = False


@dataclass(frozen=True)
class RandomRig:
    mesh: bpy.types.Object
    armature: bpy.types.Object
    random: np.random.Generator
    options: RigOptions

    def pose(self) -> None:
        """Give every bone a new random pose."""
        for pose_bone in self.armature.pose.bones:
            pose_bone.rotation_mode = "QUATERNION"
            pose_bone.rotation_quaternion = Quaternion(
                self.random.normal(size=3), self.random.uniform(0, 1.2)
            )
            pose_bone.location = self.random.normal(size=3) * 0.15
            pose_bone.scale = self._scale()
            if self.options.bendy > 1:
                self._pose_bendy(pose_bone)
        bpy.context.view_layer.update()

    def _pose_bendy(self, pose_bone: bpy.types.PoseBone) -> None:
        for name in ("bbone_curveinx", "bbone_curveinz", "bbone_curveoutx", "bbone_curveoutz"):
            setattr(pose_bone, name, self.random.normal() * 0.2)
        pose_bone.bbone_rollin = self.random.normal() * 0.4
        pose_bone.bbone_rollout = self.random.normal() * 0.4
        pose_bone.bbone_easein = self.random.uniform(-0.3, 0.5)
        pose_bone.bbone_easeout = self.random.uniform(-0.3, 0.5)
        pose_bone.bbone_scalein = self.random.uniform(0.7, 1.4, 3)
        pose_bone.bbone_scaleout = self.random.uniform(0.7, 1.4, 3)

    def _scale(self) -> Vector:
        if self.options.scale == "none":
            return Vector((1, 1, 1))
        if self.options.scale == "uniform":
            return Vector((1, 1, 1)) * self.random.uniform(0.6, 1.5)
        scale = self.random.uniform(0.6, 1.5, 3)
        if self.options.scale == "negative":
            scale *= self.random.choice((-1, 1), 3)
        return Vector(scale)


def random_rig(options: RigOptions) -> RandomRig:
    """Build the rig in the open scene and give it a first pose."""
    random = np.random.default_rng(options.seed)
    armature = _armature(options, random)
    mesh = _mesh(options, random, armature)
    rig = RandomRig(mesh, armature, random, options)
    if options.transformed:
        for one in (armature, mesh):
            one.matrix_world = Matrix.LocRotScale(
                random.normal(size=3), Euler(random.uniform(-3, 3, 3)), random.uniform(0.5, 2, 3)
            )
    rig.pose()
    return rig


def _armature(options: RigOptions, random: np.random.Generator) -> bpy.types.Object:
    data = bpy.data.armatures.new("Random")
    armature = bpy.data.objects.new("Random", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[bpy.types.EditBone] = []
    for index in range(options.bones):
        bone = data.edit_bones.new(f"bone {index}")
        parent = made[int(random.integers(max(0, index - 3), index))] if index else None
        # Chains are connected, so that bendy bones find neighbors for their handles.
        bone.parent = parent
        bone.head = parent.tail if parent else (0, 0, 0)
        bone.use_connect = parent is not None and random.random() < 0.5
        bone.tail = bone.head + Vector(random.normal(size=3)).normalized() * random.uniform(0.3, 0.8)
        bone.roll = random.uniform(-3, 3)
        bone.inherit_scale = options.inherit_scale
        bone.head_radius, bone.tail_radius = random.uniform(0.05, 0.3, 2)
        bone.envelope_distance = random.uniform(0.1, 0.6)
        bone.envelope_weight = random.uniform(0.3, 1)
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for index, bone in enumerate(data.bones):
        bone.use_deform = index % 5 != 3
        bone.use_envelope_multiply = options.envelope_multiply and index % 2 == 0
        if options.bendy > 1 and index % 3 != 2:
            _make_bendy(bone, options, random)
    if options.constraints:
        _constrain(armature, random)
    return armature


def _make_bendy(bone: bpy.types.Bone, options: RigOptions, random: np.random.Generator) -> None:
    bone.bbone_segments = options.bendy
    bone.bbone_mapping_mode = options.bendy_mapping
    kinds = ("AUTO", "ABSOLUTE", "RELATIVE", "TANGENT")
    for end in ("start", "end"):
        kind = str(random.choice(kinds)) if options.handles == "MIXED" else options.handles
        setattr(bone, f"bbone_handle_type_{end}", kind)
        if kind != "AUTO":
            neighbour = bone.parent if end == "start" else next(iter(bone.children), None)
            setattr(bone, f"bbone_custom_handle_{end}", neighbour)
    for name in ("bbone_curveinx", "bbone_curveinz", "bbone_curveoutx", "bbone_curveoutz"):
        setattr(bone, name, random.normal() * 0.1)


def _constrain(armature: bpy.types.Object, random: np.random.Generator) -> None:
    bones = armature.pose.bones
    copy = bones[-1].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget, copy.influence = armature, bones[0].name, 0.6
    stretch = bones[len(bones) // 2].constraints.new("STRETCH_TO")
    stretch.target, stretch.subtarget = armature, bones[1].name
    limit = bones[2].constraints.new("LIMIT_SCALE")
    limit.use_max_x, limit.max_x = True, float(random.uniform(0.7, 0.9))


def _mesh(options: RigOptions, random: np.random.Generator, armature: bpy.types.Object) -> bpy.types.Object:
    bones = armature.data.bones
    around = random.integers(0, len(bones), options.vertices)
    ends = np.array([(bone.head_local, bone.tail_local) for bone in bones])
    along = random.uniform(-0.2, 1.2, (options.vertices, 1))
    positions = ends[around, 0] * (1 - along) + ends[around, 1] * along
    positions += random.normal(size=positions.shape) * 0.15
    triangles = random.integers(0, options.vertices, (options.vertices, 3))
    triangles = triangles[(triangles[:, [0, 1, 2]] != triangles[:, [1, 2, 0]]).all(axis=1)]
    data = bpy.data.meshes.new("Random mesh")
    data.from_pydata(positions, [], triangles)
    mesh = bpy.data.objects.new("Random mesh", data)
    bpy.context.scene.collection.objects.link(mesh)
    _assign_groups(mesh, options, random, armature)
    _add_modifiers(mesh, options, armature)
    return mesh


def _assign_groups(
    mesh: bpy.types.Object, options: RigOptions, random: np.random.Generator, armature: bpy.types.Object
) -> None:
    names = [*(bone.name for bone in armature.data.bones), "no bone of this name"]
    # Groups in a different order from the bones, one of them without a matching bone.
    groups = [mesh.vertex_groups.new(name=names[index]) for index in random.permutation(len(names))]
    for vertex in range(options.vertices):
        # The first vertices are in no group; the next have weight 0 or sums close to Blender's limit.
        count = int(random.integers(1, options.influences + 1)) if vertex >= 20 else int(vertex >= 10)
        for index in random.permutation(len(groups))[:count]:
            weight = random.random() if vertex >= 20 else (0, 5e-5, 9e-5, 2e-4, 1)[vertex % 5]
            groups[index].add([vertex], weight, "REPLACE")
    mask = mesh.vertex_groups.new(name="mask")
    for vertex in range(0, options.vertices, 2):
        mask.add([vertex], random.random(), "REPLACE")


def _add_modifiers(mesh: bpy.types.Object, options: RigOptions, armature: bpy.types.Object) -> None:
    if options.parent_armature:
        mesh.parent, mesh.parent_type = armature, "ARMATURE"
    for index in range(options.modifiers):
        modifier = mesh.modifiers.new(f"Armature {index}", "ARMATURE")
        modifier.object = armature
        modifier.use_vertex_groups = options.groups
        modifier.use_bone_envelopes = options.envelopes
        modifier.use_deform_preserve_volume = options.preserve_volume
        modifier.use_multi_modifier = options.multi_modifier and index > 0
        if options.mask:
            modifier.vertex_group = "mask"
            modifier.invert_vertex_group = options.invert_mask != (index % 2 == 1)
