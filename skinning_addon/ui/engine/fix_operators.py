"""Fixes for findings: each can be undone, and reports how far the engine is off before and after."""

from __future__ import annotations

from typing import ClassVar

import bpy
import numpy as np
from bpy.props import EnumProperty, IntProperty
from numpy.typing import NDArray

from ...core.profiles.aspects import influence_limit
from ...core.profiles.influence_limit import summing_to_one
from ...core.skinning.skin import SMALLEST_MOVING_SUM, GroupSkin
from ...core.text.errors import UsageError
from ...core.text.message import Message
from ...core.verdicts.nearest_bone import nearest_bones
from ...measurement.profiles.fix_measurement import FixMeasurement
from ...scene.armatures.armature_reader import read_armature
from ...scene.editing.bone_weights import normalised_weights, weights_of_bones
from ...scene.editing.scale_application import apply_scale, scale_problem
from ...scene.editing.vertex_group_use import groups_without_bone
from ...scene.editing.vertex_group_writer import remove_groups
from ...scene.identification import object_of
from ...scene.object_data import mesh_of
from ...scene.objects.modifier_stack import armature_objects
from ..settings.profile_settings import profile_in_focus
from .mesh_fix import MeshFix, WeightFix

DEFAULT_LIMIT = 4

LEAST_SQUARES_TOLD = (
    "The weights that change the shape least over the scanned poses; never worse there "
    "than keeping the largest"
)


class SKINSCOPE_OT_fix_influences(WeightFix, bpy.types.Operator):
    """Limit each vertex to as many influences as the engine supports"""

    bl_idname = "skinscope.fix_influences"
    bl_label = "Limit Influences"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
    shown = ("influences", "method")

    influences: IntProperty(
        name="Influences",
        description="Most bones that may move a vertex; 0 uses the limit of the chosen profile",
        default=0,
        min=0,
        soft_max=12,
        max=255,
    )
    method: EnumProperty(
        name="Keep",
        description="Which influences to keep, and with what weights",
        items=[
            ("LARGEST", "Largest", "The largest weights, normalized"),
            ("SQUARES", "Least Squares", LEAST_SQUARES_TOLD),
        ],
        default="SQUARES",
    )

    def prepare(
        self, context: bpy.types.Context, mesh_object: bpy.types.Object, measured: FixMeasurement
    ) -> tuple[GroupSkin, GroupSkin]:
        limit = self.influences or influence_limit(profile_in_focus(context.scene)) or DEFAULT_LIMIT
        before = weights_of_bones(mesh_object)
        over = _counts_over(before, limit)
        if not over.any():
            raise UsageError(
                "'{mesh}' has no vertex with more than {limit} influences.",
                mesh=mesh_object.name,
                limit=limit,
            )
        largest, moving = before.limited(limit), before.weight_sums > SMALLEST_MOVING_SUM
        if not self.properties.is_property_set("method") and not measured.can_be_fitted:
            self.method = "LARGEST"
        chosen = (
            summing_to_one(largest)
            if self.method == "LARGEST"
            else self._fitted(mesh_object, measured, limit, before)
        )
        # Weights of one would move a vertex that has too little weight to move.
        return before, _replaced(_replaced(before, largest, over & ~moving), chosen, over & moving)

    def _fitted(
        self, mesh_object: bpy.types.Object, measured: FixMeasurement, limit: int, before: GroupSkin
    ) -> GroupSkin:
        skin, bones = measured.fitted(limit)
        if skin.vertex_count != before.vertex_count:
            raise UsageError(
                "Modifiers before the armature change the vertices of '{mesh}'; keep the largest weights "
                "instead.",
                mesh=mesh_object.name,
            )
        (armature,) = set(measured.exact.binding.armatures)
        names = measured.exact.binding.skeletons[armature].names
        group_of_joint = np.array(
            [-1 if bone < 0 else mesh_object.vertex_groups[names[bone]].index for bone in bones.tolist()]
        )
        # Vertices that no bone moves are on joint 0, which is no group.
        grouped = skin.kept(group_of_joint[skin.joints] >= 0)
        return GroupSkin(grouped.starts, group_of_joint[grouped.joints], grouped.weights)


class SKINSCOPE_OT_fix_normalise(WeightFix, bpy.types.Operator):
    """Make the weights of each vertex add up to one, which changes nothing in Blender"""

    bl_idname = "skinscope.fix_normalise"
    bl_label = "Normalize Weights"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def prepare(
        self, _context: bpy.types.Context, mesh_object: bpy.types.Object, _measured: FixMeasurement
    ) -> tuple[GroupSkin, GroupSkin]:
        weights = normalised_weights(mesh_object)
        if weights is None:
            raise UsageError("The weights of '{mesh}' already add up to one.", mesh=mesh_object.name)
        return weights


class SKINSCOPE_OT_fix_stray(MeshFix, bpy.types.Operator):
    """Weight vertices that no bone moves to the nearest deforming bone"""

    bl_idname = "skinscope.fix_stray"
    bl_label = "Weight Stray Vertices"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def prepare(
        self, _context: bpy.types.Context, mesh_object: bpy.types.Object, measured: FixMeasurement
    ) -> dict[str, list[int]]:
        sums = weights_of_bones(mesh_object).weight_sums
        stray = np.flatnonzero(sums <= SMALLEST_MOVING_SUM)
        if not len(stray):
            raise UsageError("'{mesh}' has no vertices without a bone.", mesh=mesh_object.name)
        one = next(iter(measured.exact.binding.passes))
        armature = object_of(one.armature)
        reader = read_armature(armature)
        bones = np.flatnonzero(reader.deforms)
        if not len(bones):
            raise UsageError(
                "'{armature}' has no deforming bones; switch Deform on for some.", armature=one.armature
            )
        rest = reader.skeleton.rest_to_root[bones]
        heads = rest[:, 3, :3]
        tails = heads + rest[:, 1, :3] * reader.lengths[bones, None]
        root = one.joints.offset[0]
        positions = np.array([mesh_of(mesh_object).vertices[vertex].co for vertex in stray.tolist()])
        nearest = nearest_bones(positions @ root[:3, :3] + root[3, :3], heads, tails)
        chosen: dict[str, list[int]] = {}
        for vertex, bone in zip(stray.tolist(), bones[nearest].tolist(), strict=True):
            chosen.setdefault(reader.skeleton.names[bone], []).append(vertex)
        return chosen

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:
        chosen: dict[str, list[int]] = prepared  # pyright: ignore[reportAssignmentType]
        for name, vertices in chosen.items():
            group = mesh_object.vertex_groups.get(name) or mesh_object.vertex_groups.new(name=name)
            group.add(vertices, 1.0, "REPLACE")
        count = sum(len(one) for one in chosen.values())
        if count == 1:
            return Message("A vertex of '{mesh}' weighted", mesh=mesh_object.name)
        return Message("{count:,} vertices of '{mesh}' weighted", count=count, mesh=mesh_object.name)


class SKINSCOPE_OT_fix_groups(MeshFix, bpy.types.Operator):
    """Remove vertex groups that match no bone name and that no modifier, shape key or constraint uses"""

    bl_idname = "skinscope.fix_groups"
    bl_label = "Remove Groups Without Bone"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def prepare(
        self, _context: bpy.types.Context, mesh_object: bpy.types.Object, _measured: FixMeasurement
    ) -> list[str]:
        names = groups_without_bone(mesh_object)
        if not names:
            raise UsageError("'{mesh}' has no unused vertex groups.", mesh=mesh_object.name)
        locked = [name for name in names if mesh_object.vertex_groups[name].lock_weight]
        if locked:
            raise UsageError("'{group}' is locked; unlock it to remove it.", group=locked[0])
        return names

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:
        names: list[str] = prepared  # pyright: ignore[reportAssignmentType]
        remove_groups(mesh_object, names)
        if len(names) == 1:
            return Message(
                "Vertex group '{group}' of '{mesh}' removed", group=names[0], mesh=mesh_object.name
            )
        return Message("{count} vertex groups of '{mesh}' removed", count=len(names), mesh=mesh_object.name)


class SKINSCOPE_OT_fix_scale(MeshFix, bpy.types.Operator):
    """Apply the scale of the mesh and its armatures without moving anything"""

    bl_idname = "skinscope.fix_scale"
    bl_label = "Apply Scale"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
    moves_objects = True

    def prepare(
        self, _context: bpy.types.Context, mesh_object: bpy.types.Object, _measured: FixMeasurement
    ) -> list[bpy.types.Object]:
        chosen = [*armature_objects(mesh_object), mesh_object]
        scaled = [one for one in dict.fromkeys(chosen) if any(abs(each - 1) > 1e-6 for each in one.scale)]
        if not scaled:
            raise UsageError("The scale of '{mesh}' and its armatures is already one.", mesh=mesh_object.name)
        for one in scaled:
            problem = scale_problem(one)
            if problem is not None:
                raise problem
        return scaled

    def change(self, mesh_object: bpy.types.Object, prepared: object) -> Message:  # noqa: ARG002
        scaled: list[bpy.types.Object] = prepared  # pyright: ignore[reportAssignmentType]
        apply_scale(scaled)
        return Message("Scale of {objects} applied", objects=", ".join(f"'{one.name}'" for one in scaled))


def _counts_over(skin: GroupSkin, limit: int) -> NDArray[np.bool_]:
    weighing = np.bincount(skin.vertex_of_influence[skin.weights > 0], minlength=skin.vertex_count)
    return weighing > limit


def _replaced(before: GroupSkin, after: GroupSkin, vertices: NDArray[np.bool_]) -> GroupSkin:
    """Return `before` with some vertices taken from `after`."""
    kept, taken = ~vertices[before.vertex_of_influence], vertices[after.vertex_of_influence]
    return GroupSkin.from_entries(
        np.concatenate((before.vertex_of_influence[kept], after.vertex_of_influence[taken])),
        np.concatenate((before.groups[kept], after.groups[taken])),
        np.concatenate((before.weights[kept], after.weights[taken])),
        before.vertex_count,
    )
