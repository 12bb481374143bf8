"""Whatever is edited, in whatever order: a frame that is known is what Blender shows at that frame.

Edits are those of users and of scripts: some are evaluated before the frame changes, some are not.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.actions import fcurves
from tests.viewport.cached.recorded import FRAMES, Mode, assert_known_frames_are_blenders

EDITS = 500


class Editor:
    """Edits a rig at random, and keeps it one that can be played from memory, most of the time."""

    def __init__(self, armature: bpy.types.Object, body: bpy.types.Object) -> None:
        self.armature, self.body = armature, body
        self.random = np.random.default_rng(17)
        self.target = bpy.data.objects.new("Target", None)
        bpy.context.scene.collection.objects.link(self.target)
        self.edits: list[Callable[[], None]] = [
            self.pose,
            self.turn,
            self.key,
            self.move_key,
            self.interpolate,
            self.move_object,
            self.move_target,
            self.constrain,
            self.influence,
            self.drive,
            self.paint,
            self.sculpt,
            self.mask,
            self.rest,
            self.stiffen,
            self.parent,
            self.mute,
            self.undeform,
        ]

    def edit(self) -> None:
        self.edits[self.random.integers(len(self.edits))]()

    def number(self) -> float:
        return float(self.random.uniform(-0.5, 0.5))

    @property
    def bone(self) -> bpy.types.PoseBone:
        return self.armature.pose.bones[int(self.random.integers(2))]

    def pose(self) -> None:
        self.bone.location = (self.number(), self.number(), self.number())

    def turn(self) -> None:
        bone = self.bone
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (self.number(), self.number(), self.number())

    def key(self) -> None:
        bone = self.bone
        bone.location = (self.number(), self.number(), self.number())
        bone.keyframe_insert("location", frame=int(self.random.integers(1, FRAMES + 1)))

    def _curve(self) -> bpy.types.FCurve:
        curves = list(fcurves(self.armature.animation_data.action))
        return curves[int(self.random.integers(len(curves)))]

    def move_key(self) -> None:
        curve = self._curve()
        curve.keyframe_points[0].co.y += self.number()
        curve.update()
        self.armature.animation_data.action.update_tag()

    def interpolate(self) -> None:
        curve = self._curve()
        curve.keyframe_points[0].interpolation = str(self.random.choice(["CONSTANT", "LINEAR", "BEZIER"]))
        curve.update()
        self.armature.animation_data.action.update_tag()

    def mute(self) -> None:
        curve = self._curve()
        curve.mute = not curve.mute

    def move_object(self) -> None:
        self.armature.location.x = self.number()

    def move_target(self) -> None:
        self.target.location = (self.number(), self.number(), self.number())

    def constrain(self) -> None:
        bone = self.bone
        if len(bone.constraints):
            bone.constraints.remove(bone.constraints[0])
        else:
            constraint = bone.constraints.new("COPY_LOCATION")
            constraint.target, constraint.influence = self.target, 0.5

    def influence(self) -> None:
        for bone in self.armature.pose.bones:
            for constraint in bone.constraints:
                constraint.influence = abs(self.number())

    def drive(self) -> None:
        bone = self.armature.pose.bones["lower"]
        if not bone.driver_remove("scale", 0):
            driver = bone.driver_add("scale", 0).driver
            variable = driver.variables.new()
            variable.type = "TRANSFORMS"
            variable.targets[0].id, variable.targets[0].transform_type = self.target, "LOC_X"
            driver.expression = "1 + var"

    def paint(self) -> None:
        vertices = [int(one) for one in self.random.integers(0, 60, 5)]
        self.body.vertex_groups["upper"].add(vertices, abs(self.number()), "REPLACE")

    def sculpt(self) -> None:
        self.body.data.vertices[int(self.random.integers(60))].co.x += 0.1 * self.number()
        self.body.data.update()

    def mask(self) -> None:
        modifier = self.body.modifiers[0]
        modifier.vertex_group = "" if modifier.vertex_group else "upper"

    def rest(self) -> None:
        data = self.armature.data
        data.pose_position = "POSE" if data.pose_position == "REST" else "REST"

    def stiffen(self) -> None:
        bone = self.armature.data.bones["upper"]
        bone.inherit_scale = str(self.random.choice(["FULL", "NONE", "ALIGNED"]))

    def parent(self) -> None:
        self.armature.parent = None if self.armature.parent else self.target

    def undeform(self) -> None:
        bone = self.armature.data.bones["upper"]
        bone.use_deform = not bone.use_deform


@pytest.mark.arithmetic
def test_no_known_frame_is_wrong_after_any_edit(mode: Mode, rig):
    armature, body = rig
    editor = Editor(armature, body)
    scene = bpy.context.scene
    mode.record()
    compared = 0
    for number in range(EDITS):
        editor.edit()
        if editor.random.random() < 0.7:
            bpy.context.view_layer.update()
        # Some frames are known from before, others are recorded after the edit.
        for frame in editor.random.integers(1, FRAMES + 1, 3):
            scene.frame_set(int(frame))
        mode.cached.refresh()
        scene.frame_set(int(editor.random.integers(1, FRAMES + 1)))
        if mode.cached.cache.still_stands(bpy.context.view_layer, mode.cached.cache.layer):
            compared += assert_known_frames_are_blenders(mode, [body])
        if number % 2 == 0:
            mode.record()
            compared += assert_known_frames_are_blenders(mode, [body])
    assert compared > 4 * EDITS
