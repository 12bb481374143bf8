"""Skinning stopped at each step, against the definitions of the spaces."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.inspection.parts_layout import laid_out, side_by_side
from skinning_addon.core.inspection.spaces import (
    BONE,
    MESH,
    RESULT,
    ROOT,
    MeshParts,
    cut_into_parts,
    step_palette,
)
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.skinning.palette import final_matrices
from skinning_addon.core.skinning.passes import Blend, Pass
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.text.errors import BindingError
from tests.core.builders import random_transform, random_transforms

BONES, VERTICES = 4, 60


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


class Rig:
    """A random mesh on random bones in a random pose."""

    def __init__(self, rng: np.random.Generator) -> None:
        rest = random_transforms(rng, BONES)
        skeleton, _ = Skeleton.from_bones([str(bone) for bone in range(BONES)], [-1] * BONES, rest)
        self.mesh_to_root = random_transform(rng)
        self.joints = Joints.of_bones(skeleton, np.arange(BONES), self.mesh_to_root)
        self.pose = self.joints.posed(random_transforms(rng, BONES))
        triangles = rng.integers(0, VERTICES, (40, 3))
        positions = rng.normal(size=(VERTICES, 3))
        self.mesh = SourceMesh(positions, np.tile((0, 0, 1), (VERTICES, 1)), np.empty((0, 2)), triangles)
        corners = rng.permutation(120)
        self.drawn = DrawMesh(
            triangles.ravel()[np.argsort(corners)],
            corners.reshape(40, 3),
            rng.normal(size=(120, 3)),
            rng.random((120, 2)),
        )
        weights = rng.random((VERTICES, 2)) + 0.1
        joints = rng.integers(1, BONES + 1, (VERTICES, 2))
        joints[:, 1] = joints[:, 0] % BONES + 1
        skin = Skin(np.arange(VERTICES + 1) * 2, joints.ravel(), weights.ravel())
        self.whole = Pass(skin, self.joints, "Rig")
        self.parts = cut_into_parts((self.whole,), self.mesh, self.drawn)

    def at(self, step: float, spread: float = 0.0) -> np.ndarray:
        moved = spread * side_by_side([self.parts])[0]
        palette = step_palette(
            self.joints, self.pose, np.linalg.inv(self.mesh_to_root), step=step, moved=moved
        )
        return SoftwareSkinner((self.parts.skinning,), self.parts.mesh).skin_positions((palette,))

    def in_root(self, positions: np.ndarray) -> np.ndarray:
        """Seen from the armature's origin instead of the mesh's."""
        return transformed(positions, np.tile(self.mesh_to_root, (len(positions), 1, 1)))

    def joint_of_part(self) -> np.ndarray:
        """The joint in whose space each of the parts' vertices is shown."""
        skin = self.parts.skinning.skin
        return skin.joints[skin.starts[1:] - 1] - len(self.joints)


def transformed(points: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    points = np.concatenate((points, np.ones((len(points), 1))), axis=1)
    return np.einsum("vc,vcr->vr", points, matrices)[:, :3]


def close(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.abs(one - other).max() <= 1e-5 * max(1.0, np.abs(other).max()))


def test_the_steps_are_the_spaces_of_the_definition(rng: np.random.Generator) -> None:
    rig = Rig(rng)
    at_rest = rig.mesh.positions[rig.parts.source_vertex].astype(np.float64)
    assert close(rig.at(MESH), at_rest)
    # In bone space all meshes of an armature are drawn from its origin, wherever they have their own.
    offset = rig.joints.offset[rig.joint_of_part()]
    assert close(rig.in_root(rig.at(BONE)), transformed(at_rest, offset))
    # Where the bone is, in root space, is what its to_root is for; two influences a vertex.
    skin = rig.whole.skin.normalised()
    in_root = np.zeros((VERTICES, 3))
    for slot in range(2):
        joint = skin.joints[slot::2]
        matrices = rig.joints.offset[joint] @ rig.pose.to_root[joint]
        in_root += skin.weights[slot::2, None] * transformed(rig.mesh.positions, matrices)
    assert close(rig.at(ROOT), in_root[rig.parts.source_vertex])
    root_to_mesh = np.linalg.inv(rig.mesh_to_root)
    final = final_matrices(rig.joints, rig.pose, root_to_mesh)
    result = SoftwareSkinner((rig.whole,), rig.mesh).skin_positions((final,))
    assert close(rig.at(RESULT), result[rig.parts.source_vertex])


@pytest.mark.parametrize(("before", "share"), [(MESH, 0.25), (BONE, 0.5), (ROOT, 0.9)])
def test_between_steps_vertices_move_in_straight_lines(
    rng: np.random.Generator, before: int, share: float
) -> None:
    rig = Rig(rng)
    between = (1 - share) * rig.at(before) + share * rig.at(before + 1)
    assert close(rig.at(before + share), between)


def test_a_face_is_shown_in_one_space(rng: np.random.Generator) -> None:
    rig = Rig(rng)
    joint = rig.joint_of_part()[rig.parts.mesh.triangles]
    assert (joint == joint[:, :1]).all()
    assert np.array_equal(rig.parts.source_vertex[rig.parts.mesh.triangles], rig.mesh.triangles)
    # What is drawn is the same faces, corner by corner.
    drawn = rig.parts.draw_mesh
    assert np.array_equal(drawn.source_vertex[drawn.triangles], rig.parts.mesh.triangles)
    assert np.array_equal(drawn.normals[drawn.triangles], rig.drawn.normals[rig.drawn.triangles])
    assert np.array_equal(drawn.uv[drawn.triangles], rig.drawn.uv[rig.drawn.triangles])


def assert_apart(boxes: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """No two boxes, given by two corners each, overlap in the plane of X and Y."""
    for number, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:number]:
            assert (np.maximum(low, other_low)[:2] > np.minimum(high, other_high)[:2]).any()


def test_spread_parts_keep_their_shape_and_do_not_overlap(rng: np.random.Generator) -> None:
    rig = Rig(rng)
    together, apart = rig.in_root(rig.at(BONE)), rig.in_root(rig.at(BONE, spread=1.0))
    joint = rig.joint_of_part()
    boxes = []
    for one in np.unique(joint):
        moved = (apart - together)[joint == one]
        assert np.abs(moved - moved[0]).max() <= 1e-5 * np.abs(apart).max()
        boxes.append((apart[joint == one].min(axis=0), apart[joint == one].max(axis=0)))
    assert_apart(boxes)
    # On the way to the next step they come back.
    assert close(rig.at(ROOT, spread=1.0), rig.at(ROOT))


def test_what_one_bone_moves_in_several_meshes_stays_together_and_apart_from_the_rest(
    rng: np.random.Generator,
) -> None:
    # A helmet and a head, say.
    rigs = (Rig(rng), Rig(rng))
    moved = side_by_side([rig.parts for rig in rigs])
    assert np.abs(moved[0][1:] - moved[1][1:]).max() < 1e-9
    boxes: dict[int, np.ndarray] = {}
    for rig, own in zip(rigs, moved, strict=True):
        joint = rig.joint_of_part()
        at_rest = rig.mesh.positions[rig.parts.source_vertex].astype(np.float64)
        apart = transformed(at_rest, rig.joints.offset[joint]) + own[joint]
        for one in np.unique(joint).tolist():
            points = [apart[joint == one]]
            if one in boxes:
                points.append(boxes[one])
            boxes[one] = np.concatenate(points)
    assert len(boxes) == BONES
    assert_apart([(points.min(axis=0), points.max(axis=0)) for points in boxes.values()])


@pytest.mark.parametrize("far", [0.0, -3.0, 1000.0])
def test_meshes_of_different_armatures_stand_apart_wherever_these_are(
    rng: np.random.Generator, far: float
) -> None:
    rigs = [Rig(rng) for _ in range(4)]
    names = ("Rig", "Another Rig", "Rig", "Third Rig")
    places = {name: random_transform(rng) for name in names}
    places["Third Rig"][3, 0] += far
    all_parts = [
        replace(rig.parts, skinning=replace(rig.parts.skinning, armature=name))
        for rig, name in zip(rigs, names, strict=True)
    ]
    moved = laid_out(all_parts, [places[name] for name in names])
    reach: dict[str, tuple[float, float]] = {}
    for rig, own, name in zip(rigs, moved, names, strict=True):
        joint = rig.joint_of_part()
        at_rest = rig.mesh.positions[rig.parts.source_vertex].astype(np.float64)
        in_root = transformed(at_rest, rig.joints.offset[joint]) + own[joint]
        x = (in_root @ places[name][:3, :3] + places[name][3, :3])[:, 0]
        lowest, highest = reach.get(name, (np.inf, -np.inf))
        reach[name] = min(lowest, x.min()), max(highest, x.max())
    ordered = sorted(reach.values())
    assert len(ordered) == 3
    assert all(left[1] < right[0] for left, right in pairwise(ordered))
    # The first stays where its armature is, and so does whoever is far away.
    assert np.array_equal(moved[0], side_by_side([all_parts[0], all_parts[2]])[0])
    stays = np.array_equal(moved[3], side_by_side([all_parts[3]])[0])
    assert stays == (far == 1000.0)


def test_other_skinning_than_one_linear_pass_is_refused_with_a_remedy(rng: np.random.Generator) -> None:
    rig = Rig(rng)
    volume = Pass(rig.whole.skin, rig.joints, "Rig", blend=Blend.VOLUME)
    for passes in ((), (rig.whole, rig.whole), (volume,)):
        with pytest.raises(BindingError, match="one armature with linear blending"):
            cut_into_parts(passes, rig.mesh, rig.drawn)


def test_an_unmoved_vertex_goes_the_way_of_no_bone() -> None:
    skeleton, _ = Skeleton.from_bones(["a"], [-1], np.eye(4)[None])
    joints = Joints.of_bones(skeleton, [0], np.diag((2.0, 2.0, 2.0, 1.0)))
    mesh = SourceMesh(np.eye(3), np.eye(3), np.empty((0, 2)), np.array([(0, 1, 2)]))
    drawn = DrawMesh(np.arange(3), mesh.triangles, mesh.normals, np.zeros((3, 2)))
    parts = cut_into_parts((Pass(Skin([0, 0, 0, 0], [], []), joints, "Rig"),), mesh, drawn)
    assert isinstance(parts, MeshParts)
    pose = Pose(np.tile(np.eye(4), (2, 1, 1)))
    for step, scale in ((MESH, 1.0), (BONE, 1.0), (ROOT, 2.0), (RESULT, 1.0)):
        palette = step_palette(joints, pose, np.diag((0.5, 0.5, 0.5, 1.0)), step=step)
        positions = SoftwareSkinner((parts.skinning,), parts.mesh).skin_positions((palette,))
        assert close(positions, scale * np.eye(3)[parts.source_vertex])
