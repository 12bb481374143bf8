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


@dataclass(frozen=True)
class Parts:
    """A matrix taken apart by Blender: location (3,), rotation (3, 3) and scale (3,); column vectors."""

    location: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray) -> Parts:
        location, rotation, scale = Matrix(matrix.tolist()).decompose()
        # In 64 bits from here on: a chain of bones adds roundings up.
        w, x, y, z = np.array(rotation, dtype=np.float64) / np.linalg.norm(rotation)
        turned = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return cls(np.array(location, dtype=np.float64), np.array(turned), np.array(scale, dtype=np.float64))

    def matrix(self) -> np.ndarray:
        result = np.eye(4)
        result[:3, :3], result[:3, 3] = self.rotation * self.scale, self.location
        return result

    def below(self, parent: Parts) -> Parts:
        """Join with a parent's, component by component."""
        return Parts(
            parent.location + parent.rotation @ (parent.scale * self.location),
            parent.rotation @ self.rotation,
            parent.scale * self.scale,
        )


def factored(matrix: np.ndarray) -> Parts:
    """gf/matrix4d.cpp, Factor: the squared stretches are the eigenvalues of A times its transpose, in the order of
    Jacobi's method; the rotation is what is left. usdSkel/utils.cpp: the scale has 16 bits.
    """
    axes = matrix[:3, :3].T
    square, directions = axes @ axes.T, np.eye(3)
    for _ in range(20):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(square[p, q]) > 1e-20:
                cotangent = (square[q, q] - square[p, p]) / (2 * square[p, q])
                tangent = (-1 if cotangent < 0 else 1) / (abs(cotangent) + np.hypot(1, cotangent))
                turn = np.eye(3)
                turn[p, p] = turn[q, q] = 1 / np.hypot(1, tangent)
                turn[p, q] = tangent / np.hypot(1, tangent)
                turn[q, p] = -turn[p, q]
                square, directions = turn.T @ square @ turn, directions @ turn
    scale = np.sqrt(np.diag(square)) * np.sign(np.linalg.det(axes))
    rotation = directions @ np.diag(1 / scale) @ directions.T @ axes
    return Parts(matrix[:3, 3], rotation.T, scale.astype(np.float16).astype(np.float64))


def unwound(parts: Parts, *, is_root: bool) -> np.ndarray:
    """panda3d-gltf: scaled after turned, along the axes of what is above. compose_matrix_src.cxx: heading, pitch
    and roll are unwound in turn, by Y, which is the file's Z, then by X; what isn't along the axes is dropped.
    """
    # The armature's axes in the file are X, Z and -Y of Blender's.
    scale = parts.scale[[0, 2, 1]] if is_root else parts.scale
    axes = (np.diag(scale) @ parts.rotation)[:, [2, 0, 1]]
    orthogonal, _ = np.linalg.qr(axes)
    kept = orthogonal * np.einsum("ij,ij->j", orthogonal, axes)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = kept[:, [1, 2, 0]], parts.location
    return matrix


def engine_pose(armature: bpy.types.Object, profile: Profile) -> dict[str, np.ndarray]:
    """Return every bone's posed matrix relative to the armature, as the engine has it; column vectors."""
    poses: dict[str, np.ndarray] = {}
    parts: dict[str, Parts] = {}
    for bone in armature.pose.bones:
        pose, rest = (np.array(one, dtype=np.float64) for one in (bone.matrix, bone.bone.matrix_local))
        parent = bone.parent
        if profile.hierarchy is HierarchyRule.MATRICES:
            poses[bone.name] = pose
            continue
        if parent is not None:
            pose = np.linalg.inv(np.array(parent.matrix, dtype=np.float64)) @ pose
            rest = np.linalg.inv(np.array(parent.bone.matrix_local, dtype=np.float64)) @ rest
        if profile.hierarchy is HierarchyRule.USD:
            held = factored(pose).matrix()
        elif profile.hierarchy.value.startswith("fbx"):
            held = Parts.of(pose).matrix()
        else:
            held = rest @ Parts.of(np.linalg.inv(rest) @ pose).matrix()
        if profile.hierarchy is HierarchyRule.PANDA3D:
            held = unwound(Parts.of(held), is_root=parent is None)
        if profile.hierarchy in (
            HierarchyRule.TRS,
            HierarchyRule.FBX_TRS,
            HierarchyRule.USD,
            HierarchyRule.PANDA3D,
        ):
            poses[bone.name] = held if parent is None else poses[parent.name] @ held
            continue
        own = Parts.of(held)
        parts[bone.name] = own if parent is None else own.below(parts[parent.name])
        poses[bone.name] = parts[bone.name].matrix()
    return poses


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
            name: to_mesh
            @ pose
            @ np.linalg.inv(np.array(armature.data.bones[name].matrix_local, dtype=np.float64))
            @ to_root
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
