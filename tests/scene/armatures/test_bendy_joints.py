"""The joints of posed bendy bones, against the matrices that Blender itself returns."""

from __future__ import annotations

import itertools
from dataclasses import replace

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from skinning_addon.scene.armatures.armature_reader import ArmatureReader, read_armature
from skinning_addon.scene.armatures.bendy_reader import blenders_joints
from tests.scene.comparison import relative_deviation
from tests.scene.random_rig import INHERIT_SCALE_MODES, RandomRig, RigOptions, random_rig

CLOSE = 1e-5
AROUND = 1 / 3
"""Skin lies around a joint within less than this fraction of its bone's length."""
HANDLES = ("AUTO", "ABSOLUTE", "RELATIVE", "TANGENT")
RIG = RigOptions(vertices=30, bones=14, bendy=5)


def deviation(armature: bpy.types.Object) -> float:
    """Pose every joint both ways; how far apart they carry what lies about it, in lengths of the posed bone."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    reader = read_armature(armature)
    to_root = reader.read_to_root(evaluated)
    bone, joint = all_joints(reader)
    ours = reader.compute_segments(evaluated, bone, joint, to_root)
    blenders = blenders_joints(evaluated, reader.order[bone], joint)
    assert np.isfinite(blenders).all()
    size = reader.lengths[bone] * np.linalg.norm(to_root[bone, :3, :3], axis=2).max(axis=1)
    apart = (ours - blenders) @ to_root[bone]
    apart[:, :3] *= AROUND * reader.lengths[bone, None, None]
    return float((np.linalg.norm(apart, axis=2).max(axis=1) / size).max())


def all_joints(reader: ArmatureReader) -> tuple[np.ndarray, np.ndarray]:
    bendy = np.flatnonzero((reader.segments > 1) & reader.deforms)
    counts = reader.segments[bendy] + 1
    return np.repeat(bendy, counts), np.concatenate([np.arange(count) for count in counts])


def asked_of_blender(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the bones for which a frame asks Blender."""
    from skinning_addon.scene.armatures import bendy_reader

    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    reader = read_armature(armature)
    asked = []
    monkeypatch.setattr(
        bendy_reader,
        "blenders_joints",
        lambda one, places, segments: asked.append(places) or blenders_joints(one, places, segments),
    )
    reader.compute_segments(evaluated, *all_joints(reader), reader.read_to_root(evaluated))
    return len(asked)


@pytest.mark.parametrize("handles", list(itertools.product(HANDLES, repeat=2)), ids="-".join)
@pytest.mark.parametrize("seed", range(4))
def test_every_pair_of_handles(handles: tuple[str, str], seed: int) -> None:
    rig = random_rig(replace(RIG, seed=seed, scale=("non-uniform", "none", "negative", "uniform")[seed]))
    for bone in rig.armature.data.bones:
        set_handles(rig, bone, *handles)
    for _ in range(3):
        rig.pose()
        assert deviation(rig.armature) <= CLOSE


def set_handles(rig: RandomRig, bone: bpy.types.Bone, start: str, end: str) -> None:
    """Let any other bones be handles, near or far."""
    bone.bbone_handle_type_start, bone.bbone_handle_type_end = start, end
    others = [other for other in rig.armature.data.bones if other != bone]
    bone.bbone_custom_handle_start = others[int(rig.random.integers(len(others)))]
    bone.bbone_custom_handle_end = others[int(rig.random.integers(len(others)))]


def switch_on(rig: RandomRig, *names: str) -> None:
    for bone in rig.armature.data.bones:
        for name in names:
            setattr(
                bone, name, (True, rig.random.random() < 0.5, True) if "handle_use_scale" in name else True
            )


SWITCHES = {
    "scale easing": ("use_scale_easing",),
    "ease of handles": ("bbone_handle_use_ease_start", "bbone_handle_use_ease_end"),
    "scale of handles": ("bbone_handle_use_scale_start", "bbone_handle_use_scale_end"),
    "roll out of handles": ("use_endroll_as_inroll",),
}
SWITCHES["all"] = tuple(itertools.chain(*SWITCHES.values()))


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("inherit_scale", INHERIT_SCALE_MODES)
@pytest.mark.parametrize("handles", ["AUTO", "MIXED"])
def test_every_option(switch: str, inherit_scale: str, handles: str) -> None:
    rig = random_rig(replace(RIG, handles=handles, inherit_scale=inherit_scale, constraints=True))
    switch_on(rig, *SWITCHES[switch])
    for bone in rig.armature.data.bones:
        set_rest_shape(rig, bone)
    for _ in range(2):
        rig.pose()
        assert deviation(rig.armature) <= CLOSE


def set_rest_shape(rig: RandomRig, bone: bpy.types.Bone | bpy.types.PoseBone) -> None:
    bone.bbone_rollin, bone.bbone_rollout = rig.random.normal(size=2)
    bone.bbone_easein, bone.bbone_easeout = rig.random.uniform(0.3, 1.5, 2)
    bone.bbone_scalein = rig.random.uniform(0.6, 1.5, 3)
    bone.bbone_scaleout = rig.random.uniform(0.6, 1.5, 3)


@pytest.mark.parametrize("segments", [2, 3, 8, 31, 32])
def test_every_number_of_segments_beside_one_another(segments: int) -> None:
    rig = random_rig(RIG)
    for place, bone in enumerate(rig.armature.data.bones):
        bone.bbone_segments = (segments, 2, 1)[place % 3]
    bpy.context.view_layer.update()
    assert deviation(rig.armature) <= CLOSE


EXTREMES: dict[str, dict[str, object]] = {
    "no ease": {"bbone_easein": -1.0, "bbone_easeout": -1.0},
    "ease backwards": {"bbone_easein": -3.0, "bbone_easeout": -2.5},
    "hardly any ease": {"bbone_easein": -0.95, "bbone_easeout": -0.97},
    "much ease": {"bbone_easein": 6.0, "bbone_easeout": 9.0},
    "many turns": {"bbone_rollin": 30.0, "bbone_rollout": -17.0},
    "curved far out": {"bbone_curveinx": 3.0, "bbone_curveoutz": -2.0},
    "scaled to nothing": {"bbone_scalein": (0, 0, 0), "bbone_scaleout": (0, 0, 0)},
    "mirrored segments": {"bbone_scalein": (-1, -1, 1), "bbone_scaleout": (1, -2, -1)},
}


@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("scale_easing", [False, True])
def test_extremes(extreme: str, scale_easing: bool) -> None:
    for seed in range(3):
        rig = random_rig(replace(RIG, seed=seed, handles="MIXED"))
        if scale_easing:
            switch_on(rig, "use_scale_easing")
        for pose_bone in rig.armature.pose.bones:
            for name, value in EXTREMES[extreme].items():
                setattr(pose_bone, name, value)
        bpy.context.view_layer.update()
        assert deviation(rig.armature) <= CLOSE


def nothing_posed(rig: RandomRig) -> None:
    for pose_bone in rig.armature.pose.bones:
        pose_bone.matrix_basis.identity()
        pose_bone.location = pose_bone.rotation_quaternion[1:] = (0, 0, 0)
        pose_bone.rotation_quaternion[0] = 1
        pose_bone.scale = (1, 1, 1)


def hardly_turned(rig: RandomRig) -> None:
    nothing_posed(rig)
    for pose_bone in rig.armature.pose.bones:
        pose_bone.rotation_quaternion = Quaternion(rig.random.normal(size=3), rig.random.uniform(0, 0.02))
        pose_bone.location = rig.random.normal(size=3) * 1e-4


def folded(rig: RandomRig) -> None:
    for pose_bone in rig.armature.pose.bones:
        pose_bone.rotation_quaternion = Quaternion((1, 0, 0), np.pi)


def mirrored_handles(rig: RandomRig) -> None:
    for pose_bone in rig.armature.pose.bones:
        pose_bone.scale = Vector((-1, 1, 1)) if rig.random.random() < 0.5 else Vector((1, 1, 1))


def scaled_flat(rig: RandomRig) -> None:
    for pose_bone in list(rig.armature.pose.bones)[1::3]:
        pose_bone.scale = (1, 1, 0.001)


def far_away(rig: RandomRig) -> None:
    rig.armature.pose.bones[0].location = (50, 0, 0)


@pytest.mark.parametrize(
    "pose",
    [nothing_posed, hardly_turned, folded, mirrored_handles, scaled_flat],
    ids=lambda one: one.__name__,
)
@pytest.mark.parametrize("handles", [*HANDLES, "MIXED"])
def test_poses_in_which_directions_are_hard_to_tell(pose, handles: str) -> None:
    """Where Blender's own rounding decides, the joints are Blender's own."""
    for seed in range(3):
        rig = random_rig(replace(RIG, seed=seed, handles=handles))
        pose(rig)
        bpy.context.view_layer.update()
        assert deviation(rig.armature) <= CLOSE


def test_blender_is_asked_for_few_bones_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = bones = 0
    for seed in range(10):
        rig = random_rig(replace(RIG, seed=seed, handles="MIXED"))
        asked += asked_of_blender(rig.armature, monkeypatch)
        bones += sum(bone.bbone_segments > 1 and bone.use_deform for bone in rig.armature.data.bones)
    assert asked <= 0.2 * bones


def test_settings_of_bones_may_be_animated() -> None:
    rig = random_rig(RIG)
    bone = rig.armature.data.bones[0]
    reader = read_armature(rig.armature)
    for frame, value in ((1, 0.0), (10, 0.4)):
        bone.bbone_curveinx = value
        bone.keyframe_insert("bbone_curveinx", frame=frame)
    for frame in (1, 10):
        bpy.context.scene.frame_set(frame)
        evaluated = rig.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones, joints = all_joints(reader)
        ours = reader.compute_segments(evaluated, bones, joints, reader.read_to_root(evaluated))
        assert ours == pytest.approx(blenders_joints(evaluated, reader.order[bones], joints), abs=1e-4)


def test_a_pose_may_be_driven_and_constrained() -> None:
    rig = random_rig(replace(RIG, handles="MIXED", constraints=True))
    pose_bone = rig.armature.pose.bones[0]
    driver = pose_bone.driver_add("bbone_curveinx").driver
    driver.expression = "0.3"
    bpy.context.view_layer.update()
    assert deviation(rig.armature) <= CLOSE
    assert relative_deviation(rig.mesh) <= CLOSE


def test_bendy_settings_of_the_pose_hold_in_rest_position_too() -> None:
    """As in Blender, which leaves only the bones themselves at rest."""
    rig = random_rig(replace(RIG, handles="MIXED"))
    rig.armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    assert deviation(rig.armature) <= CLOSE
    assert relative_deviation(rig.mesh) <= CLOSE


def test_of_several_connected_children_the_last_is_the_handle() -> None:
    data = bpy.data.armatures.new("Fork")
    armature = bpy.data.objects.new("Fork", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    stem = data.edit_bones.new("stem")
    stem.tail = (0, 1, 0)
    for name, tail, connected in (
        ("a", (1, 1.5, 0), True),
        ("b", (-1, 1.5, 0), True),
        ("c", (0, 1, 1), False),
    ):
        branch = data.edit_bones.new(name)
        branch.head, branch.tail, branch.parent, branch.use_connect = (0, 1, 0), tail, stem, connected
    bpy.ops.object.mode_set(mode="OBJECT")
    data.bones["stem"].bbone_segments = 4
    bpy.context.view_layer.update()
    assert read_armature(armature).bendy.bones.handles.bone[1].tolist() == [
        read_armature(armature).skeleton.index("b")
    ]
    assert deviation(armature) <= CLOSE
