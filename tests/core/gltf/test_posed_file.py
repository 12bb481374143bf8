"""Small files whose positions follow from the specification by hand."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.gltf.posed_file import read_posable_file
from tests.core.gltf.gltf_writing import arm


def posed(writing, path, seconds):
    file = read_posable_file(writing.write(path))
    (positions,) = file.positions(file.animations, seconds, file.primitives)
    return positions


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_an_arm_bends_about_its_elbow(tmp_path, suffix):
    positions = posed(arm(), tmp_path / f"arm{suffix}", [-1, 0, 0.5, 1, 2])
    half = np.sqrt(0.5)
    assert positions[:, 0] == pytest.approx(np.tile((0, 1, 0), (5, 1)))
    forearm = [(2, 0, 0), (2, 0, 0), (1 + half, half, 0), (1, 1, 0), (1, 1, 0)]
    assert positions[:, 1] == pytest.approx(np.array(forearm), abs=1e-7)


def test_the_file_says_which_vertex_each_was(tmp_path):
    (primitive,) = read_posable_file(arm().write(tmp_path / "arm.glb")).primitives
    assert (primitive.name, primitive.source.tolist()) == ("Arm", [7, 5])


def test_a_step_holds_until_the_next_key(tmp_path):
    writing = arm()
    writing.document["animations"][0]["samplers"][0]["interpolation"] = "STEP"
    positions = posed(writing, tmp_path / "arm.glb", [0.999, 1])
    assert positions[:, 1] == pytest.approx(np.array([(2, 0, 0), (1, 1, 0)]), abs=1e-7)


def test_a_cubic_spline_follows_its_tangents(tmp_path):
    """With tangents of 0, a third of the way from 0 to 9 is at 9 (3 t^2 - 2 t^3); one of 27, times t^3 - 2 t^2 + t."""
    writing = arm()
    zero = (0, 0, 0)
    writing.document["animations"][0] = {
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
        "samplers": [
            {
                "input": writing.accessor([0, 2]),
                "output": writing.accessor([zero, zero, (0, 27, 0), zero, (9, 0, 0), zero]),
                "interpolation": "CUBICSPLINE",
            }
        ],
    }
    t = 1 / 3
    positions = posed(writing, tmp_path / "arm.glb", [2 * t])
    moved = (9 * (3 * t**2 - 2 * t**3), 27 * 2 * (t**3 - 2 * t**2 + t), 0)
    assert positions[0, 1] == pytest.approx(np.array((2, 0, 0)) + moved, abs=1e-6)


def test_the_short_way_is_taken_whatever_the_signs(tmp_path):
    writing = arm()
    half = np.sqrt(0.5)
    writing.document["animations"][0]["samplers"][0]["output"] = writing.accessor(
        [(0, 0, 0, 1), (0, 0, -half, -half)]
    )
    positions = posed(writing, tmp_path / "arm.glb", [0.5])
    assert positions[0, 1] == pytest.approx((1 + half, half, 0), abs=1e-7)


def test_quantised_weights_and_rotations(tmp_path):
    """Weights 85 and 170 of 255 are a third and two thirds; a rotation of -127 and 127 of 127 is unit length again."""
    writing = arm()
    attributes = writing.document["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = writing.accessor([(255, 0, 0, 0), (85, 170, 0, 0)], "u1", normalized=True)
    attributes["JOINTS_0"] = writing.accessor([(0, 0, 0, 0), (0, 1, 0, 0)], "u2")
    writing.document["animations"][0]["samplers"][0]["output"] = writing.accessor(
        [(0, 0, 0, 127), (0, 0, 127, 127)], "i1", normalized=True
    )
    positions = posed(writing, tmp_path / "arm.glb", [1])
    assert positions[0, 1] == pytest.approx((1 + 1 / 3, 2 / 3, 0), abs=1e-7)


def test_sparse_positions_replace_some(tmp_path):
    writing = arm()
    accessor = writing.document["accessors"][0]
    accessor["sparse"] = {
        "count": 1,
        "indices": {"bufferView": writing.view(b"\x01"), "componentType": 5121},
        "values": {"bufferView": writing.view(np.array((3, 0, 0), "<f4").tobytes())},
    }
    assert posed(writing, tmp_path / "arm.glb", [1])[0].tolist() == [[0, 1, 0], pytest.approx((1, 2, 0))]
    del accessor["bufferView"]
    assert posed(writing, tmp_path / "arm.glb", [0])[0].tolist() == [[0, 0, 0], [3, 0, 0]]


def test_interleaved_attributes(tmp_path):
    writing = arm()
    rows = np.array([(0, 1, 0, 9), (2, 0, 0, 9)], "<f4")
    view = writing.view(rows.tobytes()[:-4], byteStride=16)
    writing.document["accessors"][0]["bufferView"] = view
    assert posed(writing, tmp_path / "arm.glb", [0])[0].tolist() == [[0, 1, 0], [2, 0, 0]]


def test_morphs_move_before_joints(tmp_path):
    writing = arm()
    mesh = writing.document["meshes"][0]
    mesh["primitives"][0]["targets"] = [{"POSITION": writing.accessor([(0, 0, 0), (1, 0, 0)])}]
    mesh["weights"] = [0.5]
    assert posed(writing, tmp_path / "arm.glb", [1])[0, 1] == pytest.approx((1, 1.5, 0), abs=1e-7)
    animation = writing.document["animations"][0]
    animation["channels"].append({"sampler": 1, "target": {"node": 2, "path": "weights"}})
    animation["samplers"].append({"input": writing.accessor([0, 1]), "output": writing.accessor([0.0, 1.0])})
    assert posed(writing, tmp_path / "arm.glb", [1])[0, 1] == pytest.approx((1, 2, 0), abs=1e-7)


def test_a_joint_may_have_a_matrix_and_a_skin_no_inverse_binds(tmp_path):
    writing = arm()
    matrix = np.eye(4)
    matrix[0, 0], matrix[3, 1] = 2, 5
    writing.document["nodes"][0]["matrix"] = matrix.reshape(-1).tolist()
    del writing.document["skins"][0]["inverseBindMatrices"]
    assert posed(writing, tmp_path / "arm.glb", [0])[0].tolist() == [[0, 6, 0], [6, 5, 0]]


def test_meshes_outside_the_scene_are_not_shown(tmp_path):
    writing = arm()
    writing.document["nodes"].append({"mesh": 0, "name": "Elsewhere"})
    assert len(read_posable_file(writing.write(tmp_path / "arm.glb")).primitives) == 1
