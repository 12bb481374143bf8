"""Bones that neither deform nor carry anything, but will in the game: the copy has them where the original has them.
The judges are Blender's pose of both, and the nodes of the exported file.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.refit.kind import Kind
from skinning_addon.core.text.errors import UsageError
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.refit.copies_alone import EXPORT_OPTIONS, leave_only_copies
from skinning_addon.scene.refit.game_ready_copy import armature_of_copy, make_copy
from skinning_addon.scene.refit.plan import CopyPlan
from tests.engines.exported_rig import seconds
from tests.engines.skinned_gltf import SkinnedGltf
from tests.measurement.refit.keyed_limb import key_poses, refitted
from tests.scene.random_rig import RandomRig, RigOptions, random_rig
from tests.scene.refit.evaluated import play
from tests.scene.refit.planning import planned

FRAMES = 24
NAMED, MARKED, FOLLOWED, CARRYING = "Hat socket", "bone 3", "bone 8", "bone 10"
SOCKETS = (NAMED, MARKED, FOLLOWED, CARRYING)
NO_SOCKET = "bone 11"
MILLIMETRE = 1e-3

HOW = {
    "largest weights": lambda rig: planned(rig.armature, influences=4).plan,
    "runtime": lambda rig: refitted(rig, "threejs", helper_bones=4).plan,
    "baked": lambda rig: refitted(rig, "threejs", helper_bones=4, kind=Kind.BAKED).plan,
}


def with_sockets() -> RandomRig:
    """Eight bones deform; of the others, one is no socket. Bones that deform are below sockets, and above."""
    rig = random_rig(RigOptions(seed=3, influences=9, scale="none"))
    rig.mesh.parent = rig.armature
    armature = rig.armature
    armature.data.bones["bone 5"].name = NAMED
    for bone in armature.data.bones:
        bone.use_deform = bone.name not in (*SOCKETS, NO_SOCKET)
    armature.data.bones[MARKED]["socket"] = True
    camera = bpy.data.objects.new("Camera", None)
    follow = camera.constraints.new("COPY_TRANSFORMS")
    follow.target, follow.subtarget = armature, FOLLOWED
    sword = bpy.data.objects.new("Sword", None)
    sword.parent, sword.parent_type, sword.parent_bone = armature, "BONE", CARRYING
    # What moves a socket besides its keys is in the copy's keys.
    turn = armature.pose.bones[NAMED].constraints.new("COPY_ROTATION")
    turn.target, turn.subtarget, turn.influence = armature, NO_SOCKET, 0.5
    key_poses(rig, FRAMES)
    return rig


def posed(armature: bpy.types.Object) -> np.ndarray:
    """(F, S, 4, 4) of the sockets in the world, for column vectors, as Blender evaluates them."""
    (clip,) = find_clips(bpy.context.scene, ["Wild"], [armature])
    play(armature, clip)
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        one = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(one.matrix_world @ one.pose.bones[name].matrix) for name in SOCKETS])
    return np.array(found)


def size_of(armature: bpy.types.Object) -> float:
    ends = [end for bone in armature.data.bones for end in (bone.head_local, bone.tail_local)]
    return float(np.linalg.norm(np.ptp(np.array(ends), axis=0)))


def exported(collection: bpy.types.Collection, plan: CopyPlan, path: Path) -> np.ndarray:
    """`posed` of the file that a copy is written to."""
    leave_only_copies([(collection, plan)], {})
    bpy.ops.export_scene.gltf(filepath=str(path), **EXPORT_OPTIONS["gltf"])
    file = SkinnedGltf.read(path)
    to_z_up = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    times = [seconds(frame) - seconds(1) + file.seconds("Wild")[0] for frame in range(1, FRAMES + 1)]
    nodes = [file.nodes("Wild", one) for one in times]
    return np.array([[to_z_up @ one[name].T for name in SOCKETS] for one in nodes])


@pytest.mark.parametrize("how", HOW)
def test_sockets_stay_where_they_were_authored(tmp_path: Path, how: str):
    rig = with_sockets()
    plan = HOW[how](rig)
    collection = make_copy(plan, bpy.context)
    armature = armature_of_copy(collection)
    bones = armature.data.bones
    assert not any(bones[name].use_deform for name in SOCKETS)
    assert NO_SOCKET not in bones
    assert not any(len(armature.pose.bones[name].constraints) for name in SOCKETS)
    (mesh,) = (one for one in collection.objects if one.type == "MESH")
    groups = {
        mesh.vertex_groups[one.group].name
        for vertex in mesh.data.vertices
        for one in vertex.groups
        if one.weight
    }
    assert not groups & set(SOCKETS)
    wanted, size = posed(rig.armature), size_of(rig.armature)
    for found in (posed(armature), exported(collection, plan, tmp_path / "copy.glb")):
        away = np.linalg.norm(found[..., :3, 3] - wanted[..., :3, 3], axis=-1)
        axes = np.linalg.norm(found[..., :3, :3] - wanted[..., :3, :3], axis=-2).max(axis=-1)
        print(f"{how}: {away.max() / size:.2g} of the size, {np.degrees(axes.max()):.2g} degrees")
        assert away.max() <= 1e-5 * size
        assert away.max() <= 0.1 * MILLIMETRE
        # How far a point at the size of the longest bone is off for that, and by how much axes are turned.
        assert axes.max() * max(bone.length for bone in bones) <= 1e-5 * size
        assert np.degrees(axes.max()) <= 0.1


def test_sockets_alone_are_no_copy():
    rig = with_sockets()
    for bone in rig.armature.data.bones:
        bone.use_deform = False
    with pytest.raises(UsageError, match="No bone of 'Random' deforms"):
        planned(rig.armature)
