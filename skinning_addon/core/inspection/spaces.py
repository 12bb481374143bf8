"""Skinning stopped partway through its spaces: the picture that explains an offset matrix.

    step 0, mesh space    the mesh at rest, as it was modelled
    step 1, bone space    after offset: every part as its own bone sees it at rest
    step 2, root space    after to_root: carried along by the posed bone, and blended
    step 3, result        after root_to_mesh: where skinning ends

Coordinates are drawn unchanged at each step, relative to the mesh object's origin, and move in straight lines
in between. Only bone space is drawn relative to the armature's origin, which all of its meshes share.

Before to_root a vertex has as many positions as influences. So the mesh is cut into parts, each face going with
the bone that moves it most, and every part is shown in its own bone's space. A part's vertices then have two
kinds of influences: their part's, and their own. Each palette entry is scaled by its current share, so that
skinning's ordinary sums take the mesh from one step to the next: no shader knows about this.

Source: Luna's chapter on character animation, "Offset transformation" (offset, to_root, final).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..skinning.joints import Joints
from ..skinning.mesh import DrawMesh, SourceMesh
from ..skinning.palette import Palette
from ..skinning.passes import Blend, Pass
from ..skinning.pose import Pose
from ..skinning.skin import Skin
from ..text.errors import BindingError

MESH, BONE, ROOT, RESULT = range(4)
"""The steps."""


@dataclass(frozen=True, eq=False)
class MeshParts:
    """A skinned mesh cut into parts, one for each joint.

    skinning: over joints 0 to J - 1, the mesh's own, and J to 2J - 1, the same again for the parts.
    mesh, draw_mesh: with each vertex repeated for every part that it belongs to. source_vertex: (P,) int32,
    the whole mesh's vertex.
    lowest, highest: (J, 3) float64, corners of the box around each joint's part, bone space; inf and -inf if
    it has none.
    """

    skinning: Pass
    mesh: SourceMesh
    draw_mesh: DrawMesh
    source_vertex: NDArray[np.int32]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    @property
    def joint_count(self) -> int:
        """J, the number of the mesh's own joints."""
        return len(self.lowest)


def cut_into_parts(passes: tuple[Pass, ...], mesh: SourceMesh, draw_mesh: DrawMesh) -> MeshParts:
    """Cut a skinned mesh into parts by the joint that moves each face most.

    draw_mesh: its triangles in the order of `mesh.triangles`.

    Raises:
        BindingError: not a single linear pass without a mask.
    """
    if len(passes) != 1 or passes[0].blend is not Blend.LINEAR or passes[0].amount is not None:
        raise BindingError(
            "The steps are only available for one armature with linear blending and no mask; switch off "
            "Preserve Volume and other Armature modifiers to see them.",
            rule="spaces",
        )
    only = passes[0]
    skin = only.skin.normalised()
    joint = _joint_of_triangles(skin, mesh.triangles)
    corners = np.stack((mesh.triangles.ravel(), np.repeat(joint, 3)), axis=1)
    split, own_vertex = np.unique(corners, axis=0, return_inverse=True)
    source_vertex, joint_of_vertex = split.T.astype(np.int32)
    triangles = own_vertex.reshape(-1, 3).astype(np.int32)
    own_mesh = SourceMesh(
        mesh.positions[source_vertex], mesh.normals[source_vertex], _edges_of(triangles), triangles
    )
    own_skin = _with_parts(skin, source_vertex, joint_of_vertex, len(only.joints))
    return MeshParts(
        replace(only, skin=own_skin, joints=_twice(only.joints)),
        own_mesh,
        _split_draw_mesh(draw_mesh, triangles),
        source_vertex,
        *_boxes(own_mesh.positions, joint_of_vertex, only.joints),
    )


def step_palette(
    joints: Joints,
    pose: Pose,
    root_to_mesh: NDArray[np.float64],
    *,
    step: float,
    moved: NDArray[np.float64] | None = None,
) -> Palette:
    """Return the palette (2J, 4, 4) that stops skinning at a step, or between two.

    joints, pose, root_to_mesh: of the instant, J joints. step: 0 to 3. moved: (J, 3), how far each joint's
    part is moved in bone space, where they would otherwise all overlap; see `parts_layout`.
    """
    step = min(max(step, float(MESH)), float(RESULT))
    in_bone = joints.offset.copy()
    if moved is not None:
        in_bone[:, 3, :3] += moved
    in_bone = in_bone @ root_to_mesh
    in_root = joints.offset @ pose.to_root
    if step <= BONE:
        of_parts, own = _between(np.eye(4), in_bone, step), np.zeros_like(in_root)
    elif step <= ROOT:
        of_parts, own = (ROOT - step) * in_bone, (step - BONE) * in_root
    else:
        of_parts, own = np.zeros_like(in_bone), _between(in_root, in_root @ root_to_mesh, step - ROOT)
    # Half of every vertex's weight belongs to its part, half is its own.
    return Palette((2.0 * np.concatenate((own, of_parts))).astype(np.float32))


def _between(first: NDArray[np.float64], second: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    return (1.0 - share) * first + share * second


def _joint_of_triangles(skin: Skin, triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the joint with the most weight summed over each triangle's corners: (T,)."""
    table = np.zeros((skin.vertex_count, int(skin.joints.max(initial=0)) + 1), dtype=np.float32)
    np.add.at(table, (skin.vertex_of_influence, skin.joints), skin.weights)
    joint = np.empty(len(triangles), dtype=np.int32)
    for start in range(0, len(triangles), 4096):
        part = slice(start, start + 4096)
        joint[part] = table[triangles[part]].sum(axis=1).argmax(axis=1)
    return joint


def _with_parts(
    skin: Skin, source_vertex: NDArray[np.int32], joint_of_vertex: NDArray[np.int32], joint_count: int
) -> Skin:
    """Give each vertex half its own influences and half its part's entry."""
    counts = skin.counts[source_vertex]
    owner = np.repeat(np.arange(len(source_vertex)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    taken = skin.starts[source_vertex][owner] + within
    return Skin.from_entries(
        np.concatenate((owner, np.arange(len(source_vertex)))),
        np.concatenate((skin.joints[taken], joint_count + joint_of_vertex)),
        np.concatenate((0.5 * skin.weights[taken], np.full(len(source_vertex), 0.5))),
        len(source_vertex),
    )


def _twice(joints: Joints) -> Joints:
    return Joints(
        np.tile(joints.bone, 2),
        np.tile(joints.segment, 2),
        np.tile(joints.rest_to_root, (2, 1, 1)),
        np.tile(joints.offset, (2, 1, 1)),
    )


def _edges_of(triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    pairs = np.concatenate((triangles[:, (0, 1)], triangles[:, (1, 2)], triangles[:, (2, 0)]))
    return np.unique(np.sort(pairs, axis=1), axis=0).astype(np.int32)


def _split_draw_mesh(drawn: DrawMesh, triangles: NDArray[np.int32]) -> DrawMesh:
    """Split drawn vertices further, so that each belongs to one vertex of the parts."""
    corners = np.stack((drawn.triangles.ravel(), triangles.ravel()), axis=1)
    split, own = np.unique(corners, axis=0, return_inverse=True)
    before, source = split.T
    return DrawMesh(
        source.astype(np.int32),
        own.reshape(-1, 3).astype(np.int32),
        drawn.normals[before],
        drawn.uv[before],
        drawn.material,
    )


def _boxes(
    positions: NDArray[np.float32], joint_of_vertex: NDArray[np.int32], joints: Joints
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lowest and the highest corner, (J, 3) each, of every joint's part in bone space."""
    offset = joints.offset[joint_of_vertex]
    in_bone = np.einsum("vc,vcr->vr", positions, offset[:, :3, :3]) + offset[:, 3, :3]
    lowest, highest = np.full((len(joints), 3), np.inf), np.full((len(joints), 3), -np.inf)
    np.minimum.at(lowest, joint_of_vertex, in_bone)
    np.maximum.at(highest, joint_of_vertex, in_bone)
    return lowest, highest
