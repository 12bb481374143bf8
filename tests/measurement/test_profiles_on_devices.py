"""Under every profile, both devices put every vertex where a model in plain Python does.

The model takes nothing from the program: weights by the engine's rule (tests/core/engine_rules.py), matrices
from Blender's pose via mathutils, one float64 sum per vertex.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.hierarchy import HierarchyRule
from skinning_addon.core.profiles.profile import Origin, Profile
from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.scene.binding.instant import Instant
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes, make_evaluable
from tests.core.engine_rules import MOST_BONES, RULES
from tests.measurement.accuracy_log import log_accuracy
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions, random_rig

RELATIVE = 1e-6
"""Relative to diagonal and displacement, the largest over all vertices. Blender's pose is in 32 bits, and
decomposing it twice costs a few of them: 6e-7 has been observed."""

MOST_VERTICES = 1500
"""Per mesh, since the model is slow: of larger meshes, evenly spaced vertices."""

RIGS = (
    "Fox.glb",
    "CesiumMan.glb",
    "SimpleSkin.gltf",
    "KayKit_Knight.glb",
    "mannequiny.glb",
    "m2m_bird.blend",
    "raylib_robot.blend",
    "ufbx_maya_dq_weights.fbx",
    "assimp_animation_with_skeleton.fbx",
    "mpfb_rigify_plain.blend",
    "mpfb_game_engine_53k.blend",
)


def parts_put_together(matrix: Matrix) -> Matrix:
    location, rotation, scale = matrix.decompose()
    rotation.normalize()
    return Matrix.LocRotScale(location, rotation, scale)


def engine_pose(armature: bpy.types.Object, profile: Profile) -> dict[str, np.ndarray]:
    """Return every bone's posed matrix relative to the armature, as the engine has it; column vectors."""
    poses: dict[str, Matrix] = {}
    scales: dict[str, tuple] = {}
    for bone in armature.pose.bones:
        if profile.hierarchy is HierarchyRule.MATRICES:
            poses[bone.name] = bone.matrix.copy()
            continue
        parent = bone.parent
        rest = bone.bone.matrix_local
        if parent is not None:
            rest = parent.bone.matrix_local.inverted() @ rest
        local = bone.matrix if parent is None else parent.matrix.inverted() @ bone.matrix
        if profile.hierarchy.value.startswith("fbx"):
            held = parts_put_together(local)
        else:
            held = rest @ parts_put_together(rest.inverted() @ local)
        if profile.hierarchy in (HierarchyRule.TRS, HierarchyRule.FBX_TRS):
            poses[bone.name] = held if parent is None else poses[parent.name] @ held
            continue
        location, rotation, scale = held.decompose()
        if parent is None:
            scales[bone.name] = (location, rotation, scale)
        else:
            above_location, above_rotation, above_scale = scales[parent.name]
            scales[bone.name] = (
                above_location + above_rotation @ (above_scale * location),
                above_rotation @ rotation,
                above_scale * scale,
            )
        poses[bone.name] = Matrix.LocRotScale(*scales[bone.name])
    return {name: np.array(matrix, dtype=np.float64) for name, matrix in poses.items()}


@dataclass(frozen=True)
class Model:
    """The engine on one mesh, which one armature deforms by vertex groups alone."""

    mesh: bpy.types.Object
    profile: Profile

    def positions(self, vertices: np.ndarray) -> np.ndarray:
        """(n, 3), mesh space, of the vertices (n,) with these numbers."""
        armature = next(one.object for one in self.mesh.modifiers if one.type == "ARMATURE")
        deforming = {
            bone.name for bone in armature.data.bones if bone.use_deform or self.profile.lost.non_deform_bones
        }
        poses = engine_pose(armature, self.profile)
        to_root = np.array(armature.matrix_world.inverted() @ self.mesh.matrix_world, dtype=np.float64)
        to_mesh = np.linalg.inv(to_root)
        finals = {
            name: to_mesh @ pose @ np.linalg.inv(np.array(armature.data.bones[name].matrix_local)) @ to_root
            for name, pose in poses.items()
        }
        space = armature.matrix_world if self.profile.shader.origin is Origin.ARMATURE else Matrix.Identity(4)
        origin = np.array(self.mesh.matrix_world.inverted() @ space, dtype=np.float64)[:3, 3]
        names = [group.name for group in self.mesh.vertex_groups]
        # Joints are numbered as the armature's bones are: some loaders keep those that come first.
        index_of = {bone.name: number for number, bone in enumerate(armature.data.bones)}
        finals = {index_of[name]: matrix for name, matrix in finals.items()}
        rule = RULES[self.profile.id]
        without_entry = self._bones_without_entry(index_of, deforming)
        result = []
        for vertex in (self.mesh.data.vertices[number] for number in vertices.tolist()):
            stored = [
                (index_of[names[member.group]], member.weight)
                for member in vertex.groups
                if names[member.group] in deforming
            ]
            rest = np.array((*vertex.co, 1.0))
            influences = rule(stored)
            if influences is None or any(bone in without_entry for bone, _ in influences):
                result.append(rest[:3])
                continue
            moved = sum((finals[bone] @ rest)[:3] * weight for bone, weight in influences)
            result.append(moved + origin * (1 - sum(weight for _, weight in influences)))
        return np.array(result)

    def _bones_without_entry(self, index_of: dict[str, int], deforming: set[str]) -> set[int]:
        """Number bones as a loader meets them, those that weight any vertex; return those beyond the shader's
        array.
        """
        most = MOST_BONES.get(self.profile.id)
        if most is None:
            return set()
        names = [group.name for group in self.mesh.vertex_groups]
        met: set[int] = set()
        for vertex in self.mesh.data.vertices:
            members = [one for one in vertex.groups if names[one.group] in deforming]
            if sum(one.weight for one in members) > 1e-4:
                met.update(index_of[names[one.group]] for one in members if one.weight)
        return set(sorted(met)[most:])


def check_against_model(mesh: bpy.types.Object, profile: Profile, device: str) -> float:
    """Return the relative deviation of the vertex that is furthest from the model's result."""
    bpy.context.view_layer.update()
    instant = Instant(bpy.context.evaluated_depsgraph_get())
    measured = MeshMeasurement(mesh, instant, device, profile)
    try:
        measurement = measured.measure(mesh, instant)
    finally:
        measured.free()
    rest = measured.binding.mesh
    skinned = measurement.skinned.positions
    sample = np.arange(0, rest.vertex_count, -(-rest.vertex_count // MOST_VERTICES))
    expected = Model(mesh, profile).positions(sample)
    size = rest.diagonal + np.linalg.norm(skinned - rest.positions, axis=1).max()
    off = np.linalg.norm(skinned[sample] - expected, axis=1) / size
    case = f"{mesh.name}, {profile.id}"
    steps = profile.weights.format.steps
    if steps is None:
        assert off.max() <= RELATIVE, case
    else:
        # A product on the edge of a step may fall on either side of it, in few vertices.
        assert np.percentile(off, 90) <= RELATIVE, case
        assert off.max() <= RELATIVE + 1 / steps, case
    return float(off.max())


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("transformed", [False, True])
def test_random_rigs(name: str, transformed: bool, device: str):
    rig = random_rig(RigOptions(seed=21, influences=9, inherit_scale="ALIGNED", transformed=transformed))
    check_against_model(rig.mesh, load_profile(name), device)


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_rigs(rigs_folder: Path, rig: str, device: str):
    """Every profile, on every mesh of every rig."""
    open_rig(rigs_folder / rig)
    scene = bpy.context.scene
    scene.frame_set(13)
    worst = {False: 0.0, True: 0.0}
    for mesh in deformed_meshes(scene):
        make_evaluable(mesh, scene, bpy.context.view_layer)
        for name in RULES:
            profile = load_profile(name)
            rounds = profile.weights.format.steps is not None
            worst[rounds] = max(worst[rounds], check_against_model(mesh, profile, device))
    for rounds, relative in worst.items():
        case = f"{rig}, profiles that {'round' if rounds else 'do not round'} weights"
        log_accuracy("engine profiles against models of their rules", case, device, relative)
