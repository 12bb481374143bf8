"""Whatever is edited of keys, on several rigs: each frame that is shown from memory is still Blender's, and an
edit that reaches no frame leaves it known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import bpy
import numpy as np

from skinning_addon.scene.clips.actions import fcurves
from tests.viewport.cached.recorded import Mode, bending_rig, blenders, shown

EDITS = int(os.environ.get("SKINSCOPE_KEY_EDITS", "120"))
LAST = 24


def keyed_rig(number: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A bending rig with keys all along."""
    random = np.random.default_rng(number)
    armature, body = bending_rig()
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
        for frame in (1, 5, 9, 12, 17, LAST):
            bone.rotation_euler = random.uniform(-0.6, 0.6, 3)
            bone.location = random.uniform(-0.2, 0.2, 3)
            bone.keyframe_insert("rotation_euler", frame=frame)
            bone.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_end = LAST
    bpy.context.scene.frame_set(1)
    return armature, body


def follow(armature: bpy.types.Object, target: bpy.types.Object) -> None:
    """Have a rig follow another: by a constraint, and by a driver that changes how strongly."""
    constraint = armature.pose.bones["upper"].constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = target, "upper"
    driver = constraint.driver_add("influence").driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = target, "lower"
    variable.targets[0].transform_type = "ROT_X"
    driver.expression = "0.5 + var / 3"


def play_an_action(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Have a bone play another rig's action as a constraint: that decides other frames than its own."""
    constraint = armature.pose.bones["upper"].constraints.new("ACTION")
    constraint.action, constraint.frame_start, constraint.frame_end = action, 1, LAST
    if hasattr(constraint, "action_slot") and constraint.action_slot is None:
        constraint.action_slot = action.slots[0]
    constraint.target, constraint.subtarget = armature, "lower"
    constraint.transform_channel, constraint.min, constraint.max = "LOCATION_X", -0.2, 0.2


class KeyEditor:
    """Edits keys as animators do."""

    def __init__(self, rigs: list[bpy.types.Object], seed: int) -> None:
        self.rigs = rigs
        self.random = np.random.default_rng(seed)
        self.kinds = [
            self.move,
            self.move,
            self.retime,
            self.insert,
            self.remove,
            self.interpolate,
            self.handle,
            self.key_as_it_is,
            self.pose_and_key,
            self.pose,
            self.modify,
            self.mute,
            self.extrapolate,
        ]

    def edit(self) -> str:
        kind = self.kinds[int(self.random.integers(len(self.kinds)))]
        kind(self.rigs[int(self.random.integers(len(self.rigs)))])
        return kind.__name__

    def curve(self, rig: bpy.types.Object) -> bpy.types.FCurve:
        curves = list(fcurves(rig.animation_data.action))
        return curves[int(self.random.integers(len(curves)))]

    def done(self, rig: bpy.types.Object, curve: bpy.types.FCurve) -> None:
        curve.update()
        rig.animation_data.action.update_tag()

    def point(self, curve: bpy.types.FCurve) -> bpy.types.Keyframe:
        return curve.keyframe_points[int(self.random.integers(len(curve.keyframe_points)))]

    def move(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        self.point(curve).co.y += self.random.uniform(-0.5, 0.5)
        self.done(rig, curve)

    def retime(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        self.point(curve).co.x += self.random.integers(-3, 4)
        self.done(rig, curve)

    def insert(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        curve.keyframe_points.insert(int(self.random.integers(1, LAST)), self.random.uniform(-0.4, 0.4))
        self.done(rig, curve)

    def remove(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        if len(curve.keyframe_points) > 3:
            curve.keyframe_points.remove(self.point(curve))
        self.done(rig, curve)

    def interpolate(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        self.point(curve).interpolation = str(self.random.choice(["CONSTANT", "LINEAR", "BEZIER", "ELASTIC"]))
        self.done(rig, curve)

    def handle(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        point = self.point(curve)
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_right.y += self.random.uniform(-0.4, 0.4)
        self.done(rig, curve)

    def key_as_it_is(self, rig: bpy.types.Object) -> None:
        """As with the key I: Blender reports that without any sign of a change."""
        bone = rig.pose.bones[int(self.random.integers(2))]
        bone.keyframe_insert("rotation_euler")

    def pose_and_key(self, rig: bpy.types.Object) -> None:
        bone = rig.pose.bones[int(self.random.integers(2))]
        bone.rotation_euler = self.random.uniform(-0.5, 0.5, 3)
        bone.keyframe_insert("rotation_euler")

    def pose(self, rig: bpy.types.Object) -> None:
        """A setting that is keyed, or one that is not and counts at every frame."""
        bone = rig.pose.bones[int(self.random.integers(2))]
        name = str(self.random.choice(["rotation_euler", "rotation_euler", "rotation_euler", "scale"]))
        getattr(bone, name).x += self.random.uniform(-0.2, 0.2)

    def modify(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        if len(curve.modifiers):
            curve.modifiers.remove(curve.modifiers[0])
        elif self.random.random() < 0.2:
            curve.modifiers.new("CYCLES")
        self.done(rig, curve)

    def mute(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        curve.mute = not curve.mute and self.random.random() < 0.2

    def extrapolate(self, rig: bpy.types.Object) -> None:
        curve = self.curve(rig)
        curve.extrapolation = "LINEAR" if self.random.random() < 0.1 else "CONSTANT"
        self.done(rig, curve)


def known(mode: Mode) -> Iterator[tuple[int, float]]:
    """Yield each mesh, by its object's session_uid, with each frame that is known of it."""
    for group in mode.cached.cache.groups:
        for mesh in mode.cached.cache.meshes_of(group):
            for frame in mesh.frames:
                yield mesh.uid, frame


def compare(mode: Mode, bodies: list[bpy.types.Object], edit: str) -> int:
    """Compare all that is known with what Blender shows; return how much that is."""
    cache, scene = mode.cached.cache, bpy.context.scene
    meshes = {mesh.uid: mesh for group in cache.groups for mesh in cache.meshes_of(group)}
    kept = {(uid, frame): shown(meshes[uid], frame) for uid, frame in known(mode)}
    for frame in sorted({frame for _, frame in kept}):
        scene.frame_set(int(frame))
        for body in bodies:
            if (body.session_uid, frame) in kept:
                expected = blenders(body)
                size = float(np.linalg.norm(np.ptp(expected, axis=0)))
                assert np.abs(kept[body.session_uid, frame] - expected).max() <= 1e-5 * size, (edit, frame)
    return len(kept)


def test_no_known_frame_is_wrong_after_keys_were_edited(mode: Mode):
    pairs = [keyed_rig(number) for number in range(4)]
    rigs, bodies = [one for one, _ in pairs], [one for _, one in pairs]
    follow(rigs[1], rigs[0])
    play_an_action(rigs[2], rigs[3].animation_data.action)
    scene = bpy.context.scene
    scene.frame_set(1)
    mode.record()
    assert len(mode.cached.cache.groups) >= 3
    editor = KeyEditor(rigs, int(os.environ.get("SKINSCOPE_KEY_SEED", "23")))
    compared = narrow = 0
    for number in range(EDITS):
        scene.frame_set(int(editor.random.integers(1, LAST + 1)))
        mode.record()
        before = sum(1 for _ in known(mode))
        scene.frame_set(int(editor.random.integers(1, LAST + 1)))
        edit = editor.edit()
        bpy.context.view_layer.update()
        if editor.random.random() < 0.3:
            # Another edit before the first is judged.
            edit += " " + editor.edit()
            bpy.context.view_layer.update()
        mode.cached.refresh()
        left = set(known(mode))
        # The rigs that were not edited would stay known in any case.
        narrow += any(0 < sum(uid == one.session_uid for uid, _ in left) < LAST for one in bodies)
        if number % 3 == 0:
            # Some are recorded again before they are compared.
            for frame in editor.random.integers(1, LAST + 1, 5):
                scene.frame_set(int(frame))
        assert before
        compared += compare(mode, bodies, f"{number}: {edit}")
    assert narrow > EDITS / 5
    assert compared > 20 * EDITS


def test_a_moved_key_makes_only_the_frames_between_its_neighbors_unknown(mode):
    armature, _ = keyed_rig(1)
    other, _ = keyed_rig(2)
    mode.record()
    curve = next(iter(fcurves(armature.animation_data.action)))
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    armature.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    mode.record()
    point = next(one for one in curve.keyframe_points if one.co.x == 12)
    point.co.y += 0.3
    armature.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    groups = {one.name: one for one in mode.cached.cache.groups}
    # Until it is found out which ones, none is known.
    assert set(groups) == {other.name}
    mode.cached.refresh()
    cache = mode.cached.cache
    groups = {one.name: one for one in cache.groups}
    assert cache.known_frames([groups[armature.name]]) == {*range(1, 10), *range(17, LAST + 1)}
    assert len(cache.known_frames([groups[other.name]])) == LAST


def test_a_key_that_is_inserted_counts(mode):
    """Blender reports it without any sign of a change."""
    armature, body = keyed_rig(1)
    mode.record()
    bpy.context.scene.frame_set(7)
    armature.pose.bones["lower"].keyframe_insert("rotation_euler")
    bpy.context.view_layer.update()
    assert mode.known == 0
    mode.cached.refresh()
    assert 0 < compare(mode, [body], "inserted") < LAST
