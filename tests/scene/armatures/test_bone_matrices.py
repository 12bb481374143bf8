"""One bone's matrices against the palette, against Blender's own, and against the file that Blender exports."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.core.inspection.decomposition import decompose
from skinning_addon.core.inspection.matrix_text import MatrixNotation
from skinning_addon.scene.armatures.bone_matrices import joint_count, read_bone_matrices
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from tests.scene.random_rig import RigOptions, random_rig


def of_bone(rig, name, **more):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return read_bone_matrices(rig.armature, name, depsgraph, rig.mesh, **more)


@pytest.mark.parametrize("bendy", [1, 4])
def test_they_are_those_of_the_palette(bendy):
    rig = random_rig(RigOptions(seed=4, bendy=bendy, handles="MIXED", transformed=True))
    rig.pose()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(rig.mesh, depsgraph)
    posed = FrameReader(binding).read(rig.mesh, depsgraph).passes[0]
    names = binding.skeletons[rig.armature.name].names
    # Before 5.1 the palette's bendy joints are computed, all at once; those of a single bone are always asked
    # of Blender, which rounds to float32 on the way.
    rounding = 2e-6 if bendy > 1 and bpy.app.version < (5, 1) else 1e-12
    assert len(posed.joints) > len(names) if bendy > 1 else len(posed.joints) > 5
    for joint in range(1, len(posed.joints)):
        name = names[posed.joints.bone[joint]]
        found = of_bone(rig, name, joint=int(posed.joints.segment[joint]))
        assert found.to_root == pytest.approx(posed.pose.to_root[joint], abs=rounding)
        assert found.rest_to_root == pytest.approx(posed.joints.rest_to_root[joint], abs=1e-12)
        assert found.offset == pytest.approx(posed.joints.offset[joint], abs=1e-9)
        assert found.final == pytest.approx(posed.final.final[joint], abs=max(rounding, 1e-6))


def test_they_are_what_blender_says():
    rig = random_rig(RigOptions(seed=5))
    rig.pose()
    for pose_bone in rig.armature.pose.bones:
        found = of_bone(rig, pose_bone.name)
        to_parent = pose_bone.matrix
        if pose_bone.parent:
            to_parent = pose_bone.parent.matrix.inverted() @ pose_bone.matrix
        assert found.has_parent == (pose_bone.parent is not None)
        assert found.to_parent == pytest.approx(np.array(to_parent.transposed()), abs=1e-4)
        assert found.to_root == pytest.approx(np.array(pose_bone.matrix.transposed()), abs=1e-6)
        assert found.rest_to_root == pytest.approx(
            np.array(pose_bone.bone.matrix_local.transposed()), abs=1e-6
        )


def test_the_final_matrix_moves_a_vertex_of_that_bone_alone_to_where_blender_has_it():
    rig = random_rig(RigOptions(seed=6, transformed=True))
    name = next(bone.name for bone in rig.armature.data.bones if bone.use_deform and bone.parent)
    group = rig.mesh.vertex_groups.get(name) or rig.mesh.vertex_groups.new(name=name)
    for other in rig.mesh.vertex_groups:
        other.remove([0])
    group.add([0], 1.0, "REPLACE")
    rig.pose()
    moved = np.append(rig.mesh.data.vertices[0].co, 1.0) @ of_bone(rig, name).final  # pyright: ignore[reportCallIssue]
    blender = rig.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[0].co
    assert moved[:3] == pytest.approx(np.array(blender), abs=1e-5)


def test_without_a_mesh_there_is_no_offset():
    rig = random_rig(RigOptions())
    found = read_bone_matrices(
        rig.armature, rig.armature.data.bones[0].name, bpy.context.evaluated_depsgraph_get()
    )
    assert [one.name for one in found.named()] == ["to_parent", "to_root", "rest_to_root"]


def test_under_a_parent_that_is_scaled_to_zero_there_is_no_local_matrix():
    rig = random_rig(RigOptions(scale="none"))
    child = next(bone for bone in rig.armature.pose.bones if bone.parent)
    child.parent.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    assert of_bone(rig, child.name).to_parent is None


@pytest.mark.parametrize("scale", ["none", "uniform", "non-uniform", "negative"])
def test_they_come_apart_as_in_blender(scale):
    rig = random_rig(RigOptions(seed=8, scale=scale))
    # Under a parent that is scaled unevenly every bone is sheared: only roots are left.
    compared = 0
    for _ in range(6):
        rig.pose()
        for pose_bone in rig.armature.pose.bones:
            parts = decompose(of_bone(rig, pose_bone.name).to_root)
            if parts.sheared:
                continue
            location, rotation, size = pose_bone.matrix.decompose()
            assert parts.location == pytest.approx(np.array(location), abs=1e-6)
            assert parts.scale == pytest.approx(np.array(size), abs=1e-5)
            assert abs(parts.quaternion @ np.array(rotation)) == pytest.approx(1, abs=1e-6)
            # The choice between the two ways to say it is Blender's too, but for ties.
            again = Matrix(parts.rotation.T.tolist()).to_euler("XYZ")
            assert np.radians(parts.euler) == pytest.approx(np.array(again), abs=1e-4)
            compared += 1
    assert compared >= (6 if scale in {"non-uniform", "negative"} else 60)


def test_with_y_up_offsets_are_the_inverse_bind_matrices_of_blenders_gltf(tmp_path: Path):
    rig = random_rig(RigOptions(scale="none"))
    rig.mesh.parent = rig.armature
    bpy.context.view_layer.update()
    path = tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_animations=False)
    exported = inverse_bind_matrices(path)
    assert len(exported) >= 8
    for name, matrix in exported.items():
        offset = next(one for one in of_bone(rig, name).named() if one.name == "offset")
        # glTF writes column-vector matrices column by column: byte for byte those of row vectors.
        assert offset.written(MatrixNotation(y_up=True)) == pytest.approx(matrix, abs=1e-5)


def inverse_bind_matrices(path: Path) -> dict[str, np.ndarray]:
    """Read those of the first skin of a .glb, by the name of the joint."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    file = json.loads(data[20 : 20 + length])
    skin = file["skins"][0]
    accessor = file["accessors"][skin["inverseBindMatrices"]]
    view = file["bufferViews"][accessor["bufferView"]]
    start = 20 + length + 8 + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    count = accessor["count"]
    matrices = np.frombuffer(data, "<f4", count * 16, start).reshape(count, 4, 4)
    names = [file["nodes"][joint]["name"] for joint in skin["joints"]]
    return {name: matrix for name, matrix in zip(names, matrices, strict=True) if name != "neutral_bone"}


def test_a_bendy_bone_has_a_joint_more_than_segments():
    rig = random_rig(RigOptions(bendy=4))
    assert {joint_count(bone) for bone in rig.armature.data.bones} <= {1, 5}
    assert joint_count(random_rig(RigOptions()).armature.data.bones[0]) == 1
